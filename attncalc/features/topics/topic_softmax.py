"""The softmax: which axis it adds up along, what it ignores, and how it changes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncalc.core.fields import Numeric
from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.fields.writing import exact_term
from attncalc.core.ops.base import Operand
from attncalc.core.ops.weights import Exponentials, RowTotals, Shares
from attncalc.core.terms import ONE, ONLY, Apply, Axis, Entry, Negative, Sum
from attncalc.core.terms.formulas import Name, Plus, sentence
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.features.topics.base import Topic, equal, example, names_of_steps, one_matrix, sink_note
from attncalc.worked.blocks import Block, Displays, Equation, Equations, Paragraph
from attncalc.worked.overview import weights_of
from attncalc.worked.rounding import Rounding, Shown

QUERY, KEY = Axis("i", 1), Axis("j", 1)
REAL = dict.fromkeys(("x_1", "x_2", "x_3", "c"), "real")


def explain(solution: Solution | None) -> Iterator[Block]:
    """Axis and shape, shift invariance, and the Jacobian, which is also shown on a problem's weights."""
    yield from explain_rows(solution)
    plain = example(S=[["x_1", "x_2", "x_3"]], symbols=REAL)
    yield from invariance(plain)
    yield from jacobian(plain)
    for step in weights_of(solution) if solution else ():
        if solution and "exponentials" in map(solution.graph.stage, step.inputs):
            yield from on_numbers(step)


def explain_rows(solution: Solution | None) -> Iterator[Block]:
    """The rules of the three steps: one total for each query, and weights that add up to 1."""
    n_q, n_k = (algebra.letter(name) for name in ("n_q", "n_k"))
    names = names_of_steps(solution, {name: name for name in "META"})
    scores, e, t = (Operand(names[name], (n_q, n_k if name != "T" else 1)) for name in "MET")
    yield Paragraph(
        "The softmax turns the scores of each query into a distribution over the keys: how its attention is "
        "divided. Row i of the scores holds those of query i with all keys."
    )
    steps = (
        "From the scores {}, scaled and perhaps masked, in three steps: exponentials, row totals, and each "
        "entry's share of its row:"
    )
    yield Paragraph(sentence(steps, Name(names["M"])))
    yield Equations(
        (
            equal(Entry(names["E"], (QUERY, KEY)), Exponentials().cell((QUERY, KEY), scores)),
            equal(Entry(names["T"], (QUERY, ONLY)), RowTotals().cell((QUERY, ONLY), e)),
            equal(Entry(names["A"], (QUERY, KEY)), Shares().cell((QUERY, KEY), e, t)),
        )
    )
    rows, columns = Shares().shape(e, t)
    yield Paragraph(
        sentence(
            "The total runs over j, the keys: the softmax is taken row by row, one row for each query, and "
            "the result has the shape {} × {} of the scores.",
            *map(exact_term, (rows, columns)),
        )
    )
    yield Paragraph(
        "Exponentials are positive, and each is a part of its row's total: every weight lies between 0 and "
        "1, and a row adds up to 1."
    )
    yield from sink_note(solution)


def invariance(plain: Solution) -> Iterator[Block]:
    """The rows add up to 1, and a number added to all scores cancels."""
    weights = plain["A"].exact
    shifted = example(S=[["x_1 + c", "x_2 + c", "x_3 + c"]], symbols=REAL)
    assert weights is not None
    row = algebra.tidy(sum(weights[0]))
    weights_of_one = "For three keys with the scores {}, {}, {}:"
    yield Paragraph(sentence(weights_of_one, *map(Name, ("x_1", "x_2", "x_3"))))
    sides = tuple(algebra.term(x) for x in weights[0])
    yield Equations(tuple(equal(f"a_{n + 1}", side) for n, side in enumerate(sides)))
    yield Equations((equal(Plus(tuple(Name(f"a_{n}") for n in (1, 2, 3))), exact_term(row)),))
    yield Paragraph("A number c added to all scores is a factor above and below, and cancels:")
    powers = tuple(Apply("exp", Entry(f"x_{n}") + Entry("c")) for n in (1, 2, 3))
    result = shifted["A"].numbers[0, 0]
    yield Equations((equal("a_1", powers[0] / Sum(powers), exact_term(result)),))
    assert result == weights[0, 0]


def jacobian(plain: Solution) -> Iterator[Block]:
    """The derivatives of the first weight, found by differentiating and then written with the weights."""
    weights = plain["A"].exact
    assert weights is not None
    a_1, a_2, _ = weights[0]
    lines: list[Equation] = []
    one, other = Entry("a_1"), Entry("a_2")
    for letter, said, value in (
        ("x_1", one * (ONE - one), a_1 * (1 - a_1)),
        ("x_2", Negative(one * other), -a_1 * a_2),
    ):
        slope = algebra.derivative(a_1, algebra.letter(letter, "real"))
        assert algebra.tidy(slope - value) == 0
        lines.append(equal(Entry("da_1") / Entry(f"d{letter}"), algebra.term(algebra.factor(slope)), said))
    yield Paragraph("How a weight changes with a score, by differentiating:")
    yield Equations(tuple(lines))
    yield Paragraph(
        "So a score raises its own weight and lowers the others; where one weight is almost 1, all slopes "
        "are almost 0 and almost nothing is learnt."
    )


def on_numbers(step: SolvedStep) -> Iterator[Block]:
    """The derivatives of the last row's weights."""
    a = step.value[-1]
    slopes = np.diag(a) - np.outer(a, a)
    yield Paragraph(sentence("The slopes of the last row of {}, weight by score:", Name(step.symbol)))
    yield Displays((one_matrix(Shown(Numeric(), Rounding()), "J", slopes),))


ROWS = (
    "The softmax is taken row by row: it turns the scores of each query into weights between 0 and 1 that "
    "add up to 1, so that the result is {} × {} like the scores."
)
topic = Topic(
    "The softmax",
    explain,
    {"rows": Topic("The softmax, row by row", explain_rows, answer=sentence(ROWS, Name("n_q"), Name("n_k")))},
    answer=sentence(ROWS, Name("n_q"), Name("n_k")),
)
