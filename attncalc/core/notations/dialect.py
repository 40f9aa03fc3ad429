"""The differences between array libraries, so that one writer serves all of them."""

from __future__ import annotations

from attncalc.core.record import record
from attncalc.core.terms.functions import FUNCTIONS


@record
class Autograd:
    """How a library computes gradients: a tracked array, the backward pass, and the gradient."""

    tracked: str
    run: str
    found: str


@record
class Dialect:
    """How a library spells the functions and arguments that all of them have."""

    module: str
    single: str  # the module of functions of a single number
    imports: str
    array: str
    zeros: str
    counted: str  # 0, 1, 2, …
    swapped: str  # the last two axes of a batch
    join: str
    axis: str
    keep: str
    largest: str
    check: str  # the function that compares a step with its solution
    autograd: Autograd | None = None

    @property
    def helpers(self) -> dict[str, str]:
        """The functions that a program defines before it calls them, because the library lacks them."""
        lacking = (row for row in FUNCTIONS.values() if self.module in row.lacking)
        return {
            "check": self.check,
            **{row.name: row.helper.replace("LIBRARY", self.module) for row in lacking},
        }
