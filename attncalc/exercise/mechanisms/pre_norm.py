"""The norm before the projections, as GPT-2 and Llama have it."""

from __future__ import annotations

from attncalc.core.errors import fault
from attncalc.core.graph.labels import Label
from attncalc.core.record import replace
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, reader
from attncalc.exercise.keys.schema_types import one_of, words
from attncalc.exercise.mechanisms.base import Building, Mechanism, parse_key
from attncalc.exercise.mechanisms.layers import LAYERS, NORMS, Adding, Layer, layer, layer_schema
from attncalc.exercise.yaml.tree import Node, word_of

OTHERS = ("X_Q", "X_K", "X_V", "X_KV", "Q", "K", "V", "S")
"""Keys of matrices that replace projections of X."""


@reader(
    one_of(words(*NORMS, "none"), layer_schema(*NORMS)),
    f"{', '.join(NORMS)}, or with parameters as in block",
)
def pre_norm(node: Node, context: Context) -> Layer | None:
    """Read a norm, a word or a word with its parameters; None for `none`."""
    if word_of(node) == "none":
        return None
    kinds = (*NORMS, "none")
    found = layer(node, context, kinds, "is written layer_norm, or {rms_norm: {gamma: [1, 2]}}")
    return replace(found, key="pre_norm")


def build(building: Building) -> None:
    """Add N0, the norm of X or of X with its positions, which is then projected."""
    chosen: Layer | None = building.setting("pre_norm")
    if chosen is None:
        return
    place = building.problem.place("pre_norm")
    other = next((key for key in building.problem.settings if parse_key(key).role in OTHERS), None)
    if other:
        raise fault(
            f"pre_norm is for self-attention, where all is projected from X, but {other} is given", place
        )
    x = building.stream or building.give("X")
    if x is None:
        raise fault("pre_norm normalises X, which is not given", place)
    role, add = LAYERS[chosen.kind]
    building.stream = x
    building.tokens = add(Adding(building, chosen, Label(role, layer=0), x, None))


mechanism = Mechanism(
    "pre_norm",
    keys=(
        Key(
            "pre_norm",
            pre_norm,
            "A norm of X before the projections; residuals then add what went into a norm.",
            "pre_norm: layer_norm, block: [residual]",
            "X",
            "none",
        ),
    ),
    build=build,
    after=("position",),
    before=("projection",),
)
