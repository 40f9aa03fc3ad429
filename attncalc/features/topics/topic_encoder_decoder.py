"""Encoder and decoder: their input, layers and output, and how they differ."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.terms import Entry
from attncalc.core.terms.formulas import Maths, Stacked, sentence
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.base import Topic, each_section, example, show_example
from attncalc.worked.blocks import Block, Paragraph, Table

B, T, C = map(Entry, "BTC")
TOKENS, VECTORS = Stacked((B, T), round=True), Stacked((B, T, C), round=True)
BEFORE, AFTER = [[1, 0], [0, 1], [1, 1]], [[1, 0], [0, 1], [3, 0]]
"""Three tokens, and the same with another third token."""
NETWORK = {"W_1": [[1, -1], [1, 1]], "W_2": [[1, 0], [1, 1]]}


def explain(solution: Solution | None) -> Iterator[Block]:
    """All sections, each under its title."""
    yield from each_section(topic, solution)


def explain_input(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001  the same for every problem
    """From words to vectors."""
    yield Paragraph(
        sentence(
            "The source sequence, cut into tokens, such as the French sentence that is to be translated: B "
            "sequences of T token ids, shape {}. An embedding turns each id into a vector of C "
            "components, and positions are added: the first layer is given {}.",
            *(TOKENS, VECTORS),
        )
    )


def explain_layer(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001
    """The two parts of a layer, and which tokens each of them uses, shown by changing one token."""
    yield Paragraph(
        "Multi-head self-attention, and a position-wise feed-forward network. Each is added to what went "
        "into it (a residual connection) and normalised."
    )
    yield Paragraph(
        "Attention lets every token take in something from all tokens, the more the better their keys match "
        "its query. The feed-forward network works on each token alone, with the same weights at every "
        "position, and adds a non-linearity."
    )
    yield Paragraph(
        "An example, where attention has no weight matrices: of the tokens (1, 0), (0, 1), (1, 1) the last "
        "becomes (3, 0). What becomes of the first?"
    )
    yield Table(("row 1 of", "before", "after"), tuple(changes()))
    yield Paragraph(
        "Attention carries the change over to the first token; the feed-forward network does not."
    )


def changes() -> Iterator[tuple[str, Maths, Maths]]:
    """The first row of attention and of a feed-forward network, before and after the last token changes."""
    for name, step, keys in (
        ("attention", "O", {}),
        ("feed-forward network", "F1", {"block": [{"feed_forward": NETWORK}]}),
    ):
        given = ({"X": x, **({"O": x} if keys else {}), **keys} for x in (BEFORE, AFTER))
        before, after = (example(**each)[step].value[0] for each in given)
        yield name, vector(before), vector(after)


def vector(numbers: Iterator[float]) -> Maths:
    """Numbers as a table shows them."""
    return Stacked(tuple(Entry(f"{x:.2f}") for x in numbers), round=True)


def explain_output(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001
    """The output, and what uses it."""
    yield Paragraph(
        sentence(
            "One vector for each token, in the shape {} of what the first layer was given, so that layers "
            "can be stacked; each now carries what its token means in this sentence. A decoder takes its "
            "keys and values from them.",
            VECTORS,
        )
    )


def explain_decoder(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001
    """Which tokens see which in both, in words and as weights, and what both are used for."""
    yield Paragraph(
        "An encoder sees all of its input at once: every token attends to all tokens. It is used where a "
        "text is to be understood: to compare meanings, to classify, to search (BERT)."
    )
    yield Paragraph(
        "A decoder writes one token after the other. Its self-attention is masked, so that a token sees "
        "only itself and what was written before, and in an encoder-decoder its cross-attention takes keys "
        "and values from the encoder. It is used where a text is to be written: to predict the next word "
        "(GPT), to translate."
    )
    yield Paragraph("Three tokens in an encoder, here without weight matrices:")
    yield show_example(example(X=BEFORE, mode="numeric"), "X", "A")
    yield Paragraph("The same three in a decoder:")
    yield show_example(example(X=BEFORE, mask="causal", mode="numeric"), "A")


topic = Topic(
    "Encoder and decoder",
    explain,
    answer="An encoder turns a sequence into vectors that each know all of it; a decoder writes one token "
    "after the other from the tokens before and from these vectors.",
    sections={
        "input": Topic(
            "What goes into an encoder",
            explain_input,
            answer="The tokenized source sequence, such as the French sentence that is to be translated.",
        ),
        "layer": Topic(
            "The two parts of an encoder layer",
            explain_layer,
            answer="Multi-head attention, which lets every token take in information from all tokens by "
            "relevance, and a position-wise feed-forward network, which transforms every token alone and "
            "adds a non-linearity.",
        ),
        "output": Topic(
            "What comes out of an encoder",
            explain_output,
            answer=sentence("One vector for each token, of shape {}, for the decoder to attend to.", VECTORS),
        ),
        "decoder": Topic(
            "How a decoder differs from an encoder",
            explain_decoder,
            answer="An encoder sees all of its input at once, and is used to understand text; a decoder sees "
            "only the tokens before and, by cross-attention, the encoder's output, and is used to write "
            "text.",
        ),
    },
)
