"""The steps after attention in the reference: residuals, norms, feed-forward networks."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np

from tests.fuzzing.reading import Floats, NotCovered, Reader, Tree

NAMES = {"residual": "R", "layer_norm": "N", "rms_norm": "N", "feed_forward": "F"}
ERF = np.vectorize(math.erf, otypes=[float])


def apply_block(reader: Reader, latest: Floats, source: Floats | None) -> dict[str, Floats]:
    """Every layer by its name; a residual adds what the last sublayer was given."""
    found: dict[str, Floats] = {}
    counts: Counter[str] = Counter()
    for layer in reader.tree["block"]:
        kind, options = (layer, {}) if isinstance(layer, str) else next(iter(layer.items()))
        before, name = latest, NAMES[kind]
        counts[name] += 1
        latest = source + latest if kind == "residual" else one_layer(reader, kind, options, latest)  # type: ignore[operator]
        found[f"{name}{counts[name]}"] = latest
        source = before if kind == "feed_forward" else source
    return found


def one_layer(reader: Reader, kind: str, options: dict[str, Tree], x: Floats) -> Floats:
    """One norm or network."""
    if kind == "feed_forward":
        return network(reader, options, x)
    eps = float(reader.value(options.get("eps", "0.00001")))
    if kind == "layer_norm":
        x = x - x.mean(axis=-1, keepdims=True)
    spread = (x**2).sum(axis=-1, keepdims=True) / (x.shape[-1] - (options.get("variance") == "sample"))
    normal = x / np.sqrt(spread + eps)
    if "gamma" in options:
        normal = normal * reader.as_rows(options["gamma"])
    return np.asarray(normal + reader.as_rows(options["beta"]) if "beta" in options else normal)


def network(reader: Reader, options: dict[str, Tree], x: Floats) -> Floats:
    """Two layers with an activation between them."""
    turned = reader.word("weights") == "out-in"
    w_1, w_2 = (reader.as_rows(options[key]) for key in ("W_1", "W_2"))
    b_1, b_2 = (reader.as_rows(options[key]) if key in options else 0.0 for key in ("b_1", "b_2"))
    inner = activated(options.get("activation", "relu"), x @ (w_1.T if turned else w_1) + b_1)
    return np.asarray(inner @ (w_2.T if turned else w_2) + b_2)


def activated(activation: str, x: Floats) -> Floats:
    """An activation function."""
    if activation == "relu":
        return np.maximum(x, 0)
    if activation == "silu":
        return np.asarray(x * (1 + np.tanh(x / 2)) / 2)
    if activation == "gelu":
        return np.asarray(x * (1 + ERF(x / math.sqrt(2))) / 2)
    if activation == "gelu_tanh":
        return np.asarray(x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2)
    raise NotCovered(activation)
