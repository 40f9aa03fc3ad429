"""The topics, one a file."""
