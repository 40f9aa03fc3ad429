"""Attention beside recurrent networks and plain feed-forward networks (MLPs)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from attncalc.document.blocks import Block, Equations, Heading, Paragraph, Table
from attncalc.solution.solution import Solution
from attncalc.terms import Apply, Constant
from attncalc.terms.formulas import Call, Indexed, Name, Words, sentence
from attncalc.topics.base import Topic, equal, example, shown

LENGTHS = (2, 4, 8)
X = Name("X")


def explain(solution: Solution | None) -> Iterator[Block]:
    """All sections, each under its title."""
    for section in topic.sections.values():
        yield Heading(section.title, 3)
        yield from section.explain(solution)


def explain_rnn_alike(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001  the same for every problem
    """What attention and recurrent networks share."""
    yield Paragraph(
        "Both take a sequence of any length, one vector for each token, and can give a sequence likewise. "
        "Both use the same learnt weights at every position, and in both the result for a token depends on "
        "other tokens."
    )


def explain_rnn_apart(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001
    """The recurrence, what attention does in its place, and how far the first token reaches in each."""
    state, token = map(Name, ("h_t", "x_t"))
    before = Indexed(Name("h"), "(t-1)")
    yield Paragraph("A recurrent network goes through the tokens one after the other, and keeps one state:")
    yield Equations((equal(state, Call("f", Words((token, ", ", before)))),))
    yield Paragraph(
        "Attention has no such connection. It makes a query, a key and a value of every token by three "
        "learnt matrices, where a simple recurrent network transforms it by one, and compares all pairs at "
        "once: any two tokens are one step apart, all positions are computed at the same time, and the work "
        "grows with the square of the length. Order is lost, so positions are added."
    )
    yield Paragraph(
        sentence(
            "An example: the share of the first token in the result of the last, where a state is half the "
            "token and half the state before it ({} is the first token itself), and where all scores are "
            "equal:",
            Name("h_1"),
        )
    )
    yield Table(("tokens", "recurrent", "attention"), tuple(map(shares, LENGTHS)))
    yield Paragraph("The one fades with every step between; the other does not ask how far away a token is.")


def shares(length: int) -> tuple[str, str, str]:
    """The share of the first token in the last result."""
    weights = example(S=[[0] * length] * length)["A"].numbers
    return str(length), str(Fraction(1, 2 ** (length - 1))), str(weights[-1, 0])


def explain_mlp_alike(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001
    """What attention and plain networks share."""
    yield Paragraph(
        "Both are layers of learnt matrices with something that is not linear between them, and both have "
        "hidden vectors, whose width the designer chooses. A transformer layer even has a plain network in "
        "it: its feed-forward part, for each token by itself."
    )


def explain_mlp_apart(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001
    """Weights that are learnt beside weights that are computed."""
    yield Paragraph(
        "A plain network takes one vector of a fixed size and gives one output at its end. It multiplies "
        "each input by a weight that is learnt and stays what it is. A transformer takes as many tokens as "
        "there are and has an output for each of them. Its attention weights are computed anew for every "
        "input, from how well queries and keys match; learnt are the matrices that make queries, keys and "
        "values."
    )
    scores = X @ X.T / Apply("sqrt", Constant(2))
    same = "The same layer (here {}, without matrices of its own) has other weights for each of two inputs:"
    yield Paragraph(sentence(same, Call("softmax", scores) @ X))
    for tokens in ([[1, 0], [0, 1]], [[1, 0], [1, 0], [2, 0]]):
        yield shown(example(X=tokens, mode="numeric"), "X", "A")


topic = Topic(
    "Attention beside recurrent and plain networks",
    explain,
    {
        "rnn-alike": Topic("What transformers and recurrent networks share", explain_rnn_alike),
        "rnn-apart": Topic("How transformers and recurrent networks differ", explain_rnn_apart),
        "mlp-alike": Topic("What transformers and plain networks share", explain_mlp_alike),
        "mlp-apart": Topic("How transformers and plain networks differ", explain_mlp_apart),
    },
)
