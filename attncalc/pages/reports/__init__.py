"""Formats that write what `check` found, for other programs."""
