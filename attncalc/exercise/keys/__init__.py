"""The keys of a problem file and how each is read."""
