"""The steps after attention in the reference: residuals, norms, feed-forward networks."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from tests.fuzzing.reading import Floats, NotCovered, Reader, Tree

NAMES = {"residual": "R", "layer_norm": "N", "rms_norm": "N", "feed_forward": "F"}
ERF = np.vectorize(math.erf, otypes=[float])


def apply_block(reader: Reader, latest: Floats, source: Floats | None) -> dict[str, Floats]:
    """Every layer by its name; a residual adds what the last sublayer was given, or that before its norm."""
    found: dict[str, Floats] = {}
    counts: Counter[str] = Counter()
    is_before = reader.word("pre_norm") != "none"
    entered = latest
    for layer in reader.tree["block"]:
        kind, options = read_layer(layer)
        before, name = latest, NAMES[kind]
        counts[name] += 1
        latest = source + latest if kind == "residual" else one_layer(reader, kind, options, latest)  # type: ignore[operator]
        found[f"{name}{counts[name]}"] = latest
        if kind == "feed_forward":
            source = entered if is_before else before
        entered = before if name == "N" else latest
    return found


def read_layer(layer: Tree) -> tuple[str, dict[str, Tree]]:
    """What a layer is, and its parameters."""
    return (layer, {}) if isinstance(layer, str) else next(iter(layer.items()))


def one_layer(reader: Reader, kind: str, options: dict[str, Tree], x: Floats) -> Floats:
    """One norm or network."""
    if kind == "feed_forward":
        return network(reader, options, x)
    eps = float(reader.value(options.get("eps", "0.00001")))
    if kind == "layer_norm":
        x = x - x.mean(axis=-1, keepdims=True)
    spread = (x**2).sum(axis=-1, keepdims=True) / (x.shape[-1] - (options.get("variance") == "sample"))
    is_outside = options.get("eps_in") == "deviation"
    normal = x / (np.sqrt(spread) + eps if is_outside else np.sqrt(spread + eps))
    if "gamma" in options:
        normal = normal * reader.as_rows(options["gamma"])
    return np.asarray(normal + reader.as_rows(options["beta"]) if "beta" in options else normal)


def network(reader: Reader, options: dict[str, Tree], x: Floats) -> Floats:
    """Two layers with an activation between them, and a gate if there is one."""

    def linear(rows: Floats, number: int) -> Floats:
        weight, bias = (reader.as_rows(options.get(f"{kind}_{number}", "[0]")) for kind in "Wb")
        return np.asarray(rows @ (weight.T if reader.word("weights") == "out-in" else weight) + bias)

    inner = activated(options.get("activation", "relu"), linear(x, 1))
    return linear(inner * linear(x, 3) if "W_3" in options else inner, 2)


def activated(activation: str, x: Floats) -> Floats:
    """An activation function."""
    if activation == "relu":
        return np.maximum(x, 0)
    if activation == "tanh":
        return np.tanh(x)
    if activation == "silu":
        return np.asarray(x * (1 + np.tanh(x / 2)) / 2)
    if activation == "gelu":
        return np.asarray(x * (1 + ERF(x / math.sqrt(2))) / 2)
    if activation == "gelu_tanh":
        return np.asarray(x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2)
    raise NotCovered(activation)
