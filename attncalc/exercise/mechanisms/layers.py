"""The layers round attention, with their parameters: residuals, norms, feed-forward networks."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from attncalc.core.errors import ProblemError, fault, nearest
from attncalc.core.graph.labels import Label
from attncalc.core.ops.base import Operation, transpose_stored
from attncalc.core.ops.projection import Projection
from attncalc.core.readings.magnitude import magnitude
from attncalc.core.readings.subterms import to_decimals
from attncalc.core.record import record
from attncalc.core.terms import Constant, Term
from attncalc.core.terms.functions import ACTIVATIONS
from attncalc.exercise.keys.readers import Context, Reader, choice, matrix, number, reader, text
from attncalc.exercise.keys.schema_types import Schema, mapping
from attncalc.exercise.mechanisms.base import Building
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar

USUAL_EPS = Constant(Decimal("0.00001"))


@reader({})
def epsilon(node: Node, context: Context) -> Term:
    """A small number, under a root: not negative."""
    found = number(node, context)
    if magnitude(found).value < 0:
        raise fault("eps may not be negative", node.place)
    return found


EPS: dict[str, Reader[Any]] = {"eps": epsilon, "eps_in": choice("variance", "deviation")}
OPTIONS: dict[str, dict[str, Reader[Any]]] = {
    "residual": {},
    "layer_norm": {"gamma": matrix, "beta": matrix, **EPS, "variance": choice("population", "sample")},
    "rms_norm": {"gamma": matrix, **EPS},
    "feed_forward": {
        **dict.fromkeys(("W_1", "b_1", "W_2", "b_2", "W_3", "b_3"), matrix),
        "activation": choice(*ACTIVATIONS),
    },
}
NORMS = ("layer_norm", "rms_norm")
SKIPPING = "What went into the layer is added to what came out of it."


@record
class Layer:
    """One layer with its parameters, and the key of the file that it belongs to."""

    kind: str
    parameters: dict[str, Any]
    key: str = "block"


def layer_schema(*kinds: str) -> Schema:
    """Return the JSON Schema of a layer with its parameters."""
    schemas = {
        kind: mapping({option: read.schema for option, read in OPTIONS[kind].items()}) for kind in kinds
    }
    return mapping(schemas, minProperties=1, maxProperties=1)


def layer(node: Node, context: Context, kinds: tuple[str, ...], otherwise: str) -> Layer:
    """Read a layer of one of these kinds: a word, or a word with its parameters."""
    if isinstance(node, Scalar):
        return Layer(choice(*kinds)(node, context), {})
    pair = node.items[0] if isinstance(node, Mapped) and len(node.items) == 1 else None
    options = pair[1] if pair else None
    if pair is None or not isinstance(options, Mapped):
        raise fault(otherwise, node.place)
    key = pair[0]
    kind = choice(*kinds)(key, context)
    found = {}
    for option, value in options.items:
        if option.text not in OPTIONS[kind]:
            hint = nearest(option.text, OPTIONS[kind]) or f", which has {', '.join(OPTIONS[kind]) or 'none'}"
            raise fault(f"'{text(option, context)}' is not known in {kind}{hint}", option.place)
        found[option.text] = OPTIONS[kind][option.text](value, context)
    return Layer(kind, found)


@record
class Adding:
    """A layer to be added to the graph: the label of its result, its input, and what a residual adds."""

    building: Building
    layer: Layer
    label: Label
    latest: str
    source: str | None

    def has(self, key: str) -> bool:
        """Whether a parameter is given."""
        return key in self.layer.parameters

    def give(self, *keys: str) -> list[str]:
        """Add the parameters that are given to the graph: gamma_N1."""
        named = {
            Label(f"{key}_{self.label.name}"): self.layer.parameters[key] for key in keys if self.has(key)
        }
        return [self.building.give_matrix(own, x, self.layer.key, learnt=True) for own, x in named.items()]

    def step(self, op: Operation, *inputs: str, role: str = "", title: str = "") -> str:
        """Add the result, or an intermediate step with the same number."""
        layer = self.label.layer
        return self.building.step(role or self.label.role, op, [*inputs], layer=layer, title=title)

    def refuse(self, message: str) -> ProblemError:
        """A fault of the layer, at its key."""
        return fault(message, self.building.problem.place(self.layer.key))

    @property
    def eps(self) -> Term:
        """The small number that keeps a norm from dividing by 0."""
        return to_decimals(self.layer.parameters.get("eps", USUAL_EPS))

    @property
    def is_outside(self) -> bool:
        """Whether eps is added to the root, not under it."""
        return bool(self.layer.parameters.get("eps_in") == "deviation")


def add_residual(adding: Adding) -> str:
    """Add R1, the input of the last sublayer plus its result."""
    from attncalc.core.ops.position import Addition

    assert adding.source is not None
    return adding.step(Addition(SKIPPING), adding.source, adding.latest)


def add_layer_norm(adding: Adding) -> str:
    """Add N1, with mu1 and var1."""
    from attncalc.core.ops.block import LayerNorm, Mean, Variance

    sample = adding.layer.parameters.get("variance") == "sample"
    if sample and adding.building.shapes[adding.latest][-1] == 1:
        raise adding.refuse("a sample variance needs two entries or more")
    mean = adding.step(Mean(), adding.latest, role="mu")
    variance = adding.step(Variance(sample), adding.latest, mean, role="var")
    op = LayerNorm(adding.eps, adding.has("gamma"), adding.has("beta"), sample, adding.is_outside)
    return adding.step(op, adding.latest, mean, variance, *adding.give("gamma", "beta"), title="Layer norm")


def add_rms_norm(adding: Adding) -> str:
    """Add N1, with ms1."""
    from attncalc.core.ops.block import MeanSquare, RmsNorm

    squares = adding.step(MeanSquare(), adding.latest, role="ms")
    op = RmsNorm(adding.eps, adding.has("gamma"), outside=adding.is_outside)
    return adding.step(op, adding.latest, squares, *adding.give("gamma"), title="RMS norm")


def add_feed_forward(adding: Adding) -> str:
    """Add F1, with U1 before and G1 after the activation, and J1 for the gate if there is one."""
    from attncalc.core.ops.block import Activation, Gated

    if not (adding.has("W_1") and adding.has("W_2")):
        raise adding.refuse("feed_forward needs W_1 and W_2")
    if adding.has("b_3") and not adding.has("W_3"):
        raise adding.refuse("b_3 is the gate's bias, so it needs W_3")
    projection = transpose_stored(Projection(), (1,), adding.building.setting("weights") == "out-in")
    hidden = adding.step(projection, adding.latest, *adding.give("W_1", "b_1"), role="U")
    function = adding.layer.parameters.get("activation", "relu")
    if adding.has("W_3"):
        gate = adding.step(projection, adding.latest, *adding.give("W_3", "b_3"), role="J")
        active = adding.step(Gated(function), hidden, gate, role="G")
    else:
        active = adding.step(Activation(function), hidden, role="G")
    return adding.step(projection, active, *adding.give("W_2", "b_2"))


LAYERS: dict[str, tuple[str, Callable[[Adding], str]]] = {
    "residual": ("R", add_residual),
    "layer_norm": ("N", add_layer_norm),
    "rms_norm": ("N", add_rms_norm),
    "feed_forward": ("F", add_feed_forward),
}
"""The role of every kind of layer, and how it is added."""
