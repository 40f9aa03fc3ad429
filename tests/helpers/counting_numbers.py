"""Numbers that count the operations made with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import exp
from typing import Any

import numpy as np

from attncalc.core.fields import Array, Numeric
from attncalc.core.readings.cost import Cost
from attncalc.core.terms import Constant


class Count:
    """The operations made so far."""

    cost = Cost()

    def add(self, **operations: int) -> None:
        """Counts some more."""
        self.cost = self.cost + Cost(**operations)


COUNT = Count()


@contextmanager
def counts() -> Iterator[Count]:
    """Counts from zero."""
    COUNT.cost = Cost()
    yield COUNT


class Counted(float):
    """A float whose arithmetic is counted."""

    def __add__(self, other: float) -> Counted:
        COUNT.add(add=1)
        return Counted(float(self) + float(other))

    def __sub__(self, other: float) -> Counted:
        return self + (-other)

    def __mul__(self, other: float) -> Counted:
        COUNT.add(mul=1)
        return Counted(float(self) * float(other))

    def __truediv__(self, other: float) -> Counted:
        COUNT.add(div=1)
        return Counted(float(self) / float(other) if other else 0.0)

    def __neg__(self) -> Counted:
        return Counted(-float(self))

    __radd__, __rmul__ = __add__, __mul__

    @staticmethod
    def array(values: Array) -> Array:
        """An array of counted numbers."""
        return np.asarray(np.frompyfunc(Counted, 1, 1)(values), dtype=object)

    @staticmethod
    def evaluate(term: Any, operands: Mapping[str, Array]) -> Any:
        """Evaluate a term by plain recursion: a second interpreter to check the other against."""
        from attncalc.core import terms as t

        def read(x: Any) -> Any:
            return Counted.evaluate(x, operands)

        match term:
            case Constant(value):
                return float(value)
            case t.Entry(of, at):
                place = tuple(i if isinstance(i, int) else i.start for i in at)
                return operands[of][place] if place else float(operands[of])
            case t.Negative(x):
                return -read(x)
            case t.Sum(terms):
                return folded([read(x) for x in terms], "__add__")
            case t.Product(factors):
                return folded([read(x) for x in factors], "__mul__")
            case t.Quotient(over, under):
                return read(over) / read(under)
            case t.Power(base, Constant(int(times))):
                return folded([read(base)] * times, "__mul__")
            case t.Power(base, exponent):
                return float(read(base)) ** float(read(exponent))
            case t.Apply(function, x):
                return applied(function, read(x))
            case t.Greatest(axis, t.Entry(of, (int(i), _))):
                return max(operands[of][i, : axis.size])
        raise AssertionError(term)


def folded(values: list[Any], operation: str) -> Any:
    """Values joined one after the other."""
    result = values[0]
    for value in values[1:]:
        result = getattr(Counted(result) if not isinstance(result, Counted) else result, operation)(value)
    return result


def applied(function: str, x: float) -> float:
    """A function of one number."""
    if function == "exp":
        COUNT.add(exp=1)
        return Counted(exp(x))
    if function in ("visible", "nonzero"):
        return x
    return float(Numeric().apply(function, np.asarray(float(x))))
