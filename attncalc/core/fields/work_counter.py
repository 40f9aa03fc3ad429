"""A budget of exact work, counted in terms, so that nothing depends on the clock or the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from threading import local

ALGEBRA = 30
"""The cost of an operation in SymPy for each piece of its numbers, in products of terms."""

LETTERS = 3
"""The factor for numbers with letters, whose signs SymPy looks for."""

NESTED = 30
"""The factor for letters beside numbers that are functions of functions: e^(tanh 2)."""

ROOTS = 4
"""The factor for powers of e with roots in their exponents."""

EVALUATION = 5
"""The cost of evaluating a term to some digits."""

ENDLESS = 10**9
"""More than any budget."""


class Exhausted(Exception):
    """The exact work exceeds its budget."""


class Budget(local):
    """The rest of the budget in this thread."""

    left = inf

    def spend(self, terms: int) -> None:
        """Count the work of n terms."""
        self.left -= terms
        if self.left < 0:
            raise Exhausted


BUDGET = Budget()


@contextmanager
def at_most(terms: float) -> Iterator[None]:
    """Limit the work inside to a budget; more raises `Exhausted`."""
    before = BUDGET.left
    BUDGET.left = min(terms, before)
    try:
        yield
    finally:
        BUDGET.left = before
