"""The effect of the order of tokens: none, unless positions or a mask depend on it."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.errors import ProblemError
from attncalc.core.ops.base import Operand
from attncalc.core.ops.output import Output
from attncalc.core.record import replace
from attncalc.core.terms import Axis, Entry
from attncalc.core.terms.formulas import Name, sentence
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import solve
from attncalc.features.topics.base import Topic, equal, example, same, show_example, with_steps
from attncalc.worked.blocks import Block, Equations, Paragraph

TOKENS = ("X", "X_Q", "X_K", "X_V", "X_KV", "Q", "K", "V")
SMALL = {"X": [[1, 0], [0, 1], [1, 1]]}

CONCLUSION = (
    "So attention is equivariant: the outputs are reordered as the tokens are, and none tells where its "
    "token stood. A model that needs the order has to be given it: positions are added to the tokens, "
    "turn the queries and keys, or change the scores, or a mask hides what comes later."
)


def explain(solution: Solution | None) -> Iterator[Block]:
    """The sum over keys has no order; then a problem with its tokens in the opposite order."""
    at = Axis("i", 1), Axis("d", 1)
    rule = Output().cell(at, Operand("A", (1, 1)), Operand("V", (1, 1)))
    yield Paragraph("The output of a query is a sum over all keys, and a sum does not depend on its order:")
    yield Equations((equal(Entry("O", at), rule),))
    yield Paragraph(
        "So reordering keys and values together changes nothing; queries in another order "
        "give the same rows in that order. First in their order, then with the tokens taken backwards:"
    )
    before = with_steps(solution, **SMALL)
    after = turn_round(before)
    if after is None:
        if solution and solution.steps:
            yield Paragraph(
                "The tokens of this problem cannot be taken backwards as a whole; so a smaller one:"
            )
        before = example(**SMALL)
        after = solve(backwards(before.problem))
    for one in (before, after):
        yield show_example(one, *(key for key in TOKENS if key in one.graph.given), one.output)
    symbol = Name(before[before.output].symbol)
    if is_reversed(before, after):
        yield Paragraph(sentence("{} has the same rows, in the opposite order.", symbol))
        yield Paragraph(CONCLUSION)
    else:
        yield Paragraph(
            sentence("{} has other rows: the mask or the position makes the order count here.", symbol)
        )


def turn_round(solution: Solution) -> Solution | None:
    """The problem with its tokens in the opposite order, if it has one sequence that can be reversed."""
    settings = solution.problem.settings
    given = [settings[key] for key in TOKENS if key in settings]
    if not given or any(tokens.ndim > 2 for tokens in given):
        return None
    try:
        return solve(backwards(solution.problem), solution.mode)
    except ProblemError:
        return None


def backwards(problem: Problem) -> Problem:
    """The problem with its tokens in the opposite order."""
    turned_round = {key: value[::-1] for key, value in problem.settings.items() if key in TOKENS}
    labelled = replace(problem, tokens=problem.tokens[::-1], key_tokens=problem.key_tokens[::-1])
    return labelled.with_settings(**turned_round)


def is_reversed(before: Solution, after: Solution) -> bool:
    """Whether the rows of the output, and its columns if they are keys, are in the opposite order."""
    one, other = before[before.output], after[after.output].numbers[::-1]
    other = other[:, ::-1] if one.step.kind.letters == "ij" else other
    return all(same(before, x, y) for x, y in zip(one.numbers.ravel(), other.ravel(), strict=True))


topic = Topic(
    "The order of the tokens",
    explain,
    answer="Without positions or a mask, tokens in another order give the same outputs in that order.",
)
