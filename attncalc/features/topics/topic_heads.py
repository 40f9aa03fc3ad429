"""Why there are several heads."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.terms.formulas import Name, sentence
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.base import Topic, example, show_example
from attncalc.worked.blocks import Block, Paragraph
from attncalc.worked.overview import weights_of

WORDS = {
    "X": [[2, 0, 2, 0], [2, 0, 0, 2], [0, 2, 2, 0]], "heads": 2, "mode": "numeric",
    "tokens": ["cats", "dog", "run"],
}  # fmt: skip
"""Three words by class (noun, verb) and by number (plural, singular)."""


def explain(solution: Solution | None) -> Iterator[Block]:
    """One softmax for each head, an example of two heads, and the cost of several."""
    yield Paragraph(
        "One head has one row of weights for each token: its attention is divided only once. Several heads "
        "have their own projections and weights, so that each can follow another relation at the same "
        "time, such as which words are of the same kind, or which agree in number."
    )
    yield Paragraph(
        "An example: the first two numbers of a token tell noun or verb, the last two plural or singular. "
        "Head 1 sees the first two, head 2 the others:"
    )
    found = example(**WORDS)
    yield show_example(found, "X", "A_1", "A_2")
    yield Paragraph(
        "For the word “cats” head 1 splits its attention between “cats” and “dog”, the nouns, and head 2 "
        "between “cats” and “run”, the plurals. One head would have to make do with one row for both."
    )
    own = list(weights_of(solution)) if solution else []
    if solution and len(own) > 1:
        yield Paragraph("In this problem the heads have these weights:")
        yield show_example(solution, *(step.name for step in own))
    yield Paragraph(
        sentence(
            "The outputs of the heads stand side by side and are mixed by {}. Where h heads share the width, "
            "each has {} = {}/h, and all together take about as much work as one head of full width.",
            *map(Name, ("W_O", "d_k", "d_model")),
        )
    )


topic = Topic(
    "Why there are several heads",
    explain,
    answer="Every head has weights of its own, so several relations between the tokens can be followed at "
    "the same time; one head has only one row of weights for each token.",
)
