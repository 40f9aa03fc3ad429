"""Kinds of answers files: a file of this folder reads files of some endings."""
