"""A problem file with other numbers: the same text, with some of its numbers drawn anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import accumulate, pairwise
from random import Random
from typing import TypeAlias

from attncalc.core.errors import ProblemError
from attncalc.core.fields import Floats
from attncalc.core.record import replace
from attncalc.exercise.keys.read_problem import is_turned
from attncalc.exercise.keys.readers import matrix, scores
from attncalc.exercise.load import Source
from attncalc.exercise.mechanisms import reader_of
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence
from attncalc.features.authoring.vary.draw_numbers import Matrix, Range, find_matrix

Drawn: TypeAlias = list[list[int]]
"""The drawn numbers of every matrix, in steps."""


class Template:
    """A problem file, and the matrices in it that may have other numbers."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.matrices = [*find_matrices(source)]

    @property
    def has_choice(self) -> bool:
        """Whether some number can change."""
        return any(not one.is_fixed and one.choices[0] < one.choices[1] for one in self.matrices)

    @cached_property
    def models(self) -> list[int]:
        """For each matrix the index of the first equal one: equal matrices stay equal when redrawn."""
        kinds = [(one.numbers, one.range) for one in self.matrices]
        return [kinds.index(kind) for kind in kinds]

    def draw(self, random: Random) -> Drawn:
        """Other numbers for every matrix."""
        drawn: Drawn = []
        for n, (one, model) in enumerate(zip(self.matrices, self.models, strict=True)):
            drawn.append(one.draw(random) if model == n else drawn[model])
        return drawn

    def to_floats(self, drawn: Drawn) -> dict[str, Floats]:
        """The drawn matrices as floats, by name."""
        triples = zip(self.matrices, self.models, drawn, strict=True)
        floats = {one.name: self.matrices[model].to_floats(numbers) for one, model, numbers in triples}
        in_columns = self.source.problem.in_columns
        return {
            name: x.swapaxes(-1, -2) if in_columns and x.ndim > 1 and is_turned(name) else x
            for name, x in floats.items()
        }

    def write(self, drawn: Drawn) -> Source:
        """The file with the drawn numbers."""
        texts: dict[int, tuple[str, str]] = {}
        for one, model, numbers in zip(self.matrices, self.models, drawn, strict=True):
            width = len if is_tall(one, self.source.text) else lambda _: 0
            pairs = zip(one.slots, map(self.matrices[model].write, numbers), strict=True)
            texts |= {slot.start: (slot.text, new.rjust(width(slot.text))) for slot, new in pairs}
        return replace(self.source, text=with_texts(self.source.text, texts))


def in_lines(source: Source) -> Source:
    """A file with each of its keys on its own line: a mapping in braces, as JSON is, without them."""
    text = source.text
    if not text.lstrip().startswith("{"):
        return source
    starts = [*accumulate(map(len, text.splitlines(keepends=True)), initial=0)]
    keys = [starts[key.place.line - 1] + key.place.column - 1 for key, _ in source.root.items]
    pieces = [text[start:end] for start, end in pairwise((*keys, text.rindex("}")))]
    lines = [re.sub(KEY, r"\1: ", " ".join(piece.split()).rstrip(", "), count=1) for piece in pieces]
    changed = replace(source, text="".join(f"{line}\n" for line in lines))
    try:
        is_same = repr(changed.problem.settings) == repr(source.problem.settings)
    except ProblemError:
        is_same = False
    return changed if is_same else source


KEY = r"^(\"[^\"]*\"|'[^']*'|[^:]*?)\s*:\s*"


def with_texts(text: str, changes: dict[int, tuple[str, str]]) -> str:
    """A text with some pieces replaced; `changes` gives the old and the new text by start."""
    pieces, end = [], 0
    for start, (old, new) in sorted(changes.items()):
        before = text[end:start]
        # A longer number replaces spaces that aligned the old one with the rows below.
        spare = len(before) - len(before.rstrip(" ")) - (not before.rstrip(" ").endswith("["))
        cut = max(0, min(spare, len(new) - len(old)))
        pieces += [before[: len(before) - cut], new]
        end = start + len(old)
    return "".join((*pieces, text[end:]))


def is_tall(matrix: Matrix, text: str) -> bool:
    """Whether a matrix is written on several lines."""
    first, last = matrix.slots[0].start, matrix.slots[-1].start
    return "\n" in text[first:last]


def find_matrices(source: Source) -> Iterator[Matrix]:
    """The matrices that may change: those named under `vary`, else all, and the definitions they refer to."""
    root, problem = source.root, source.problem
    let = root.get("let")
    defined = {key.text: node for key, node in let.items} if isinstance(let, Mapped) else {}
    given = {key.text: node for key, node in root.items if reader_of(key.text) in (matrix, scores)}
    known = {**given, **defined}
    wanted = dict(problem.vary) or dict.fromkeys(given)
    seen: set[str] = set()
    while wanted:
        name, bounds = next(iter(wanted.items()))
        del wanted[name]
        if name in known and name not in seen:
            found = find_matrix(name, known[name], source.text, Range(*bounds) if bounds else None)
            yield from [found] if found else []
            wanted |= {other: bounds for other in words_in(known[name]) if other in defined}
        seen.add(name)


def words_in(node: Node) -> set[str]:
    """The names that a value refers to."""
    if isinstance(node, Scalar):
        return set(re.findall(r"[A-Za-z]\w*", node.text))
    if isinstance(node, Sequence):
        return set(re.findall(r"[A-Za-z]\w*", node.source)).union(*map(words_in, node.items))
    return set()
