"""The meaning of queries, keys, values and weights."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.terms import Apply, Entry
from attncalc.core.terms.formulas import Call, Name, sentence
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.features.topics.base import Topic, equal, example, laws_of, show_example, sink_note
from attncalc.worked.blocks import Block, Equations, Heading, Paragraph
from attncalc.worked.overview import attends, weights_of

X, X_Q, X_KV = map(Name, ("X", "X_Q", "X_KV"))
W_Q, W_K, W_V = map(Name, ("W_Q", "W_K", "W_V"))
SHARED = (
    "The softmax makes every row shares between 0 and 1 that add up to 1: row i divides the attention of "
    "token i among the keys. So the whole is a map of who attends to whom."
)
LOOKED_UP = {
    "Q": [[4, 0, 0], [0, 4, 0]], "K": "identity(3)", "V": [[10], [20], [60]],
    "mode": "numeric", "tokens": ["the", "cat"], "key_tokens": ["le", "chat", "noir"],
}  # fmt: skip


def explain(solution: Solution | None) -> Iterator[Block]:
    """The three vectors of a token, where they come from, and what a weight says."""
    yield from explain_vectors(solution)
    yield Heading(WEIGHTS.title, 3)
    yield from explain_weights(solution)


def explain_vectors(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001  the same for every problem
    """Query, key and value in words, self- and cross-attention in formulas, and a lookup."""
    yield Paragraph(VECTORS)
    yield Paragraph(
        "A query says what a token looks for, a key what a token is found by, a value what it hands over "
        "when it is found. Attention is a soft lookup: a query is compared with all keys, and the values "
        "are mixed by how well their keys match."
    )
    yield Paragraph("In self-attention all three are projections of the same tokens X:")
    yield Equations(tuple(equal(name, X @ w) for name, w in (("Q", W_Q), ("K", W_K), ("V", W_V))))
    yield Paragraph(
        "In cross-attention the queries come from one sequence, such as the translation written so far, and "
        "keys and values from another, the source:"
    )
    crossed = ("Q", X_Q @ W_Q), ("K", X_KV @ W_K), ("V", X_KV @ W_V)
    yield Equations(tuple(equal(name, product) for name, product in crossed))
    yield Paragraph(
        sentence(
            "The arguments Q, K and V of a module are what goes into these products: {}, {}, {} in "
            "self-attention, and {}, {}, {} in cross-attention.",
            *(X, X, X, X_Q, X_KV, X_KV),
        )
    )
    yield Paragraph("Two words of a translation look up three of the source:")
    yield show_example(example(**LOOKED_UP), "V", "A", "O")
    yield Paragraph("Each puts most of its weight on the one word whose key its query matches.")


def explain_weights(solution: Solution | None) -> Iterator[Block]:
    """Entry (i, j) in words, and the weights of a problem or an example."""
    own = solution if solution and any(weights_of(solution)) else example(**LOOKED_UP)
    weights = list(weights_of(own))
    if own is solution:
        for step in weights:
            yield from laws_of(own, scoring(own, step))
    else:
        scores = Name("Q") @ Name("K").T / Apply("sqrt", Entry("d_k"))
        yield Equations((equal("A", Call("softmax", scores)),))
    rows = "A row of {} belongs to a query, a column to a key: entry (i, j) says how much token i attends to "
    yield Paragraph(sentence(rows + "token j. " + SHARED, Name(weights[0].symbol)))
    if own is not solution:
        yield Paragraph(
            "An example: two words of a translation, the queries, over three of the source, the keys:"
        )
    yield from sink_note(own)
    yield show_example(own, *(step.name for step in weights_of(own)))
    several = len(weights) > 1
    yield from (block for block in attends(own) if several or isinstance(block, Paragraph))


def scoring(solution: Solution, weights: SolvedStep) -> list[SolvedStep]:
    """The steps from the scores to the weights of one head."""
    needed = {weights.name}
    for step in reversed(solution.steps):
        if step.name in needed:
            needed |= {name for name in step.inputs if is_scoring(solution, name)}
    return [step for step in solution.steps if step.name in needed]


def is_scoring(solution: Solution, name: str) -> bool:
    """Whether a step has a row for each query, and a column for each key or a single one."""
    step = solution.graph.step(name)
    return bool(step) and solution[name].step.kind.letters in ("ij", "i")


WEIGHTS = Topic(
    "What an attention weight says",
    explain_weights,
    answer="It has a row for each query and a column for each key, and entry (i, j) says how much token i "
    "attends to token j.",
)
VECTORS = (
    "In self-attention Q, K and V are all the embeddings of the same sequence; in cross-attention Q comes "
    "from the target sequence, and K and V come from the source."
)
topic = Topic(
    "What queries, keys and values stand for",
    explain,
    {
        "vectors": Topic("What queries, keys and values stand for", explain_vectors, answer=VECTORS),
        "weights": WEIGHTS,
    },
    answer="A query says what a token looks for, a key what it is found by, and a value what it hands over; "
    "a weight says how much of a value is taken.",
)
