"""A key of a problem file: its name, its reader and its help; schema and reference are derived from it."""

from __future__ import annotations

from typing import Any

from attncalc.core.record import record
from attncalc.exercise.keys.readers import Reader
from attncalc.exercise.keys.schema_types import Schema

BESIDE = {
    "Q": "Q: [[1, 2], [3, 1]], K: [[2, 1], [1, 1], [0, 1]], V: [[1, 2], [1, 1], [0, 1]]",
    "X": "X: [[1, 2], [3, 1]]",
    "S": "S: [[1, 2], [0, 1]]",
    "": "",
}
"""The other matrices that make an example a complete problem."""


@record
class Key:
    """A key: how its value is read, what it is for in one sentence, and an example.

    The example is completed by `BESIDE[beside]`.  `default` is the value without the key, if its reader
    does not know it.
    """

    name: str
    read: Reader[Any]
    meaning: str
    example: str = ""
    beside: str = "Q"
    default: str = ""

    @property
    def problem(self) -> str:
        """The example as a problem file of one line."""
        return f"{{{', '.join(filter(None, (BESIDE[self.beside], self.example)))}}}"

    @property
    def schema(self) -> Schema:
        """The key's piece of the JSON Schema of problem files."""
        examples = [self.example] if self.example else []
        return {**self.read.schema, "description": self.meaning, "examples": examples}

    @property
    def facts(self) -> dict[str, str]:
        """What the reference says about the key."""
        default = self.default or self.read.default
        return {"is": self.meaning, "takes": self.read.takes, "default": default, "example": self.problem}


def by_name(*keys: Key) -> dict[str, Key]:
    """Return keys by their names."""
    return {key.name: key for key in keys}
