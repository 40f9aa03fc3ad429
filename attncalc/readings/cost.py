"""A term read as work: how many operations one cell takes by hand."""

from __future__ import annotations

from functools import reduce
from operator import add

from attncalc.record import record
from attncalc.terms import (
    Apply,
    Entry,
    Negative,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    Total,
    members,
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


def cost(term: Term) -> Cost:
    """The operations of one cell; what holds for all cells alike, such as √d_k, is found once."""
    if not varies(term):
        return Cost()
    match term:
        case Sum(terms):
            return all_of(terms) + Cost(add=len(terms) - 1)
        case Product(factors):
            return all_of(factors) + Cost(mul=len(factors) - 1)
        case Quotient(over, under):
            return cost(over) + cost(under) + Cost(div=1)
        case Power(base, exponent):
            return cost(base) + cost(exponent) + Cost(mul=1)
        case Negative(x):
            return cost(x)
        case Apply(function, x):
            return cost(x) + Cost(exp=int(function == "exp"))
        case Total(axis, x):
            return cost(x) * axis.size + Cost(add=axis.size - 1)
    return Cost()


def all_of(terms: tuple[Term, ...]) -> Cost:
    """The operations inside several terms."""
    return reduce(add, map(cost, terms))


def varies(term: Term) -> bool:
    """Whether a term takes an entry of a matrix."""
    return bool(term.at) if isinstance(term, Entry) else any(map(varies, members(term)))
