"""The command line."""

from attncalc.cli import desk
from attncalc.cli.commands import cli
from attncalc.cli.main import main

__all__ = ["cli", "desk", "main"]
