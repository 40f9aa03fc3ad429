"""Formats that take the text of a file."""
