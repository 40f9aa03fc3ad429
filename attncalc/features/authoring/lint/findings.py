"""The findings on an exercise for its author: one on each line, each with a stable code."""

from __future__ import annotations

from collections.abc import Container

from attncalc.core.errors import Place
from attncalc.core.record import record, replace

CODES = {
    "hidden": "a mistake that `check` does not see in what is asked",
    "alike": "a mistake that `check` names together with others, or as another",
    "unnamed": "a mistake that `check` marks wrong without naming it",
    "saturated": "in every row one weight above 0.99",
    "even": "a row of equal weights without a reason",
    "mask-idle": "a mask that hides nothing",
    "coarse": "too few digits asked for honest work to be judged",
    "laborious": "more than 300 products by hand, or entries with more than three digits",
    "key-wrong": "a key that is not right",
    "key-impossible": "a key that no numbers can give",
    "unstated": "a convention left to its default that changes what is asked",
}
"""All codes, with their meanings."""


@record
class Finding:
    """One thing that an author may correct: a message, and its place.

    If it is about a mistake: `mistake` is the code of the mistake, `kind` is "accidental" if other numbers
    would help, else "structural", `ask` is the step that would show it, `alike` lists the other mistakes
    that are named.
    """

    code: str
    message: str
    place: Place
    mistake: str = ""
    kind: str = ""
    ask: str = ""
    alike: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.place}: {self.code} {self.message}"


@record
class Lint:
    """The result of lint: how many mistakes can be made, are seen and are distinguished; and the findings."""

    problem: str
    applicable: int
    seen: int
    apart: int
    findings: tuple[Finding, ...]

    @property
    def summary(self) -> str:
        """How good a test the exercise is."""
        return f"sees {self.seen} of {self.applicable} mistakes, tells {self.apart} apart"


def ignore(found: Lint, codes: Container[str]) -> Lint:
    """The result without the findings of some codes."""
    return replace(found, findings=tuple(one for one in found.findings if one.code not in codes))
