"""What a term means: each module reads the same rule in another way."""
