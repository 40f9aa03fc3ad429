"""Shapes in letters: a batch of B sequences of T tokens of width C through several heads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TypeAlias

from attncalc.core.fields import Real
from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.ops.base import Op, Operand
from attncalc.core.ops.heads import HeadColumns
from attncalc.core.ops.output import Output
from attncalc.core.ops.projection import Projection
from attncalc.core.ops.scores import Scores
from attncalc.core.terms import Apply, Entry
from attncalc.core.terms.formulas import Beside, Call, Maths, Name, Stacked, Words, sentence
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.base import Topic, equal, in_letters
from attncalc.worked.blocks import Block, Cell, Equations, Paragraph, Table
from attncalc.worked.overview import shapes as of_problem

Size: TypeAlias = tuple[Real, ...]
VALUES = ("Q", "K", "V")


class Letters:
    """The sizes of multi-head attention as letters, and the shapes of all steps in these letters."""

    def __init__(self) -> None:
        names = ("B", "T", "C", "heads", "d_k", "d_v")
        self.b, self.t, self.c, self.heads, self.d_k, self.d_v = map(algebra.letter, names)
        self.widths = {"Q": self.d_k, "K": self.d_k, "V": self.d_v}

    @cached_property
    def weights(self) -> dict[str, Size]:
        """The four weight matrices."""
        wide = {f"W_{name}": (self.c, self.heads * width) for name, width in self.widths.items()}
        return {**wide, "W_O": (self.heads * self.d_v, self.c)}

    def whole(self, shape: Size) -> Size:
        """A matrix for every sequence."""
        return (self.b, *shape)

    def each_head(self, shape: Size) -> Size:
        """A matrix for every sequence and every head."""
        return (self.b, self.heads, *shape)

    def steps(self) -> Iterator[tuple[str, Cell, Size]]:
        """Every step with its formula and its shape, which the operations compute from the letters."""
        shapes: dict[str, Size] = {"X": (self.t, self.c), **self.weights}

        def shape(op: Op, *inputs: str) -> Size:
            return op.shape(*(Operand(name, shapes[name]) for name in inputs))

        yield "X", "given", self.whole(shapes["X"])
        for name, width in self.widths.items():
            shapes[name] = shape(Projection(), "X", f"W_{name}")
            yield name, Name("X") @ Name(f"W_{name}"), self.whole(shapes[name])
            shapes[f"{name}_h"] = shape(HeadColumns(0, width), name)
            yield f"{name}_h", Words((Name(name), " split")), self.each_head(shapes[f"{name}_h"])
        shapes["A_h"] = shape(Scores(), "Q_h", "K_h")
        scores = Name("Q_h") @ Name("K_h").T / Apply("sqrt", Entry("d_k"))
        yield "A_h", Call("softmax", scores), self.each_head(shapes["A_h"])
        shapes["O_h"] = rows, width = shape(Output(), "A_h", "V_h")
        yield "O_h", Name("A_h") @ Name("V_h"), self.each_head((rows, width))
        shapes["H"] = rows, self.heads * width
        yield "H", Words((Name("O_h"), " joined")), self.whole(shapes["H"])
        yield "Y", Name("H") @ Name("W_O"), self.whole(shape(Projection(), "H", "W_O"))

    def table(self, names: Iterable[str] = ()) -> Table:
        """All steps, or some of them, with their shapes."""
        chosen = set(names)
        steps = (step for step in self.steps() if not chosen or step[0] in chosen)
        return Table(
            ("name", "is", "shape"), tuple((Name(name), is_, size(shape)) for name, is_, shape in steps)
        )


def explain(solution: Solution | None) -> Iterator[Block]:
    """The table in letters, the parameters counted, and the shapes of a problem."""
    yield Paragraph("B sequences of T tokens, each a vector of C numbers, through several heads:")
    yield Letters().table()
    yield Paragraph(
        "The projections make room for all heads at once. Splitting views the same numbers as (B, T, heads, "
        "width) and exchanges the two axes in the middle, so that the heads stand beside the batch and are "
        "computed together; joining undoes it. What comes out has the shape of what went in."
    )
    yield from explain_parameters(solution)
    if solution and solution.steps:
        yield from of_problem(solution)


def explain_projections(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001  the same for every problem
    """The shapes of the input and of its projections."""
    yield Paragraph(
        sentence(
            "Q, K and V come in as B sequences of T tokens of C numbers each; in self-attention all three "
            "are X. One projection each makes room for all heads at once: it is as wide as the heads side "
            "by side, {} (the length of a query or key) or {} (the length of a value) times their number.",
            *map(Name, ("d_k", "d_v")),
        )
    )
    yield Letters().table(("X", *VALUES))


def explain_split(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001
    """From heads in one axis of columns to an axis of heads after the batch."""
    letters = Letters()
    yield Paragraph(
        "The last axis is viewed as two, one for the heads and one for the width of a head, and the heads "
        "are exchanged with the tokens, so that they stand beside the batch and are computed together:"
    )
    rows = []
    for name, width in letters.widths.items():
        before = letters.whole((letters.t, letters.heads * width))
        after = letters.each_head((letters.t, width))
        rows.append((Name(name), size(before), size(after)))
    yield Table(("", "before", "after"), tuple(rows))


def explain_join(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001
    """The heads joined again, and the output projection."""
    letters = Letters()
    yield Paragraph(
        "Splitting undone: the heads are exchanged with the tokens again, and heads and width are viewed as "
        "one axis, the outputs of all heads side by side:"
    )
    before, after = (
        letters.each_head((letters.t, letters.d_v)),
        letters.whole((letters.t, letters.heads * letters.d_v)),
    )
    yield Table(("", "before", "after"), ((Name("O"), size(before), size(after)),))
    yield Paragraph(sentence("{} then takes the last axis back to the width C of the tokens.", Name("W_O")))


def explain_parameters(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001
    """The four weight matrices and how many numbers they hold."""
    letters = Letters()
    yield Paragraph("The parameters are the entries of the four weight matrices, here without biases:")
    counts = {name: rows * columns for name, (rows, columns) in letters.weights.items()}
    total = sum(counts.values(), algebra.integer(0))
    rows = ((Name(name), *map(product, letters.weights[name]), product(counts[name])) for name in counts)
    yield Table(("matrix", "from", "to", "entries"), tuple(rows))
    yield Equations((equal("all", algebra.term(algebra.factor(total))),))
    width = "Where the heads share the width, {} = {} = C / heads, that is"
    yield Paragraph(sentence(width, Name("d_k"), Name("d_v")))
    share = letters.c / letters.heads
    shared = algebra.tidy(total.subs({letters.d_k: share, letters.d_v: share}))
    yield Equations((equal("all", algebra.term(shared)),))


def size(shape: Size) -> Maths:
    """A shape in letters."""
    return Stacked(tuple(map(product, shape)), round=True)


def product(x: Real) -> Maths:
    """A product of letters, with widths after the number of heads: heads·d_k."""
    found = in_letters(x)
    if not isinstance(found, Beside):
        return found
    return Beside(tuple(sorted(found.factors, key=is_width)), dotted=True)


def is_width(factor: Maths) -> bool:
    """Whether a letter is the width of one head."""
    return isinstance(factor, Entry) and "_" in factor.of


BTC = Letters()
topic = Topic(
    "Shapes through several heads",
    explain,
    answer=sentence("What comes out has the shape of what went in, {}.", size((BTC.b, BTC.t, BTC.c))),
    sections={
        "projections": Topic(
            "Projections for all heads at once",
            explain_projections,
            answer=sentence(
                "Q, K and V come in as {}; projected for all heads at once, Q and K are {} and V is {}.",
                size((BTC.b, BTC.t, BTC.c)),
                *(size(BTC.whole((BTC.t, BTC.heads * width))) for width in (BTC.d_k, BTC.d_v)),
            ),
        ),
        "split": Topic(
            "Splitting into heads",
            explain_split,
            answer=sentence(
                "Q and K go from {} to {}, V from {} to {}.",
                *(
                    size(shape)
                    for width in (BTC.d_k, BTC.d_v)
                    for shape in (BTC.whole((BTC.t, BTC.heads * width)), BTC.each_head((BTC.t, width)))
                ),
            ),
        ),
        "join": Topic(
            "Joining the heads",
            explain_join,
            answer=sentence(
                "From {} to {}.",
                size(BTC.each_head((BTC.t, BTC.d_v))),
                size(BTC.whole((BTC.t, BTC.heads * BTC.d_v))),
            ),
        ),
        "parameters": Topic(
            "The four weight matrices",
            explain_parameters,
            answer="Four matrices, whose numbers of entries do not depend on the length of the sequence.",
        ),
    },
)
