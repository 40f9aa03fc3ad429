"""Masks: which keys a query does not see, and biases added to the scores."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from attncalc.errors import Place, fault, nearest, quoted
from attncalc.fields import Array, Numeric
from attncalc.graph.graph import numbers_of
from attncalc.graph.labels import Kind, Label
from attncalc.inputs.nodes import Given, Mapped, Node, Scalar, Sequence, one_or_more, word_of
from attncalc.inputs.readers import Context, choice, matrix, numbers_list, referred, scores, text, whole
from attncalc.mechanisms.base import Building, Mechanism
from attncalc.mechanisms.position import Position, slope
from attncalc.ops.scores import Mask
from attncalc.record import record
from attncalc.terms import Constant, Term

HIDDEN = Constant(float("-inf"))
Sizes: TypeAlias = tuple[int, int, int]
Rule: TypeAlias = Callable[[Sizes], Array]
"""From the numbers of queries, keys and cached keys to a matrix to add: 0 or a bias, −∞ hides a key."""


@record
class OneMask:
    """One of the masks that are applied together."""

    rule: Rule
    place: Place


def parse_masks(node: Node, context: Context) -> list[OneMask]:
    """`none`, one mask, or a list of masks."""
    return [
        OneMask(parse_mask(item, context), item.place)
        for item in one_or_more(node)
        if word_of(item) != "none"
    ]


def parse_mask(node: Node, context: Context) -> Rule:
    """One mask: a word, or a word with what belongs to it."""
    if isinstance(node, Scalar):
        word, value = text(node, context), None
    elif isinstance(node, Mapped) and len(node.items) == 1:
        (key, value) = node.items[0]
        word = key.text
    else:
        raise fault("a mask is written causal, or {keep: [[1, 0], [1, 1]]}", node.place)
    if word not in KINDS or (value is None and word != "causal"):
        hint = nearest(word, KINDS) if word not in KINDS else f": {word} needs a value"
        raise fault(f"{quoted(word)} is not a mask{hint}", node.place)
    return KINDS[word](value, context)


def visible_where(test: Callable[[Array, Array, Sizes], Array]) -> Rule:
    """A mask that shows the keys j to query i for which the test holds; cached keys come before the first."""

    def matrix_of(sizes: Sizes) -> Array:
        i, j = np.ogrid[sizes[2] : sizes[0] + sizes[2], : sizes[1]]
        return np.where(test(i, j, sizes), 0.0, -np.inf)

    return matrix_of


def causal(node: Node | None, context: Context) -> Rule:
    """Query i sees the keys up to its own position."""
    corner = choice("upper-left", "lower-right")(node, context) if node else "upper-left"
    if corner == "upper-left":
        return visible_where(lambda i, j, _: j <= i)
    return visible_where(lambda i, j, sizes: j <= i + sizes[1] - sizes[0] - sizes[2])


def window(node: Node | None, context: Context) -> Rule:
    """Query i sees the keys at most so many to its left and right."""
    assert node
    items = node.items if isinstance(node, Sequence) else (node, node)
    if len(items) != 2:
        raise fault("a window is one number of keys, or [left, right]", node.place)
    left, right = (whole(0, 10**9)(item, context) for item in items)
    return visible_where(lambda i, j, _: (j >= i - left) & (j <= i + right))


def lengths(node: Node | None, context: Context) -> Rule:
    """Keys beyond the length are padding."""
    assert node
    counts: list[int] = []
    for term in numbers_list(node, context):
        if not isinstance(term, Constant) or not isinstance(term.value, int) or term.value < 0:
            raise fault("a length is a whole number", node.place)
        counts.append(term.value)
    if not counts:
        raise fault("needs at least one length", node.place)
    shape = (len(counts), 1, 1) if len(counts) > 1 else ()
    limit = np.array(counts if len(counts) > 1 else counts[0]).reshape(shape)
    return visible_where(lambda i, j, _: (j < limit) & (i >= 0))


def parse_added(node: Node | None, context: Context) -> Rule:
    """A matrix added to the scores as it is."""
    assert node
    bias = scores(node, context)
    return lambda _: bias


def shown_by(hidden_entry: int) -> Callable[[Node | None, Context], Rule]:
    """A matrix of 0 and 1, one of which hides."""

    def read(node: Node | None, context: Context) -> Rule:
        assert node
        if isinstance(node, Mapped):
            node = Given(referred(node, context), node.place)
        if isinstance(node, Given) and node.array.dtype == bool:
            node = Given(node.array.astype(int), node.place)
        entries = numbers_of(matrix(node, context), Numeric())
        if not np.isin(entries, (0, 1)).all():
            raise fault("may hold only 0 and 1", node.place)
        found = np.where(entries == hidden_entry, -np.inf, 0.0)
        return lambda _: found

    return read


KINDS: dict[str, Callable[[Node | None, Context], Rule]] = {
    "causal": causal,
    "window": window,
    "lengths": lengths,
    "add": parse_added,
    "keep": shown_by(0),
    "hide": shown_by(1),
}


def build(building: Building) -> None:
    """Adds M where there is a mask or a bias by distance; a row with every key hidden is refused or noted."""
    parts: list[OneMask] = building.setting("mask", [])
    position: Position | None = building.setting("position")
    if position is not None and position.kind == "alibi":
        parts = [*parts, OneMask(distances(building, position), building.problem.place("position"))]
    latest = building.roles["scores"]
    name = ""
    if parts:
        combined, own = combine(building, parts)
        name = building.give_matrix(building.label("mask") if own else Label("mask"), combined, "mask")
        building.roles["scores"] = building.step("M", Mask(), [latest, name])
    rows = hidden_rows(building, name)
    if rows and building.setting("masked_rows", "error") == "error":
        row = ", ".join(str(n + 1) for n in rows[0])
        raise fault(
            f"row {row} has every key hidden, so it has no weights; masked_rows: zero makes them 0",
            building.problem.place("mask", "S"),
        )
    building.zero_rows = bool(rows)


def distances(building: Building, position: Position) -> Rule:
    """A bias that falls with the distance between query and key, by a slope of the head's own."""
    if position.slopes and len(position.slopes) != len(building.heads):
        message = f"alibi needs one slope for each of {len(building.heads)} heads"
        raise fault(message, building.problem.place("position"))
    falling = slope(position, building.head or 1, len(building.heads))

    def matrix_of(sizes: Sizes) -> Array:
        i, j = np.ogrid[sizes[2] : sizes[0] + sizes[2], : sizes[1]]
        far = np.abs(i - j)
        return np.asarray(np.frompyfunc(lambda n: falling * Constant(-int(n)), 1, 1)(far), dtype=object)

    return matrix_of


