"""A problem as data: what everybody reads as fields, and the keys of mechanisms as settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np

from attncalc.core.errors import Fault, Place, inert
from attncalc.core.families import names_in
from attncalc.core.fields import Array
from attncalc.core.graph.references import Reference
from attncalc.core.record import record, replace
from attncalc.core.terms import Term
from attncalc.exercise.yaml.tree import Mapped

Bounds: TypeAlias = "tuple[Fraction, Fraction] | None"
"""The smallest and the largest number that may be drawn, if the file says so."""
BROUGHT = ("sample", "design", "goal", "within", "vary")
"""The fields of a problem whose keys are brought by features."""
SIZES = ("d_k", "d_v", "d_model", "n_q", "n_k", "heads")
"""The sizes that a scale may use."""
SIZE_NAMES = (*SIZES, "n", "d_head")
"""The sizes that a course may call otherwise: those of a scale, the number of tokens and a head's width."""
SHOW_WORDS = ("shapes", "cost", "map", "attends", *names_in("words"))
"""What a part may ask for besides steps."""


@record
class Part:
    """One question of an exercise: which results it asks for, or which topic answers it."""

    label: str
    show: tuple[Reference, ...]
    place: Place
    explain: str = ""
    ask: str = ""
    """The question in words."""
    note: str = ""
    """What is to be said of the results."""
    answer: str = ""
    """What answers the question, if it is not the results that are shown or the sentence of a topic."""

    @property
    def steps(self) -> tuple[Reference, ...]:
        """The steps among what it asks for."""
        return tuple(reference for reference in self.show if reference.step not in SHOW_WORDS)

    @property
    def words(self) -> tuple[str, ...]:
        """The words among what it asks for."""
        return tuple(reference.step for reference in self.show if reference.step in SHOW_WORDS)


@record
class Claim:
    """A size that a file says, under its key: one of these sizes of the problem must be that number."""

    key: str
    sizes: tuple[str, ...]
    number: int
    place: Place


@record
class Goal:
    """A step, or a row or a cell of it, and the value that a design must give it."""

    reference: Reference
    wanted: Array
    place: Place


@record
class Sample:
    """Random inputs: the covariances of rows by matrix, the number of draws, and the seed.

    Letters have `numbers` meanwhile, and only draws count in which the entries `positive` are positive.
    """

    covariances: Mapping[str, tuple[Array, ...]]
    draws: int
    seed: int
    place: Place
    numbers: Mapping[str, float] = {}
    positive: tuple[Reference, ...] = ()


@record
class Scheme:
    """How an exercise is marked: the points of steps, and whether a right final answer implies others.

    `follow` is the share of its points that a step earns after a wrong one that is not asked for.
    """

    points: Mapping[str, Term] = {}
    is_implied: bool = False
    follow: float = 0.5


@record
class Problem:
    """What a problem file says; `settings` are what its mechanisms read, each under its own keys."""

    name: str
    title: str = ""
    source: str = ""
    setting: str = ""
    """What belongs to the question: always shown."""
    note: str = ""
    """What belongs to the solution: not on worksheets."""
    remark: str = ""
    """For the author only; never shown."""
    tokens: tuple[str, ...] = ()
    key_tokens: tuple[str, ...] = ()
    vocabulary: tuple[str, ...] = ()
    """What the columns of logits are called."""
    names: Mapping[str, str] = {}
    """How the course calls the steps."""
    symbols: Mapping[str, str] = {}
    """The free letters, and what is known of each."""
    let: Mapping[str, Term | Array] = {}
    parts: tuple[Part, ...] = ()
    answers: Mapped | None = None
    marks: Scheme = Scheme()
    sample: Sample | None = None
    design: tuple[str, ...] = ()
    """What a student is to find; the file's own are one solution."""
    goal: tuple[Goal, ...] = ()
    within: float | None = None
    """The tolerance of the goal; None if it must be reached exactly."""
    vary: Mapping[str, Bounds] = {}
    """What may change from one student's exercise to another's; by default, all that can."""
    inputs: str = "exact"
    mode: str = "auto"
    places: int | None = None
    digits: int | Literal["key"] | None = None
    """The number of significant digits shown, or `key` for those of the published key."""
    settings: Mapping[str, Any] = {}
    origins: Mapping[str, Place] = {}
    """Where each key stands."""
    defined: Mapping[str, Place] = {}
    """Where each name stands that the problem defines: of letters, of `let`, and the course's for steps."""
    readings: tuple[Fault, ...] = ()
    """How what was not written properly was read, a line each."""
    claims: tuple[Claim, ...] = ()
    """What the file says of sizes that follow from the matrices."""
    commas: frozenset[str] = frozenset()
    """The keys whose commas look like decimal points."""

    def __repr__(self) -> str:
        arrays = ((key, value) for key, value in self.settings.items() if isinstance(value, np.ndarray))
        given = [f"{key} {'×'.join(map(str, array.shape))}" for key, array in arrays]
        return f"<Problem {self.heading}: {', '.join(given) or 'no matrices'}>"

    @property
    def size_names(self) -> dict[str, str]:
        """How the course calls sizes, by the names that are used here; the width of one head is d_k."""
        found = {name: own for name, own in self.names.items() if name in SIZE_NAMES}
        return {**({"d_k": found["d_head"]} if "d_head" in found else {}), **found}

    @property
    def in_columns(self) -> bool:
        """Whether matrices are written with a column for each token."""
        return self.settings.get("layout") == "columns"

    @property
    def called(self) -> str:
        """Its name without folder and ending: what a bundled problem is called."""
        return os.path.splitext(os.path.basename(self.name))[0]

    @property
    def heading(self) -> str:
        """Its title, or its name if it has none, safe to print."""
        return self.title or inert(self.called)

    def with_settings(self, **settings: Any) -> Problem:
        """The same problem with other settings of mechanisms."""
        return replace(self, settings={**self.settings, **settings})

    def place(self, *keys: str) -> Place:
        """Where the first of these keys stands."""
        return next((self.origins[key] for key in keys if key in self.origins), Place(self.name))
