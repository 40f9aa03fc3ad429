"""From a problem file to its solution."""
