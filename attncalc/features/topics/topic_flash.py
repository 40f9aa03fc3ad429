"""The softmax tile by tile, as in programs that never hold a whole row of scores."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from math import inf
from typing import Any

from attncalc.core.terms import Apply, Axis, Constant, Entry, Greatest, Total
from attncalc.core.terms.formulas import Call, Maths, Name, Over, Place, Words, sentence
from attncalc.exercise.solve.solution import Solution
from attncalc.features.decoding.running_state import Tile, Tiled, workable
from attncalc.features.topics.base import (
    Topic,
    as_number,
    as_tuple,
    each_head,
    equal,
    nothing_changed,
    relation,
    with_steps,
)
from attncalc.features.topics.base import show_example as matrices
from attncalc.worked.blocks import Block, Cell, Equation, Equations, Heading, Paragraph, Relation, Table
from attncalc.worked.rounding import Shown
from attncalc.worked.view import rounding_of

SMALL: dict[str, Any] = {
    "Q": [[1, 0], [1, 2]],
    "K": [[1, 0], [0, 2], [2, 1], [0, 0]],
    "V": [[4, 0], [0, 4], [2, 2], [8, 4]],
    "scale": "none",
}
TILE = 2
MOST_TILED_ROWS = 4
"""The number of rows that are shown in full."""
HEADS = ("keys", "scores", Name("m"), "correction", Name("t"), Name("o"))
KEY = Axis("j", 1)
M, NEW, TOTAL, OUTPUT = map(Entry, ("m", "m_new", "t", "o"))
SCORE, VALUE = Entry("s", (KEY,)), Entry("v", (KEY,))


def explain(solution: Solution | None, tile: int = TILE) -> Iterator[Block]:
    """The reason why it works, the laws, every tile of some rows, and a comparison of all rows."""
    chosen = with_steps(solution, **SMALL)
    own = workable(chosen)
    heads = each_head(own, lambda head: Tiled(own, head, tile))
    yield from laws(tile, heads[0].sink is not None)
    if chosen is not solution:
        yield matrices(own, "S", "V")
    shown = Shown(own.trace.field, rounding_of(own.problem))
    rows = [(head, row) for head in heads for row in range(len(head.scores))]
    for head, row in rows[:MOST_TILED_ROWS]:
        yield from one_row(head, row, shown)
    if len(rows) > MOST_TILED_ROWS:
        yield Paragraph(f"{len(rows) - MOST_TILED_ROWS:,} more rows go the same way.")
    found = [(head, row, head.finish(last(head, row))) for head, row in rows]
    yield nothing_changed(found, "tile by tile")


def laws(tile: int, has_sink: bool) -> Iterator[Block]:
    """The sums that are kept for a row, and how one more tile updates them."""
    power, correction = Apply("exp", SCORE - NEW), Apply("exp", M - NEW)
    yield Paragraph(
        sentence(
            "A softmax needs the largest score of its row and the total of its exponentials, which are known "
            "only at the end. Yet they can be kept up to date as the keys come by, {} at a time, and the "
            "output with them: the largest score {}, the total {} and the weighted sum of values {}. Where a "
            "tile brings a larger score, all that was summed is multiplied by one correction, {}:",
            *(Name(str(tile)), Name("m"), Name("t"), Name("o"), correction),
        )
    )
    yield Equations(
        (
            equal("m_new", Call("max", Words((M, ", ", Greatest(KEY, SCORE))))),
            equal("t_new", correction * TOTAL + Total(KEY, power)),
            equal("o_new", correction * OUTPUT + Total(KEY, power * VALUE)),
        )
    )
    m, t, o = map(Name, "mto")
    if has_sink:
        yield Paragraph(
            sentence("It starts with the sink alone: {} is the sink, {} is 1 and {} is 0.", m, t, o)
        )
    else:
        start = "It starts with nothing: {} is {}, {} and {} are 0, which makes the first correction 0."
        yield Paragraph(sentence(start, m, Constant(-inf), t, o))
    yield Paragraph(sentence("After the last tile, {} is the output.", Over(OUTPUT, TOTAL)))


def last(head: Tiled, row: int) -> Tile:
    """The last tile of a row."""
    *_, tile = head.row(row)
    return tile


def one_row(head: Tiled, row: int, shown: Shown) -> Iterator[Block]:
    """The tiles of one row, one on each line, and their result."""
    yield Heading(f"Row {row + 1}" + (f" of head {head.head}" if head.head else ""), 3)
    start = [head.start()] if head.sink is not None else []
    tiles = [*chain(start, head.row(row))]
    yield Table(HEADS, tuple(line(tile, shown) for tile in tiles))
    end = tiles[-1]
    place = Place(head.symbol, (row + 1,), whole=False)
    if end.total == 0:
        yield Equations((equal(place, as_tuple(shown, end.output)),))
        return
    result = head.finish(end)
    quotient = Over(as_tuple(shown, end.output), as_number(shown, end.total))
    sides: list[tuple[Relation, Maths]] = [
        ("=", Over(OUTPUT, TOTAL)),
        (relation(shown, [*end.output, end.total]), quotient),
        (relation(shown, result), as_tuple(shown, result)),
    ]
    yield Equations((Equation(place, tuple(sides)),))


def line(tile: Tile, shown: Shown) -> tuple[Cell, ...]:
    """One tile as a line of the table."""
    first, final = tile.start + 1, tile.start + len(tile.scores)
    keys = "the sink" if not len(tile.scores) else f"{first}" if first == final else f"{first} to {final}"
    return (
        keys,
        as_tuple(shown, tile.scores) if len(tile.scores) else "",
        as_number(shown, tile.largest),
        as_number(shown, tile.correction),
        as_number(shown, tile.total),
        as_tuple(shown, tile.output),
    )


topic = Topic(
    "The softmax tile by tile",
    explain,
    options=("tile",),
    answer="With a running maximum, total and weighted sum a softmax can be computed tile by tile, and the "
    "output is the same.",
)
