"""Readings of terms: each module interprets the same rule in another way."""
