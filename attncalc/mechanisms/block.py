"""The steps after attention, in the order listed: residuals, norms, feed-forward networks."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

from attncalc.errors import fault, nearest
from attncalc.graph.labels import Kind, Label
from attncalc.inputs.nodes import Mapped, Node, Scalar, Sequence, expect
from attncalc.inputs.readers import Context, Reader, choice, matrix, number, text
from attncalc.mechanisms.base import Building, Mechanism
from attncalc.ops.base import Operation, turned
from attncalc.ops.block import FeedForward, LayerNorm, RmsNorm
from attncalc.ops.position import Addition
from attncalc.readings.magnitude import magnitude
from attncalc.record import record
from attncalc.terms import Constant, Term

USUAL_EPS = Constant(Fraction(1, 100_000))


def epsilon(node: Node, context: Context) -> Term:
    """A small number, under a root: not negative."""
    found = number(node, context)
    if magnitude(found).value < 0:
        raise fault("eps may not be negative", node.place)
    return found


OPTIONS: dict[str, dict[str, Reader]] = {
    "residual": {},
    "layer_norm": {
        "gamma": matrix, "beta": matrix, "eps": epsilon, "variance": choice("population", "sample"),
    },
    "rms_norm": {"gamma": matrix, "eps": epsilon},
    "feed_forward": {
        "W_1": matrix, "b_1": matrix, "W_2": matrix, "b_2": matrix,
        "activation": choice("relu", "gelu", "gelu_tanh", "silu"),
    },
}  # fmt: skip
ROLES = {"residual": "R", "layer_norm": "N", "rms_norm": "N", "feed_forward": "F"}
TITLES = {
    "residual": "Residual",
    "layer_norm": "Layer norm",
    "rms_norm": "RMS norm",
    "feed_forward": "Feed-forward",
}


@record
class Layer:
    """One step of a block, with its parameters."""

    kind: str
    parameters: dict[str, Any]


def block(node: Node, context: Context) -> tuple[Layer, ...]:
    """A list of steps, each a word or a word with its parameters."""
    return tuple(layer(item, context) for item in expect(node, Sequence, "is not a list of steps").items)


def layer(node: Node, context: Context) -> Layer:
    """One step of a block."""
    if isinstance(node, Scalar):
        return Layer(str(choice(*OPTIONS)(node, context)), {})
    pair = node.items[0] if isinstance(node, Mapped) and len(node.items) == 1 else None
    options = pair[1] if pair else None
    if pair is None or not isinstance(options, Mapped):
        raise fault("a step of a block is written residual, or {layer_norm: {eps: 0}}", node.place)
    key = pair[0]
    kind = str(choice(*OPTIONS)(key, context))
    found = {}
    for option, value in options.items:
        if option.text not in OPTIONS[kind]:
            hint = nearest(option.text, OPTIONS[kind])
            raise fault(f"'{text(option, context)}' is not known in {kind}{hint}", option.place)
        found[option.text] = OPTIONS[kind][option.text](value, context)
    return Layer(kind, found)


def build(building: Building) -> None:
    """Adds R1, N1, F1, R2 and so on after the output; a residual adds what the last sublayer was given."""
    given = building.give("O")
    layers: tuple[Layer, ...] = building.setting("block", ())
    if given and not layers:
        raise fault("O is given, so there must be a block to compute", building.place("O"))
    latest = given or building.latest
    if not layers or latest is None:
        return
    source = building.tokens or building.give("X") or building.give("X_Q")
    if given:
        building.sizes["n_q"] = building.rows(given)
    counts: Counter[str] = Counter()
    for one in layers:
        role = ROLES[one.kind]
        counts[role] += 1
        before, label = latest, Label(role, layer=counts[role])
        if one.kind == "residual" and source is None:
            raise fault("a residual needs the tokens X", building.problem.place("block"))
        op, inputs = operation(building, one, label, latest, source or "")
        latest = building.step(role, op, inputs, layer=label.layer, title=TITLES[one.kind])
        if one.kind == "feed_forward":
            source = before


def operation(
    building: Building, one: Layer, label: Label, latest: str, source: str
) -> tuple[Operation, list[str]]:
    """The operation of a layer, and its inputs."""

    def given(*keys: str) -> list[str]:
        present = [key for key in keys if key in one.parameters]
        named = {Label(f"{key}_{label.name}"): one.parameters[key] for key in present}
        return [building.give_matrix(own, matrix, "block", learnt=True) for own, matrix in named.items()]

    has = one.parameters.__contains__
    eps = one.parameters.get("eps", USUAL_EPS)
    if one.kind == "residual":
        return Addition(), [source, latest]
    if one.kind == "layer_norm":
        sample = one.parameters.get("variance") == "sample"
        return LayerNorm(eps, sample, has("gamma"), has("beta")), [latest, *given("gamma", "beta")]
    if one.kind == "rms_norm":
        return RmsNorm(eps, has("gamma")), [latest, *given("gamma")]
    if not (has("W_1") and has("W_2")):
        raise fault("feed_forward needs W_1 and W_2", building.problem.place("block"))
    out_in = building.setting("weights") == "out-in"
    op = FeedForward(one.parameters.get("activation", "relu"), has("b_1"), has("b_2"))
    return turned(op, (1, 2), out_in), [latest, *given("W_1", "W_2", "b_1", "b_2")]


mechanism = Mechanism(
    "block",
    keys={"O": matrix, "block": block},
    build=build,
    steps=(
        Kind("R", "Residual", "id", layered=True, words=("residual", "residuals")),
        Kind("N", "Norm", "id", layered=True, words=("norm", "normalised", "normalized")),
        Kind("F", "Feed-forward", "id", layered=True, words=("feed-forward", "feedforward", "ffn")),
    ),
    after=("combine",),
    resumes="O",
)
