"""The gradient of one matrix: the shares of its blocks added up, as an operation like any other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import groupby
from typing import TypeAlias

from attncalc.core.docstrings import sentence_of
from attncalc.core.graph.graph import Graph
from attncalc.core.graph.labels import in_sentence
from attncalc.core.ops.base import Operand, Operation, Piece, Shape
from attncalc.core.ops.heads import columns_of
from attncalc.core.readings.derivative import reletter
from attncalc.core.readings.matrices import Called, formula_of
from attncalc.core.record import record
from attncalc.core.terms import (
    Axis,
    Constant,
    Entry,
    Index,
    Sum,
    entries,
    has_function,
    parts,
)
from attncalc.core.terms.formulas import Formula, Stacked, Text, Tree
from attncalc.core.terms.functions import FUNCTIONS

Block: TypeAlias = tuple[tuple[int, int, int], tuple[int, int, int]]
"""Start, size and stride of the rows and columns of a block."""
STEP = f" Here step(x) is {FUNCTIONS['step'].meaning}."
MOST_ENTRIES_OF_RULE = 10
"""For a rule with at most this many entries, the formula is easier to read."""


@record
class Share:
    """The share of a gradient that a block of a matrix receives through one step, and its title."""

    through: str
    title: str
    piece: Piece


@record
class Gradient(Operation):
    """How much the loss grows with each entry."""

    size: Shape
    shares: tuple[Share, ...]
    operands: tuple[Operand, ...]

    def shape(self, *operands: Operand) -> Shape:  # noqa: ARG002
        return self.size

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:  # noqa: ARG002
        return self.blocks

    @cached_property
    def blocks(self) -> list[Piece]:
        """The shares of every block added up, and 0 for columns without a share."""
        blocks: dict[Block, Piece] = {}
        for share in self.shares:
            place = block_of(share.piece)
            blocks[place] = add_pieces(blocks[place], share.piece) if place in blocks else share.piece
        return [*blocks.values(), *zero_columns(self.size, blocks.values())]

    @property
    def sentence(self) -> Text:
        titles = dict.fromkeys(share.title for share in self.shares)
        *first, last = map(in_sentence, titles)
        ways = f"{', '.join(first)} and {last}" if first else last
        ways += ", added up" if len(self.blocks) < len(titles) else ""
        slope = STEP if any(has_function(share.piece.rule, "step") for share in self.shares) else ""
        return f"{sentence_of(type(self)).removesuffix('.')}, through {ways}.{slope}"

    def formula(self, *operands: Formula) -> Formula | None:
        named = {one.name: (formula, one) for one, formula in zip(self.operands, operands, strict=True)}
        match [block.rule for block in self.blocks]:
            case [Entry(of, (Axis(), Axis() as columns)) as entry] if not is_whole(entry, named[of][1]):
                return columns_of(named[of][0], columns)
        if any(sum(1 for _ in entries(share.piece.rule)) > MOST_ENTRIES_OF_RULE for share in self.shares):
            return None

        def find_formula(entry: Entry) -> Formula | None:
            formula, operand = named[entry.of]
            return formula if is_whole(entry, operand) else None

        return whole_formula(self.size, self.blocks, find_formula)


def is_whole(entry: Entry, operand: Operand) -> bool:
    """Whether an entry runs through all rows and columns of its matrix."""
    axes = (as_axis(index) for index in entry.at)
    sizes = operand.shape[-2:]
    return all((a.start, a.size, a.stride) == (0, size, 1) for a, size in zip(axes, sizes, strict=True))


def whole_formula(size: Shape, blocks: list[Piece], called: Called) -> Formula | None:
    """The formula of a matrix: of its only block, or of blocks side by side."""
    found = [formula_of(piece.rule, piece.axes[0].letter, piece.axes[1].letter, called) for piece in blocks]
    formulas = [one for one in found if isinstance(one, Tree)]
    if len(formulas) < len(blocks) or any(axis.stride > 1 for piece in blocks for axis in piece.axes):
        return None
    if len(blocks) == 1:
        return formulas[0].node
    below = len({piece.axes[0].start for piece in blocks}) > 1
    in_line = all(piece.axes[below].size == size[-1 - (not below)] for piece in blocks)
    return Stacked(tuple(one.node for one in formulas), below) if in_line else None


def gradient_op(graph: Graph, size: Shape, shares: Iterable[Share]) -> Gradient:
    """The gradient made of some shares, of a matrix of this size."""
    found = tuple(shares)
    rules = (piece.rule for piece in Gradient(size, found, ()).blocks)
    names = dict.fromkeys(entry.of for rule in rules for entry in entries(rule) if entry.at)
    return Gradient(size, found, tuple(Operand(name, graph.shapes[name]) for name in names))


def block_of(piece: Piece) -> Block:
    """The position of a block."""
    rows, columns = ((axis.start, axis.size, axis.stride) for axis in piece.axes)
    return rows, columns


def zero_columns(shape: Shape, blocks: Iterable[Piece]) -> Iterator[Piece]:
    """Blocks of 0 for the columns without a share, such as those of other heads."""
    axes = [block.axes for block in blocks]
    rows, columns = axes[0]
    touched = {axis.at(number) for _, axis in axes for number in range(axis.size)}
    for is_touched, run in groupby(range(shape[-1]), touched.__contains__):
        if not is_touched:
            start, *others = run
            zeros = Axis(columns.letter, 1 + len(others), start)
            yield Piece((Axis(rows.letter, shape[-2]), zeros), Constant(0))


def add_pieces(one: Piece, other: Piece) -> Piece:
    """Add two shares of the same block, in the letters of the first."""
    rule = reletter(other.rule, letter_swaps(other.axes, one.axes))
    return Piece(one.axes, Sum((*parts(one.rule, Sum), *parts(rule, Sum))))


def letter_swaps(own: Iterable[Index], wanted: Iterable[Index]) -> dict[str, str]:
    """The swaps of letters that give some axes the letters of others; an axis without a letter keeps none."""
    pairs = [(as_axis(a).letter, as_axis(b).letter) for a, b in zip(own, wanted, strict=True)]
    return {x: y for a, b in pairs if a and a != b for x, y in ((a, b), (b, a)) if x}


def as_axis(index: Index) -> Axis:
    """An index as the axis of a block; an integer is a block of one."""
    return index if isinstance(index, Axis) else Axis("", 1, index)
