"""Answers in YAML."""

from __future__ import annotations

import re

from attncalc.exercise.yaml.reader import read_yaml
from attncalc.exercise.yaml.tree import Mapped
from attncalc.marking.answers.kinds.base import Kind


def read_answers_as_yaml(data: bytes, name: str) -> Mapped:
    """Read the answers in a YAML file."""
    return read_yaml(with_blanks(data), name)


def with_blanks(data: bytes) -> bytes:
    """The file with `_` for a question mark, or for nothing between commas: YAML reads no blank there."""
    data = re.sub(rb"(?<=[0-9\]_],) (?=\s*,)", b"_", data) if b", ," in data else data
    return re.sub(rb"(?<=[\[,\s])\?(?=\s*[,\]])", b"_", data) if b"?" in data else data


kind = Kind((".yaml", ".yml"), read_answers_as_yaml)
