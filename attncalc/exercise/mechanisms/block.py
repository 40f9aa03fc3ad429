"""The steps after attention, in the order listed: residuals, norms, feed-forward networks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from attncalc.core.errors import fault, inert
from attncalc.core.graph.labels import Kind, Label
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, matrix, reader
from attncalc.exercise.keys.schema_types import one_of, one_or_list, words
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.mechanisms.layers import LAYERS, OPTIONS, Adding, Layer, layer, layer_schema
from attncalc.exercise.yaml.tree import Mapped, Node, Sequence, word_of

ONE_STEP = "a step of a block is written residual, or {layer_norm: {eps: 0}}"
FEED_FORWARD = ("feed-forward", "feedforward", "ffn")


@reader(
    one_or_list(one_of(words(*OPTIONS, "none"), layer_schema(*OPTIONS))), f"a list of {', '.join(LAYERS)}"
)
def block(node: Node, context: Context) -> tuple[Layer, ...]:
    """A list of steps, each a word or a word with its parameters."""
    if not isinstance(node, Sequence):
        typed = ", ".join(key.text for key, _ in node.items) if isinstance(node, Mapped) else word_of(node)
        steps = ", ".join(find_steps(typed))
        raise fault(f"is not a list of steps: write [{steps or 'residual'}]", node.place)
    return tuple(layer(item, context, (*OPTIONS,), ONE_STEP) for item in node.items)


def find_steps(text: str) -> Iterator[str]:
    """Yield the steps that a sentence names: add & norm."""
    from attncalc.core.spellings import find_meant

    for phrase in filter(None, re.split(r"\s*(?:[,;+&]|->|→|\b(?:and|then)\b)\s*", text.strip())):
        whole = find_meant(phrase, OPTIONS)
        yield from [whole] if whole else (find_meant(word, OPTIONS) or inert(word) for word in phrase.split())


def build(building: Building) -> None:
    """Add R1, N1, F1, R2 and so on after the output; a residual adds the input of the last sublayer."""
    given = building.give("O")
    layers: tuple[Layer, ...] = building.setting("block", ())
    if given and not layers and building.setting("W_U") is None:
        raise fault("O is given, so there must be a block to compute", building.place("O"))
    latest = building.latest = given or building.latest
    if latest is None:
        return
    source = (building.stream or building.give("X") or building.give("X_Q")) if layers else None
    if given:
        building.sizes["n_q"] = building.rows(given)
    counts: Counter[str] = Counter()
    for one in layers:
        role, add = LAYERS[one.kind]
        counts[role] += 1
        if one.kind == "residual" and source is None:
            raise fault("a residual needs the tokens X", building.problem.place("block"))
        before, latest = latest, add(Adding(building, one, Label(role, layer=counts[role]), latest, source))
        if one.kind == "feed_forward":
            source = find_residual_source(building, before)
    building.latest = latest


def find_residual_source(building: Building, given: str) -> str:
    """Return what a residual adds: the input of the sublayer or, with pre_norm, of the norm before it."""
    step = next((step for step in building.steps if step.name == given), None)
    is_normed = step is not None and step.role == "N" and building.setting("pre_norm") is not None
    return step.inputs[0] if step and is_normed else given


mechanism = Mechanism(
    "block",
    keys=(
        Key(
            "O",
            matrix,
            "The output of attention, where only the block is worked out.",
            "O: [[1, 0], [0, 1]], block: [residual]",
            "X",
        ),
        Key(
            "block",
            block,
            "The steps after attention, in order, each a word or a word with its parameters.",
            "block: [residual, {layer_norm: {eps: 0}}, "
            "{feed_forward: {W_1: [[1], [2]], W_2: [[1, 3]]}}, rms_norm]",
            "X",
            "none",
        ),
    ),
    build=build,
    steps=(
        Kind("R", "Residual", "id", layered=True, words=("residual", "residuals"), stage="residual"),
        Kind("mu", "Means", "i", layered=True, part_of="norm", words=("mean",)),
        Kind("var", "Variances", "i", layered=True, part_of="norm", words=("variance",)),
        Kind("ms", "Mean squares", "i", layered=True, part_of="norm", words=("mean square",)),
        Kind("N", "Norm", "id", layered=True, words=("norm", "normalised", "normalized")),
        Kind("U", "Hidden layer", "im", layered=True, part_of="network", words=("hidden", "pre-activation")),
        Kind("J", "Gate", "im", layered=True, part_of="network", words=("gate", "gates")),
        Kind(
            "G",
            "Activations",
            "im",
            layered=True,
            part_of="network",
            words=("activations", "activation", "activated"),
        ),
        Kind("F", "Feed-forward", "id", layered=True, words=FEED_FORWARD, stage="feed-forward"),
    ),
    after=("combine",),
    resumes="O",
)
