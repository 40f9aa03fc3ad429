"""The cells of a value as a student wrote it: what cannot be read is noted, the rest is kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from attncalc.checking.answers import BLANK, Cell, Unreadable
from attncalc.errors import Fault, fault, quoted
from attncalc.fields import Array
from attncalc.inputs.expression import (
    PLAIN,
    ExpressionError,
    SizeError,
    Value,
    bounded,
    parse_answer,
    stacked,
    with_point,
)
from attncalc.inputs.nodes import Given, Mapped, Node, Scalar, Sequence, from_python
from attncalc.inputs.readers import Context, floats, needs_source
from attncalc.terms import Term, entries

BLANKS = ("_", "?", "", "~", "null")


def read_cells(node: Node, context: Context) -> Array:
    """The cells of a value: every one a term, a blank, or unreadable."""
    if isinstance(node, Given):
        if node.array.dtype == object:
            return read_cells(from_python(node.array.tolist(), str(node.place)), context)
        return floats(node.array, node.place, hidden=True)
    if isinstance(node, Mapped):
        raise fault("is not a number or a matrix", node.place)
    if isinstance(node, Scalar):
        return read_text(node, context)
    if needs_source(node):
        return read_text(Scalar(node.source, node.place), context)
    plain = plain_cells(node)
    if plain is not None:
        return plain
    rows = [read_cells(item, context) for item in node.items]
    if not rows:
        return alone(BLANK)
    try:
        return stacked([[row[()] if row.ndim == 0 else row for row in rows]])
    except SizeError as error:
        raise fault(str(error), node.place) from None


def plain_cells(node: Sequence) -> Array | None:
    """A row or rows of plain decimals; None where something else stands among them."""
    nested = all(isinstance(item, Sequence) for item in node.items)
    texts = [plain_texts(row) for row in (node.items if nested else (node,))]
    if len(set(map(len, texts))) != 1 or not texts[0]:
        return None
    cells: Array = np.array(texts, dtype=object)
    return cells if nested else cells[0]


def plain_texts(row: Node) -> list[str]:
    """The texts of a row of plain decimals, else nothing."""
    items = row.items if isinstance(row, Sequence) else ()
    texts = [item.text for item in items if isinstance(item, Scalar) and PLAIN.fullmatch(item.text)]
    return texts if len(texts) == len(items) else []


def read_text(node: Scalar, context: Context) -> Array:
    """One text: a number, a blank, or a matrix; as one unreadable cell where it cannot be read."""
    text = with_point(node.text)
    if PLAIN.fullmatch(text):
        return alone(text)
    if text.strip() in BLANKS:
        return alone(BLANK)
    try:
        value = parse_answer(text, context.names)
    except ExpressionError as error:
        return alone(unreadable_cell(node, error))
    return each(value, node) if isinstance(value, np.ndarray) else alone(judge(value, node))


def judge(term: Term, node: Scalar) -> Cell:
    """A number that can be marked, or a blank; one that is computed with, or too large a number, cannot."""
    if term == BLANK:
        return BLANK
    try:
        if BLANK in entries(term):
            raise ExpressionError("a blank cannot be computed with", 0)
        return bounded(term, 0)
    except ExpressionError as error:
        return unreadable_cell(node, error)


def unreadable_cell(node: Scalar, error: ExpressionError) -> Unreadable:
    """What cannot be read, with its place."""
    return Unreadable(Fault(f"{quoted(node.text)}: {error.message}", node.at(error.offset)))


def each(value: Value, node: Scalar) -> Array:
    """The cells of a matrix that was written as one text."""
    return np.asarray(np.frompyfunc(lambda term: judge(term, node), 1, 1)(value), dtype=object)


def alone(cell: Any) -> Array:
    """One cell as an array without axes."""
    array = np.empty((), dtype=object)
    array[()] = cell
    return array
