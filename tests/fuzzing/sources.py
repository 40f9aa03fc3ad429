"""What is given: tokens with weights, queries and keys, scores, or an output, for one head or several."""

from __future__ import annotations

from collections.abc import Callable

from tests.fuzzing.draft import Draft


def queries_given(draft: Draft) -> None:
    """Q, K and V, side by side for all heads."""
    keys, pen = draft.keys, draft.pen
    keys["Q"] = pen.matrix(*draft.batch, draft.queries, draft.width * draft.heads)
    batch = draft.batch if draft.happens(0.7) else ()
    keys["K"] = pen.matrix(*batch, draft.key_rows, draft.width * draft.shared)
    if draft.has_values:
        keys["V"] = pen.matrix(*batch, draft.key_rows, draft.value_width * draft.shared)
    tell_heads(draft)


def tell_heads(draft: Draft) -> None:
    """How many heads the columns are for."""
    if draft.heads > 1 or draft.happens(0.1):
        draft.keys["heads"] = str(draft.heads)
    if draft.shared < draft.heads or draft.happens(0.1):
        draft.keys["kv_heads"] = str(draft.shared)
    cache(draft, draft.width * draft.shared, draft.value_width * draft.shared)


def cache(draft: Draft, width: int, value_width: int) -> None:
    """Keys and values from before."""
    if draft.past:
        draft.keys["past_K"] = draft.pen.matrix(*draft.batch, draft.past, width)
        if draft.has_values:
            draft.keys["past_V"] = draft.pen.matrix(*draft.batch, draft.past, value_width)


def arrays_given(draft: Draft) -> None:
    """Q, K and V with an axis for the batch and one for the heads."""
    keys, pen, batch = draft.keys, draft.pen, draft.batch or (1,)
    draft.batch = batch
    keys["Q"] = pen.rows(*batch, draft.heads, draft.queries, draft.width)
    keys["K"] = pen.rows(*batch, draft.shared, draft.key_rows, draft.width)
    if draft.has_values:
        keys["V"] = pen.rows(*batch, draft.shared, draft.key_rows, draft.value_width)
    if draft.past:
        keys["past_K"] = pen.rows(*batch, draft.shared, draft.past, draft.width)
        if draft.has_values:
            keys["past_V"] = pen.rows(*batch, draft.shared, draft.past, draft.value_width)
    if draft.happens(0.3):
        keys["heads"] = str(draft.heads)


def queries_numbered(draft: Draft) -> None:
    """Q, K and V of every head."""
    draft.batch = ()
    sizes = {"Q": (draft.queries, draft.width), "K": (draft.key_rows, draft.width)}
    sizes |= {"V": (draft.key_rows, draft.value_width)} if draft.has_values else {}
    sizes |= {"past_K": (draft.past, draft.width)} if draft.past else {}
    sizes |= {"past_V": (draft.past, draft.value_width)} if draft.past and draft.has_values else {}
    for role, shape in sizes.items():
        number(draft, role, draft.heads if role == "Q" else draft.shared, lambda: draft.pen.matrix(*shape))  # noqa: B023
    if draft.shared == 1 and draft.heads > 1 and draft.happens(0.5):
        draft.keys["K"] = draft.keys.pop("K_1")
    if draft.happens(0.2):
        draft.keys["heads"] = str(draft.heads)


def number(draft: Draft, role: str, count: int, write: Callable[[], str]) -> None:
    """One matrix of a role for every head."""
    draft.keys |= {f"{role}_{head}": write() for head in range(1, count + 1)}


def tokens(draft: Draft) -> None:
    """X, or for cross-attention two or three kinds of tokens."""
    roll = draft.random.random()
    if roll < 0.7:
        draft.key_rows = draft.queries
        names = {"X": draft.queries}
    elif roll < 0.9:
        names = {"X_Q": draft.queries, "X_KV": draft.key_rows}
    else:
        names = {"X_Q": draft.queries, "X_K": draft.key_rows, "X_V": draft.key_rows}
    draft.keys |= {name: draft.pen.matrix(*draft.batch, rows, draft.model) for name, rows in names.items()}


