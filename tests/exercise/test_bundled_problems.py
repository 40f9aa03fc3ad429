"""The bundled problems are chosen for tests by the text of their files; here the choice is checked."""

from __future__ import annotations

from attncalc.exercise.mechanisms import is_derivation
from tests.helpers.bundled import (
    FEW,
    GRAPHS,
    KEYED,
    NAMES,
    NUMERIC,
    ONE_SEQUENCE,
    PROBLEMS,
    STATED,
    WORKED,
    contents,
)


def test_the_keys_in_the_text_are_the_keys_that_are_read() -> None:
    """Every key stands at the start of a line."""
    assert {name: {*STATED[name]} for name in NAMES} == {name: {*PROBLEMS[name].origins} for name in NAMES}


def test_problems_are_sorted_by_what_they_hold() -> None:
    """Matrices, no free letters, no batch, a published key."""
    assert [name for name in NAMES if not is_derivation(PROBLEMS[name])] == WORKED
    assert [name for name in WORKED if not PROBLEMS[name].symbols] == NUMERIC
    two = [name for name in NUMERIC if all(len(shape) == 2 for shape in GRAPHS[name].shapes.values())]
    assert two == ONE_SEQUENCE
    assert [name for name in WORKED if PROBLEMS[name].answers] == KEYED


def test_the_few_problems_of_the_quick_tests_hold_everything() -> None:
    """A problem with a key or an operation that none of them has belongs on the list."""
    held = set().union(*map(contents, FEW))
    assert {name: contents(name) - held for name in NAMES if not contents(name) <= held} == {}
