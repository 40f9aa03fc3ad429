"""The numbers of a problem file that may change: their places in the text, and how a matrix is redrawn.

Drawn numbers are of the same kind: integers between the smallest and the largest of the matrix, halves if
it has halves, decimals with the same number of digits.  Each row keeps its number of zeros, which decides
how much work it is; zeros that form a pattern, as in a diagonal matrix, keep their places, and an identity
matrix does not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, lcm
from random import Random
from typing import NamedTuple

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.record import record
from attncalc.exercise.keys.readers import needs_source
from attncalc.exercise.yaml.tree import Node, Scalar, Sequence

NUMBER = r"[-+−]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:/[0-9]+)?"
NUMBERS = rf"[\s\[(]*{NUMBER}(?:[\s,;\[\]()]+{NUMBER})*[\s\])]*"
HALF = Fraction(1, 2)
LONGEST_DRAWN = 20
"""The most characters of a number that is redrawn."""


class Slot(NamedTuple):
    """A number in a text: where it starts, and how it is written."""

    start: int
    text: str

    @property
    def number(self) -> Fraction:
        """Its value."""
        return Fraction(self.text.replace("−", "-"))


class Range(NamedTuple):
    """The smallest and the largest number that may be drawn."""

    least: Fraction
    most: Fraction


@record
class Matrix:
    """The numbers of one matrix, row by row; `is_whole` if it holds nothing else."""

    name: str
    rows: tuple[tuple[Slot, ...], ...]
    is_whole: bool
    range: Range | None = None

    @cached_property
    def slots(self) -> list[Slot]:
        """All its numbers."""
        return [slot for row in self.rows for slot in row]

    @cached_property
    def numbers(self) -> tuple[tuple[Fraction, ...], ...]:
        """The values of its numbers, row by row."""
        return tuple(tuple(slot.number for slot in row) for row in self.rows)

    @cached_property
    def has_fractions(self) -> bool:
        """Whether some of them are written as fractions."""
        return any("/" in slot.text for slot in self.slots)

    @cached_property
    def places(self) -> int:
        """The largest number of decimals that one of them is written with."""
        return max(len(slot.text.partition(".")[2]) for slot in self.slots)

    @cached_property
    def step(self) -> Fraction:
        """The spacing of drawn numbers: 1/2 for halves, a unit of the last place for decimals."""
        numbers = [slot.number for slot in self.slots]
        if any(number.denominator > 1 for number in numbers) and all(n.denominator <= 2 for n in numbers):
            return HALF
        if self.places:
            return Fraction(1, 10**self.places)
        return Fraction(1, lcm(*(number.denominator for number in numbers)))

    @cached_property
    def choices(self) -> tuple[int, int]:
        """The smallest and the largest number that may be drawn, in steps."""
        numbers = [slot.number for slot in self.slots]
        least, most = self.range or Range(min(numbers), max(numbers))
        return ceil(least / self.step), floor(most / self.step)

    @cached_property
    def zeros(self) -> list[list[bool]]:
        """Which numbers are zero, row by row."""
        return [[number == 0 for number in row] for row in self.numbers]

    def draw(self, random: Random) -> list[int]:
        """Other numbers of the same kind, in steps, with the same number of zeros in each row."""
        if self.is_fixed:
            return [int(slot.number / self.step) for slot in self.slots]
        return [number for zeros in self.zeros for number in self.draw_row([*zeros], random)]

    def draw_row(self, is_zero: list[bool], random: Random) -> list[int]:
        """One row; its zeros change places unless they form a pattern."""
        if not self.has_pattern:
            shuffle(is_zero, random)
        return [0 if zero else self.draw_number(random) for zero in is_zero]

    def draw_number(self, random: Random) -> int:
        """A number other than 0, if there is one."""
        first, last = self.choices
        has_zero = first <= 0 <= last
        count = last - first + 1 - has_zero
        if count < 1:
            return first
        chosen = first + below(count, random)
        return chosen + (has_zero and chosen >= 0)

    def to_floats(self, drawn: list[int]) -> Floats:
        """The values of numbers in steps, rounded once."""
        over, under = self.step.numerator, self.step.denominator
        return np.array([number * over / under for number in drawn])

    @cached_property
    def is_fixed(self) -> bool:
        """Whether it only selects rows or columns, as an identity matrix does."""
        several = len(self.rows) > 1 and all(len(row) > 1 for row in self.rows)
        if not several or not self.is_whole or self.range:
            return False
        ones = [[number == 1 for number in row] for row in self.numbers]
        in_columns = all(sum(column) <= 1 for column in zip(*ones, strict=False))
        return in_columns and all(sum(row) <= 1 and {*row} <= {0, 1} for row in self.numbers)

    @cached_property
    def has_pattern(self) -> bool:
        """Whether its zeros are those of a diagonal or a triangular matrix."""
        size = len(self.rows)
        if not self.is_whole or size < 2 or any(len(row) != size for row in self.rows):
            return False
        zeros = {(i, j) for i, row in enumerate(self.numbers) for j, n in enumerate(row) if n == 0}
        places = [(i, j) for i in range(size) for j in range(size)]
        upper, lower = ({(i, j) for i, j in places if sign * (j - i) > 0} for sign in (1, -1))
        return zeros in (upper, lower, upper | lower)

    def write(self, drawn: int) -> str:
        """The text of a number in steps, in the style of the matrix."""
        if self.has_fractions:
            return str(drawn * self.step)
        scaled = drawn * int(self.step * 10**self.places)
        digits = str(abs(scaled)).rjust(self.places + 1, "0")
        point = len(digits) - self.places
        sign = "-" if drawn < 0 else ""
        return f"{sign}{digits[:point]}{'.' * bool(self.places)}{digits[point:]}"


def below(count: int, random: Random) -> int:
    """A random integer from 0 to count − 1, the same on every version of Python, as only `random()` is."""
    return int(random.random() * count)


def shuffle(things: list[bool], random: Random) -> None:
    """Shuffle in place."""
    for last in range(len(things) - 1, 0, -1):
        other = below(last + 1, random)
        things[last], things[other] = things[other], things[last]


def find_matrix(name: str, node: Node, text: str, limits: Range | None) -> Matrix | None:
    """The numbers of a key, if it holds some."""
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    rows: list[tuple[Slot, ...]] = []
    is_whole = collect(node, text, starts, rows)
    found = tuple(row for row in rows if row)
    return Matrix(name, found, is_whole, limits) if found else None


def collect(node: Node, text: str, starts: list[int], rows: list[tuple[Slot, ...]]) -> bool:
    """Append the numbers of a node to `rows`, and return whether it holds nothing else."""
    if isinstance(node, Sequence) and not needs_source(node):
        if not all(isinstance(item, Scalar) for item in node.items):
            return min([collect(item, text, starts, rows) for item in node.items])
        found = [find_slots(item, text, starts) for item in node.items]
        rows.append(tuple(slot for row in found for slots in row for slot in slots))
        return all(len(row) == 1 and len(row[0]) == 1 for row in found)
    if isinstance(node, Scalar | Sequence):
        inside = find_slots(node, text, starts)
        rows.extend(inside)
        return bool(inside)
    return False


def find_slots(node: Node, text: str, starts: list[int]) -> list[tuple[Slot, ...]]:
    """The numbers of a node, row by row; empty if its text holds anything else."""
    source = node.source if isinstance(node, Sequence) else node.text if isinstance(node, Scalar) else ""
    place = node.place
    start = starts[place.line - 1] + place.column - 1 if 0 < place.line <= len(starts) else -1
    start += isinstance(node, Scalar) and node.quoted
    if not re.fullmatch(NUMBERS, source) or text[start : start + len(source)] != source:
        return []
    return [row for row in cut_rows(source, start) if row]


def cut_rows(source: str, start: int) -> Iterator[tuple[Slot, ...]]:
    """The numbers of each row; semicolons, brackets and ends of lines separate rows."""
    for row in re.finditer(r"[^;\n\]]+", source):
        found = re.finditer(NUMBER, row[0])
        yield tuple(
            Slot(start + row.start() + one.start(), one[0]) for one in found if len(one[0]) <= LONGEST_DRAWN
        )
