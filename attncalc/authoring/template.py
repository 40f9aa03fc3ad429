"""A problem file with other numbers: the same text, with some of its numbers drawn anew."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from attncalc.authoring.slots import Matrix, Range, find_matrix
from attncalc.inputs.nodes import Mapped, Node, Scalar, Sequence
from attncalc.inputs.readers import matrix, scores
from attncalc.loading.load import Source
from attncalc.mechanisms import reader_of
from attncalc.record import changed


class Template:
    """A problem file, and the matrices in it that may have other numbers."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.matrices = [*find_matrices(source)]

    @property
    def has_choice(self) -> bool:
        """Whether some number can be another."""
        return any(not one.is_fixed and one.choices[0] < one.choices[1] for one in self.matrices)

    def draw(self, random: Random) -> Source:
        """The file with other numbers; matrices that are equal stay equal."""
        drawn: dict[object, list[str]] = {}
        texts: dict[int, tuple[str, str]] = {}
        for one in self.matrices:
            key = one.numbers, one.range
            if key not in drawn:
                drawn[key] = [one.write(number) for number in one.draw(random)]
            texts |= {slot.start: (slot.text, new) for slot, new in zip(one.slots, drawn[key], strict=True)}
        return changed(self.source, text=with_texts(self.source.text, texts))


def with_texts(text: str, changes: dict[int, tuple[str, str]]) -> str:
    """A text with others in place of some pieces, by where they start."""
    pieces, end = [], 0
    for start, (old, new) in sorted(changes.items()):
        pieces += [text[end:start], new]
        end = start + len(old)
    return "".join((*pieces, text[end:]))


def find_matrices(source: Source) -> Iterator[Matrix]:
    """The matrices that may change: those that the file names, else all, and what they are defined by."""
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
