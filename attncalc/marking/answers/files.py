"""A student's answers, cell by cell, and the files they come in."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from attncalc.core.errors import Fault, Place, ProblemError, fault, inert
from attncalc.core.fields import Array
from attncalc.core.graph.references import Reference
from attncalc.core.record import record
from attncalc.core.terms import Term
from attncalc.exercise.yaml.reader import read_yaml
from attncalc.exercise.yaml.tree import (
    DEEPEST,
    LARGEST_FILE,
    MOST_NODES,
    Given,
    Mapped,
    Scalar,
    decode,
    from_python,
    read_bytes,
    read_stdin,
)

ENDINGS = (".yaml", ".yml", ".json", ".npz")
"""The endings of answers files."""
TOO_DEEP = f"is nested more than {DEEPEST} levels deep"
NO_ANSWERS = "holds no answers (.yaml, .json or .npz)"


@record
class Unreadable:
    """A cell that cannot be read: why, and its text."""

    fault: Fault
    text: str = ""


Cell: TypeAlias = str | Term | Unreadable
"""The content of one cell; a plain decimal stays text."""


@record
class Answer:
    """The answer under one key: a step and its cells, in the shape they were written, or as floats."""

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
    """All answers of one file, and the faults found while reading it."""

    name: str
    student: str
    entries: tuple[Answer, ...]
    faults: tuple[Fault, ...]


def unreadable(answer: Answer) -> Iterator[Fault]:
    """The faults of the cells that cannot be read."""
    if not answer.from_floats:
        cells = (cell for cell in answer.cells.ravel() if isinstance(cell, Unreadable))
        yield from dict.fromkeys(cell.fault for cell in cells)


def read_answers(file: str) -> tuple[str, Mapped]:
    """The name and the root of an answers file: YAML, .json or .npz."""
    if file == "-":
        return file, refuse_duplicates(read_yaml(with_blanks(read_stdin(LARGEST_FILE)), "-"))
    if file.endswith(os.sep):
        raise fault(NO_ANSWERS, Place(file))
    if os.path.islink(file):
        raise fault("is a link, which is not followed", Place(file))
    ending = os.path.splitext(file)[1].lower()
    if ending == ".npz":
        from attncalc.exercise.numbers.arrays import read_npz

        place = Place(file)
        arrays = read_npz(file, place)
        items = tuple((Scalar(name, Place(file)), Given(array, place)) for name, array in arrays.items())
        return file, Mapped(items, place)
    if ending == ".npy":
        raise fault("is one array without a name: save it as .npz under the name of its step", Place(file))
    data = read_bytes(file, LARGEST_FILE)
    root = read_json(data, file) if ending == ".json" else read_yaml(with_blanks(data), file)
    return file, refuse_duplicates(root)


def refuse_duplicates(root: Mapped) -> Mapped:
    """The mapping, refused if a key is given twice."""
    if root.faults:
        raise ProblemError(*root.faults)
    return root


def with_blanks(data: bytes) -> bytes:
    """The file with `_` for a question mark, or for nothing between commas: YAML reads no blank there."""
    data = re.sub(rb"(?<=[0-9\]_],) (?=\s*,)", b"_", data) if b", ," in data else data
    return re.sub(rb"(?<=[\[,\s])\?(?=\s*[,\]])", b"_", data) if b"?" in data else data


def read_json(data: bytes, file: str) -> Mapped:
    """Read steps as `solve --format json` writes them, or a mapping of steps to matrices."""
    try:
        # Numbers stay text: 0.50 keeps its two decimals.
        root = json.loads(
            decode(data, file),
            parse_float=str,
            parse_int=str,
            parse_constant=str,
            object_pairs_hook=without_duplicates,
        )
    except RecursionError:
        raise fault(TOO_DEEP, Place(file, 1, 1)) from None
    except json.JSONDecodeError:
        # Almost JSON, with a comma too many or other quotes, is YAML.
        return read_yaml(data, file)
    except ValueError as error:
        raise fault(f"is not valid JSON: {inert(str(error))}", Place(file, 1, 1)) from None
    if not isinstance(root, dict):
        raise fault("the file must be a mapping of steps to values", Place(file, 1, 1))
    steps = of_solution(root) if isinstance(root.get("steps"), list) else root
    # The standard library's reader keeps no places, only the file is known.
    place = Place(file, 1, 1)
    if count_values(steps, place) > MOST_NODES:
        raise fault(f"holds more than {MOST_NODES:,} values", place)
    items = (
        (Scalar(key, place), from_python(with_blanks_for_null(value), file, place))
        for key, value in steps.items()
    )
    return Mapped(tuple(items), place)


def of_solution(root: dict[str, Any]) -> dict[str, Any]:
    """The steps and designs that `solve --format json` writes, by name."""
    steps = [step for step in root["steps"] if isinstance(step, dict) and "name" in step]
    designs = root["design"] if isinstance(root.get("design"), dict) else {}
    return {**designs, **{str(s["name"]): s.get("exact") or floats_of(s.get("value")) for s in steps}}


def count_values(value: Any, place: Place, depth: int = 0) -> int:
    """Count the values inside a JSON value; refuse one that is nested too deep."""
    if depth > DEEPEST:
        raise fault(TOO_DEEP, place)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(count_values(item, place, depth + 1) for item in inside)


def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, refused if a key is given twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def with_blanks_for_null(value: Any) -> Any:
    """A JSON value with blanks for null, and words, which are no numbers, for true and false."""
    if isinstance(value, list):
        return [with_blanks_for_null(item) for item in value]
    if isinstance(value, dict):
        return {key: with_blanks_for_null(item) for key, item in value.items()}
    return "_" if value is None else str(value) if isinstance(value, bool) else value


def floats_of(value: Any) -> Any:
    """Nested lists of texts as an array of floats if possible, else unchanged."""
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return value
