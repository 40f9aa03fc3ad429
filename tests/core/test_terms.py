"""The closed vocabulary: every node is read by every reading."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest

from attncalc.core.fields import Numeric
from attncalc.core.fields.exact import Exact
from attncalc.core.fields.interval import Interval, points
from attncalc.core.readings.cost import cost
from attncalc.core.readings.derivative import pull_back, reletter
from attncalc.core.readings.magnitude import magnitude
from attncalc.core.readings.value import evaluate
from attncalc.core.terms import (
    Apply,
    Axis,
    Constant,
    Entry,
    Greatest,
    Negative,
    Ordinal,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
    Total,
    Valued,
    letters_of,
    map_members,
    members,
    place_indices,
)
from tests.core.test_notations import EVERY

ROW, COLUMN = Axis("i", 2), Axis("j", 3)
X, TWO = Entry("X", (ROW, COLUMN)), Constant(2)
NODES: dict[type, Term] = {
    type(term): term
    for term in (
        TWO, X, Valued(Entry("X", (0, 1)), TWO), Ordinal(COLUMN), Negative(X), Sum((X, TWO)), Product((X, TWO)),
        Quotient(X, TWO), Power(X, TWO), Apply("tanh", X), Total(COLUMN, X), Greatest(COLUMN, X),
    )
}  # fmt: skip
MATRIX = np.array([[1.0, 2.0, 3.0], [5.0, 4.0, 6.0]])


def test_every_node_is_tried() -> None:
    """A node that is added is added here."""
    assert set(NODES) == set(get_args(Term))


@pytest.mark.parametrize("term", NODES.values(), ids=lambda term: type(term).__name__)
def test_every_reading_reads_every_node(term: Term) -> None:
    """Walks, values in every field, cost, gradient, size, and every notation."""
    assert map_members(term, lambda member: member) == term
    assert reletter(reletter(term, {"i": "k"}), {"k": "i"}) == term
    assert letters_of(term) <= {"i", "j"} and not letters_of(place_indices(term, {"i": 0, "j": 0})) - {"j"}
    assert cost(term, (ROW, COLUMN)).exp == 0
    assert all(share.entry == X for share in pull_back(term, Entry("d")))
    assert magnitude(term).digits >= 1
    axes = tuple(axis for axis in (ROW, COLUMN) if axis.letter in letters_of(term))
    found = evaluate(term, {"X": MATRIX}, Numeric(), axes)
    exact = evaluate(term, {"X": Exact().from_floats(MATRIX)}, Exact(), axes)
    interval = evaluate(term, {"X": points(MATRIX)}, Interval(), axes)
    np.testing.assert_allclose(Exact().floats(exact), found)
    assert (interval.low <= found).all() and (found <= interval.high).all()
    for notation in EVERY:
        assert notation.write(term)[0]


def test_a_number_that_stands_for_an_entry_is_read_as_a_number() -> None:
    """It takes no entry, costs nothing, has no derivative, and its magnitude is its value."""
    valued = Valued(Entry("X", (0, 0)), TWO)
    assert members(valued) == (TWO,)
    assert evaluate(valued, {}, Numeric()) == 2
    assert magnitude(valued) == magnitude(TWO)
    assert cost(Apply("exp", valued), ()).exp == 0
    assert not list(pull_back(valued * valued, Entry("d")))


@pytest.mark.parametrize(("power", "times"), [(1, 0), (2, 1), (3, 2)])
def test_a_power_costs_its_multiplications(power: int, times: int) -> None:
    """x³ = x·x·x takes two of them."""
    assert cost(Power(X, Constant(power)), (ROW, COLUMN)).mul == times * ROW.size * COLUMN.size
