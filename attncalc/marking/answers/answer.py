"""The answer to each step, as arrays in the shape of the step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import cached_property, partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from attncalc.core.errors import Fault
from attncalc.core.fields import Array, Floats
from attncalc.core.fields.interval import EPSILON
from attncalc.core.graph.graph import Step, shape_text
from attncalc.core.graph.references import Reference
from attncalc.core.record import replace
from attncalc.core.terms import Constant, Entry, Term
from attncalc.marking.answers.files import Answer, Cell, Unreadable, unreadable
from attncalc.marking.answers.formats import HALF, SINGLE, find_format
from attncalc.marking.answers.intervals import Beside, Box, Yardstick, boxes_of
from attncalc.marking.answers.precision import number_of, places_of, written
from attncalc.marking.policy import LIMITS, POLICY
from attncalc.worked.blocks import BLANK

Head: TypeAlias = tuple[int, ...]
"""The first indices of some cells, counted from 0."""
TRANSPOSED = " Is it transposed?"


class State:
    """The state of a cell before it is judged; plain integers, which arrays hold fastest."""

    UNANSWERED = 0
    BLANK = 1
    UNREADABLE = 2
    ANSWERED = 3


def states_of(cells: Array) -> Array | int:
    """Return the states of written cells."""
    written = cells.ravel().tolist()
    if all(type(cell) is str for cell in written):
        return State.ANSWERED
    return np.array([state_of(cell) for cell in written]).reshape(cells.shape)


def state_of(cell: Cell) -> int:
    """Return the state of one written cell."""
    if isinstance(cell, Unreadable):
        return State.UNREADABLE
    return State.BLANK if cell == BLANK else State.ANSWERED


def floats_of(values: Floats, yard: Yardstick, expected: Floats, noise: Floats) -> Floats:
    """The boxes of numbers that a program computed, by the expected values and the noise of their format."""
    values = values.astype(np.float64)
    size = np.where(np.isfinite(expected) & (expected != 0), np.abs(expected), 1)
    sixth = np.where(expected == 0, 0, 10.0 ** (np.floor(np.log10(size)) - POLICY.judged_digits + 1))
    reach = np.maximum(np.maximum(sixth / 2, noise), LIMITS.nothing * yard.largest)
    reach = np.where(np.isfinite(values), reach, 0)
    return np.array([values, values, values - reach, values + reach, 2 * reach, np.zeros(values.shape)])


class AnsweredStep:
    """The answer to one step: a box for every cell, and what could not be used.

    `all_` are the answers under several keys that together are one matrix.
    """

    def __init__(self, step: Step, yard: Yardstick, all_: Sequence[Answer] = ()) -> None:
        self.step, self.yard, self.all = step, yard, all_
        self.state = np.full(step.shape, State.UNANSWERED)
        self.cells: Array = np.full(step.shape, None, dtype=object)
        self.boxes = np.zeros((len(Box._fields), *step.shape))
        self.low, self.high, self.box_low, self.box_high, self.unit, self.is_short = self.boxes
        self.misshapen: list[tuple[Answer, str]] = []
        self.faults: list[Fault] = []

    def __getstate__(self) -> dict[str, object]:
        """What is sent to another process: all but the way to find the noise of a format."""
        return {**self.__dict__, "yard": replace(self.yard, find_noise=None)}

    def add(self, answer: Answer) -> None:
        """Add the value of one key; a wrong shape is noted and never broadcast."""
        answer = replace(answer, cells=as_computed(answer.cells))
        head = tuple(index - 1 for index in answer.reference.at)
        wanted = self.step.shape[len(head) :]
        cells = fitted(answer.cells, wanted)
        if cells is None:
            self.misshapen.append((answer, misfit(answer, wanted)))
            self.faults.extend(unreadable(answer))
            return
        expected = np.asarray(self.yard.low[head])
        if answer.from_floats:
            format_ = HALF if cells.dtype == np.float16 else find_format(cells, self.yard.short)
            noise = np.asarray(self.yard.noise_in(format_)[head])
            self.put(head, floats_of(cells, self.yard, expected, noise), State.ANSWERED, answer)
        else:
            states, noise = states_of(cells), np.asarray(self.yard.noise[head])
            found = boxes_of(cells, self.yard, expected, noise, partial(self.find_beside, answer))
            self.put(head, found, states, answer, cells[()])
            self.faults.extend(unreadable(answer) if states is not State.ANSWERED else ())

    def find_beside(self, answer: Answer) -> Beside:
        """What the numbers of the whole matrix show of the whole numbers among those of one key."""
        return self.beside if self.all else beside_of((answer,))

    @cached_property
    def beside(self) -> Beside:
        """What the numbers under all keys show of the whole numbers among them."""
        return beside_of(self.all)

    def put(
        self, head: Head, found: Floats, states: Array | int, answer: Answer, cells: Array | None = None
    ) -> None:
        """Write boxes to their cells; a cell that is given twice must have equal values."""
        where: tuple[slice | int, ...] = (slice(None), *head)
        if self.state[head].any():
            states, take = self.merge_states(head, found, states, answer)
            found = np.where(take, found, self.boxes[where])
            # A single cell is taken out of its array, which would otherwise be nested in another one.
            cells = np.asarray(np.where(take, cells, self.cells[head]))[()]
        self.boxes[where], self.cells[head], self.state[head] = found, cells, states

    def merge_states(
        self, head: Head, found: Floats, states: Array | int, answer: Answer
    ) -> tuple[Array, NDArray[np.bool_]]:
        """The states of cells, some of which were given before, and which of the new ones are used."""
        low, high, _, box_high, *_ = found
        before = np.asarray(self.state[head])
        twice = (before == State.ANSWERED) & (states == State.ANSWERED)
        leeway = box_high - high if answer.from_floats else EPSILON * np.abs(low)
        differ = twice & (np.abs(low - self.low[head]) > leeway)
        for at in np.argwhere(differ):
            cell = Reference.to_cell(self.step.name, (*head, *at))
            message = f"{cell} is given twice, with different values"
            self.faults.append(Fault(message, answer.place))
        take = (states == State.ANSWERED) & (before != State.ANSWERED)
        kept = np.where(before == State.UNANSWERED, states, before)
        return np.where(differ, State.UNREADABLE, np.where(take, State.ANSWERED, kept)), take

    def reach(self, at: Head) -> float:
        """Half the width of the box of a cell."""
        return float(self.box_high[at] - self.high[at])

    @property
    def middle(self) -> Floats:
        """The numbers themselves, as floats."""
        return np.asarray(self.low / 2 + self.high / 2)

    def number(self, at: Head) -> Term:
        """An answered number as it was written."""
        cell, value = self.cells[at], float(self.low[at])
        if np.isnan(value):
            return Entry("NaN")
        if cell is not None:
            return written(cell)
        return Constant(Decimal(f"{value:.6g}") if np.isfinite(value) else value)

    def take_for_hidden(self, hidden: NDArray[np.bool_], by_zero: bool) -> None:
        """Read what programs write for −∞, such as −1e9, as −∞ if the key is hidden; by_zero: 0 too."""
        if not hidden.any():
            return
        is_zero = (self.low == 0) & (self.high == 0) & by_zero
        meant = hidden & (is_zero | (self.high <= LIMITS.practically_hidden)) & self.is_answered
        for array in (self.low, self.high, self.box_low, self.box_high):
            array[meant] = -np.inf

    @cached_property
    def short(self) -> NDArray[np.bool_]:
        """Which cells have fewer places than the problem asks for."""
        return np.asarray(self.is_short > 0)

    @cached_property
    def is_answered(self) -> NDArray[np.bool_]:
        """Which cells have a number, after everything is added."""
        return np.asarray(self.state == State.ANSWERED)

    @cached_property
    def is_nan(self) -> NDArray[np.bool_]:
        """Which answers are NaN: they are wrong, and no later step can be computed from them."""
        return np.asarray(np.isnan(self.low) & self.is_answered)


def as_computed(cells: Array) -> Array:
    """Cells as floats if they are all digits of numbers in half precision or bfloat16."""
    if cells.dtype != object or not any(is_printed(cell) for cell in cells.flat):
        return cells
    if not all(isinstance(cell, str | Constant) for cell in cells.flat):
        return cells
    numbers: Array = np.array([float(cell if isinstance(cell, str) else cell.value) for cell in cells.flat])
    numbers = numbers.reshape(cells.shape)
    return cells if find_format(numbers) == SINGLE else numbers


def is_printed(cell: Cell) -> bool:
    """Whether a number has more decimals than people write: those of 105.125 are no sign of a format."""
    return isinstance(cell, str) and places_of(cell) >= POLICY.judged_digits - 1


def beside_of(answers: Iterable[Answer]) -> Beside:
    """What the numbers of some answers show of the whole numbers among them."""
    return Beside.of(number_of(cell) for one in answers if not one.from_floats for cell in one.cells.flat)


def fitted(cells: Array, wanted: tuple[int, ...]) -> Array | None:
    """The cells in the wanted shape if only axes of length 1 differ; None if they do not fit."""
    lead = cells.ndim - len(wanted)
    if lead >= 0 and cells.shape == (1,) * lead + wanted:
        return cells.reshape(wanted)
    if len(wanted) == 1 and cells.ndim == 2 and cells.shape[0] > 1:
        return None
    squeezed = tuple(size for size in cells.shape if size != 1)
    vector = len(squeezed) <= 1 and squeezed == tuple(size for size in wanted if size != 1)
    row_for_column = cells.ndim == 2 and len(wanted) == 2 and cells.shape == wanted[::-1]
    return cells.reshape(wanted) if vector and not row_for_column else None


def misfit(answer: Answer, wanted: tuple[int, ...]) -> str:
    """Both shapes, and a likely reason."""
    is_, want = (shape_text(answer.written_shape(shape)) for shape in (answer.cells.shape, wanted))
    hint = TRANSPOSED if answer.cells.shape == wanted[::-1] and len(wanted) > 1 else ""
    if answer.decimal_comma:
        hint = " A decimal comma makes two numbers: write 0.62."
    return f"{answer.reference} has the shape {is_}, and should have {want}.{hint}"


def compare_shapes(answer: Answer, step: Step) -> str:
    """The shape of an answer, and that of the cells it stands for."""
    wanted = step.shape[len(answer.reference.at) :]
    is_, want = (shape_text(answer.written_shape(shape)) for shape in (answer.cells.shape, wanted))
    return f"{is_} in place of {want}"


def gather(
    answers: Iterable[Answer], steps: Iterable[Step], yardstick: Callable[[str], Yardstick]
) -> dict[str, AnsweredStep]:
    """The answers by step."""
    by_name = {step.name: step for step in steps}
    grouped: dict[str, list[Answer]] = {}
    for one in answers:
        grouped.setdefault(one.reference.step, []).append(one)
    found = {name: AnsweredStep(by_name[name], yardstick(name), some) for name, some in grouped.items()}
    for name, some in grouped.items():
        for one in some:
            found[name].add(one)
    return found
