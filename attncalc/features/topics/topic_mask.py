"""The mask: its values, its shape, and why −∞ hides a key."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from attncalc.core.ops.base import Operand
from attncalc.core.ops.scores import Mask
from attncalc.core.terms import Axis, Constant, Entry
from attncalc.core.terms.formulas import Name, Raised, sentence
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.features.topics.base import Topic, equal, example, show_example
from attncalc.worked.blocks import Block, Equations, Paragraph

HIDDEN = Constant(-inf)
REAL = dict.fromkeys(("z_1", "z_2", "z_3", "m"), "real")


def explain(solution: Solution | None) -> Iterator[Block]:
    """The rule, the causal mask, the limit for −∞, and the effect of other numbers."""
    at = Axis("i", 1), Axis("j", 1)
    rule = Mask().cell(at, Operand("Z", (1, 1)), Operand("mask", (1, 1)))
    added = "The mask is added to the scaled scores {} before the softmax, so it has their shape, {} × {}:"
    yield Paragraph(sentence(added, Name("Z"), Name("n_q"), Name("n_k")))
    yield Equations((equal(Entry("M", at), rule),))
    causal = example(Q="identity(4)", K="identity(4)", mask="causal")
    yield Paragraph(
        sentence(
            "Its entries are 0 where query {} may see key {}, and {} where it may not. So that no token sees "
            "what comes after it, {} stands above the diagonal (the causal mask); for four tokens:",
            *(Name("i"), Name("j"), HIDDEN, HIDDEN),
        )
    )
    yield show_example(causal, "mask")
    yield from why()
    hidden = example(Q="identity(4)", K="identity(4)", mask="causal", scale="none")
    yield Paragraph(
        "With the causal mask, and scores of 1 on the diagonal and 0 elsewhere, the weights are a lower "
        "triangle, whose rows still add up to 1:"
    )
    yield show_example(hidden, "A")
    if solution and "mask" in solution.graph.given:
        yield Paragraph("The mask of this problem:")
        yield show_example(solution, "mask")
    elif solution and solution.steps:
        yield Paragraph("This problem has no mask: every query sees every key.")


def why() -> Iterator[Block]:
    """The third key with a number m added to its score, and the limit m → −∞."""
    kept = example(S=[["z_1", "z_2", "z_3 + m"]], symbols=REAL, limit="m -> -oo")
    without = example(S=[["z_1", "z_2"]], symbols=REAL)
    why_hidden = "Why {}: with a number {} added to the last of three scores, the weights are"
    yield Paragraph(sentence(why_hidden, HIDDEN, Name("m")))
    yield weights(kept["A"])
    yield Paragraph(sentence("and they tend to these as {} → {}:", Name("m"), HIDDEN))
    yield weights(kept["A_limit"])
    assert list(kept["A_limit"].numbers[0, :2]) == list(without["A"].numbers[0])
    yield Paragraph("These are the weights without the last key: hiding a key is the same as deleting it.")
    zero = example(S=[["ln(2)", "ln(2)", "0"]])
    counts = "A score set to 0 instead still counts, for {} = 1: beside two scores of ln(2) it keeps a share."
    yield Paragraph(sentence(counts, Raised(Name("e"), 0)))
    yield show_example(zero, "A")


def weights(step: SolvedStep) -> Equations:
    """The weights of one query, one equation each."""
    return Equations(tuple(equal(f"a_{n}", term) for n, term in enumerate(step.terms[0], start=1)))


topic = Topic(
    "The mask",
    explain,
    answer=sentence(
        "A matrix of the shape of the scores, {} × {}, with 0 where a query may see a key and {} where it "
        "may not: for the causal mask {} above the diagonal.",
        *(Name("n_q"), Name("n_k"), HIDDEN, HIDDEN),
    ),
)
