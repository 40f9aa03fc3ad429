"""The command line."""

from attncalc.cli.group import cli
from attncalc.cli.main import main

__all__ = ["cli", "main"]
