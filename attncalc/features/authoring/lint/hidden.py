"""The mistakes that the marker does not see in an exercise, and those that it does not distinguish."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from functools import cached_property

import numpy as np

from attncalc.core.fields import Floats
from attncalc.features.authoring.lint.marker import Marker, Said
from attncalc.features.authoring.lint.wrong_answers import Exercise, HandIns, Trial, by_code
from attncalc.marking.prepared import Prepared
from attncalc.mistakes import MISTAKES

BEHIND = {(mistake.code, other) for mistake in MISTAKES for other in mistake.behind}
ONE_NAME = BEHIND | {(b, a) for a, b in BEHIND}
"""Pairs of mistakes of which the checker may report only one if they give the same values."""
FAR_UNITS, FAR_SHARE = 15, 0.15
"""No policy of marking lets a number pass that is off by more than these units and this share."""

FINE_UNIT = 0.01
"""Rounding to such units changes what follows by about that share."""


class Sight:
    """What the marker says with one set of numbers; it marks a mistake when its verdict is needed.

    A mistake that can be made in several ways is seen if one of them is marked wrong, and is named alone if
    the marker names it, and nothing else, for one of them.
    """

    def __init__(self, exercise: Exercise, handed: HandIns, prepare: Callable[[], Prepared]) -> None:
        self.exercise, self.right, self.prepare = exercise, handed.right, prepare
        self.all_ways = by_code(exercise.trials, handed.each)

    @cached_property
    def ways(self) -> dict[str, list[tuple[bytes, Trial]]]:
        """By mistake, the answers that it changes, those first in which most cells are others."""
        return {
            code: sorted(
                ((handed, trial) for handed, trial in found.items() if handed != self.right),
                key=lambda way: -self.count_changed(*way),
            )
            for code, found in self.all_ways.items()
        }

    def count_changed(self, handed: bytes, trial: Trial) -> int:
        """The number of changed cells; none if the shape is another."""
        return 0 if trial.is_misshapen else int((np.frombuffer(handed) != self.cells).sum())

    @cached_property
    def cells(self) -> Floats:
        """The asked cells, in units."""
        return np.frombuffer(self.right)

    @cached_property
    def marker(self) -> Marker:
        """The marker of these numbers."""
        return Marker(self.exercise, self.prepare(), self.right)

    def say(self, code: str) -> Iterable[Said]:
        """What the marker says of each way to make a mistake that changes something."""
        return (self.marker.mark(*way) for way in self.ways[code])

    def is_seen(self, code: str) -> bool:
        """Whether the marker calls a mistake wrong."""
        return any(said.is_wrong for said in self.say(code))

    def is_apart(self, code: str) -> bool:
        """Whether the marker names a mistake, and no other."""
        return any(self.names(code, said) for said in self.say(code))

    def names(self, code: str, said: Said) -> bool:
        """Whether just this mistake is named; another name for the same step does not count."""
        return said.is_wrong and bool(said.names) and all(self.is_same(code, name) for name in said.names)

    def is_same(self, code: str, name: str) -> bool:
        """Whether a name is that of a mistake, or of one that is the same step in this exercise."""
        return name == code or (code, name) in self.exercise.one_step

    def find_names(self, code: str) -> tuple[str, ...]:
        """All that is named where a mistake is seen, each once."""
        return tuple(dict.fromkeys(name for said in self.say(code) if said.is_wrong for name in said.names))

    def find_unchanged(self, known: Container[str]) -> str:
        """The first mistake, not among those known, that changes no answer; empty if there is none."""
        return next((code for code in sorted(self.ways) if code not in known and not self.ways[code]), "")

    def find_hidden(self, known: Container[str]) -> str:
        """The first mistake, not among those known, that the marker does not see; empty if there is none."""
        codes = (code for code in sorted(self.ways) if code not in known)
        return next((code for code in codes if not self.is_shown(code)), "")

    def is_shown(self, code: str) -> bool:
        """The same as `is_seen`, without asking the marker about numbers that no marker lets pass."""
        return any(self.is_far(*way) for way in self.ways[code]) or self.is_seen(code)

    def is_far(self, handed: bytes, trial: Trial) -> bool:
        """Whether, however it is read, an answer has a number that no rounding explains."""
        if trial.is_misshapen or not self.exercise.is_plain:
            return False
        row = np.frombuffer(handed)
        return all(self.is_row_far(row[order]) for order in self.exercise.readings)

    def is_row_far(self, row: Floats) -> bool:
        """Whether the first asked step that is changed has such a number: later ones may follow from it.

        What follows from numbers that are asked coarsely may be anything.
        """
        start = 0
        for step in self.exercise.asked:
            end = start + int(self.exercise.wanted[step.name].sum())
            right, other = self.cells[start:end], row[start:end]
            if (right != other).any():
                both = np.isfinite(right) & np.isfinite(other)
                off = np.abs(other[both] - right[both]).max(initial=0)
                return bool(off > FAR_UNITS + FAR_SHARE * np.abs(right[both]).max(initial=0))
            if self.exercise.units[step.name] > FINE_UNIT:
                return False
            start = end
        return False

    def are_values_apart(self, units: int) -> bool:
        """Whether each mistake leads to numbers that no other leads to, to within these units."""
        ways = [
            (code, handed) for code, found in self.ways.items() for handed, trial in found
            if not trial.is_misshapen
        ]  # fmt: skip
        rows = np.array([np.frombuffer(handed) for _, handed in ways])
        clear = {code for code, found in self.ways.items() if any(trial.is_misshapen for _, trial in found)}
        for (code, _), row in zip(ways, rows, strict=True):
            if code not in clear:
                with np.errstate(invalid="ignore"):
                    near = np.nonzero(((rows == row) | (np.abs(rows - row) <= units)).all(axis=-1))[0]
                clear |= set() if any(self.are_mixed_up(code, ways[n][0]) for n in near) else {code}
        return clear >= self.ways.keys()

    def are_mixed_up(self, code: str, other: str) -> bool:
        """Whether two mistakes with the same values would be reported as two."""
        return code != other and (code, other) not in ONE_NAME and not self.is_same(code, other)


def sight_of(exercise: Exercise, handed: HandIns) -> Sight:
    """What the marker says with the exercise's own numbers."""
    return Sight(exercise, handed, lambda: exercise.prepared)
