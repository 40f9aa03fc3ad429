"""Teachers: Print a JSON Schema of problem files, for editors."""

from __future__ import annotations

import click

from attncalc.cli.options import writes
from attncalc.cli.printer import Printer
from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.keys.schema_types import ROWS, Schema
from attncalc.exercise.mechanisms import NUMBERED

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILE = "attncalc.schema.json"
"""The file name of the schema, for editors."""


def make_schema() -> Schema:
    """The whole schema, from the keys of all mechanisms."""
    return {
        "$schema": DIALECT,
        "title": "A problem file of attncalc",
        "type": "object",
        "properties": {name: key.schema for name, key in KEYS.items()},
        "patternProperties": {f"^{name}_[1-9][0-9]?$": KEYS[name].schema for name in NUMBERED},
        "additionalProperties": False,
        "$defs": {"rows": ROWS},
    }


@click.command()
@writes("data")
def command(output: Printer) -> None:
    """Print a JSON Schema of problem files, for editors that complete and check while one types."""
    output.write(data=make_schema)
