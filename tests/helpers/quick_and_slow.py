"""Which cases of a test are quick, and which run among the slow tests only."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Set
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import settings

SLOW = pytest.mark.slow
Member = TypeVar("Member")


def sizes(**amounts: tuple[int, int]) -> pytest.MarkDecorator:
    """Parametrize a test: the first of each amount is quick, the second slow."""
    quick, whole = zip(*amounts.values(), strict=True)
    return pytest.mark.parametrize(tuple(amounts), [pytest.param(*quick), pytest.param(*whole, marks=SLOW)])


def each(
    names: str | tuple[str, ...], members: Iterable[Member], quick: Collection[Member]
) -> pytest.MarkDecorator:
    """Parametrize a test over a table: the members in `quick` are quick, all others slow; a file's id is its name."""
    marked = [
        pytest.param(
            *(member if isinstance(member, tuple) else (member,)),
            marks=() if member in quick else SLOW,
            id=member.stem if isinstance(member, Path) else None,
        )
        for member in members
    ]
    return pytest.mark.parametrize(names, marked)


def representatives(members: Iterable[Member], contents: Callable[[Member], Set[object]]) -> Iterator[Member]:
    """Yield the members with contents that no earlier member has; together they have all contents."""
    seen: set[object] = set()
    for member in members:
        if not contents(member) <= seen:
            yield member
        seen |= contents(member)


def examples(times: float) -> settings:
    """Settings for a law with a multiple of the usual number of examples."""
    return settings(max_examples=round(times * settings().max_examples))
