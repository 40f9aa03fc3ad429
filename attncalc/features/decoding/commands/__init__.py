"""The commands that this feature brings."""
