"""Masks and biases of the reference, as one matrix that is added to the scores."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.fuzzing.reading import Floats, NotCovered, Reader, Tree


def bias_of(
    reader: Reader,
    shape: tuple[int, ...],
    past: int,
    head: tuple[int, int],
    position: tuple[str, dict[str, Any]],
) -> Floats | None:
    """Everything that is added to the scores, or nothing."""
    told = reader.word("mask")
    masks = [mask for mask in (told if isinstance(told, list) else [told]) if mask != "none"]
    found = [one_bias(reader, mask, shape, past, head[0]) for mask in masks]
    if position[0] == "alibi":
        found.append(falling(reader, shape, past, head, position[1]["pairs"]))
    return sum(found[1:], found[0]) if found else None


def places(shape: tuple[int, ...], past: int) -> tuple[Floats, Floats]:
    """The positions of queries and of keys, cached keys first."""
    return past + np.arange(shape[-2], dtype=float)[:, None], np.arange(shape[-1], dtype=float)[None, :]


def falling(reader: Reader, shape: tuple[int, ...], past: int, head: tuple[int, int], told: Tree) -> Floats:
    """What a key loses with its distance."""
    number, heads = head
    listed = [told] if isinstance(told, str) else told
    slope = 2 ** (-8 * number / heads) if told == "interleaved" else float(reader.value(listed[number - 1]))
    i, j = places(shape, past)
    return -slope * np.abs(i - j)


def hidden_unless(visible: Any) -> Floats:
    """0 where a key is seen, −∞ where it is not."""
    return np.where(visible, 0.0, -np.inf)


def one_bias(reader: Reader, mask: Tree, shape: tuple[int, ...], past: int, head: int) -> Floats:
    """One mask as what is added."""
    word, value = (mask, "") if isinstance(mask, str) else next(iter(mask.items()))
    i, j = places(shape, past)
    if word == "causal":
        return hidden_unless(j <= (i - past + shape[-1] - shape[-2] if value == "lower-right" else i))
    if word == "window":
        left, right = (int(n) for n in (value if isinstance(value, list) else [value, value]))
        return hidden_unless((j >= i - left) & (j <= i + right))
    if word == "lengths":
        counts = np.array([int(n) for n in (value if isinstance(value, list) else [value])])
        return hidden_unless(j < (counts[:, None, None] if len(counts) > 1 else counts[0]) + 0 * i)
    if word not in ("add", "keep", "hide"):
        raise NotCovered(word)
    matrix = reader.as_rows(value)
    if matrix.ndim == 4:
        matrix = matrix[:, (head - 1) % matrix.shape[1]]
    return matrix if word == "add" else hidden_unless(matrix == (word == "keep"))
