"""The keys of problem files that this feature adds, one in each file."""
