"""What values look like to a program that reads YAML: pieces of a JSON Schema, made from the readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from attncalc.exercise.keys.readers import Choice, Reader, Whole, matrix, scores, text, texts

Form: TypeAlias = Mapping[str, Any]
"""A piece of a JSON Schema."""

CELL: Form = {"type": ["number", "string"]}
TEXT: Form = {"type": ["string", "number"]}
ROWS: Form = {"type": "array", "minItems": 1, "items": {"anyOf": [CELL, {"$ref": "#/$defs/rows"}]}}
"""A list of numbers, of rows or of matrices, which refers to itself."""


def mapping(properties: Mapping[str, Form], **more: object) -> Form:
    """A mapping with these keys and no others."""
    return {"type": "object", "properties": dict(properties), "additionalProperties": False, **more}


def mapping_of(values: Form) -> Form:
    """A mapping of any names to such values."""
    return {"type": "object", "additionalProperties": values}


def one_of(*forms: Form) -> Form:
    """Any of these."""
    return {"anyOf": list(forms)}


def words(*options: str) -> Form:
    """One of these words."""
    return {"enum": list(options)}


def one_or_list(form: Form) -> Form:
    """Such a value, or a list of them."""
    return one_of(form, {"type": "array", "items": form})


MATRIX = one_of(
    {"type": "string"}, {"$ref": "#/$defs/rows"}, mapping({"file": TEXT, "key": TEXT}, required=["file"])
)


def form_of(reader: Reader | None) -> Form:
    """What a reader takes, as far as it says so; anything where it does not."""
    if isinstance(reader, Choice):
        return words(*reader.options)
    if isinstance(reader, Whole):
        return {"type": "integer", "minimum": reader.least, "maximum": reader.most}
    if reader in (matrix, scores):
        return MATRIX
    if reader is text:
        return TEXT
    return {"type": "array", "items": TEXT} if reader is texts else {}
