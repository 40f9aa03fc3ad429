"""The key `sample`: which matrices are drawn, with which covariances, how often and from which seed."""

from __future__ import annotations

import numpy as np

from attncalc.core.errors import fault
from attncalc.core.fields import Array, Numeric
from attncalc.core.graph.graph import number_of, numbers_of
from attncalc.core.graph.references import Reference, parse_reference
from attncalc.core.terms import Entry
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, number, read_matrix, reader, value_of, whole
from attncalc.exercise.keys.schema_types import CELL, Schema, mapping, mapping_of, one_of, one_or_list
from attncalc.exercise.problem import Sample
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence, expect, one_or_more, word_of

MOST_DRAWS = 200_000
COUNTS = {"draws": whole(1, MOST_DRAWS), "seed": whole(0, MOST_DRAWS)}
POSITIVE, COVARIANCE = "positive", "cov"
SCHEMA: Schema = {
    **mapping_of(one_of(CELL, mapping({COVARIANCE: {}}, required=[COVARIANCE]))),
    "properties": {
        **{key: count.schema for key, count in COUNTS.items()},
        POSITIVE: one_or_list({"type": "string"}),
    },
}
"""Number of draws, seed, positive entries; numbers of letters and covariances of matrices, by name."""


@reader(SCHEMA, "matrices and their covariances")
def parse_sample(node: Node, context: Context) -> Sample:
    """{K: {cov: [..]}, draws: 10000, seed: 0}"""
    written = expect(node, Mapped, "is written {K: {cov: [..]}, draws: 10000, seed: 0}")
    found: dict[str, tuple[Array, ...]] = {}
    settings = {"draws": 10_000, "seed": 0}
    numbers: dict[str, float] = {}
    positive: tuple[Reference, ...] = ()
    for key, value in written.items:
        if key.text in COUNTS:
            settings[key.text] = COUNTS[key.text](value, context)
        elif key.text == POSITIVE:
            positive = tuple(entry(item) for item in one_or_more(value))
        elif context.names.get(key.text) == Entry(key.text):
            numbers[key.text] = float(number_of(number(value, context), Numeric()))
        else:
            found[key.text] = covariances(value, context)
    if not found:
        raise fault("names no matrix to draw, such as K", node.place)
    return Sample(found, settings["draws"], settings["seed"], node.place, numbers, positive)


def entry(node: Node) -> Reference:
    """A reference to one entry of a step: S[1,1]."""
    found = parse_reference(word_of(node))
    if found is None or len(found.at) < 2:
        raise fault('must name an entry such as "S[1,1]", in quotes', node.place)
    return found


def covariances(node: Node, context: Context) -> tuple[Array, ...]:
    """The covariance of every row, or one for all: a number a stands for a times the identity."""
    inner = node.get(COVARIANCE) if isinstance(node, Mapped) and len(node.items) == 1 else None
    if inner is None:
        raise fault("is written {cov: ..}", node.place)
    items = one_or_more(inner)
    # Rows of numbers that form a square matrix are one covariance for all rows.
    rows = [item.items for item in items if isinstance(item, Sequence)]
    numbers = all(isinstance(entry, Scalar) for row in rows for entry in row)
    if rows and numbers and {len(row) for row in rows} == {len(items)}:
        return (covariance(inner, context),)
    return tuple(covariance(item, context) for item in items)


def covariance(node: Node, context: Context) -> Array:
    """One covariance, as floats."""
    if isinstance(node, Scalar):
        value = value_of(node, context, hidden=False)
        terms = value if isinstance(value, np.ndarray) else np.array([[value]], dtype=object)
    else:
        terms = read_matrix(node, context, hidden=False)
    return numbers_of(terms, Numeric())


key = Key(
    "sample",
    parse_sample,
    "Random inputs, around the given rows.",
    "sample: {K: {cov: [1]}, draws: 100, seed: 0}",
)
