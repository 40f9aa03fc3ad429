"""How libraries of arrays differ, so that one program serves them all."""

from __future__ import annotations

from attncalc.core.record import record
from attncalc.core.terms.functions import FUNCTIONS


@record
class Autograd:
    """How a library finds gradients by itself: asked for, worked out, and read."""

    tracked: str
    run: str
    found: str


@record
class Dialect:
    """How a library spells what all of them have."""

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
        """The functions that a program defines itself, where it calls them."""
        lacking = (row for row in FUNCTIONS.values() if self.module in row.lacking)
        return {
            "check": self.check,
            **{row.name: row.helper.replace("LIBRARY", self.module) for row in lacking},
        }
