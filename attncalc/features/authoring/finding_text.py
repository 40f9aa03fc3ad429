"""Findings for people: a line each, then how good a test the exercise is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.core.errors import inert
from attncalc.features.authoring.lint.findings import Lint
from attncalc.pages import Page


def render(found: Sequence[Lint], _: Page) -> str:
    """The lines of all problems."""
    return "\n".join(line for one in found for line in lines_of(one, is_one_of_many=len(found) > 1))


def lines_of(found: Lint, is_one_of_many: bool) -> Iterator[str]:
    """The findings of one problem, then its summary."""
    yield from map(str, found.findings)
    yield f"{inert(found.problem)}: {found.summary}" if is_one_of_many else found.summary
