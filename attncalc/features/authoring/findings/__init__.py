"""Formats that take what `lint` found, problem by problem."""
