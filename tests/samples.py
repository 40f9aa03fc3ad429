"""How much of a test runs every day, and how much among the slow ones."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pytest
from hypothesis import settings

SLOW = pytest.mark.slow


def sizes(**amounts: tuple[int, int]) -> pytest.MarkDecorator:
    """A test with the first of each amount every day, and with the second among the slow tests."""
    quick, whole = zip(*amounts.values(), strict=True)
    return pytest.mark.parametrize(tuple(amounts), [pytest.param(*quick), pytest.param(*whole, marks=SLOW)])


def each(name: str, members: Iterable[str], quick: Collection[str]) -> pytest.MarkDecorator:
    """A test of all members of a table, every day only of these."""
    marked = [member if member in quick else pytest.param(member, marks=SLOW) for member in members]
    return pytest.mark.parametrize(name, marked)


def examples(times: float) -> settings:
    """A law with so many times the usual number of examples."""
    return settings(max_examples=round(times * settings().max_examples))
