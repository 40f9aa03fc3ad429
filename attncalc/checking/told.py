"""What is told of each step, as arrays in the step's own shape."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from attncalc.checking.answers import BLANK, Told, Unreadable, unreadable
from attncalc.checking.boxes import JUDGED_DIGITS, Box, boxes
from attncalc.errors import Fault
from attncalc.fields import Array
from attncalc.graph.graph import Step

Floats = NDArray[np.float64]


PRACTICALLY_HIDDEN = -1e4


class State:
    """What is known of a cell before it is judged; plain integers, which arrays hold fastest."""

    UNTOLD = 0
    BLANK = 1
    UNREADABLE = 2
    TOLD = 3


class ToldStep:
    """All that is told of one step: boxes cell by cell, and what could not be taken."""

    def __init__(self, step: Step, whole: bool, places: int | None) -> None:
        self.step = step
        self.whole, self.places = whole, places
        self.state = np.full(step.shape, State.UNTOLD)
        self.boxes: Array = np.full(step.shape, None, dtype=object)
        self.arrays = tuple(np.zeros(step.shape) for _ in range(5))
        self.low, self.high, self.box_low, self.box_high, self.unit = self.arrays
        self.short = np.zeros(step.shape, dtype=bool)
        self.misshapen: list[tuple[Told, str]] = []
        self.faults: list[Fault] = []

    def add(self, told: Told) -> None:
        """Takes what one key tells; a wrong shape is noted and never stretched."""
        head = tuple(index - 1 for index in told.reference.at)
        wanted = self.step.shape[len(head) :]
        cells = fitted(told.cells, wanted)
        if cells is None:
            self.misshapen.append((told, misfit(told, wanted)))
            return
        if told.from_floats:
            self.add_floats(head, cells)
        else:
            self.add_cells(head, cells, told)
            self.faults.extend(unreadable(told))

    def add_floats(self, head: tuple[int, ...], values: Floats) -> None:
        """Numbers as a program computed them: not judged beyond what single precision holds."""
        finite = np.abs(values[np.isfinite(values)])
        scale = np.maximum(np.abs(values), finite.max(initial=0))
        with np.errstate(divide="ignore"):
            unit = 10.0 ** (np.floor(np.log10(np.where(scale > 0, scale, 1))) - JUDGED_DIGITS + 1)
        unit = np.where(np.isfinite(values), unit, 0)
        self.state[head] = State.TOLD
        self.low[head] = self.high[head] = values
        self.box_low[head], self.box_high[head] = values - unit / 2, values + unit / 2
        self.unit[head] = unit

    def add_cells(self, head: tuple[int, ...], cells: Array, told: Told) -> None:
        """Written numbers, each with the box it stands for; told twice, they must be equal."""
        found = boxes(cells, self.whole, self.places)
        whole = all(box is not None for box in found.ravel())
        if whole and not np.any(self.state[head]):
            numbers = np.array([box.floats() for box in found.ravel()])
            for array, column in zip(self.arrays, numbers.T, strict=True):
                array[head] = column.reshape(cells.shape)
            self.boxes[head], self.state[head] = found[()], State.TOLD
            self.short[head] = np.array([box.short for box in found.ravel()]).reshape(cells.shape)
            return
        for at in np.ndindex(cells.shape):
            self.add_cell((*head, *at), cast("Box | None", found[at]), cells[at] == BLANK, told)

    def add_cell(self, place: tuple[int, ...], box: Box | None, blank: bool, told: Told) -> None:
        """One cell: a box, a blank, or what cannot be read."""
        before: Box | None = self.boxes[place]
        if box is None:
            if self.state[place] == State.UNTOLD:
                self.state[place] = State.BLANK if blank else State.UNREADABLE
        elif before is not None and before.value != box.value:
            name = f"{self.step.name}[{', '.join(str(n + 1) for n in place)}]"
            self.faults.append(Fault(f"{name} is told twice, with different values", told.place))
            self.state[place], self.boxes[place] = State.UNREADABLE, None
        else:
            self.boxes[place], self.state[place], self.short[place] = box, State.TOLD, box.short
            for array, number in zip(self.arrays, box.floats(), strict=True):
                array[place] = number

    def take_for_hidden(self, hidden: NDArray[np.bool_]) -> None:
        """Takes what programs write for −∞, such as −1e9, for what it is where a key is hidden."""
        if not hidden.any():
            return
        for array in self.arrays[:4]:
            array[hidden & (self.high <= PRACTICALLY_HIDDEN) & self.is_told] = -np.inf

    @cached_property
    def is_told(self) -> NDArray[np.bool_]:
        """Which cells have a number, once everything is added."""
        return np.asarray(self.state == State.TOLD)


def fitted(cells: Array, wanted: tuple[int, ...]) -> Array | None:
    """The cells in the shape wanted, where only rows or columns of one differ; None if they do not fit."""
    lead = cells.ndim - len(wanted)
    if lead >= 0 and cells.shape == (1,) * lead + wanted:
        return cells.reshape(wanted)
    if len(wanted) == 1 and cells.ndim == 2 and cells.shape[0] > 1:
        return None
    squeezed = tuple(size for size in cells.shape if size != 1)
    vector = len(squeezed) <= 1 and squeezed == tuple(size for size in wanted if size != 1)
    row_for_column = cells.ndim == 2 and len(wanted) == 2 and cells.shape == wanted[::-1]
    return cells.reshape(wanted) if vector and not row_for_column else None


def misfit(told: Told, wanted: tuple[int, ...]) -> str:
    """Both shapes, and what may have happened."""
    is_, want = shape_text(told.cells.shape), shape_text(wanted)
    hint = " Is it transposed?" if told.cells.shape == wanted[::-1] and len(wanted) > 1 else ""
    if told.decimal_comma:
        hint = " A decimal comma makes two numbers: write 0.62."
    return f"{told.reference} has the shape {is_}, and should have {want}.{hint}"


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape in words."""
    return "×".join(map(str, shape)) if shape else "one number"


def gather(
    told: Iterable[Told], steps: Iterable[Step], whole: Any, places: int | None
) -> dict[str, ToldStep]:
    """What is told, by step."""
    by_name = {step.name: step for step in steps}
    found: dict[str, ToldStep] = {}
    for one in told:
        name = one.reference.step
        if name not in found:
            found[name] = ToldStep(by_name[name], whole(name), places)
        found[name].add(one)
    return found


__all__ = ["State", "ToldStep", "Unreadable", "gather", "shape_text"]
