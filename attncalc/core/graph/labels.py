"""Labels: the role of a matrix, and the head or the layer it belongs to; its name is built from these.

A name is never parsed again: what S_2 is, its label says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal, TypeAlias

from attncalc.core.record import record, replace


@record
class Label:
    """The role of a matrix, its head and layer counted from 1 if it has one, and whether it is a limit."""

    role: str
    head: int | None = None
    layer: int | None = None
    limit: bool = False
    of: str = ""
    """The role of the matrix whose gradient it is, if it is one."""

    @property
    def name(self) -> str:
        """Its name in files and reports: S, S_2, R1, A_2_limit."""
        number = "" if self.layer is None else str(self.layer)
        ending = "" if self.head is None else f"_{self.head}"
        return f"{self.role}{number}{ending}{'_limit' if self.limit else ''}"

    @property
    def gradient(self) -> Label:
        """The label of its gradient: dS, dS_2, dR1."""
        return replace(self, role=f"d{self.role}", of=self.role)

    @property
    def source(self) -> Label:
        """The label of the matrix whose gradient it is."""
        return replace(self, role=self.of, of="")

    def belongs_to(self, head: int) -> bool:
        """Whether a matrix belongs to a head, or to all heads together."""
        return self.head in (None, head)

    def to_course_name(self, names: Mapping[str, str]) -> str:
        """The course's name of it: z_1 for S_1 if the course calls S z, alpha_limit for A_limit."""
        if self.name in names:
            return names[self.name]
        if self.limit:
            return f"{replace(self, limit=False).to_course_name(names)}_limit"
        if self.of and self.role not in names:
            return f"d{self.source.to_course_name(names)}"
        return replace(self, role=names.get(self.role, self.role)).name


Stage: TypeAlias = Literal[
    "tokens", "queries", "keys", "values", "cached keys", "cached values", "mask",
    "scores", "scaled scores", "exponentials", "weights", "output", "combined", "projected",
    "residual", "feed-forward", "probabilities", "row losses", "loss",
]  # fmt: skip
"""The stages of an exercise, whatever a mechanism calls its matrix there.

Queries and keys are those before a rotation or a feature map, scores those before a scale or a mask.
"""

Whole: TypeAlias = Literal["softmax", "norm", "positions", "network", "loss"]
"""A computation of several steps; positions stand for rotations and biases by distance."""
Irrational: TypeAlias = Literal["none", "e", "root", "any"]
"""No irrational number, a power of e, the root of d_k, or any of them."""


@record
class Kind:
    """A kind of matrix, given or computed: its role, its title, the letters of its rows and columns.

    What marking, pages and documents ask of a matrix is a field here, so that they know no roles.
    One that is not `differentiable` depends on nothing that is given, or is part of the loss.
    """

    role: str
    title: str
    letters: str
    layered: bool = False
    limit: bool = False
    part_of: Whole | None = None
    """The larger computation that it is a part of, often done in one go."""
    differentiable: bool = True
    words: tuple[str, ...] = ()
    """What people call it besides its title, the shortest that says enough first."""
    stage: Stage | None = None
    """The stage of the exercise that it is, if others ask for that."""
    is_quick: bool = False
    """Whether it is quickly worked out from the matrix before it, so that students are not asked for it."""
    is_searched: bool = True
    """Whether a slip is looked for in it: not if that is also a slip in the scores or the weights."""
    irrational: Irrational = "any"
    """The numbers with endless decimals in its rule, which people round."""
    hides_by: float | None = None
    """The entry that hides a key from a query, if there is one: −∞ among scores, 0 among factors."""

    @property
    def inner(self) -> bool:
        """Whether it is part of a softmax or a norm, and differentiated with the whole."""
        return self.part_of in ("softmax", "norm")

    @property
    def is_weights(self) -> bool:
        """Whether its rows are the weights of a query, one for every key."""
        return self.stage == "weights"

    @property
    def is_result(self) -> bool:
        """Whether it is the output of attention: of a head, of all heads combined, or projected."""
        return self.stage in ("output", "combined", "projected")

    @property
    def has_gradient(self) -> bool:
        """Whether its steps have gradients of their own."""
        return self.differentiable and not self.inner and not self.limit

    @property
    def gradient(self) -> Kind:
        """The kind of its gradient."""
        words = tuple(said for word in self.words[:1] for said in (f"{word} gradient", f"gradient of {word}"))
        title = gradient_title(self.title)
        return Kind(f"d{self.role}", title, self.letters, self.layered, self.limit, words=words)

    @property
    def letter_pair(self) -> tuple[str, str]:
        """The letters of rows and columns; the one row or column of a vector has none."""
        return self.letters[0].strip(), self.letters[1:].strip()

    @property
    def spoken(self) -> tuple[str, ...]:
        """All that it is called in words."""
        return *self.words, self.title.lower()

    def is_called(self, name: str) -> bool:
        """Whether a person who writes this name means a step of this kind."""
        return name.startswith(self.role) and bool(re.fullmatch(self.pattern, name))

    @property
    def pattern(self) -> str:
        """What its steps are called, as a regular expression."""
        number = "[0-9]+" if self.layered else "(?:_[0-9]+)?"
        return f"{self.role}{number}{'_limit' if self.limit else ''}"


def gradient_title(title: str) -> str:
    """The title of the gradient of a matrix."""
    return f"Gradient of {in_sentence(title)}"


def in_sentence(title: str) -> str:
    """A title inside a sentence: the scores."""
    return f"the {title if title[:2].isupper() else title[0].lower() + title[1:]}"
