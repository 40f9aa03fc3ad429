"""The command line."""

from attncalc.cli.main import cli, main

__all__ = ["cli", "main"]
