"""Formats for other programs that write what `check` found."""
