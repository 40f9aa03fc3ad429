"""The closed vocabulary of output: what a solution says, before any format decides how it looks."""

from __future__ import annotations

from typing import Literal, TypeAlias

from attncalc.record import record
from attncalc.terms import Term

Relation: TypeAlias = Literal["=", "≈"]


@record
class Heading:
    """A title: of the document (1), of a part (2), of a step (3)."""

    text: str
    level: int


@record
class Paragraph:
    """A sentence or two."""

    text: str


@record
class Note:
    """An aside: a folded matrix, a rounding, a hint."""

    text: str


@record
class Formula:
    """The matrix formula of a step, with the shapes of what goes in and comes out."""

    symbol: str
    formula: str
    shapes: tuple[tuple[str, tuple[int, ...]], ...]


@record
class Equation:
    """A chain of equal terms: what is computed, how, and what it comes to."""

    left: Term
    sides: tuple[tuple[Relation, Term], ...]


@record
class Equations:
    """Worked lines that belong together."""

    lines: tuple[Equation, ...]


@record
class Grid:
    """A matrix of terms with its labels; None stands for entries folded away, some may be marked.

    `places` are the indices of the cells in the whole matrix, counted from 0, as worked lines name them.
    """

    cells: tuple[tuple[Term | None, ...], ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    marked: frozenset[tuple[int, int]] = frozenset()
    places: tuple[tuple[tuple[int, ...] | None, ...], ...] = ()


@record
class Display:
    """A label and the matrices it equals: exact, then rounded; worked lines call the matrix `of`.

    Attention weights are `shaded` where there are shades.
    """

    symbol: str
    grids: tuple[tuple[Relation, Grid], ...]
    of: str = ""
    shaded: bool = False


@record
class Displays:
    """Matrices that stand side by side where there is room."""

    members: tuple[Display, ...]


@record
class Verdict:
    """The verdict on one step: correct, rounded, follows, wrong, …, and the same in words."""

    verdict: str
    symbol: str
    text: str


@record
class Bars:
    """How often something happened: a bar each."""

    title: str
    counts: tuple[tuple[str, int], ...]


@record
class Table:
    """Rows of text under headings; the last row may be a total."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@record
class Map:
    """Attention weights as shades, a row for each query."""

    symbol: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]


Block: TypeAlias = (
    Heading | Paragraph | Note | Formula | Equation | Equations | Displays | Verdict | Bars | Table | Map
)


@record
class Document:
    """Blocks in reading order."""

    blocks: tuple[Block, ...]
