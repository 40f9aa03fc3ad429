"""The closed vocabulary of output: what a solution says, before any format decides how it looks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from attncalc.core.record import record
from attncalc.core.terms import Entry, Term
from attncalc.core.terms.formulas import Maths, Name, Place, Text, Words

if TYPE_CHECKING:
    from attncalc.worked.page_model import Model

BLANK = Entry("_")
"""An entry to be filled in."""
Relation: TypeAlias = Literal["=", "≈"]
Cell: TypeAlias = str | Maths
"""What stands in a table: words, or mathematics."""
Sized: TypeAlias = tuple[str, tuple[int, ...]]
"""A matrix by its name, and its shape."""


@record
class Heading:
    """A title: of the document (1), of a part (2), of a step (3), which may end in its symbol."""

    text: str
    level: int
    symbol: str = ""


@record
class Sign:
    """A sign for what has been found: the word it stands for, itself in Unicode and in ASCII, its colour."""

    word: str
    glyph: str
    ascii: str
    colour: str


SIGNS = {
    word: Sign(word, glyph, plain, colour)
    for word, glyph, plain, colour in (
        ("blank", "·", ".", "dim"),
        ("correct", "✓", "+", "green"),
        ("rounded", "~", "~", "green"),
        ("follows", "→", ">", "yellow"),
        ("coarse", "?", "?", "yellow"),
        ("unreadable", "!", "!", "bold red"),
        ("wrong", "✗", "x", "bold red"),
        ("shape", "✗", "x", "bold red"),
    )
}
"""The signs of the verdicts on a cell or a step, by the word of the verdict."""


@record
class Paragraph:
    """A sentence or two, perhaps in the colour of what has been found."""

    text: Text
    sign: Sign | None = None


@record
class Note:
    """An aside: a folded matrix, a rounding, a hint."""

    text: Text


@record
class Code:
    """Lines of a program."""

    text: str


@record
class Law:
    """The matrix formula of a step, with the shapes of what goes in and comes out."""

    subject: Maths
    formula: Maths
    inputs: tuple[Sized, ...]
    result: Sized


@record
class Equation:
    """A chain of equal terms: what is computed, or a few words on it, how, and what it comes to."""

    left: Maths
    sides: tuple[tuple[Relation, Maths], ...]


@record
class Equations:
    """Worked lines that belong together."""

    lines: tuple[Equation, ...]


@record
class Grid:
    """A matrix of terms with its labels; None stands for entries folded away, some may be marked.

    `places` are the indices of the cells in the whole matrix, counted from 0, as worked lines name them;
    `said` is what there is to say of some; `hidden` are the weights of keys that a mask hides.
    """

    cells: tuple[tuple[Term | None, ...], ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    marked: frozenset[tuple[int, int]] = frozenset()
    places: tuple[tuple[tuple[int, ...] | None, ...], ...] = ()
    said: tuple[tuple[tuple[int, int], Text], ...] = ()
    hidden: frozenset[tuple[int, int]] = frozenset()


@record
class Display:
    """A matrix, or a row of it counted from 1, and the grids it equals: exact, then rounded.

    `of` is what worked lines call the matrix, `whose` says that it is somebody's own.  Attention weights are
    `shaded` where there are shades.
    """

    symbol: str
    grids: tuple[tuple[Relation, Grid], ...]
    of: str = ""
    shaded: bool = False
    row: tuple[int, ...] = ()
    whose: str = ""

    @property
    def label(self) -> Maths:
        """What stands before the matrix."""
        name = Place(self.symbol, self.row, whole=False) if self.row else Name(self.symbol)
        return Words((f"{self.whose} ", name)) if self.whose else name


@record
class Displays:
    """Matrices that stand side by side where there is room."""

    members: tuple[Display, ...]


@record
class Verdict:
    """The verdict on one step or one file: a sign, what it is about, and the same in words."""

    sign: Sign
    symbol: str
    text: Text


@record
class Bars:
    """How often something happened: a bar each."""

    title: Text
    counts: tuple[tuple[Text, int], ...]


@record
class Table:
    """Rows of cells under headings; the last row may be a total."""

    heads: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


@record
class Member:
    """One of a class: a sign for all, one for each step that is told, the points, and what is to be said."""

    sign: Sign
    name: str
    student: str
    signs: tuple[Sign | None, ...]
    points: str
    text: Text
    report: tuple[Block, ...] = ()
    """What a page unfolds."""


@record
class Roster:
    """A class, a line each; above their signs stand the symbols of the steps."""

    steps: tuple[str, ...]
    members: tuple[Member, ...]

    @property
    def signs(self) -> tuple[Sign, ...]:
        """The signs of steps that are there, each once, and those of whole files that look otherwise."""
        steps = dict.fromkeys(sign for one in self.members for sign in one.signs if sign)
        known = {sign.glyph for sign in steps}
        return (*steps, *dict.fromkeys(one.sign for one in self.members if one.sign.glyph not in known))

    @property
    def has_students(self) -> bool:
        """Whether some say who they are."""
        return any(member.student for member in self.members)


@record
class Listing:
    """Things by name, and what each is called in words."""

    entries: tuple[tuple[str, str], ...]


@record
class Map:
    """Attention weights as shades, a row for each query; of a batch, those of one sequence."""

    symbol: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]
    hidden: frozenset[tuple[int, int]] = frozenset()
    """The keys that a mask hides: no weight, not a small one."""
    batch: tuple[int, ...] = ()


@record
class Room:
    """Room to write on paper: so many lines, or one line behind each of these words."""

    lines: int = 1
    words: tuple[str, ...] = ()


Block: TypeAlias = (
    Heading
    | Paragraph
    | Note
    | Code
    | Law
    | Equation
    | Equations
    | Displays
    | Verdict
    | Roster
    | Listing
    | Bars
    | Table
    | Map
    | Room
)


@record
class Document:
    """Blocks in reading order, and the model behind them, for a page that computes.

    A page of its own needs a title, also where the blocks begin without one.
    """

    blocks: tuple[Block, ...]
    model: Model | None = None
    title: str = ""
