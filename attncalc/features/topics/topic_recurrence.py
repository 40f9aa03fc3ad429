"""Attention compared with recurrent networks and with feed-forward networks (MLPs)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from attncalc.core.errors import ProblemError
from attncalc.core.terms import Apply, Constant, Entry
from attncalc.core.terms.formulas import (
    Beside,
    Call,
    Indexed,
    Maths,
    Name,
    Over,
    Place,
    Plus,
    Words,
    sentence,
)
from attncalc.exercise.solve.solution import Solution
from attncalc.features.decoding.running_state import Moment, Recurrent, Reply, workable
from attncalc.features.topics.base import (
    Topic,
    as_number,
    as_tuple,
    each_head,
    each_section,
    equal,
    example,
    nothing_changed,
    one_matrix,
    relation,
    show_example,
    with_steps,
)
from attncalc.worked.blocks import (
    Block,
    Displays,
    Equation,
    Equations,
    Heading,
    Paragraph,
    Relation,
    Table,
)
from attncalc.worked.rounding import Shown
from attncalc.worked.view import rounding_of

LENGTH = 8
MOST_STATES = 4
"""The number of states that are shown besides the last."""
SMALL: dict[str, Any] = {
    "Q": [[1, 0], [0, 2], [1, 1]],
    "K": [[0, 1], [1, 0], [2, 1]],
    "V": [[12, 0], [0, 12], [11, 0]],
    "feature_map": "elu+1",
    "mask": "causal",
}
X = Name("X")


def explain(solution: Solution | None) -> Iterator[Block]:
    """All sections, each under its title; the state only if the problem has one."""
    left_out = ["state"] if solution and not has_state(solution) else []
    yield from each_section(topic, solution, *left_out)


def has_state(solution: Solution) -> bool:
    """Whether a problem, if it has steps at all, can be computed with a running state."""
    try:
        return not solution.steps or bool(heads_of(solution))
    except ProblemError:
        return False


def heads_of(solution: Solution) -> list[Recurrent]:
    """All heads, prepared to be computed token by token."""
    return each_head(solution, lambda head: Recurrent(solution, head))


def explain_rnn_alike(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001  the same for every problem
    """What attention and recurrent networks share."""
    yield Paragraph(
        "Both take a sequence of any length, one vector for each token, and can give a sequence likewise. "
        "Both use the same learned weights at every position, and in both the result for a token depends on "
        "other tokens."
    )


def explain_rnn_apart(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001
    """The recurrence, what attention does instead, and the share of the first token in both."""
    state, token = map(Name, ("h_t", "x_t"))
    before = Indexed(Name("h"), "(t-1)")
    yield Paragraph("A recurrent network goes through the tokens one after the other, and keeps one state:")
    yield Equations((equal(state, Call("f", Words((token, ", ", before)))),))
    yield Paragraph(
        "Attention has no such connection. It makes a query, a key and a value of every token by three "
        "learned matrices, where a simple recurrent network transforms it by one, and compares all pairs at "
        "once: any two tokens are one step apart, all positions are computed at the same time, and the work "
        "grows with the square of the length. Order is lost, so positions are added."
    )
    yield Paragraph(
        sentence(
            f"An example: the shares of {LENGTH} tokens in the result of the last, where a state is half the "
            "token and half the state before it ({} is the first token itself), and where all scores are "
            "equal:",
            Name("h_1"),
        )
    )
    yield Table(("tokens back", "recurrent", "attention"), tuple(shares()))
    yield Paragraph(
        "In the recurrent network the share halves with every step back; in attention it does not depend on "
        "the distance."
    )


def shares() -> Iterator[tuple[str, str, str]]:
    """The share of each token in the last result, by its distance."""
    (weights,) = example(S=[[0] * LENGTH])["A"].numbers
    state = [Fraction(1), *[Fraction(0)] * (LENGTH - 1)]
    for t in range(1, LENGTH):
        state = [share / 2 for share in state]
        state[t] = Fraction(1, 2)
    for back in range(LENGTH):
        yield str(back), str(state[-1 - back]), str(weights[-1 - back])


def explain_mlp_alike(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001
    """What attention and MLPs share."""
    yield Paragraph(
        "Both are stacks of learned linear layers with non-linearities between them, and both have hidden "
        "vectors, whose width the designer chooses. A transformer layer even contains an MLP: its "
        "feed-forward part, applied to each token alone."
    )


def explain_mlp_apart(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001
    """Learnt weights compared with computed weights."""
    yield Paragraph(
        "An MLP takes one vector of a fixed size and gives one output at its end. It multiplies "
        "each input by a learned weight, which is the same for every input. A transformer takes as many "
        "tokens as there are and has an output for each of them. Its attention weights are computed anew for "
        "every input, from how well queries and keys match; only the matrices that make queries, keys and "
        "values are learned."
    )
    scores = X @ X.T / Apply("sqrt", Constant(2))
    same = "The same layer (here {}, without weight matrices) has other weights for each of two inputs:"
    yield Paragraph(sentence(same, Call("softmax", scores) @ X))
    for tokens in ([[1, 0], [0, 1]], [[1, 0], [1, 0], [2, 0]]):
        yield show_example(example(X=tokens, mode="numeric"), "X", "A")


def explain_state(solution: Solution | None) -> Iterator[Block]:
    """The laws, the state after every token, the output of every query, and that the outputs agree."""
    chosen = with_steps(solution, **SMALL)
    own = workable(chosen)
    heads = heads_of(own)
    yield from state_laws(heads[0])
    if chosen is not solution:
        yield show_example(own, "Q_F", "K_F", "V")
    writing = Shown(own.trace.field, rounding_of(own.problem))
    found = []
    for head in heads:
        moments = list(head.moments())
        replies = [head.reply(row, moments) for row in range(len(head.queries))]
        if head.head:
            yield Heading(f"Head {head.head}", 3)
        yield from token_by_token(head, moments, replies, writing)
        found += [(head, row, reply.output) for row, reply in enumerate(replies)]
    yield nothing_changed(found, "token by token")


def state_laws(head: Recurrent) -> Iterator[Block]:
    """The sums over tokens that are kept, and the output computed from them."""
    yield Paragraph(
        "Without a softmax, a weighted sum of values can be added up before the query is known: what is kept "
        "of all tokens so far is one matrix, the products of their keys and values, however many there are."
    )
    fading = [] if head.base is None else [Entry("gamma")]

    def after(name: str, new: Maths) -> Equation:
        before = Beside((*fading, Indexed(Name(name), "(t-1)")))
        return equal(f"{name}_t", Plus((before if fading else before.factors[0], new)))

    key, value, query = map(Name, ("k_t", "v_t", "q_t"))
    lines = [after("s", key.T @ value)]
    output: Maths = query @ Name("s_t")
    if head.divides:
        lines.append(after("z", key))
        output = Over(output, query @ Name("z_t").T)
    yield Equations((*lines, equal("o_t", output)))
    if head.base is not None:
        yield Paragraph(sentence("{} is the decay of one position.", Entry("gamma")))
    scaled = ", scaled" if head.is_scaled else ""
    yield Paragraph(
        sentence(
            f"A query is multiplied by the state of the keys that it may see; {{}} is a row of {{}}{scaled}, "
            "and {} one of {}.",
            *(query, Name(head.query_symbol), key, Name(head.key_symbol)),
        )
    )


def token_by_token(
    head: Recurrent, moments: list[Moment], replies: list[Reply], shown: Shown
) -> Iterator[Block]:
    """The states, each with the outputs of its queries; if there are many, the first ones and the last."""
    last = len(moments) - 1
    for t, moment in enumerate(moments):
        if MOST_STATES <= t < last:
            continue
        if t == last and last > MOST_STATES:
            yield Paragraph(f"{last - MOST_STATES:,} more states go the same way. The last one:")
        matrices = [one_matrix(shown, f"s_{t + 1}", moment.state)]
        if head.divides:
            matrices.append(one_matrix(shown, f"z_{t + 1}", moment.keys))
        yield Displays(tuple(matrices))
        asking = [(row, reply) for row, reply in enumerate(replies) if reply.moment == t]
        if asking:
            yield Equations(tuple(reply_line(head, row, reply, shown) for row, reply in asking[:MOST_STATES]))


def reply_line(head: Recurrent, row: int, reply: Reply, shown: Shown) -> Equation:
    """The output of one query from a state."""
    state, query = Name(f"s_{reply.moment + 1}"), Name(f"q_{row + 1}")
    product = query @ state
    place = Place(head.symbol, (row + 1,), whole=False)
    end: tuple[Relation, Maths] = relation(shown, reply.output), as_tuple(shown, reply.output)
    if reply.under is None:
        return Equation(place, (("=", product), end))
    named = Over(product, query @ Name(f"z_{reply.moment + 1}").T)
    numbers = Over(as_tuple(shown, reply.over), as_number(shown, reply.under))
    return Equation(place, (("=", named), (relation(shown, [*reply.over, reply.under]), numbers), end))


topic = Topic(
    "Attention beside recurrent networks and MLPs",
    explain,
    answer="Attention connects every token with every other in one step, by weights computed anew for each "
    "input; a recurrent network passes a state along, and an MLP has fixed weights for an input of fixed "
    "size.",
    sections={
        "rnn-alike": Topic(
            "What transformers and recurrent networks share",
            explain_rnn_alike,
            answer="Both take and give sequences of any length with the same weights at every position, and "
            "relate a token to others.",
        ),
        "rnn-apart": Topic(
            "How transformers and recurrent networks differ",
            explain_rnn_apart,
            answer="A recurrent network passes one state from token to token; a transformer has no "
            "recurrence, makes a query, a key and a value of every token, and lets all tokens attend to all "
            "at once.",
        ),
        "mlp-alike": Topic(
            "What transformers and MLPs share",
            explain_mlp_alike,
            answer="Both stack learned linear layers with non-linearities between them, and have hidden "
            "vectors whose width the designer chooses.",
        ),
        "mlp-apart": Topic(
            "How transformers and MLPs differ",
            explain_mlp_apart,
            answer="An MLP maps one input of fixed size to one output by fixed weights; a transformer has an "
            "output for every token, and computes its attention weights anew for every input.",
        ),
        "state": Topic(
            "The same numbers by a running state, token by token",
            explain_state,
            answer="Without a softmax one matrix, the sum of the products of keys and values so far, is all "
            "that must be kept.",
        ),
    },
)
