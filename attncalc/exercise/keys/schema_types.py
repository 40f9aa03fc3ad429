"""Pieces of a JSON Schema: what values look like to a program that reads YAML."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]
"""A piece of a JSON Schema."""

CELL: Schema = {"type": ["number", "string"]}
TEXT: Schema = {"type": ["string", "number"]}
ROWS: Schema = {"type": "array", "minItems": 1, "items": {"anyOf": [CELL, {"$ref": "#/$defs/rows"}]}}
"""A list of numbers, of rows or of matrices, which refers to itself."""


def mapping(properties: Mapping[str, Schema], **more: object) -> Schema:
    """A mapping with these keys and no others."""
    return {"type": "object", "properties": dict(properties), "additionalProperties": False, **more}


def mapping_of(values: Schema) -> Schema:
    """A mapping of any names to such values."""
    return {"type": "object", "additionalProperties": values}


def one_of(*schemas: Schema) -> Schema:
    """A value that fits any of these."""
    return {"anyOf": list(schemas)}


def words(*options: str) -> Schema:
    """One of these words."""
    return {"enum": list(options)}


def one_or_list(schema: Schema) -> Schema:
    """Such a value, or a list of them."""
    return one_of(schema, {"type": "array", "items": schema})


MATRIX = one_of(
    {"type": "string"}, {"$ref": "#/$defs/rows"}, mapping({"file": TEXT, "key": TEXT}, required=["file"])
)
