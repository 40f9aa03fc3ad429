"""The rules and the numbers behind a document, for a page that computes by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncalc.core.fields import Floats
from attncalc.core.graph.labels import Kind, Stage
from attncalc.core.ops.base import Piece
from attncalc.core.record import record
from attncalc.core.terms import Axis, Term

KNOWN = ("pi",)
"""The numbers that everybody knows by name."""


@record
class Rule:
    """A step as a page computes it: what it is called, how its indices run, and its blocks."""

    name: str
    title: str
    kind: Kind
    head: int | None
    shape: tuple[int, ...]
    axes: tuple[Axis, Axis]
    pieces: tuple[Piece, ...]
    shifted: tuple[Piece, ...] = ()
    """The blocks where e to the power of a score would leave the range of floats."""


@record
class Given:
    """A matrix that is given: its name, what it is, and its numbers."""

    name: str
    stage: Stage | None
    head: int | None
    numbers: Floats
    halves: Floats | None = None
    """How far each may be off, where the given decimals are rounded themselves."""


@record
class Switch:
    """A mistake that can be looked at: its code and sentence, and the steps as they are done with it."""

    code: str
    sentence: str
    rules: tuple[Rule, ...]


@record
class Model:
    """All that it takes to work a problem again: what is given, and the rules, in the course's own names."""

    given: tuple[Given, ...]
    sizes: Mapping[str, int]
    rules: tuple[Rule, ...]
    exact: Mapping[str, tuple[Term | None, ...]]
    """The entries of the matrices that are known exactly, row after row; None for one that is too long."""
    places: int | None
    digits: int | None
    tokens: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """The tokens of queries and keys, where they are named."""
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
        """All names that stand in worked lines."""
        return (*self.names, *self.sizes, *KNOWN)
