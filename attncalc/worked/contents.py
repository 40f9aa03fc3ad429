"""A list of problems, by the sheets that they are from."""

from __future__ import annotations

from collections.abc import Iterable

from attncalc.exercise.problem import Problem
from attncalc.worked.blocks import Block, Document, Heading, Listing

OTHERS = "Other sources"


def contents(problems: Iterable[tuple[str, Problem]]) -> Document:
    """Names and titles under their sheets; problems that are the only one of theirs come last."""
    sheets: dict[str, list[tuple[str, str]]] = {}
    for name, problem in problems:
        sheets.setdefault(sheet_of(problem), []).append((name, problem.title))
    several = {sheet: entries for sheet, entries in sheets.items() if len(entries) > 1}
    alone = [entry for sheet, entries in sheets.items() if sheet not in several for entry in entries]
    blocks: list[Block] = []
    for sheet, entries in (*several.items(), *([(OTHERS, alone)] if alone else [])):
        blocks += [Heading(sheet, 2), Listing(tuple(entries))]
    return Document(tuple(blocks), title="Bundled problems")


def sheet_of(problem: Problem) -> str:
    """The sheet, book or lecture that a problem is from, without its place in it."""
    return problem.source.partition(",")[0]


def is_about(name: str, problem: Problem, word: str) -> bool:
    """Whether a word stands in a problem's name, title or source, or is one of its keys."""
    told = " ".join((name, problem.title, problem.source, *problem.settings))
    return word.lower() in told.lower()
