"""The same exercise with other numbers for every student."""