def tokens_projected(draft: Draft) -> None:
    """Tokens with weights and biases for all heads at once."""
    conventions(draft)
    tokens(draft)
    widths = {
        "Q": draft.width * draft.heads,
        "K": draft.width * draft.shared,
        "V": draft.value_width * draft.shared,
    }
    for role, width in widths.items():
        if width != draft.model or draft.happens(0.7):
            draft.keys[f"W_{role}"] = draft.weight(draft.model, width)
        if draft.happens(0.25):
            draft.keys[f"b_{role}"] = draft.pen.vector(width)
    tell_heads(draft)


def tokens_numbered(draft: Draft) -> None:
    """Tokens with weights and biases for every head."""
    conventions(draft)
    tokens(draft)
    widths = {"Q": draft.width, "K": draft.width, "V": draft.value_width}
    for role, width in widths.items():
        count = draft.heads if role == "Q" else draft.shared
        number(draft, f"W_{role}", count, lambda: draft.weight(draft.model, width))  # noqa: B023
        if draft.happens(0.25):
            number(draft, f"b_{role}", count, lambda: draft.pen.vector(width))  # noqa: B023
    cache(draft, draft.width, draft.value_width)


def conventions(draft: Draft) -> None:
    """Rows or columns, and which axis of a weight comes first."""
    if draft.happens(0.3):
        draft.keys["vectors"] = draft.choose(["rows", "columns", "columns"])
    if draft.happens(0.4):
        draft.keys["weights"] = draft.choose(["in-out", "out-in", "out-in"])


def scores_given(draft: Draft) -> None:
    """S, in which a key may be hidden, with values or without."""
    draft.heads = draft.shared = 1
    draft.past = 0
    rows = draft.pen.rows(*draft.batch, draft.queries, draft.key_rows)
    if draft.happens(0.3):
        rows = rows.replace(draft.choose(rows.replace("[", "").replace("]", "").split(", ")), "-inf", 1)
    draft.keys["S"] = rows
    if draft.has_values:
        draft.keys["V"] = draft.pen.matrix(*draft.batch, draft.key_rows, draft.value_width)


def output_given(draft: Draft) -> None:
    """O, after which only a block is left."""
    conventions(draft)
    draft.heads, draft.past, draft.output_width = 1, 0, draft.model
    draft.keys["X"] = draft.pen.matrix(*draft.batch, draft.queries, draft.model)
    draft.keys["O"] = draft.pen.matrix(*draft.batch, draft.queries, draft.model)


def logits_given(draft: Draft) -> None:
    """L, after which only the loss is left."""
    draft.heads, draft.past, draft.labels = 1, 0, draft.random.randint(1, 4)
    draft.keys["L"] = draft.pen.matrix(*draft.batch, draft.queries, draft.labels)


SOURCES: list[tuple[Callable[[Draft], None], int]] = [
    (queries_given, 5), (arrays_given, 1), (queries_numbered, 2), (tokens_projected, 8), (tokens_numbered, 3),
    (scores_given, 2), (output_given, 1), (logits_given, 1),
]  # fmt: skip
"""What may be given, and how often it is."""
WITHOUT_VALUES = (queries_given, arrays_given, queries_numbered, scores_given)


def give(draft: Draft) -> Callable[[Draft], None]:
    """Gives a problem its matrices; says in which way."""
    (source,) = draft.random.choices([source for source, _ in SOURCES], [often for _, often in SOURCES])
    draft.has_values = source not in WITHOUT_VALUES or draft.happens(0.85)
    source(draft)
    if draft.has_values and source not in (output_given, logits_given):
        draft.output_width = draft.value_width * draft.heads
    return source
