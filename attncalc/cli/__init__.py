"""The command line."""

from attncalc.cli import desk
from attncalc.cli.commands import cli, main

__all__ = ["cli", "desk", "main"]
