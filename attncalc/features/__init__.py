"""Features, each in one folder that can be deleted."""
