"""Formats that take a file in a language of its own."""
