"""Answers in Jupyter notebooks: assigned numbers, printed outputs and text; nothing is executed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from attncalc.core.errors import Place, fault
from attncalc.exercise.yaml.tree import DEEPEST, Mapped, Node, Scalar, decode
from attncalc.marking.answers.kinds.base import Kind
from attncalc.marking.answers.kinds.json import TOO_DEEP
from attncalc.marking.answers.kinds.python import NOTHING_ASSIGNED, find_in_code
from attncalc.marking.answers.kinds.text import to_mapping, without_markup
from attncalc.marking.answers.statements import find_statements, lines_of

LARGEST = 5_000_000
LONGEST_CELL = 200_000
"""The most characters of the source or of an output of one cell: longer ones hold no answers."""
SHOWN = re.compile(r"print\(\s*([^\W\d]\w*)\s*\)|^([^\W\d]\w*)\s*;?\s*\Z", re.MULTILINE)
"""A name that is printed, or that ends a cell."""
PICTURE = re.compile(r"<[^<>]*(?:object|axes|Axes|Figure)[^<>]*>")


def read_notebook(data: bytes, name: str) -> Mapped:
    """Read the numbers that the cells of a notebook assign, show and say."""
    place = Place(name, 1, 1)
    try:
        root = json.loads(decode(data, name))
    except RecursionError:
        raise fault(TOO_DEEP.replace(f"{DEEPEST} ", ""), place) from None
    except ValueError:
        raise fault("is not a notebook: it is not valid JSON", place) from None
    cells = root.get("cells") if isinstance(root, dict) else None
    if not isinstance(cells, list):
        raise fault("is not a notebook: it has no cells", place)
    found: list[tuple[Scalar, Node]] = []
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict):
            found.extend(read_cell(cell, f"{name}, cell {number}"))
    if not any(key.text for key, _ in found):
        raise fault(NOTHING_ASSIGNED, Place(name))
    return to_mapping(found, name, in_rows=True)


def read_cell(cell: dict[str, Any], name: str) -> Iterator[tuple[Scalar, Node]]:
    """The numbers in one cell: in its text, or in its code and behind what it prints."""
    source = joined(cell.get("source"))
    if cell.get("cell_type") != "code":
        yield from find_statements(lines_of(without_markup(source), name))
        return
    yield from find_in_code(lines_of(source, name))
    outputs = cell.get("outputs")
    printed = "\n".join(filter(None, map(text_of, outputs if isinstance(outputs, list) else ())))
    shown = find_statements(lines_of(PICTURE.sub("", printed), f"{name}, output"))
    names = [match[1] or match[2] for match in SHOWN.finditer(source)]
    unnamed = [(key, node) for key, node in shown if not key.text]
    yield from ((key, node) for key, node in shown if key.text)
    # The order of outputs is that of the prints only if each has one.
    if len(unnamed) == len(names):
        yield from ((key._replace(text=word), node) for word, (key, node) in zip(names, unnamed, strict=True))


def text_of(output: Any) -> str:
    """The text of an output: printed, or the value of a cell."""
    if not isinstance(output, dict):
        return ""
    data = output.get("data")
    return joined(output.get("text") or (data.get("text/plain") if isinstance(data, dict) else ""))


def joined(text: Any) -> str:
    """A text, or its lines, as one text; empty if it is too long."""
    lines = [piece for piece in text if isinstance(piece, str)] if isinstance(text, list) else [text]
    whole = "".join(lines) if all(isinstance(line, str) for line in lines) else ""
    return whole if len(whole) <= LONGEST_CELL else ""


kind = Kind((".ipynb",), read_notebook, LARGEST)
