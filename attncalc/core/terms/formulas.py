"""The closed vocabulary of matrix formulas: what an operation does to whole matrices, as a tree.

    q, k = Name("Q"), Name("K")
    q @ k.T                        Q Kᵀ

Formulas are only written, never computed: the values of a step follow from the rule of its cells.  Terms
may stand in them, such as the √d_k that scores are divided by.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, cast

from attncalc.core.record import record
from attncalc.core.terms.nodes import Term


class Tree:
    """The operators that build formulas."""

    def __matmul__(self, other: Maths) -> Beside:
        return Beside((*factors(self.node), *factors(other)))

    def __add__(self, other: Maths) -> Plus:
        return Plus((self.node, other))

    def __truediv__(self, other: Maths) -> Over:
        return Over(self.node, other)

    @property
    def T(self) -> Formula:
        """The transpose; of a transpose, the formula itself."""
        return self.of if isinstance(self, Transposed) else Transposed(self.node)

    @property
    def node(self) -> Formula:
        """Itself, typed as one of the nodes: there are no others."""
        return cast("Formula", self)


@record
class Name(Tree):
    """A matrix, a vector or a number by its name; after _ follows a subscript: W_Q, q_i."""

    name: str


@record
class Beside(Tree):
    """Factors side by side: a product of matrices; `dotted`, of numbers."""

    factors: tuple[Maths, ...]
    dotted: bool = False


@record
class Transposed(Tree):
    """xᵀ"""

    of: Formula


@record
class Plus(Tree):
    """x + y + …"""

    parts: tuple[Maths, ...]


@record
class Minus(Tree):
    """−x"""

    of: Maths


@record
class Over(Tree):
    """x / y, entry by entry."""

    over: Maths
    under: Maths


@record
class Times(Tree):
    """Every entry of x times a factor; `entrywise`, times the entry of another matrix in its place."""

    x: Maths
    factor: Maths
    entrywise: bool = False


@record
class Raised(Tree):
    """x to the power of a number."""

    of: Maths
    exponent: int


@record
class Call(Tree):
    """A function applied to a matrix: softmax(x), E[x]."""

    function: str
    of: Maths
    square: bool = False


@record
class SumOf(Tree):
    """Σ over a letter."""

    letter: str
    of: Maths


@record
class Stacked(Tree):
    """Matrices side by side (,) or one below the other (;); in round brackets, a tuple of numbers."""

    members: tuple[Maths, ...]
    below: bool = False
    round: bool = False


@record
class Indexed(Tree):
    """The entry of a formula in row i, column j: (Q Kᵀ)_ij."""

    of: Maths
    letters: str


@record
class Place(Tree):
    """A cell, or without `whole` a row, as answers name it, counted from 1: S[3,1], S[3]."""

    name: str
    at: tuple[int, ...]
    whole: bool = True


@record
class Shape(Tree):
    """Rows × columns, as numbers or in letters."""

    sizes: tuple[int, ...]


@record
class Equal(Tree):
    """x = y"""

    left: Maths
    right: Maths


@record
class Words(Tree):
    """Words, with formulas among them."""

    parts: tuple[str | Maths, ...]


@record
class Typed(Tree):
    """A formula as a user typed it, which text keeps."""

    text: str
    of: Maths


Formula: TypeAlias = (
    Name | Beside | Transposed | Plus | Minus | Over | Times | Raised
    | Call | SumOf | Stacked | Indexed | Place | Shape | Equal | Words | Typed
)  # fmt: skip
Maths: TypeAlias = Term | Formula
"""Everything that a notation writes."""
Text: TypeAlias = str | tuple[str | Maths, ...]
"""Words of a user, or our own words with mathematics among them."""


def sentence(words: str, *maths: Maths) -> Text:
    """Our own words, with mathematics in place of every {}."""
    first, *rest = words.split("{}")
    return first, *(part for pair in zip(maths, rest, strict=True) for part in pair)


def join_sentences(texts: Iterable[Text]) -> Text:
    """Join sentences; those without mathematics stay plain words."""
    texts = tuple(texts)
    if len(texts) == 1:
        return texts[0]
    if all(isinstance(text, str) for text in texts):
        return " ".join(map(str, texts))
    parts = (part for text in texts for part in (" ", *((text,) if isinstance(text, str) else text)))
    return tuple(parts)[1:]


def factors(x: Maths) -> tuple[Maths, ...]:
    """The factors of a product, so that Q W Kᵀ is one product of three."""
    return x.factors if isinstance(x, Beside) else (x,)
