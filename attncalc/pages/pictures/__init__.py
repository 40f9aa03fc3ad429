"""Shared code of the pictures of a solution."""
