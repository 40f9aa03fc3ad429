"""A term read as work: how many operations all cells take by hand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from math import prod
from operator import add

from attncalc.core.errors import assert_never
from attncalc.core.record import record
from attncalc.core.terms import (
    Apply,
    Axis,
    Constant,
    Entry,
    Greatest,
    Negative,
    Ordinal,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    Total,
    Valued,
    letters_of,
    members,
    varies,
)


@record
class Cost:
    """Multiplications, additions (and subtractions), divisions and exponentials."""

    mul: int = 0
    add: int = 0
    div: int = 0
    exp: int = 0

    def counts(self) -> dict[str, int]:
        """The numbers by name."""
        return {"mul": self.mul, "add": self.add, "div": self.div, "exp": self.exp}

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.mul + other.mul,
            self.add + other.add,
            self.div + other.div,
            self.exp + other.exp,
        )

    def __mul__(self, times: int) -> Cost:
        return Cost(self.mul * times, self.add * times, self.div * times, self.exp * times)


def cost(rule: Term, axes: tuple[Axis, ...]) -> Cost:
    """The operations of all cells that some axes run through.

    A part is computed once for all cells that share it: the mean of a row once for the row.  A number that
    is the same for all cells, such as √d_k, is not counted.
    """
    return reduce(add, parts_of(rule, {axis.letter: axis.size for axis in axes}).values(), Cost())


def parts_of(term: Term, sizes: Mapping[str, int]) -> dict[Term, Cost]:
    """Every distinct part of a term, with its own operations times the number of cells."""
    if not varies(term):
        return {}
    inner = {**sizes, term.axis.letter: term.axis.size} if isinstance(term, Total | Greatest) else sizes
    found = {part: each for member in members(term) for part, each in parts_of(member, inner).items()}
    times = prod(sizes[letter] for letter in letters_of(term))
    return {**found, term: own_cost(term) * times}


def own_cost(term: Term) -> Cost:
    """The operations of one node, without those inside it."""
    match term:
        case Sum(terms):
            return Cost(add=len(terms) - 1)
        case Product(factors):
            return Cost(mul=len(factors) - 1)
        case Quotient():
            return Cost(div=1)
        case Power(_, Constant(int(times))):
            return Cost(mul=max(abs(times) - 1, 0))
        case Power():
            return Cost(mul=1)
        case Apply("exp"):
            return Cost(exp=1)
        case Total(axis):
            return Cost(add=axis.size - 1)
        case Constant() | Entry() | Valued() | Ordinal() | Negative() | Apply() | Greatest():
            return Cost()
    assert_never(term)
