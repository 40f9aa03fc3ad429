"""Writes the blocks of a solution: matrices, worked lines, vectors, steps."""
