"""The rules and the numbers behind a document, for an interactive page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncalc.core.fields import Floats
from attncalc.core.graph.labels import Kind, Stage
from attncalc.core.ops.base import Piece
from attncalc.core.record import record
from attncalc.core.terms import Axis, Term

KNOWN = ("pi",)
"""The named constants."""


@record
class Rule:
    """A step as a page computes it: its name, its axes, and the rules of its blocks."""

    name: str
    title: str
    kind: Kind
    head: int | None
    shape: tuple[int, ...]
    axes: tuple[Axis, Axis]
    pieces: tuple[Piece, ...]
    shifted: tuple[Piece, ...] = ()
    """The rules to use if the exponential of a score is out of the range of floats."""


@record
class Given:
    """A given matrix: its name, its stage and its numbers."""

    name: str
    stage: Stage | None
    head: int | None
    numbers: Floats
    halves: Floats | None = None
    """The largest error of each number, if the given decimals are rounded."""


@record
class Switch:
    """A mistake that can be switched on: its code and sentence, and the steps changed by it."""

    code: str
    sentence: str
    rules: tuple[Rule, ...]


@record
class Model:
    """Everything needed to compute a problem again: given matrices and rules, in the course's own names."""

    given: tuple[Given, ...]
    sizes: Mapping[str, int]
    rules: tuple[Rule, ...]
    exact: Mapping[str, tuple[Term | None, ...]]
    """The exact entries of the matrices, row after row; None for one that is too long."""
    places: int | None
    digits: int | None
    tokens: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """The tokens of queries and keys, if they are named."""
    switches: tuple[Switch, ...] = ()
    asked: int | None = None
    """The decimals that the problem asks for."""
    marking: Mapping[str, Any] = {}
    """The thresholds by which answers are judged."""
    shares: Mapping[str, float] = {}
    """By step: the relative change that a root or e of a few digits may cause."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all matrices."""
        return (*(given.name for given in self.given), *(rule.name for rule in self.rules))

    @property
    def spoken(self) -> tuple[str, ...]:
        """All names that worked lines may contain."""
        return (*self.names, *self.sizes, *KNOWN)
