"""How queries meet keys in the reference: rotations, score functions, the softmax."""

from __future__ import annotations

import numpy as np

from tests.fuzzing.reading import Floats, NotCovered, Reader


def softmax_parts(scores: Floats, sink: float | None = None) -> tuple[Floats, Floats]:
    """e^scores and their totals, with that of a sink, shifted if the largest of a row is far from 0."""
    column = np.full((*scores.shape[:-1], 1), -np.inf if sink is None else sink)
    wide = np.concatenate([scores, column], axis=-1)
    top = wide.max(axis=-1, keepdims=True)
    seen = top[np.isfinite(top)]
    if np.any(seen > 700) or np.any(seen < -600):
        wide = wide - np.where(np.isfinite(top), top, 0)
    powers = np.exp(wide)
    return powers[..., :-1], powers.sum(axis=-1, keepdims=True)


def rotate(x: Floats, angles: Floats, half: bool) -> Floats:
    """Every pair of columns turned by its angle."""
    width = x.shape[-1]
    first, second = (
        (slice(0, width // 2), slice(width // 2, None)) if half else (slice(0, None, 2), slice(1, None, 2))
    )
    turned = np.empty_like(x)
    turned[..., first] = x[..., first] * np.cos(angles) - x[..., second] * np.sin(angles)
    turned[..., second] = x[..., first] * np.sin(angles) + x[..., second] * np.cos(angles)
    return turned


def joined(past: Floats | None, new: Floats) -> Floats:
    """Cached rows before new ones."""
    if past is None:
        return new
    lead = np.broadcast_shapes(past.shape[:-2], new.shape[:-2])
    rows = [np.broadcast_to(x, (*lead, *x.shape[-2:])) for x in (past, new)]
    return np.concatenate(rows, axis=-2)


def score(reader: Reader, q: Floats, k: Floats) -> Floats:
    """The score function of every query with every key."""
    told = reader.word("score", "dot")
    if told == "dot":
        return q @ k.swapaxes(-1, -2)
    if told == "general":
        return q @ weight(reader, "W_a") @ k.swapaxes(-1, -2)
    if told == "additive":
        inner = (q @ weight(reader, "W_1"))[..., :, None, :] + (k @ weight(reader, "W_2"))[..., None, :, :]
    elif told == "concat" or told["concat"] in (["k", "q"], ["q", "k"]):
        keys_first = told != "concat" and told["concat"] == ["k", "q"]
        inner = pairs(q, k, keys_first) @ weight(reader, "W_a")
    else:
        raise NotCovered(told)
    return np.asarray(np.tanh(inner) @ reader.as_rows(reader.tree["v_a"])[0])


def weight(reader: Reader, key: str) -> Floats:
    """A weight matrix with its inputs first."""
    found = reader.as_rows(reader.tree[key])
    return found.T if reader.word("weights") == "out-in" else found


def pairs(q: Floats, k: Floats, keys_first: bool) -> Floats:
    """Every query with every key, one behind the other."""
    shape = (*np.broadcast_shapes(q.shape[:-2], k.shape[:-2]), q.shape[-2], k.shape[-2])
    both = [np.broadcast_to(x, (*shape, x.shape[-1])) for x in (q[..., :, None, :], k[..., None, :, :])]
    return np.concatenate(both[::-1] if keys_first else both, axis=-1)
