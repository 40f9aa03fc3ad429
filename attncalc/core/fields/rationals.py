"""Fractions: as integers if they are whole, with a cached hash, split into squares for their roots."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import isqrt
from typing import TypeAlias

Rational: TypeAlias = int | Fraction

LARGEST_ROOT = 10**12
"""Roots of larger numbers are not split into squarefree parts here: factoring would take long."""


def rational(value: Fraction) -> Rational:
    """A fraction as an integer if it is one: far faster to compute with."""
    return value.numerator if value.denominator == 1 else value


class Exponent(Fraction):
    """A rational exponent with a cached hash, which Fraction computes again each time."""

    __slots__ = ("hashed",)
    hashed: int

    def __hash__(self) -> int:  # type: ignore[override]
        try:
            return self.hashed
        except AttributeError:
            self.hashed = super().__hash__()
            return self.hashed


def prime_factors(n: int) -> Iterator[int]:
    """The primes of n, smallest first."""
    factor = 2
    while factor * factor <= n:
        while n % factor == 0:
            yield factor
            n //= factor
        factor += 1 if factor == 2 else 2
    if n > 1:
        yield n


def squarefree(n: int) -> tuple[int, int] | None:
    """√n as outside·√inside, if n is a square or small enough to be factored.

    >>> squarefree(12), squarefree(49), squarefree(5)
    ((2, 3), (7, 1), (1, 5))
    """
    if isqrt(n) ** 2 == n:
        return isqrt(n), 1
    if n > LARGEST_ROOT:
        return None
    outside, inside = 1, 1
    for prime in prime_factors(n):
        inside *= prime
        if inside % (prime * prime) == 0:
            inside //= prime * prime
            outside *= prime
    return outside, inside
