"""Decimal commas: which commas are decimal, and values with points in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attncalc.core.record import replace
from attncalc.exercise.numbers.student_numbers import to_points
from attncalc.exercise.yaml.tree import Node, Scalar, Sequence

SURE_COMMA = r"[-+−]?(?:0,[0-9]+|[0-9]{4,},[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,}))%?"
"""A number with a comma that separates no thousands."""
ANY_COMMA = r"[-+−]?[0-9]+,[0-9]+%?"
LEAST_THOUSAND = 999.5
COMMAS = r"[0-9],[0-9]+(?:\s*;|,?\s+[-+−]?[0-9])|\[\s*[-+−]?[0-9]+,[0-9]{2,}\s*\]"
"""A decimal comma: numbers are separated by something else, or a row is one number."""


def texts_of(node: Node) -> Iterator[str]:
    """The texts of all numbers in a value."""
    if isinstance(node, Scalar):
        yield node.text
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from texts_of(item)


def point_numbers(node: Node) -> Node:
    """A value with a point in place of the comma of every number."""
    if isinstance(node, Scalar):
        return node._replace(text=to_points(node.text)) if re.fullmatch(ANY_COMMA, node.text) else node
    if isinstance(node, Sequence):
        return replace(node, items=tuple(map(point_numbers, node.items)))
    return node


def with_points(node: Node) -> Node:
    """A value with points for decimal commas; the same node if it has none."""
    if isinstance(node, Scalar):
        return node._replace(text=to_points(node.text)) if re.search(COMMAS, node.text) else node
    if not isinstance(node, Sequence):
        return node
    if node.source and not any(isinstance(item, Scalar) and item.quoted for item in node.items):
        return Scalar(to_points(node.source), node.place) if re.search(COMMAS, node.source) else node
    items = tuple(map(with_points, node.items))
    same = all(one is other for one, other in zip(items, node.items, strict=True))
    return node if same else replace(node, items=items)
