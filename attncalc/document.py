"""The closed vocabulary of output: what a solution says, before any format decides how it looks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from attncalc.terms import Term

Relation: TypeAlias = Literal["=", "≈"]


@dataclass(frozen=True)
class Heading:
    """A title: of the document (1), of a part (2), of a step (3)."""

    text: str
    level: int


@dataclass(frozen=True)
class Paragraph:
    """A sentence or two."""

    text: str


@dataclass(frozen=True)
class Note:
    """An aside: a folded matrix, a rounding, a hint."""

    text: str


@dataclass(frozen=True)
class Formula:
    """The matrix formula of a step, with the shapes of what goes in and comes out."""

    symbol: str
    formula: str
    shapes: tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Equation:
    """A chain of equal terms: what is computed, how, and what it comes to."""

    left: Term
    sides: tuple[tuple[Relation, Term], ...]


@dataclass(frozen=True)
class Equations:
    """Worked lines that belong together."""

    lines: tuple[Equation, ...]


@dataclass(frozen=True)
class Grid:
    """A matrix of terms with its labels; None stands for entries folded away."""

    cells: tuple[tuple[Term | None, ...], ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True)
class Display:
    """A name and the matrices it equals: exact, then rounded."""

    symbol: str
    grids: tuple[tuple[Relation, Grid], ...]


@dataclass(frozen=True)
class Displays:
    """Matrices that stand side by side where there is room."""

    members: tuple[Display, ...]


Block: TypeAlias = Heading | Paragraph | Note | Formula | Equation | Equations | Displays


@dataclass(frozen=True)
class Document:
    """Blocks in reading order."""

    blocks: tuple[Block, ...]
