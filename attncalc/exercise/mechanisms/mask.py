"""Masks: which keys a query does not see, and biases added to the scores."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import inf

import numpy as np

from attncalc.core.errors import Place, fault
from attncalc.core.fields import Array
from attncalc.core.graph.graph import shape_text
from attncalc.core.graph.labels import Kind, Label
from attncalc.core.ops.base import Shape
from attncalc.core.ops.scores import Mask
from attncalc.core.terms import ZERO, Constant, Term
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.mask_kinds import OneMask, no_later_keys, parse_masks
from attncalc.exercise.keys.readers import choice
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.mechanisms.normalize import way_of
from attncalc.exercise.mechanisms.position import Position, slope

HIDDEN = Constant(float("-inf"))


def build(building: Building) -> None:
    """Add B and M for a bias by distance and a mask; a row with every key hidden is a fault or noted."""
    parts: list[OneMask] = building.setting("mask", [])
    decay, bias = building.roles.get("decay"), add_distance_bias(building)
    if decay and (bias or parts):  # what is added to a decayed score of 0 would bring a later key back
        parts = [OneMask(no_later_keys(), building.problem.place("decay")), *parts]
    mask = add_mask(building, parts) if parts else None
    if decay or bias or mask:
        added = [name for name in (building.roles["scores"], decay, bias, mask) if name]
        title = "" if mask else "Scores with bias" if bias else "Decayed scores"
        is_exponent = way_of(building) == "softmax"
        op = Mask(bias is not None, mask is not None, decay is not None, is_exponent)
        building.roles["scores"] = building.step("M", op, added, title=title)
    rows = find_hidden_rows(building, mask or "")
    if rows and "sink" not in building.roles and building.setting("masked_rows", "error") == "error":
        row = ", ".join(str(n + 1) for n in rows[0])
        raise fault(
            f"row {row} has every key hidden, so it has no weights; masked_rows: zero makes them 0",
            building.problem.place("mask", "S"),
        )
    building.zero_rows = bool(rows)


def add_distance_bias(building: Building) -> str | None:
    """Add B for positions by distance, with the slope of the current head."""
    position: Position | None = building.setting("position")
    if position is None or position.kind != "alibi":
        return None
    from attncalc.core.ops.position import DistanceBias

    if position.slopes and len(position.slopes) != len(building.heads):
        message = f"alibi needs one slope for each of {len(building.heads)} heads"
        raise fault(message, building.problem.place("position"))
    falling = slope(position, building.head or 1, len(building.heads))
    rows, columns = building.shapes[building.roles["scores"]][-2:]
    past = building.rows(building.roles.get("past_K"))
    return building.step("B", DistanceBias(rows, columns, past, falling), [])


def add_mask(building: Building, parts: list[OneMask]) -> str:
    """Add the sum of all masks as one given matrix; the heads share it unless each has another."""
    shape = building.shapes[building.roles["scores"]]
    sizes = shape[-2], shape[-1], building.rows(building.roles.get("past_K"))
    masks = [(part.rule(sizes), part.place) for part in parts]
    own = [fit_mask(select_head(building, mask, place), shape, place) for mask, place in masks]
    whole = reduce(sum_masks, own)
    # One row applies to every query.
    combined = np.broadcast_to(whole, (*whole.shape[:-2], *shape[-2:]))
    has_heads = any(mask.ndim == 4 for mask, _ in masks)
    return building.give_matrix(building.label("mask") if has_heads else Label("mask"), combined, "mask")


def select_head(building: Building, mask: Array, place: Place) -> Array:
    """Return the part of a mask (batch, heads, queries, keys) for the current head; others are for all."""
    if mask.ndim < 4:
        return mask
    heads = mask.shape[1]
    if heads not in (1, len(building.heads)):
        raise fault(f"the mask has {heads} heads where there are {len(building.heads)}", place)
    return mask[:, (building.head or 1) - 1 if heads > 1 else 0]


def fit_mask(mask: Array, scores: Shape, place: Place) -> Array:
    """Return the mask if it broadcasts to the scores; a batch of one is dropped if they have no batch."""
    if mask.ndim > len(scores) and len(mask) == 1:
        mask = mask[0]
    try:
        fits = np.broadcast_shapes(mask.shape, scores) == scores
    except ValueError:
        fits = False
    if fits:
        return mask
    if mask.ndim == 3 and len(scores) == 2:
        raise fault("the mask is one for each batch, and there is no batch here", place)
    raise fault(f"the mask is {shape_text(mask.shape)} where the scores are {shape_text(scores)}", place)


def sum_masks(a: Array, b: Array) -> Array:
    """Return the sum of two masks; keys that one of them hides stay hidden."""
    if a.dtype != object and b.dtype != object:
        return np.asarray(a + b)
    return np.asarray(np.frompyfunc(sum_biases, 2, 1)(a, b), dtype=object)


def sum_biases(a: Term | float, b: Term | float) -> Term:
    """Return the sum of two entries as a term; −∞ if one of them is."""
    x, y = (value if isinstance(value, Term) else Constant(to_exact(value)) for value in (a, b))
    if HIDDEN in (x, y):
        return HIDDEN
    return y if x == ZERO else x if y == ZERO else x + y


def to_exact(value: float) -> float | Fraction:
    """Return a float as the fraction that its digits say; −∞ unchanged."""
    return value if np.isneginf(value) else Fraction(repr(float(value)))


def find_hidden_rows(building: Building, mask: str) -> list[tuple[int, ...]]:
    """Return the indices of rows in which the mask and the given scores hide every key."""
    given = [building.given[name] for name in (mask, "S") if name in building.given]
    hiding = [
        matrix if matrix.dtype != object else np.where(is_hidden(matrix), -np.inf, 0) for matrix in given
    ]
    largest = sum(hiding[1:], hiding[0]).max(axis=-1) if hiding else np.zeros(1)
    return [tuple(at) for at in np.argwhere(np.isneginf(largest))]


def is_hidden(matrix_given: Array) -> Array:
    """Where a matrix is −∞."""
    if matrix_given.dtype != object:
        return np.isneginf(matrix_given)
    return np.asarray(np.frompyfunc(lambda term: term == HIDDEN, 1, 1)(matrix_given).astype(bool))


mechanism = Mechanism(
    "mask",
    keys=(
        Key(
            "mask",
            parse_masks,
            "Which keys a query does not see, or what is added to the scores.",
            "mask: {window: 1}",
            default="none",
        ),
        Key(
            "masked_rows",
            choice("error", "zero"),
            "What happens to a row with every key hidden.",
            "mask: {keep: [[0, 0, 0], [1, 1, 1]]}, masked_rows: zero",
        ),
    ),
    build=build,
    steps=(
        Kind("B", "Bias by distance", "ij", part_of="positions", differentiable=False, words=("bias",)),
        Kind(
            "M",
            "Masked scores",
            "ij",
            words=("masked scores", "masked"),
            is_quick=True,
            is_searched=False,
            hides_by=-inf,
        ),
    ),
    given=(Kind("mask", "Mask", "ij", differentiable=False, stage="mask"),),
    after=("scale", "sink", "decay"),
    each_head=True,
)
