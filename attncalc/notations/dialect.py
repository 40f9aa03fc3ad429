"""How libraries of arrays differ, so that one program serves them all."""

from __future__ import annotations

from collections.abc import Mapping

from attncalc.record import record

HELPERS = {
    "visible": '''
def visible(scores):
    """The scores, with 0 for the -inf of a hidden key."""
    return LIBRARY.where(LIBRARY.isneginf(scores), 0, scores)
''',
    "nonzero": '''
def nonzero(totals):
    """The totals, with 1 for the 0 of a row that is hidden whole."""
    return LIBRARY.where(totals == 0, 1, totals)
''',
}


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
    relu: str
    check: str  # the function that compares a step with its solution
    own: Mapping[str, str] = {}  # functions that the library lacks

    @property
    def helpers(self) -> dict[str, str]:
        """The functions that a program defines itself, where it calls them."""
        common = {name: text.replace("LIBRARY", self.module) for name, text in HELPERS.items()}
        return {"check": self.check, **common, **self.own}
