"""Students: List the bundled problems, or those about a word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

import click

from attncalc.cli.options import writes
from attncalc.cli.printer import Printer
from attncalc.core.errors import fault, inert, quote
from attncalc.core.record import record
from attncalc.exercise.bundled import find_bundled, list_bundled
from attncalc.exercise.problem import Problem
from attncalc.exercise.yaml.reader import read_yaml
from attncalc.exercise.yaml.tree import Mapped, Scalar
from attncalc.worked.blocks import Block, Document, Heading, Listing

OTHERS = "Other sources"
KEY = re.compile(r"^(\w+):", re.MULTILINE)
"""A key of a bundled problem, at the start of a line."""
SHOWN = ("title", "source")


@record
class Listed:
    """A problem as it is listed: its name, title and source, and the keys that mechanisms read."""

    name: str
    title: str
    source: str
    keys: tuple[str, ...]

    @property
    def sheet(self) -> str:
        """The sheet, book or lecture that the problem is from, without its place in it."""
        return self.source.partition(",")[0]

    def is_about(self, word: str) -> bool:
        """Whether the name, title, source or a key contains a word."""
        return word.lower() in " ".join((self.name, self.title, self.source, *self.keys)).lower()


def read_listed(name: str) -> Listed:
    """Read the title, the source and the names of the keys of a bundled problem, and nothing else."""
    with open(find_bundled(name), encoding="utf-8") as file:
        text = file.read()
    starts = [found.start() for found in KEY.finditer(text)]
    entries = dict(zip(KEY.findall(text), pairwise([*starts, len(text)]), strict=True))
    lines = "".join(text[slice(*entries[key])] for key in SHOWN if key in entries)
    said = read_yaml(lines.encode(), name) if lines else None
    title, source = (text_of(said, key) for key in SHOWN)
    return Listed(name, title, source, tuple(key for key in entries if key not in Problem.__match_args__))


def text_of(said: Mapped | None, key: str) -> str:
    """Return the text under a key, on one line; empty if there is none."""
    node = said.get(key) if said else None
    return inert(node.on_one_line) if isinstance(node, Scalar) else ""


def contents(problems: Iterable[Listed]) -> Document:
    """List names and titles under their sheets; problems that are alone on their sheet come last."""
    sheets: dict[str, list[tuple[str, str]]] = {}
    for problem in problems:
        sheets.setdefault(problem.sheet, []).append((problem.name, problem.title))
    several = {sheet: entries for sheet, entries in sheets.items() if len(entries) > 1}
    alone = [entry for sheet, entries in sheets.items() if sheet not in several for entry in entries]
    blocks: list[Block] = []
    for sheet, entries in (*several.items(), *([(OTHERS, alone)] if alone else [])):
        blocks += [Heading(sheet, 2), Listing(tuple(entries))]
    return Document(tuple(blocks), title="Bundled problems")


@click.command()
@click.argument("word", required=False)
@writes("documents", "data")
def command(output: Printer, word: str | None) -> None:
    """List the bundled problems by sheet, or those that have WORD in their name, title, source or keys."""
    found = [problem for problem in map(read_listed, list_bundled()) if problem.is_about(word or "")]
    if not found:
        raise fault(f"no bundled problem has {quote(word or '')} in its name, title, source or keys")
    output.write(
        documents=lambda: contents(found),
        data=lambda: [
            {"name": problem.name, "title": problem.title, "source": problem.source} for problem in found
        ],
    )
