"""A student's answers, cell by cell, and the files they come in."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache
from typing import TypeAlias

from attncalc.core.errors import Fault, Place, fault
from attncalc.core.families import load_members
from attncalc.core.fields import Array
from attncalc.core.graph.references import Reference
from attncalc.core.record import record, replace
from attncalc.core.terms import Term
from attncalc.core.terms.turned import turn_indices
from attncalc.exercise.yaml.tree import LARGEST_FILE, Mapped, read_bytes, read_stdin
from attncalc.marking.answers.encodings import to_plain_utf8
from attncalc.marking.answers.kinds.base import Kind

OTHERS = ".yaml"
"""The kind of files whose ending says nothing."""
MAIN = (".yaml", ".json", ".npz")
"""The endings that are named first, and that count where other files lie beside them."""


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
    in_columns: bool = False
    """Whether it was written as the transpose of `cells`."""

    def written_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape of its cells as they are written."""
        return turn_indices(shape) if self.in_columns and len(shape) > 1 else shape

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
    notes: tuple[Fault, ...] = ()
    """What was written otherwise than the contract has it, and how it was read."""


def unreadable(answer: Answer) -> Iterator[Fault]:
    """The faults of the cells that cannot be read."""
    if not answer.from_floats:
        cells = (cell for cell in answer.cells.ravel() if isinstance(cell, Unreadable))
        yield from dict.fromkeys(cell.fault for cell in cells)


def read_answers(file: str) -> Mapped:
    """Read an answers file, by its ending; the name - is standard input."""
    if file == "-":
        return read_content(file, read_stdin(LARGEST_FILE))
    if file.endswith(os.sep):
        raise fault(no_answers(), Place(file))
    if os.path.islink(file):
        raise fault("is a link, which is not followed", Place(file))
    return read_content(file, read_bytes(file, kind_of(file).largest))


def read_content(name: str, data: bytes) -> Mapped:
    """Read the content of an answers file, wherever it comes from; its name says of what kind it is."""
    kind = kind_of(name)
    if len(data) > kind.largest:
        raise fault(f"is larger than {kind.largest:,} bytes", Place(name))
    if not kind.is_text:
        return kind.read(data, name)
    plain = to_plain_utf8(data)
    root = kind.read(plain.data, name)
    return replace(root, notes=(Fault(plain.said, Place(name)),)) if plain.said else root


def is_answers(name: str) -> bool:
    """Whether a file has the ending of answers."""
    return ending_of(name) in kinds_by_ending()


def no_answers() -> str:
    """What is said of a folder or a submission without answers: with the endings that their files have."""
    *endings, last = (*MAIN, *sorted({*kinds_by_ending()} - {*MAIN}))
    return f"holds no answers ({', '.join(endings)} or {last})"


def kind_of(name: str) -> Kind:
    """The kind of an answers file; one with an unknown ending is read as YAML."""
    return kinds_by_ending().get(ending_of(name)) or kinds_by_ending()[OTHERS]


def ending_of(name: str) -> str:
    """The ending of a file's name, in lower case."""
    return os.path.splitext(name)[1].lower()


@cache
def kinds_by_ending() -> dict[str, Kind]:
    """All kinds of answers files by their endings."""
    kinds: list[Kind] = [module.kind for module in load_members("marking.answers.kinds")]
    return {ending: kind for kind in kinds for ending in kind.endings}
