"""`schema`: a JSON Schema of problem files, so that editors complete and check while one types."""

from __future__ import annotations

from attncalc.exercise.keys.descriptions import HELP, READERS
from attncalc.exercise.keys.schema_types import ROWS, Form, form_of
from attncalc.exercise.mechanisms import MECHANISMS

DIALECT = "https://json-schema.org/draft/2020-12/schema"
FILE = "attncalc.schema.json"
"""What the schema is called where an editor finds it."""


def make_schema() -> Form:
    """The whole schema, from the keys of all mechanisms."""
    numbered = [key for mechanism in MECHANISMS for key in mechanism.numbered]
    return {
        "$schema": DIALECT,
        "title": "A problem file of attncalc",
        "type": "object",
        "properties": {key: property_of(key) for key in READERS},
        "patternProperties": {f"^{key}_[1-9][0-9]?$": property_of(key) for key in numbered},
        "additionalProperties": False,
        "$defs": {"rows": ROWS},
    }


def property_of(key: str) -> Form:
    """What a key takes, and what it is for."""
    help_ = HELP.get(key)
    if help_ is None:
        return form_of(READERS[key])
    said = {"description": help_.sentence, "examples": [help_.example] if help_.example else []}
    return {**(help_.form or form_of(READERS[key])), **said}
