"""Solutions as programs in NumPy and torch."""
