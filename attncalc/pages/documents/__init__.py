"""Formats that write a document."""