def combine(building: Building, parts: list[OneMask]) -> tuple[Array, bool]:
    """All masks added up, and whether this head has one of its own; one row applies to every query."""
    shape = building.shapes[building.roles["scores"]]
    sizes = shape[-2], shape[-1], building.rows(building.roles.get("past_K"))
    total: Array | None = None
    own = False
    for part in parts:
        matrix_part = part.rule(sizes)
        if matrix_part.ndim == 4:
            own = True
            heads = matrix_part.shape[1]
            if heads not in (1, len(building.heads)):
                raise fault(f"the mask has {heads} heads where there are {len(building.heads)}", part.place)
            matrix_part = matrix_part[:, (building.head or 1) - 1 if heads > 1 else 0]
        try:
            batched = matrix_part.ndim > len(shape) and matrix_part.shape[0] > 1
            fits = np.broadcast_shapes(matrix_part.shape, shape)[-2:] == shape[-2:] and not batched
        except ValueError:
            fits = False
        if not fits:
            if matrix_part.ndim == 3 and len(shape) == 2:
                raise fault("lengths are one for each batch, and there is no batch here", part.place)
            is_, want = ("×".join(map(str, s)) for s in (matrix_part.shape, shape))
            raise fault(f"the mask is {is_} where the scores are {want}", part.place)
        total = matrix_part if total is None else added_up(total, matrix_part)
    assert total is not None
    alibi = building.setting("position") is not None and building.setting("position").kind == "alibi"
    return np.broadcast_to(total, (*total.shape[:-2], *shape[-2:])), own or alibi


def added_up(a: Array, b: Array) -> Array:
    """Two masks added; what one hides stays hidden."""
    if a.dtype != object and b.dtype != object:
        return np.asarray(a + b)
    return np.asarray(np.frompyfunc(bias_sum, 2, 1)(a, b), dtype=object)


def bias_sum(a: Term | float, b: Term | float) -> Term:
    """Two biases added."""
    x, y = (value if isinstance(value, Term) else Constant(exactly(value)) for value in (a, b))
    if HIDDEN in (x, y):
        return HIDDEN
    return y if x == Constant(0) else x if y == Constant(0) else x + y


def exactly(value: float) -> float | Fraction:
    """−∞, or the number that a float is written as."""
    return value if np.isneginf(value) else Fraction(repr(float(value)))


def hidden_rows(building: Building, mask: str) -> list[tuple[int, ...]]:
    """The rows in which every score is −∞, by the mask or by the scores given."""
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
    keys={"mask": parse_masks, "masked_rows": choice("error", "zero")},
    build=build,
    steps=(Kind("M", "Masked scores", "ij", words=("masked scores", "masked")),),
    after=("scale",),
    each_head=True,
)
