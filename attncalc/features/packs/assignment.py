"""An assignment for another system: an exercise or its variants, and the level of feedback."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TypeAlias

from attncalc.core.errors import Place, fault
from attncalc.core.record import record
from attncalc.exercise.load import Source, load_source
from attncalc.exercise.numbers.arrays import LARGEST_ARRAYS
from attncalc.exercise.solve.solve import solve
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence, read_bytes
from attncalc.features.authoring.vary.vary import Variation
from attncalc.features.classes.variants import find_variants
from attncalc.marking.report.levels import Level

Files: TypeAlias = dict[str, str | bytes]
"""The contents of files, by name."""
EVERYBODY = "001"
"""The variant of a seed that all students get, as `vary` numbers them."""
FOLDER = "problem"
"""Where problem files stand, apart from what a system has names for."""
UNNAMED = "problem.yaml"
"""What a problem from standard input is called."""


@record
class Assignment:
    """An exercise, or one for each student; the level of feedback; and a seed for other numbers."""

    source: Source
    level: Level = Level.MISTAKE
    seed: int | None = None
    own: tuple[tuple[str, Source], ...] = ()

    @property
    def sources(self) -> dict[str, Source]:
        """The problem files by name: one for each student, or the common one."""
        if self.own:
            return {os.path.basename(source.name): source for _, source in self.own}
        return {name_of(self.source): self.varied}

    @property
    def varied(self) -> Source:
        """The common exercise, with other numbers if there is a seed."""
        if self.seed is None:
            return self.source
        (variant,) = Variation(self.source, self.seed).make_all([EVERYBODY])
        return variant.source


def assemble(file: str, level: Level, seed: int | None) -> Assignment:
    """A problem file, or a folder of variants, ready to be packed; derivations alone are refused."""
    if not os.path.isdir(file):
        found = Assignment(load_source(file), level, seed)
    elif seed is not None:
        raise fault("is a folder of variants, which have their own numbers: leave out --seed", Place(file))
    else:
        own = tuple((id_, load_source(name)) for id_, name in find_variants(file).items())
        found = Assignment(own[0][1], level, own=own)
    problem = found.source.problem
    if not solve(problem).steps:
        raise fault("asks for derivations only: there are no numbers to mark", problem.place("parts"))
    return found


def name_of(source: Source) -> str:
    """The name of a problem file in a pack; answers name it without the extension."""
    return os.path.basename(source.name) if source.name != "-" else UNNAMED


def files_of(sources: dict[str, Source]) -> dict[str, bytes]:
    """Problem files in a folder, with the array files that they refer to."""
    found = {os.path.join(FOLDER, name): source.text.encode() for name, source in sources.items()}
    for source in sources.values():
        for name in find_arrays(source.root):
            data = read_bytes(os.path.join(source.folder, name), LARGEST_ARRAYS)
            found[os.path.normpath(os.path.join(FOLDER, name))] = data
    return found


def find_arrays(node: Node) -> Iterator[str]:
    """The array files that are named in a problem file."""
    if isinstance(node, Mapped):
        for key, value in node.items:
            if key.text == "file" and isinstance(value, Scalar):
                yield value.text
            yield from find_arrays(value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from find_arrays(item)
