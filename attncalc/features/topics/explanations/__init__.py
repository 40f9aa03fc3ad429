"""The topics, one in each file."""
