"""A solution as a document of blocks, the way a teacher writes it on the board."""
