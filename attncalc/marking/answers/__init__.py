"""Answers as students write them, read into arrays."""
