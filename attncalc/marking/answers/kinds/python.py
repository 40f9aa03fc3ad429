"""Answers in Python files: numbers that are assigned to names, read as text; nothing is executed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from attncalc.core.errors import Place, fault
from attncalc.exercise.yaml.reader import SPACES
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, decode
from attncalc.marking.answers.kinds.base import Kind
from attncalc.marking.answers.kinds.text import to_mapping
from attncalc.marking.answers.statements import Line, Style, find_statements, lines_of

CODE = Style(re.compile(r"[^\W\d]\w*\s*|\s*[\"'][^\"']+[\"']\s*"), re.compile(r"#.*"), is_code=True)
"""A name or a text is assigned a value; indices count from 0 in Python, so that they are not read."""
NUMBERS = re.compile(
    r"(?:[^\w\"']|\d+(?:e[-+]?\d+)?j?(?!\d)|(?:np|numpy|torch|jnp|math|sympy)\.|\b(?:array|asarray|tensor|matrix|Matrix|"
    r"dtype|device|requires_grad|True|False|float|float16|float32|float64|float_|double|inf|nan|e|pi|sqrt|exp|None|cpu)\b"
    r"|[\"'](?:-?inf|cpu|[^\"'A-Za-z]*)[\"'])*"
)
"""A value that holds numbers and no other names."""
NOTHING_ASSIGNED = (
    "assigns no numbers to the name of a step, and nothing in it is executed: "
    "write the results, such as S = [[1, 0], [0, 1]]"
)


def read_python(data: bytes, name: str) -> Mapped:
    """Read the numbers that a Python file assigns."""
    found = find_in_code(lines_of(decode(data, name).translate(SPACES), name))
    if not found:
        raise fault(NOTHING_ASSIGNED, Place(name))
    return to_mapping(found, name, in_rows=True)


def find_in_code(lines: Sequence[Line]) -> list[tuple[Scalar, Node]]:
    """The numbers that some code assigns, or notes in comments under names to which it assigns no numbers."""
    found = [*find_assigned(lines)]
    names = {key.text for key, _ in found}
    comments = [
        Line(re.sub(r"^\s*#+ ?", "", line.text) if line.text.lstrip().startswith("#") else "", line.place)
        for line in lines
    ]
    return found + [item for item in find_assigned(comments) if item[0].text not in names]


def find_assigned(lines: Sequence[Line]) -> Iterator[tuple[Scalar, Node]]:
    """The names in some lines of code to which numbers are assigned, with their values."""
    for key, node in find_statements(lines, CODE):
        if key.text and not (isinstance(node, Scalar) and not NUMBERS.fullmatch(node.text)):
            yield key, node


kind = Kind((".py",), read_python)
