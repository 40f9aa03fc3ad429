"""The command line."""

from attncalc.cli.commands import cli, main

__all__ = ["cli", "main"]
