"""A problem solved: every step with its values."""
