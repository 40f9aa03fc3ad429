"""Readers of masks: words, windows, lengths, and matrices that keep, hide or add."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from attncalc.core.errors import Place, ProblemError, fault, nearest, quote
from attncalc.core.fields import Array, Numeric
from attncalc.core.graph.graph import numbers_of
from attncalc.core.record import record
from attncalc.core.terms import Constant
from attncalc.exercise.keys.readers import (
    Context,
    choice,
    matrix,
    numbers_list,
    read_reference,
    reader,
    scores,
    text,
    whole,
)
from attncalc.exercise.keys.schema_types import CELL, MATRIX, mapping, one_of, one_or_list, words
from attncalc.exercise.yaml.tree import (
    Given,
    Mapped,
    Node,
    Scalar,
    Sequence,
    one_or_more,
    word_of,
    write_on_one_line,
)

Sizes: TypeAlias = tuple[int, int, int]
Rule: TypeAlias = Callable[[Sizes], Array]
"""From the numbers of queries, keys and cached keys to a matrix to add: 0 or a bias, −∞ hides a key.

Problems are pickled, so a rule must be a module-level function, a partial of one, or a record.
"""
Test: TypeAlias = Callable[..., Array]


@record
class OneMask:
    """One of the masks that are applied together."""

    rule: Rule
    place: Place


def refuse_matrix(node: Node, context: Context) -> None:
    """Raise a fault for a bare matrix: a mask needs a word that says what it does."""
    brackets = re.sub(r"^[^\[]*|[^\]]*$", "", write_on_one_line(node))
    shown = re.sub("[Tt]rue", "1", re.sub("[Ff]alse", "0", brackets)) or "…"
    try:
        entries = {*scores(node if shown == "…" else Scalar(shown, node.place), context).ravel()}
    except ProblemError:
        return
    if all(entry.value in (0, 1) for entry in entries if isinstance(entry, Constant)):
        ways = f"{{keep: {shown}}} where 1 keeps a key, {{hide: {shown}}} where 1 hides it"
    else:
        ways = f"{{add: {shown}}}"
    raise fault(f"a matrix says what it does: write {ways}", node.place)


MASKS = ": write causal, none, or {keep: [[1, 0], [1, 1]]}"


def parse_mask(node: Node, context: Context) -> Rule:
    """Read one mask: a word, or a word with a value."""
    if isinstance(node, Scalar):
        word, value = text(node, context), None
    elif isinstance(node, Mapped) and len(node.items) == 1:
        (key, value) = node.items[0]
        word = key.text
    else:
        if isinstance(node, Mapped) and node.faults:
            raise ProblemError(*node.faults)  # such as a key that stands twice, and so has no value
        raise fault("a mask is written causal, or {keep: [[1, 0], [1, 1]]}", node.place)
    inner = re.fullmatch(r"(\w+)[\s:=]+(\S.*)", word)
    if inner and inner[1] in EXAMPLES:
        value_shown = inner[2] if is_value(inner[1], inner[2], node.place, context) else EXAMPLES[inner[1]]
        raise fault(f"a mask with a value stands in braces: write {{{inner[1]}: {value_shown}}}", node.place)
    if word not in KINDS:
        hint = nearest("causal" if re.search("tri[lu]", word) else word, ("none", *KINDS))
        raise fault(f"{quote(word)} is not a mask{hint or MASKS}", node.place)
    if value is None and word in EXAMPLES:
        raise fault(f"{word} needs a value: write {{{word}: {EXAMPLES[word]}}}", node.place)
    return KINDS[word](value, context)


def is_value(word: str, text: str, place: Place, context: Context) -> bool:
    """Whether a text is a value of a mask of this kind."""
    try:
        KINDS[word](Scalar(text, place), context)
    except ProblemError:
        return False
    return True


def visible_where(test: Test, values: tuple[object, ...], sizes: Sizes) -> Array:
    """Return a mask that hides key j from query i unless the test holds; cached keys count as earlier."""
    i, j = np.ogrid[sizes[2] : sizes[0] + sizes[2], : sizes[1]]
    return np.where(test(i, j, sizes, *values), 0.0, -np.inf)


@record
class AsItIs:
    """A rule that returns a given matrix; a record, so that letters in it are found."""

    matrix_given: Array

    def __call__(self, _: Sizes) -> Array:
        return self.matrix_given


CORNERS = choice("upper-left", "lower-right")


def causal(node: Node | None, context: Context) -> Rule:
    """Query i sees the keys up to its own position."""
    corner = CORNERS(node, context) if node else "upper-left"
    return no_later_keys() if corner == "upper-left" else partial(visible_where, is_up_to_last, ())


def no_later_keys() -> Rule:
    """The mask that shows every query the keys up to its own position."""
    return partial(visible_where, is_up_to_own, ())


def is_up_to_own(i: Array, j: Array, _: Sizes) -> Array:
    """Whether a key is not later than the query, counted from the first."""
    return np.asarray(j <= i)


def is_up_to_last(i: Array, j: Array, sizes: Sizes) -> Array:
    """Whether a key is not later than the query, counted from the last."""
    return np.asarray(j <= i + sizes[1] - sizes[0] - sizes[2])


NEIGHBOURS = whole(0, 10**9)


def window(node: Node | None, context: Context) -> Rule:
    """Query i sees the keys at most `left` to its left and `right` to its right."""
    assert node
    items = node.items if isinstance(node, Sequence) else (node, node)
    if len(items) != 2:
        raise fault("a window is one number of keys, or [left, right]", node.place)
    return partial(visible_where, is_near, tuple(NEIGHBOURS(item, context) for item in items))


def is_near(i: Array, j: Array, _: Sizes, left: int, right: int) -> Array:
    """Whether a key is within a window around the query."""
    return np.asarray((j >= i - left) & (j <= i + right))


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
    return partial(visible_where, is_within, (limit,))


def is_within(i: Array, j: Array, _: Sizes, limit: Array) -> Array:
    """Whether a key is no padding, for any query."""
    return np.asarray((j < limit) & (i >= 0))


def parse_added(node: Node | None, context: Context) -> Rule:
    """Read a matrix that is added to the scores."""
    assert node
    return AsItIs(scores(node, context))


def read_hiding(hidden_entry: int) -> Callable[[Node | None, Context], Rule]:
    """Return a reader of matrices of 0 and 1, in which this entry hides a key."""

    def read(node: Node | None, context: Context) -> Rule:
        assert node
        if isinstance(node, Mapped):
            node = Given(read_reference(node, context), node.place)
        if isinstance(node, Given) and node.array.dtype == bool:
            node = Given(node.array.astype(int), node.place)
        entries = numbers_of(matrix(node, context), Numeric())
        if not np.isin(entries, (0, 1)).all():
            raise fault("may hold only 0 and 1", node.place)
        return AsItIs(np.where(entries == hidden_entry, -np.inf, 0.0))

    return read


EXAMPLES = {
    "window": "1",
    "lengths": "[2]",
    "add": "[[0, -inf], [0, 0]]",
    "keep": "[[1, 0], [1, 1]]",
    "hide": "[[0, 1], [0, 0]]",
}
"""The masks that need a value, with an example of it."""
KINDS: dict[str, Callable[[Node | None, Context], Rule]] = {
    "causal": causal,
    "window": window,
    "lengths": lengths,
    "add": parse_added,
    "keep": read_hiding(0),
    "hide": read_hiding(1),
}
TAKEN = {
    "causal": CORNERS.schema,
    "window": one_or_list(NEIGHBOURS.schema),
    "lengths": one_or_list(CELL),
}
"""The schemas of values that are no matrices."""
ONE_MASK = one_of(
    words("none", *(kind for kind in KINDS if kind not in EXAMPLES)),
    mapping({kind: TAKEN.get(kind, MATRIX) for kind in KINDS}, minProperties=1, maxProperties=1),
)


@reader(one_or_list(ONE_MASK), f"none, {', '.join(KINDS)}, or a list of these")
def parse_masks(node: Node, context: Context) -> list[OneMask]:
    """`none`, one mask, or a list of masks."""
    if isinstance(node, Sequence) or "[" in word_of(node):
        refuse_matrix(node, context)
    return [
        OneMask(parse_mask(item, context), item.place)
        for item in one_or_more(node)
        if word_of(item) != "none"
    ]
