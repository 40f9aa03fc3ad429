"""A term read backwards: how a small change of its value asks every entry in it to change.

`pulled(term, d)` carries the gradient d of the term's value down to its entries, node by node, by the
chain rule.  What arrives at an entry still runs along the axes of every Σ that encloses it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from attncalc.terms import (
    Apply,
    Axis,
    Constant,
    Entry,
    Function,
    Greatest,
    Index,
    Negative,
    Ordinal,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    Total,
    mapped,
    varies,
)

ONE, TWO, ROOT_PI = Constant(1), Constant(2), Apply("sqrt", Entry("pi"))


class Share(NamedTuple):
    """What one occurrence of an entry receives, along these axes."""

    entry: Entry
    gradient: Term
    axes: tuple[Axis, ...]


def pulled(term: Term, d: Term, axes: tuple[Axis, ...] = ()) -> Iterator[Share]:
    """The shares of all entries of matrices in a term whose value has the gradient d."""
    if not varies(term):
        return
    match term:
        case Entry():
            yield Share(term, d, axes)
        case Negative(x):
            yield from pulled(x, Negative(d), axes)
        case Sum(terms):
            for x in terms:
                yield from pulled(x, d, axes)
        case Product(factors):
            for n, x in enumerate(factors):
                yield from pulled(x, times(d, *factors[:n], *factors[n + 1 :]), axes)
        case Quotient(x, y):
            yield from pulled(x, over(d, y), axes)
            yield from pulled(y, Negative(over(times(d, x), Power(y, TWO))), axes)
        case Power(x, Constant(int(n))):
            yield from pulled(x, times(d, Constant(n), x if n == 2 else Power(x, Constant(n - 1))), axes)
        case Apply(function, x):
            yield from pulled(x, DERIVATIVES[function](d, x), axes)
        case Total(axis, x):
            yield from pulled(x, d, (*axes, axis))
        case Greatest():
            # A maximum only shifts the exponents of a softmax, which does not change its value.
            return
        case _:
            raise AssertionError(term)


DERIVATIVES: dict[Function, Callable[[Term, Term], Term]] = {
    "exp": lambda d, x: times(d, Apply("exp", x)),
    "ln": lambda d, x: over(d, x),
    "sqrt": lambda d, x: over(d, times(TWO, Apply("sqrt", x))),
    "tanh": lambda d, x: times(d, ONE - Power(Apply("tanh", x), TWO)),
    "sin": lambda d, x: times(d, Apply("cos", x)),
    "cos": lambda d, x: Negative(times(d, Apply("sin", x))),
    "erf": lambda d, x: over(times(d, TWO, Apply("exp", Negative(Power(x, TWO)))), ROOT_PI),
    "relu": lambda d, x: times(d, Apply("step", x)),
    "visible": lambda d, x: times(d, Apply("seen", x)),
    "nonzero": lambda d, _: d,
}
"""From the gradient of f(x) to that of x."""


def times(d: Term, *factors: Term) -> Term:
    """A gradient times factors, its sign in front and its denominator below."""
    match d:
        case Negative(x):
            return Negative(times(x, *factors))
        case Quotient(x, y):
            return Quotient(times(x, *factors), y)
    result = d
    for factor in factors:
        result = result * factor
    return result


def over(d: Term, under: Term) -> Term:
    """A gradient divided, its sign in front."""
    return Negative(over(d.term, under)) if isinstance(d, Negative) else Quotient(d, under)


def relettered(term: Term, letters: Mapping[str, str]) -> Term:
    """A term with other letters for its axes, all exchanged at once."""

    def axis(index: Index) -> Index:
        if isinstance(index, int):
            return index
        return Axis(letters.get(index.letter, index.letter), index.size, index.start, index.stride)

    def change(t: Term) -> Term:
        match t:
            case Entry(of, at):
                return Entry(of, tuple(map(axis, at)))
            case Ordinal(index):
                return Ordinal(axis(index))
            case Total(a, x):
                return Total(axis(a), change(x))  # type: ignore[arg-type]
            case Greatest(a, x):
                return Greatest(axis(a), change(x))  # type: ignore[arg-type]
        return mapped(t, change)

    return change(term)
