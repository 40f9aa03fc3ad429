"""The reader of answers: which steps the keys name, and how the values fit them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from math import prod

import numpy as np

from attncalc.core.errors import MOST_FAULTS, Fault, Place, ProblemError, fault, inert
from attncalc.core.fields import Array
from attncalc.core.fields.work_counter import at_most
from attncalc.core.graph.graph import Graph, shape_text
from attncalc.core.graph.references import Reference
from attncalc.core.ops.output import LimitOutput, Output, OutputWithPast
from attncalc.core.record import replace
from attncalc.core.terms import Constant
from attncalc.exercise.keys.readers import INFINITE, Context, decimal_comma
from attncalc.exercise.numbers.matrices import Value
from attncalc.exercise.numbers.student_numbers import parse_answer
from attncalc.exercise.problem import Problem
from attncalc.exercise.yaml.tree import Given, Mapped, Node, Scalar
from attncalc.marking.answers.answer import fitted
from attncalc.marking.answers.cells import LONGEST_CELL, read_cells, read_sums, to_single_cell
from attncalc.marking.answers.decimal_commas import (
    ANY_COMMA,
    LEAST_THOUSAND,
    SURE_COMMA,
    point_numbers,
    texts_of,
    with_points,
)
from attncalc.marking.answers.files import Answer, Answers, Unreadable
from attncalc.marking.answers.headings import student_of, unwrapped
from attncalc.marking.answers.meanings import Meanings
from attncalc.marking.answers.mend import mend
from attncalc.marking.answers.names import Names, Target
from attncalc.marking.answers.readings import Read, Reading, as_note, has_unread, in_key, is_unread, is_void
from attncalc.marking.answers.rivals import leave_out_prose, refuse_doubles
from attncalc.worked.blocks import BLANK

SUMS = (Output, LimitOutput, OutputWithPast)
"""The operations that add weighted rows."""
NO_KEY = Scalar("", Place(""))
NOT_NUMBERS: dict[str, Value] = {word: Constant(float("nan")) for word in ("nan", "NaN", "NAN")}
"""What programs print for a result that is none."""
MOST_TERMS_OF_FILE = 300_000
"""The most terms of exact work for the numbers of one file."""


class Reader:
    """Read answers to one problem; `largest` gives the size of the largest correct value of a step."""

    def __init__(
        self,
        problem: Problem,
        graph: Graph,
        known: Mapping[str, Value],
        largest: Callable[[str], float] = lambda _: np.inf,
    ) -> None:
        self.names, self.largest = Names(problem, graph), largest
        self.meanings = Meanings(self.names)
        self.shapes = graph.shapes
        self.context = Context("", {**INFINITE, **NOT_NUMBERS, **known, "_": BLANK})
        self.columns = problem.settings.get("vectors") == "columns" and not problem.in_columns
        self.is_turned = graph.is_turned
        self.sums = {step.name for step in graph.steps if isinstance(step.op, SUMS)}

    def read(self, root: Mapped, name: str, turned: bool = False, limits: Mapping[str, str] = {}) -> Answers:
        """Read the answers of a mapping; faults are gathered, not raised.

        With `turned`, tokens are the columns of square matrices; `limits` are steps answered under the
        names of others.
        """
        found: list[Read] = []
        failed = 0
        with at_most(MOST_TERMS_OF_FILE):
            for key, node in self.with_sure_points([*unwrapped(root)]):
                as_array = root.in_rows or isinstance(node, Given)
                slips = root.slips.get(key.place, ())
                one = self.read_entry(key, node, turned, as_array, slips, failed < MOST_FAULTS)
                found.append(one)
                failed += bool(one.faults)
                if failed > MOST_FAULTS and not root.has_prose:
                    raise fault(f"has more than {MOST_FAULTS} keys that cannot be read", key.place)
        if root.has_prose and root.in_rows:
            # In code, one number under the name of a matrix is a size or a loop's variable.
            found = [one for one in found if not any(map(self.is_scalar, one.answers))]
        found = refuse_doubles([*leave_out_prose(found)] if root.has_prose else found)
        entries = (one for read in found for one in read.answers)
        answers = tuple(replace(one, reference=move(one.reference, limits)) for one in entries)
        faults = (*root.faults, *(fault for one in found for fault in one.faults))
        if root.has_prose and not (answers or faults):
            faults = (Fault(f"no line names a step with numbers: write {self.names.example}", root.place),)
        notes = (*root.notes, *(note for one in found for note in one.notes))
        return Answers(name, student_of(root), answers, faults, notes)

    def read_entry(
        self, key: Scalar, node: Node, turned: bool, in_rows: bool, slips: tuple[Fault, ...], may_guess: bool
    ) -> Read:
        """Read one key, by its name or by what it may mean; faults are kept, not raised.

        With `in_rows`, tokens are rows even if the problem is written in columns.
        """
        read = self.read_key(key, node, turned, in_rows)
        if not read.answers and may_guess:
            read = self.read_meaning(key, node, read, in_rows)
        if not slips:
            return read
        if any(has_unread(one.cells) or not self.split(one.cells, (one.reference,)) for one in read.answers):
            return Read(key, faults=slips)
        return replace(read, notes=(*read.notes, *map(as_note, slips)))

    def read_meaning(self, key: Scalar, node: Node, read: Read, in_rows: bool) -> Read:
        """Read a key that is no name of a step, if it can mean only one that its value fits."""
        readings = [one for one in self.readings(node, self.cells(node)) if not is_void(one.cells)]
        try:
            target = self.meanings.find(key, lambda target: self.fits(readings, target, in_rows))
        except ProblemError as error:
            return Read(key, faults=in_key(key, error))
        for one in readings if target else ():
            assert target is not None
            if self.allowed([target], one) and (answers := self.to_answers(key, one.cells, target, in_rows)):
                note = Fault(f"{inert(key.text)} is read as {list_steps(target)}", key.place)
                return Read(key, answers, notes=(note, *one.notes), is_guess=True)
        return read

    def with_sure_points(self, pairs: list[tuple[Scalar, Node]]) -> list[tuple[Scalar, Node]]:
        """Keys and values, with points for all commas in numbers if one in the file is a decimal comma."""
        if not any(self.has_decimal_comma(key, node) for key, node in pairs):
            return pairs
        return [(key, point_numbers(node)) for key, node in pairs]

    def has_decimal_comma(self, key: Scalar, node: Node) -> bool:
        """Whether a number has a decimal comma: a comma that separates no thousands, as no value has any."""
        texts = [text for text in texts_of(node) if "," in text]
        if any(re.fullmatch(SURE_COMMA, text) for text in texts):
            return True
        if not any(re.fullmatch(ANY_COMMA, text) for text in texts):
            return False
        with suppress(ProblemError):
            steps = {one.step for target in self.names.find(key, node) for one in target}
            return max(map(self.largest, steps)) < LEAST_THOUSAND
        return False

    def read_key(self, key: Scalar, node: Node, turned: bool, in_rows: bool) -> Read:
        """Read one key: the answer to one step, or to the steps of all heads."""
        cells = self.cells(node)
        if turned and is_square(cells):
            cells = cells.swapaxes(-1, -2)
        readings = [*self.readings(node, cells)]
        full = [one for one in readings if not is_void(one.cells)]
        fits = (lambda target: self.fits(full, target, in_rows)) if full else None
        try:
            targets = self.names.find(key, node, fits)
        except ProblemError as error:
            return Read(key, faults=in_key(key, error))
        for one in readings:
            for target in self.allowed(targets, one):
                if answers := self.to_answers(key, one.cells, target, in_rows):
                    return Read(key, answers, notes=one.notes)
        single = next((target[0] for target in targets if len(target) == 1), None)
        if single is None:
            first, *_, last = targets[0]
            stack = shape_text((len(targets[0]), *self.wanted(first)))
            message = f"answer {first} to {last} one by one, or stacked as {stack}"
            return Read(key, faults=in_key(key, fault(message, key.place)))
        in_columns = self.in_columns(targets[0], in_rows)
        whole = cells.swapaxes(-1, -2) if in_columns and cells.ndim > 1 else cells
        return Read(key, (Answer(single, whole, key.place, decimal_comma(node), in_columns),))

    def allowed(self, targets: list[Target], reading: Reading) -> list[Target]:
        """The targets of a value: a sum that is written out answers only a step that is such a sum."""
        return [one for one in targets if not reading.of_sums or {ref.step for ref in one} <= self.sums]

    def in_columns(self, target: Target, in_rows: bool) -> bool:
        """Whether a value for a target is written with tokens as columns."""
        return not in_rows and any(self.is_turned(one.step) for one in target)

    def fits(self, readings: Iterable[Reading], target: Target, in_rows: bool) -> bool:
        """Whether a reading of a value has the shape of a target."""
        fitting = (one for one in readings if self.allowed([target], one))
        return any(self.to_answers(NO_KEY, one.cells, target, in_rows) for one in fitting)

    def to_answers(self, key: Scalar, cells: Array, target: Target, in_rows: bool) -> tuple[Answer, ...]:
        """The answers that some cells are to each member of a target, if they fit."""
        in_columns = self.in_columns(target, in_rows)
        parts = self.split(cells.swapaxes(-1, -2) if in_columns and cells.ndim > 1 else cells, target)
        pairs = zip(target, parts, strict=True) if parts else ()
        return tuple(Answer(one, part, key.place, in_columns=in_columns) for one, part in pairs)

    def cells(self, node: Node) -> Array:
        """The cells of a value; one unreadable cell if it has no shape."""
        try:
            return read_cells(node, self.context)
        except ProblemError as error:
            return to_single_cell(Unreadable(error.faults[0]))

    def readings(self, node: Node, cells: Array) -> Iterator[Reading]:
        """The possible readings: unchanged, with decimal commas, mended, with tokens as columns."""
        if not has_unread(cells):
            yield Reading(cells)
        elif (written := read_sums(node, self.context)) is not None:
            yield Reading(written, of_sums=True)
        pointed = with_points(node)
        read = cells if pointed is node else self.cells(pointed)
        if read is not cells and not is_unread(read):
            yield Reading(read)
            if read.shape[-1:] == (1,):
                yield Reading(read[..., 0])
        if has_unread(read) or is_difference(pointed):
            yield from self.mended(pointed, read)
        if self.columns and cells.ndim > 1:
            yield Reading(cells.swapaxes(-1, -2))
        if has_unread(cells):
            yield Reading(cells)

    def mended(self, node: Node, cells: Array) -> Iterator[Reading]:
        """The readings of a value with its slips repaired, if every one of them can be."""
        for as_rows in (False, True):
            mended, slips = mend(node, partial(parse_answer, names=self.context.names), as_rows)
            read = self.cells(mended) if slips else cells
            if slips and not has_unread(read):
                yield Reading(read, slips)

    def split(self, cells: Array, target: Target) -> list[Array]:
        """The cells for each member of a target, if they fit; blanks fit everything."""
        if len(target) == 1 and cells.shape == self.wanted(target[0]):
            return [cells]
        if cells.size and cells.dtype == object and is_void(cells):
            return [np.full(self.wanted(member), cells.flat[0], dtype=object) for member in target]
        parts = [cells]
        if len(target) > 1:
            stacked = cells.ndim > 2 and cells.shape[-3] == len(target)
            parts = [cells[..., head, :, :] for head in range(len(target))] if stacked else []
        fits = all(
            fitted(part, self.wanted(one)) is not None for part, one in zip(parts, target, strict=False)
        )
        return parts if fits else []

    def is_scalar(self, answer: Answer) -> bool:
        """Whether an answer to a matrix is one number."""
        return answer.cells.ndim == 0 and prod(self.wanted(answer.reference)) > 1

    def wanted(self, reference: Reference) -> tuple[int, ...]:
        """The shape of a step, or of a row or cell of it."""
        return self.shapes[reference.step][len(reference.at) :]


def list_steps(target: Target) -> str:
    """The steps of a target: A, or A_1 to A_3."""
    first, *others = map(str, target)
    return f"{first} to {others[-1]}" if others else first


def move(reference: Reference, steps: Mapping[str, str]) -> Reference:
    """The same place in another step, if one is named."""
    return Reference(steps.get(reference.step, reference.step), reference.at)


def is_square(cells: Array) -> bool:
    """Whether a matrix is square, so that its shape does not show whether tokens are rows."""
    return cells.ndim > 1 and cells.shape[-1] == cells.shape[-2] > 1


def is_difference(node: Node) -> bool:
    """Whether a value may be a row of which a number is negative: 5.8 -10.3."""
    if not isinstance(node, Scalar) or len(node.text) > LONGEST_CELL:
        return False
    return re.fullmatch(r"[^,;]*\d\s+[-−]\.?\d[^,;]*", node.text) is not None
