"""Formats that write plain data: mappings, lists, numbers and text."""
