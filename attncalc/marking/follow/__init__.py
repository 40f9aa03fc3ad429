"""Judges every answered step, given the steps before it."""
