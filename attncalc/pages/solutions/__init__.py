"""Formats for other programs that write a solution."""
