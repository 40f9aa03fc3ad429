"""Shapes in letters: a batch of B sequences of T tokens of width C through several heads."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.document.blocks import Block, Cell, Equations, Paragraph, Table
from attncalc.document.overview import shapes as of_problem
from attncalc.fields import Real, algebra
from attncalc.ops.base import Op, Operand
from attncalc.ops.heads import HeadColumns
from attncalc.ops.output import Output
from attncalc.ops.projection import Projection
from attncalc.ops.scores import Scores
from attncalc.solution.solution import Solution
from attncalc.terms import Apply, Entry
from attncalc.terms.formulas import Call, Maths, Name, Stacked, Words, sentence
from attncalc.topics.base import Topic, equal, in_letters

B, T, C, HEADS, D_K, D_V = (algebra.letter(name) for name in ("B", "T", "C", "heads", "d_k", "d_v"))
WEIGHTS = {
    "W_Q": (C, HEADS * D_K), "W_K": (C, HEADS * D_K), "W_V": (C, HEADS * D_V), "W_O": (HEADS * D_V, C),
}  # fmt: skip
BATCH, EACH_HEAD = (B,), (B, HEADS)


def steps() -> Iterator[tuple[str, Cell, tuple[Real, ...]]]:
    """Every step with its formula and its shape, found by the operations from letters."""
    shapes: dict[str, tuple[Real, ...]] = {"X": (T, C), **WEIGHTS}

    def shape(op: Op, *inputs: str) -> tuple[Real, ...]:
        return op.shape(*(Operand(name, shapes[name]) for name in inputs))

    yield "X", "given", (*BATCH, *shapes["X"])
    for name, width in (("Q", D_K), ("K", D_K), ("V", D_V)):
        shapes[name] = shape(Projection(), "X", f"W_{name}")
        yield name, Name("X") @ Name(f"W_{name}"), (*BATCH, *shapes[name])
        shapes[f"{name}_h"] = shape(HeadColumns(0, width), name)
        yield f"{name}_h", Words((Name(name), " split")), (*EACH_HEAD, *shapes[f"{name}_h"])
    shapes["A_h"] = shape(Scores(), "Q_h", "K_h")
    scores = Name("Q_h") @ Name("K_h").T / Apply("sqrt", Entry("d_k"))
    yield "A_h", Call("softmax", scores), (*EACH_HEAD, *shapes["A_h"])
    shapes["O_h"] = rows, width = shape(Output(), "A_h", "V_h")
    yield "O_h", Name("A_h") @ Name("V_h"), (*EACH_HEAD, rows, width)
    shapes["H"] = rows, HEADS * width
    yield "H", Words((Name("O_h"), " joined")), (*BATCH, *shapes["H"])
    yield "Y", Name("H") @ Name("W_O"), (*BATCH, *shape(Projection(), "H", "W_O"))


def explain(solution: Solution | None) -> Iterator[Block]:
    """The table in letters, the parameters counted, and the shapes of a problem."""
    yield Paragraph("B sequences of T tokens, each a vector of C numbers, through several heads:")
    rows = [(Name(name), formula, size(shape)) for name, formula, shape in steps()]
    yield Table(("name", "is", "shape"), tuple(rows))
    yield Paragraph(
        "The projections make room for all heads at once. Splitting views the same numbers as "
        "(B, T, heads, width) and exchanges the two axes in the middle, so that the heads stand beside the "
        "batch and are computed together; joining undoes it. What comes out has the shape of what went in."
    )
    yield Paragraph("The parameters are the entries of the four weight matrices, without biases:")
    counts = {name: rows * columns for name, (rows, columns) in WEIGHTS.items()}
    total = sum(counts.values(), algebra.integer(0))
    lines = [equal(name, algebra.term(count)) for name, count in counts.items()]
    yield Equations((*lines, equal("all", algebra.term(algebra.factored(total)))))
    width = "Where the heads share the width, {} = {} = C / heads, that is"
    yield Paragraph(sentence(width, Name("d_k"), Name("d_v")))
    shared = algebra.tidied(total.subs({D_K: C / HEADS, D_V: C / HEADS}))
    yield Equations((equal("all", algebra.term(shared)),))
    if solution and solution.steps:
        yield from of_problem(solution)


def size(shape: tuple[Real, ...]) -> Maths:
    """A shape in letters."""
    return Stacked(tuple(map(in_letters, shape)), round=True)


topic = Topic("Shapes through several heads", explain)
