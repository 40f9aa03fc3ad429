"""Repair the slips in a value that a student wrote, and say how it is read."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attncalc.core.errors import Fault, inert, quote
from attncalc.core.record import replace
from attncalc.core.repair import Repair
from attncalc.core.terms import Term
from attncalc.exercise.keys.readers import needs_source
from attncalc.exercise.numbers.matrices import Value
from attncalc.exercise.numbers.repairs import AS_ROW, READ_REPAIRS, find_repair
from attncalc.exercise.numbers.student_numbers import with_point
from attncalc.exercise.numbers.texts import PLAIN
from attncalc.exercise.numbers.tokens import ExpressionError
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence
from attncalc.marking.answers.cells import BLANKS, LONGEST_CELL

Mended = tuple[Node, tuple[Fault, ...]]


def mend(node: Node, read: Callable[[str], Value], as_rows: bool) -> Mended:
    """A value with its slips repaired, and a note for each; with `as_rows`, texts are rows of numbers."""
    if isinstance(node, Scalar):
        return mend_text(node, read, as_rows)
    if isinstance(node, Mapped):
        return mend_mapping(node, read, as_rows)
    if not isinstance(node, Sequence):
        return node, ()
    if needs_source(node):
        return mend_text(Scalar(node.source, node.place), read, as_rows)
    pairs = [mend(item, read, as_rows) for item in node.items]
    return replace(node, items=tuple(item for item, _ in pairs), source=""), tuple(
        f for _, fs in pairs for f in fs
    )


def mend_text(node: Scalar, read: Callable[[str], Value], as_rows: bool) -> Mended:
    """A text as it is meant, if it cannot be read as it stands."""
    text = with_point(node.text)
    if len(text) > LONGEST_CELL or PLAIN.fullmatch(text) or text.strip() in BLANKS:
        return node, ()
    try:
        read(text)
        # 1 -2 is a difference, and may be a row.
        repairs: tuple[Repair, ...] = (AS_ROW,) if as_rows else ()
        offset = 0
    except ExpressionError as error:
        repairs, offset = (AS_ROW, *READ_REPAIRS) if as_rows else READ_REPAIRS, error.offset
    if found := find_repair(text, read, Term | np.ndarray, repairs, LONGEST_CELL):
        said = f"{quote(node.on_one_line)}: {found.because}: read as {inert(found.text)}"
        return node._replace(text=found.text), (Fault(said, node.at(offset)),)
    return node, ()


def mend_mapping(node: Mapped, read: Callable[[str], Value], as_rows: bool) -> Mended:
    """The rows of a mapping whose keys number them, or the row that stands in braces."""
    keys, values = [key.text for key, _ in node.items], [value for _, value in node.items]
    if keys == [str(number) for number in range(1, len(keys) + 1)]:
        rows, said = mend(Sequence(tuple(values), node.place), read, as_rows)
        return rows, (*said, Fault("rows have no names: read in the order of their numbers", node.place))
    if all(isinstance(value, Scalar) and not value.text for value in values):
        row = Sequence(tuple(key for key, _ in node.items), node.place)
        mended, said = mend(row, read, as_rows)
        return mended, (*said, Fault("a row stands in square brackets: read so", node.place))
    return node, ()
