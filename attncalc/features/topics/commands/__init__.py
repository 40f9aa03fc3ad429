"""The commands that this feature adds."""
