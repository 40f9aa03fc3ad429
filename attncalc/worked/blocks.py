"""The closed vocabulary of output: the blocks of a document, before a format renders them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from attncalc.core.record import record, replace
from attncalc.core.terms import Entry, Term
from attncalc.core.terms.formulas import Maths, Name, Place, Text, Words

if TYPE_CHECKING:
    from attncalc.worked.page_model import Model

BLANK = Entry("_")
"""An entry to be filled in."""
Relation: TypeAlias = Literal["=", "≈"]
Cell: TypeAlias = str | Maths
"""A cell of a table: words, or mathematics."""
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
    """The sign of a verdict: the word it stands for, its Unicode and ASCII forms, its colour."""

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
    """A sentence or two, optionally in the colour of a verdict."""

    text: Text
    sign: Sign | None = None
    is_numeric: bool = False
    """Whether it is said of these numbers, and untrue where a page changes one."""


@record
class Note:
    """An aside: a folded matrix, a rounding, a hint."""

    text: Text
    is_numeric: bool = False


@record
class Code:
    """Lines of a program."""

    text: str


@record
class Law:
    """The matrix formula of a step, with the shapes of its inputs and its result."""

    subject: Maths
    formula: Maths
    inputs: tuple[Sized, ...]
    result: Sized


@record
class Equation:
    """A chain of equal terms: the name of what is computed, how it is computed, and its value."""

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
    `said` are remarks on some cells; `hidden` are the weights of keys that a mask hides.
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

    `of` is the name of the matrix in worked lines; `whose` is a word before it, such as "your".  Attention
    weights are `shaded` if the format has shades.
    """

    symbol: str
    grids: tuple[tuple[Relation, Grid], ...]
    of: str = ""
    shaded: bool = False
    row: tuple[int, ...] = ()
    whose: str = ""
    turned: bool = False
    """Whether the row is written as a column."""

    @property
    def label(self) -> Maths:
        """The name before the matrix."""
        name: Maths = Name(self.symbol)
        if self.row:
            name = Place(self.symbol, self.row, whole=False)
        if self.row and self.turned:
            name = Words((f"column {','.join(map(str, self.row))} of ", Name(self.symbol)))
        return Words((f"{self.whose} ", name)) if self.whose else name


@record
class Displays:
    """Matrices side by side, if there is room."""

    members: tuple[Display, ...]


@record
class Verdict:
    """The verdict on one step or one file: a sign, the step or file, and the verdict in words."""

    sign: Sign
    symbol: str
    text: Text


@record
class Bars:
    """Counts, with a bar for each."""

    title: Text
    counts: tuple[tuple[Text, int], ...]


@record
class Table:
    """Rows of cells under headings; the last row may be a total."""

    heads: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]


@record
class Member:
    """One student of a class: a sign for the file, one for each answered step, the points, and a remark."""

    sign: Sign
    name: str
    student: str
    signs: tuple[Sign | None, ...]
    points: str
    text: Text
    report: tuple[Block, ...] = ()
    """The blocks that a page unfolds."""


@record
class Roster:
    """A class, a line for each student; the symbols of the steps are the heads of the columns of signs."""

    steps: tuple[str, ...]
    members: tuple[Member, ...]

    @property
    def signs(self) -> tuple[Sign, ...]:
        """The signs of steps, each once, and the signs of files that look different from these."""
        steps = dict.fromkeys(sign for one in self.members for sign in one.signs if sign)
        known = {sign.glyph for sign in steps}
        files = dict.fromkeys(one.sign for one in self.members if one.sign.glyph not in known)
        words: dict[str, list[str]] = {}
        for sign in files:
            words.setdefault(sign.glyph, []).append(sign.word)
        first = {sign.glyph: sign for sign in reversed(files)}
        return (*steps, *(replace(first[glyph], word=" or ".join(said)) for glyph, said in words.items()))

    @property
    def has_students(self) -> bool:
        """Whether some files name their student."""
        return any(member.student for member in self.members)


@record
class Listing:
    """Names, each with its title."""

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
class Answer:
    """What answers a question: words with mathematics, and matrices."""

    text: Text = ""
    displays: tuple[Display, ...] = ()


@record
class Room:
    """Room to write on paper: a number of lines, or one line behind each of these words."""

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
    | Answer
    | Room
)


@record
class Document:
    """Blocks in reading order, and the model behind them, for a page that computes.

    A separate page needs a title, even if the blocks begin without one.
    """

    blocks: tuple[Block, ...]
    model: Model | None = None
    title: str = ""
