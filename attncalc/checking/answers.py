"""A student's answers, read cell by cell: what cannot be read is noted, the rest is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np

from attncalc.errors import Fault, Place, ProblemError, fault, inert, nearest, quoted
from attncalc.fields import Array
from attncalc.graph.graph import Graph, check_reference
from attncalc.graph.references import Reference, parse_reference
from attncalc.inputs.expression import PLAIN, SizeError, Value, stacked
from attncalc.inputs.nodes import (
    LARGEST_FILE,
    Given,
    Mapped,
    Node,
    Scalar,
    Sequence,
    decoded,
    from_python,
    read_bytes,
    read_stdin,
    read_yaml,
)
from attncalc.inputs.readers import INFINITE, Context, decimal_comma, floats, needs_source, text, value_of
from attncalc.record import record
from attncalc.terms import Entry, Term

BLANK = Entry("_")
BLANKS = ("_", "?", "", "~", "null")
WORDS = ("problem", "student")


@record
class Unreadable:
    """A cell that cannot be read, and why."""

    fault: Fault


Cell: TypeAlias = str | Term | Unreadable
"""What stands in one cell; a plain decimal stays text."""


@record
class Told:
    """What is told of one step under one key: cells in the shape they were written, or floats."""

    reference: Reference
    cells: Array
    place: Place
    decimal_comma: bool = False

    @property
    def from_floats(self) -> bool:
        """Whether the numbers come from an array rather than from text."""
        return self.cells.dtype != object


@record
class Answers:
    """All that is told in one file, and the faults found on the way."""

    name: str
    student: str
    told: tuple[Told, ...]
    faults: tuple[Fault, ...]


def read_answers(file: str) -> tuple[str, Mapped]:
    """The name and the root of an answers file: YAML, .json or .npz."""
    if file == "-":
        return file, read_yaml(read_stdin(LARGEST_FILE), "-")
    if file.endswith(".npz"):
        from attncalc.inputs.arrays import read_npz

        place = Place(file)
        arrays = read_npz(file, place)
        items = tuple((Scalar(name, Place(file)), Given(array, place)) for name, array in arrays.items())
        return file, Mapped(items, place)
    if file.endswith(".npy"):
        raise fault("is one array without a name: save it as .npz under the name of its step", Place(file))
    data = read_bytes(file, LARGEST_FILE)
    root = read_json(data, file) if file.endswith(".json") else read_yaml(data, file)
    if root.faults:
        raise ProblemError(*root.faults)
    return file, root


def read_json(data: bytes, file: str) -> Mapped:
    """Steps as `solve --format json` writes them, or a mapping of steps to matrices."""
    try:
        # Numbers stay text: 0.50 keeps its two decimals.
        root = json.loads(
            decoded(data, file),
            parse_float=str,
            parse_int=str,
            parse_constant=str,
            object_pairs_hook=without_duplicates,
        )
    except (ValueError, RecursionError) as error:
        line, column = getattr(error, "lineno", 1), getattr(error, "colno", 1)
        message = getattr(error, "msg", str(error))
        raise fault(f"is not valid JSON: {inert(message)}", Place(file, line, column)) from None
    if isinstance(root, dict) and isinstance(root.get("steps"), list):
        steps = [step for step in root["steps"] if isinstance(step, dict) and "name" in step]
        root = {str(step["name"]): step.get("exact") or floats_of(step.get("value")) for step in steps}
    if not isinstance(root, dict):
        raise fault("the file must be a mapping of steps to values", Place(file, 1, 1))
    # The standard library's reader keeps no places; all that is known is the file.
    place = Place(file, 1, 1)
    items = ((Scalar(key, place), from_python(value, file, place)) for key, value in root.items())
    return Mapped(tuple(items), place)


def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, none of whose keys stands twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def floats_of(value: Any) -> Any:
    """Nested lists of texts as an array of floats, where they are that."""
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return value


def answers(
    root: Mapped, name: str, graph: Graph, course: Mapping[str, str], names: Mapping[str, Value]
) -> Answers:
    """What a mapping tells of the steps of a graph; faults are gathered, not raised."""
    context = Context("", {**names, **ANYWHERE.names})
    told: list[Told] = []
    faults: list[Fault] = []
    for key, node in root.items:
        if key.text in WORDS:
            continue
        try:
            reference = named(key, course, graph)
            cells = cells_of(node, reference, graph, context)
            told.append(Told(reference, cells, key.place, decimal_comma(node)))
        except ProblemError as error:
            faults.extend(Fault(f"{inert(key.text)}: {one.message}", one.place) for one in error.faults)
    student = root.get("student")
    who = text(student, ANYWHERE) if isinstance(student, Scalar) else ""
    return Answers(name, who, tuple(told), tuple(faults))


def named(key: Scalar, course: Mapping[str, str], graph: Graph) -> Reference:
    """The step, row or cell that a key names, by the contract or as the course calls the steps."""
    reference = parse_reference(key.text)
    if reference is None:
        hint = nearest(key.text, [step.name for step in graph.steps])
        raise fault(f"{quoted(key.text)} does not name a step{hint}", key.place)
    reference = Reference(course.get(reference.step, reference.step), reference.at)
    check_reference(graph, reference, key.place)
    return reference


def cells_of(node: Node, reference: Reference, graph: Graph, context: Context) -> Array:
    """The cells of a value; one that has no shape of its own is unreadable as a whole."""
    try:
        cells = read_cells(node, context)
        cell: Any = cells[()] if cells.ndim == 0 else None
        if not isinstance(cell, Unreadable):
            return cells
        unread = cell
    except ProblemError as error:
        unread = Unreadable(error.faults[0])
    step = graph.step(reference.step)
    assert step is not None
    whole = np.empty(step.shape[len(reference.at) :], dtype=object)
    whole[...] = unread
    return whole


def read_cells(node: Node, context: Context) -> Array:
    """The cells of a value: every one a term, a blank, or unreadable."""
    if isinstance(node, Given):
        if node.array.dtype == object:
            return read_cells(from_python(node.array.tolist(), str(node.place)), context)
        return floats(node.array, node.place, hidden=True)
    if isinstance(node, Mapped):
        raise fault("is not a number or a matrix", node.place)
    if isinstance(node, Scalar):
        return whole(node, context)
    if needs_source(node):
        return whole(Scalar(node.source, node.place), context)
    plain = plain_cells(node)
    if plain is not None:
        return plain
    rows = [read_cells(item, context) for item in node.items]
    if not rows:
        raise fault("is empty", node.place)
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


ANYWHERE = Context("", {"_": BLANK, **INFINITE})
"""Answers refer to no files, but may leave blanks."""


def whole(node: Scalar, context: Context) -> Array:
    """One text: a number, a blank, or a matrix; as one unreadable cell where it cannot be read."""
    cell: Any
    if PLAIN.fullmatch(node.text):
        cell = node.text
    elif node.text.strip() in BLANKS:
        cell = BLANK
    else:
        try:
            cell = value_of(node, context, hidden=True)
        except ProblemError as error:
            cell = Unreadable(error.faults[0])
    if isinstance(cell, np.ndarray):
        return cell
    array = np.empty((), dtype=object)
    array[()] = cell
    return array


def unreadable(told: Told) -> Iterator[Fault]:
    """The faults of the cells that cannot be read."""
    if not told.from_floats:
        cells = (cell for cell in told.cells.ravel() if isinstance(cell, Unreadable))
        yield from dict.fromkeys(cell.fault for cell in cells)
