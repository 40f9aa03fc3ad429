"""Formulas and sentences of an exercise whose tokens are columns: Q Kᵀ is written Kᵀ Q, a row is a column."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

from attncalc.core.terms.formulas import (
    Beside,
    Call,
    Maths,
    Minus,
    Name,
    Over,
    Plus,
    Raised,
    Stacked,
    Text,
    Times,
    Transposed,
)
from attncalc.core.terms.nodes import Entry

T = TypeVar("T")
Said = TypeVar("Said", bound=Text)
ROWS = r"(?i)\b(?:row|column)s?\b"
SWAPPED = {"row": "column", "rows": "columns", "column": "row", "columns": "rows"}
SUMS = {"rowsum": "colsum", "colsum": "rowsum"}


def turn_formula(
    formula: Maths, flip: bool, is_turned: Callable[[str], bool], is_matrix: Callable[[str], bool]
) -> Maths:
    """Return a formula, or with `flip` that of the transpose, in matrices as they are written.

    `is_turned` says of which names these are, `is_matrix` which names are matrices at all.
    """

    def write(x: Maths, flip: bool) -> Maths:
        match x:
            case Name(name):
                return x if not is_matrix(name) or is_turned(name) == flip else x.T
            case Transposed(of):
                return write(of, not flip)
            case Beside(factors, dotted):
                return Beside(reorder(tuple(write(f, flip) for f in factors), flip, is_matrix), dotted)
            case Plus(parts):
                return Plus(tuple(write(part, flip) for part in parts))
            case Minus(of):
                return Minus(write(of, flip))
            case Over(over, under):
                return Over(write(over, flip), write(under, flip))
            case Times(of, factor, entrywise):
                return Times(write(of, flip), write(factor, flip), entrywise)
            case Raised(of, exponent):
                return Raised(write(of, flip), exponent)
            case Call(function, of, square):
                return Call(SUMS.get(function, function) if flip else function, write(of, flip), square)
            case Stacked(members, below, False):
                return Stacked(tuple(write(member, flip) for member in members), below != flip)
        return x

    return write(formula, flip)


def reorder(factors: Sequence[Maths], flip: bool, is_matrix: Callable[[str], bool]) -> tuple[Maths, ...]:
    """Return factors in reverse if they are transposed; words such as lim stay in front."""
    words = [x for x in factors if isinstance(x, Name) and not is_matrix(x.name)]
    rest = [x for x in factors if x not in words]
    return (*words, *(rest[::-1] if flip else rest))


def turn_entry(entry: Entry) -> Entry:
    """Return an entry with the indices of its row and its column exchanged, those of a batch in front."""
    return Entry(entry.of, turn_indices(entry.at))


def turn_indices(at: tuple[T, ...]) -> tuple[T, ...]:
    """Return indices with the last two exchanged.

    >>> turn_indices((0, 1, 2))
    (0, 2, 1)
    """
    return (*at[:-2], *at[:-3:-1])


def turn_text(text: Said) -> Said:
    """Return a sentence with columns in place of rows.

    >>> turn_text("The total of each row.")
    'The total of each column.'
    """
    parts = text if isinstance(text, tuple) else (text,)
    turned = tuple(re.sub(ROWS, swap_word, part) if isinstance(part, str) else part for part in parts)
    return cast("Said", turned if isinstance(text, tuple) else turned[0])


def swap_word(found: re.Match[str]) -> str:
    """Return the other word, with a capital letter if it has one."""
    word = SWAPPED[found[0].lower()]
    return word.capitalize() if found[0][0].isupper() else word
