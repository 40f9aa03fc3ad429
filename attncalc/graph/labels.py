"""What a matrix is: its role, the head or the layer it belongs to; its name is made from these.

A name is never taken apart again: who wants to know what S_2 is asks for its label.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from attncalc.record import changed, record


@record
class Label:
    """The role of a matrix, its head and layer counted from 1 where it has one, and whether it is a limit."""

    role: str
    head: int | None = None
    layer: int | None = None
    limit: bool = False

    @property
    def name(self) -> str:
        """The name that the contract gives it: S, S_2, R1, A_2_limit."""
        number = "" if self.layer is None else str(self.layer)
        ending = "" if self.head is None else f"_{self.head}"
        return f"{self.role}{number}{ending}{'_limit' if self.limit else ''}"

    def belongs_to(self, head: int) -> bool:
        """Whether a matrix is one of a head, or of all heads together."""
        return self.head in (None, head)

    def called(self, names: Mapping[str, str]) -> str:
        """How a course calls it: z_1 for S_1 where it calls S z, alpha_limit for A_limit."""
        if self.name in names:
            return names[self.name]
        if self.limit:
            return f"{changed(self, limit=False).called(names)}_limit"
        return changed(self, role=names.get(self.role, self.role)).name


@record
class Kind:
    """A kind of step: its role, what it is in words, the letters of its rows and columns, its numbering.

    An `inner` one is part of a softmax or a norm: worked out on the way, and differentiated with the whole.
    `words` are what people call it besides its title, the shortest that says enough first.
    """

    role: str
    title: str
    letters: str
    layered: bool = False
    limit: bool = False
    inner: bool = False
    words: tuple[str, ...] = ()

    @property
    def spoken(self) -> tuple[str, ...]:
        """All that it is called in words."""
        return *self.words, self.title.lower()

    def is_called(self, name: str) -> bool:
        """Whether a person who writes this name means a step of this kind."""
        return bool(re.fullmatch(self.pattern, name))

    @property
    def pattern(self) -> str:
        """What its steps are called, as a regular expression."""
        number = "[0-9]+" if self.layered else "(?:_[0-9]+)?"
        return f"{self.role}{number}{'_limit' if self.limit else ''}"
