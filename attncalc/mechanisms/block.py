"""The steps after attention, in the order listed: residuals, norms, feed-forward networks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from attncalc.errors import fault, inert, nearest
from attncalc.graph.labels import Kind, Label
from attncalc.inputs.forms import form_of, mapping, one_of, one_or_list, words
from attncalc.inputs.help import Help
from attncalc.inputs.nodes import Mapped, Node, Scalar, Sequence, expect, word_of
from attncalc.inputs.readers import Context, Reader, choice, matrix, number, text
from attncalc.mechanisms.base import Building, Mechanism
from attncalc.ops.base import Operation, turned
from attncalc.ops.block import Activation, LayerNorm, Mean, MeanSquare, RmsNorm, Variance
from attncalc.ops.position import Addition
from attncalc.ops.projection import Projection
from attncalc.readings.magnitude import magnitude
from attncalc.readings.parts import to_decimals
from attncalc.record import record
from attncalc.synonyms import find_meant
from attncalc.terms import Constant, Term

USUAL_EPS = Constant(Decimal("0.00001"))


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
FORM = one_or_list(
    one_of(
        words(*OPTIONS, "none"),
        mapping(
            {
                layer: mapping({option: form_of(reader) for option, reader in options.items()})
                for layer, options in OPTIONS.items()
            },
            minProperties=1,
            maxProperties=1,
        ),
    )
)
SKIPPING = "What went into the layer is added to what came out of it."


@record
class Layer:
    """One step of a block, with its parameters."""

    kind: str
    parameters: dict[str, Any]


def block(node: Node, context: Context) -> tuple[Layer, ...]:
    """A list of steps, each a word or a word with its parameters."""
    typed = ", ".join(key.text for key, _ in node.items) if isinstance(node, Mapped) else word_of(node)
    words = ", ".join(meant_steps(typed))
    steps = expect(node, Sequence, f"is not a list of steps: write [{words or 'residual'}]").items
    return tuple(layer(item, context) for item in steps)


def meant_steps(text: str) -> Iterator[str]:
    """The steps that a sentence names: add & norm."""
    for phrase in filter(None, re.split(r"\s*(?:[,;+&]|->|→|\b(?:and|then)\b)\s*", text.strip())):
        whole = find_meant(phrase, OPTIONS)
        yield from [whole] if whole else (find_meant(word, OPTIONS) or inert(word) for word in phrase.split())


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
        role, add = LAYERS[one.kind]
        counts[role] += 1
        if one.kind == "residual" and source is None:
            raise fault("a residual needs the tokens X", building.problem.place("block"))
        before, latest = latest, add(Adding(building, one, Label(role, layer=counts[role]), latest, source))
        if one.kind == "feed_forward":
            source = before


@record
class Adding:
    """A layer that is added to the graph: its result, what it is computed from, and what a residual adds."""

    building: Building
    layer: Layer
    label: Label
    latest: str
    source: str | None

    def has(self, key: str) -> bool:
        """Whether a parameter is given."""
        return key in self.layer.parameters

    def give(self, *keys: str) -> list[str]:
        """Takes the parameters that there are into the graph: gamma_N1."""
        named = {
            Label(f"{key}_{self.label.name}"): self.layer.parameters[key] for key in keys if self.has(key)
        }
        return [self.building.give_matrix(own, x, "block", learnt=True) for own, x in named.items()]

    def step(self, op: Operation, *inputs: str, role: str = "", title: str = "") -> str:
        """Adds the result, or one on the way to it, which has the same number."""
        layer = self.label.layer
        return self.building.step(role or self.label.role, op, [*inputs], layer=layer, title=title)

    @property
    def eps(self) -> Term:
        """The small number under the root."""
        return to_decimals(self.layer.parameters.get("eps", USUAL_EPS))


def add_residual(adding: Adding) -> str:
    """R1: what the last sublayer was given is added."""
    assert adding.source is not None
    return adding.step(Addition(SKIPPING), adding.source, adding.latest)


def add_layer_norm(adding: Adding) -> str:
    """N1, with mu1 and var1."""
    sample = adding.layer.parameters.get("variance") == "sample"
    if sample and adding.building.shapes[adding.latest][-1] == 1:
        raise fault("a sample variance needs two entries or more", adding.building.problem.place("block"))
    mean = adding.step(Mean(), adding.latest, role="mu")
    variance = adding.step(Variance(sample), adding.latest, mean, role="var")
    op = LayerNorm(adding.eps, adding.has("gamma"), adding.has("beta"), sample)
    return adding.step(op, adding.latest, mean, variance, *adding.give("gamma", "beta"), title="Layer norm")


def add_rms_norm(adding: Adding) -> str:
    """N1, with ms1."""
    squares = adding.step(MeanSquare(), adding.latest, role="ms")
    op = RmsNorm(adding.eps, adding.has("gamma"))
    return adding.step(op, adding.latest, squares, *adding.give("gamma"), title="RMS norm")


def add_feed_forward(adding: Adding) -> str:
    """F1, with U1 before and G1 after the activation."""
    if not (adding.has("W_1") and adding.has("W_2")):
        raise fault("feed_forward needs W_1 and W_2", adding.building.problem.place("block"))
    projection = turned(Projection(), (1,), adding.building.setting("weights") == "out-in")
    hidden = adding.step(projection, adding.latest, *adding.give("W_1", "b_1"), role="U")
    activation = Activation(adding.layer.parameters.get("activation", "relu"))
    active = adding.step(activation, hidden, role="G")
    return adding.step(projection, active, *adding.give("W_2", "b_2"))


LAYERS: dict[str, tuple[str, Callable[[Adding], str]]] = {
    "residual": ("R", add_residual),
    "layer_norm": ("N", add_layer_norm),
    "rms_norm": ("N", add_rms_norm),
    "feed_forward": ("F", add_feed_forward),
}
"""The role of every kind of layer, and how it is added."""


mechanism = Mechanism(
    "block",
    keys={"O": matrix, "block": block},
    build=build,
    steps=(
        Kind("R", "Residual", "id", layered=True, words=("residual", "residuals")),
        Kind("mu", "Means", "i", layered=True, inner=True, words=("mean",)),
        Kind("var", "Variances", "i", layered=True, inner=True, words=("variance",)),
        Kind("ms", "Mean squares", "i", layered=True, inner=True, words=("mean square",)),
        Kind("N", "Norm", "id", layered=True, words=("norm", "normalised", "normalized")),
        Kind("U", "Hidden layer", "im", layered=True, words=("hidden", "pre-activation")),
        Kind("G", "After the activation", "im", layered=True, words=("activation", "activated")),
        Kind("F", "Feed-forward", "id", layered=True, words=("feed-forward", "feedforward", "ffn")),
    ),
    after=("combine",),
    resumes="O",
    help={
        "O": Help(
            "The output of attention, where only the block is worked out.",
            "O: [[1, 0], [0, 1]], block: [residual]",
            "X",
        ),
        "block": Help(
            "The steps after attention, in order, each a word or a word with its parameters.",
            "block: [residual, {layer_norm: {eps: 0}}, "
            "{feed_forward: {W_1: [[1], [2]], W_2: [[1, 3]]}}, rms_norm]",
            "X",
            f"a list of {', '.join(LAYERS)}",
            "none",
            FORM,
        ),
    },
)
