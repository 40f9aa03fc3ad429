"""Lint: mistakes that an exercise cannot show, and other findings."""
