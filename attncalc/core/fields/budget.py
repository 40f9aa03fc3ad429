"""How much exact work may be done: counted in terms, so that nothing depends on the clock or the machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from threading import local

ALGEBRA = 30
"""What an operation in SymPy counts for each piece of its numbers: about so many products of terms."""

LETTERS = 3
"""How many times as much it counts where there are letters, whose signs SymPy looks for."""

NESTED = 30
"""How many times as much with numbers beside the letters that are functions of functions: e^(tanh 2)."""

ROOTS = 4
"""How many times as much powers of e count whose exponents hold roots."""

EVALUATION = 5
"""What a term counts for that is evaluated to some digits."""

ENDLESS = 10**9
"""What counts for more than any budget."""


class Exhausted(Exception):
    """That exact work takes more than it may."""


class Budget(local):
    """What is left, in this thread."""

    left = inf

    def spend(self, terms: int) -> None:
        """Counts the work of so many terms."""
        self.left -= terms
        if self.left < 0:
            raise Exhausted


BUDGET = Budget()


@contextmanager
def at_most(terms: float) -> Iterator[None]:
    """Work within a budget: what takes more raises `Exhausted`."""
    before = BUDGET.left
    BUDGET.left = min(terms, before)
    try:
        yield
    finally:
        BUDGET.left = before
