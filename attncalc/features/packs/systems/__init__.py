"""Formats that take an assignment."""
