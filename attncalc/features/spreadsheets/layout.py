"""Where matrices stand on a sheet: in bands, the given ones first, then the steps, head below head."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from math import prod
from typing import TypeAlias

from attncalc.core.notations.unicode import Notation, write
from attncalc.core.readings.subterms import sizes_of
from attncalc.core.record import record
from attncalc.core.terms.formulas import Text, Words
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.features.spreadsheets.formulas import Placed
from attncalc.worked.blocks import Equation, Law
from attncalc.worked.writer.steps import Writer

WIDEST_BAND = 24
"""The most columns of a band: about what a screen shows."""
NARROWEST = 5
"""The fewest columns of a block, for the sentence above its matrix."""
HEAD, GIVEN_HEAD = 4, 2
"""The rows above a matrix: its name, for a step its law and its sentence, the labels of its columns."""
GIVEN = "Given"
TOP = 5
"""The rows above the first band."""


Group: TypeAlias = tuple[str, list[str]]
"""A heading, and the names of the matrices below it."""


@record
class Block:
    """A matrix on the sheet: what stands above it, its labels, and its place."""

    name: str
    heading: str
    law: str
    words: str
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    rows: int
    columns: int
    placed: Placed
    is_given: bool = False

    @property
    def width(self) -> int:
        """Its columns, with one for the labels and a gap."""
        return 1 + max(self.columns, NARROWEST - 1) + 1

    @property
    def top(self) -> int:
        """The row of its heading."""
        return self.placed.row - (HEAD if self.law or self.words else GIVEN_HEAD)

    @property
    def left(self) -> int:
        """The column of its row labels."""
        return self.placed.column - 1


@record
class Band:
    """Blocks side by side under a heading, which may be empty."""

    heading: str
    row: int
    blocks: tuple[Block, ...]


def solution_groups(solution: Solution, steps: Iterable[SolvedStep]) -> Iterator[Group]:
    """Yield the given matrices and sizes that steps use, then the steps, head by head."""
    steps = list(steps)
    used = {name for step in steps for name in step.inputs}
    given = [name for name in solution.graph.given if name in used]
    sizes = sorted({name for step in steps for piece in step.pieces for name in sizes_of(piece.rule)})
    yield GIVEN, [*given, *(name for name in sizes if name in solution.graph.sizes)]
    yield from ((heading, [step.name for step in some]) for heading, some in by_head(steps))


def lay_out(solution: Solution, groups: Iterable[Group], writer: Writer, has_laws: bool = True) -> list[Band]:
    """Return the bands of a sheet: every group below the one before it, in one band or several."""
    bands: list[Band] = []
    row = TOP
    for heading, names in groups:
        head = HEAD if heading != GIVEN and has_laws else GIVEN_HEAD
        for n, some in enumerate(split_bands(solution, names)):
            first = row + (not n) + head
            band = Band("" if n else heading, row, tuple(place(solution, writer, some, first, has_laws)))
            bands.append(band)
            row = first + max(block.rows for block in band.blocks) + 1
    return bands


def by_head(steps: list[SolvedStep]) -> Iterator[tuple[str, list[SolvedStep]]]:
    """Yield the steps before the heads, those of each head, and those behind them, under their headings."""
    last = max((n for n, step in enumerate(steps) if step.step.head), default=len(steps))
    behind = len(steps) + 1

    def order(pair: tuple[int, SolvedStep]) -> int:
        number, step = pair
        return step.step.head or (0 if number < last else behind)

    headings = {0: "Steps", behind: "After the heads"}
    for key, some in groupby(sorted(enumerate(steps), key=order), order):
        yield headings.get(key, f"Head {key}"), [step for _, step in some]


def shown_shape(solution: Solution, name: str) -> tuple[int, int]:
    """Return the rows and columns that a matrix takes, those of a batch one below the other."""
    shape = solution.graph.shown_shape(name) if name in solution.graph.shapes else (1, 1)
    return prod(shape[:-1]), shape[-1]


def split_bands(solution: Solution, names: list[str]) -> Iterator[list[str]]:
    """Yield the matrices of one band after the other, as many as there is room for."""
    band: list[str] = []
    used = 0
    for name in names:
        width = 2 + max(shown_shape(solution, name)[1], NARROWEST - 1)
        if band and used + width > WIDEST_BAND:
            yield band
            band, used = [], 0
        band.append(name)
        used += width
    if band:
        yield band


def place(solution: Solution, writer: Writer, names: list[str], row: int, has_laws: bool) -> Iterator[Block]:
    """Yield blocks side by side, their first entries in a row."""
    left = 0
    for name in names:
        block = make_block(solution, writer, name, row, left + 1, has_laws)
        yield block
        left += block.width


def make_block(solution: Solution, writer: Writer, name: str, row: int, column: int, has_laws: bool) -> Block:
    """Return a block whose first entry stands in a cell."""
    graph = solution.graph
    rows, columns = shown_shape(solution, name)
    if name not in graph.shapes:
        symbol = solution.problem.size_names.get(name, name)
        return Block(name, symbol, "", "", (), (), 1, 1, Placed(row, column, (1, 1)), is_given=True)
    labels = writer.all_labels(name)
    labels = labels[::-1] if graph.is_turned(name) else labels
    placed = Placed(row, column, graph.shapes[name], graph.is_turned(name))
    symbol, kind = writer.symbol(name), graph.kinds.get(name)
    if name in graph.given:
        title = kind.title if kind else ""
        return Block(
            name, f"{symbol}  {title}".strip(), "", "", *labels, rows, columns, placed, is_given=True
        )
    step = solution[name]
    law = next((law_text(block) for block in writer.laws(step)), "") if has_laws else ""
    words = plain(step.sentence) if has_laws else ""
    return Block(name, f"{symbol}  {step.title}", law, words, *labels, rows, columns, placed)


def law_text(block: object) -> str:
    """Return a law on one line."""
    notation = Notation()
    if isinstance(block, Law):
        return f"{write(block.subject, notation)} = {write(block.formula, notation)}"
    assert isinstance(block, Equation)
    return " = ".join([write(block.left, notation), *(write(side, notation) for _, side in block.sides)])


def plain(text: Text) -> str:
    """Return a sentence without markup."""
    return text if isinstance(text, str) else write(Words(text), Notation())
