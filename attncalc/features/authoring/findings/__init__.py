"""Formats for the findings of `lint`."""
