"""The keys of problem files that this feature brings, one a file."""
