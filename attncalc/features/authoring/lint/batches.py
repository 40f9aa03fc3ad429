"""Several sets of numbers for one graph, computed at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step
from attncalc.core.record import record
from attncalc.marking.follow.replay import axes_of, settled
from attncalc.marking.follow.truth import ROUGH, Truth
from attncalc.marking.policy import POLICY

FINE = 10
"""Decimals of a number in units beyond which float noise is cut off."""


@record
class Sets:
    """Every matrix with a first axis over the sets, of length 1 if it is the same in all."""

    count: int
    values: Mapping[str, Floats]

    def align(self, axes: int) -> dict[str, Floats]:
        """The matrices with this number of axes; a size keeps only the first axis."""
        return {name: align(numbers, axes) for name, numbers in self.values.items()}

    def one(self, n: int) -> dict[str, Floats]:
        """The matrices of one set."""
        return {name: numbers[min(n, len(numbers) - 1)] for name, numbers in self.values.items()}

    def some(self, which: list[int]) -> Sets:
        """Some of the sets."""
        values = {name: one[which] if len(one) > 1 else one for name, one in self.values.items()}
        return Sets(len(which), values)


def only_set(values: Mapping[str, Floats]) -> Sets:
    """The given matrices as a single set."""
    return Sets(1, {name: numbers[None] for name, numbers in values.items()})


def align(numbers: Floats, axes: int) -> Floats:
    """A matrix of several sets, reshaped to this number of axes; the new ones have length 1."""
    lead, *shape = numbers.shape
    return numbers.reshape(lead, *(1,) * (axes - numbers.ndim), *shape) if shape else numbers


def work_out(right: Truth, given: Sets, steps: Iterable[Step]) -> Sets:
    """The given matrices and the correct values of all steps."""
    chain = [*steps]
    axes = axes_of(chain)
    sizes = {name: ROUGH.constant(size)[None] for name, size in right.graph.sizes.items()}
    values = {**sizes, **given.align(axes)}
    for step in chain:
        values[step.name] = align_step(settled(right, step, values, False), axes)
    natural = {step.name: values[step.name].reshape(-1, *step.shape) for step in chain}
    return Sets(given.count, {**sizes, **given.values, **natural})


def align_step(found: Floats, axes: int) -> Floats:
    """A result with this number of axes: one that is the same in all sets has no axis for them yet."""
    return found.reshape(*(1,) * (axes - found.ndim), *found.shape)


def to_units(numbers: Floats, unit: float) -> Floats:
    """Numbers in units, rounded to the unit or to the digits that are judged; 0 and −0 are the same."""
    size = np.where(np.isfinite(numbers) & (numbers != 0), np.abs(numbers), 1)
    judged = np.maximum(unit, 10.0 ** (np.floor(np.log10(size)) - POLICY.judged_digits + 1))
    return np.asarray(np.rint(np.round(numbers / judged, FINE)) * (judged / unit) + 0.0)


def to_bytes(rows: Floats) -> list[bytes | None]:
    """Rounded rows as bytes, for comparison; None for a row with NaN."""
    is_none = np.asarray((np.isnan(rows) | np.isposinf(rows)).any(axis=-1))
    return [None if none else row.tobytes() for row, none in zip(rows, is_none, strict=True)]
