"""A run: tries from a seed, counted, and what they found."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, count, takewhile
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from attncalc.exercise.bundled import folder_of_bundled, list_bundled
from tests.fuzzing.checks import Checks
from tests.fuzzing.commands import Found
from tests.fuzzing.mutations import mutate
from tests.fuzzing.problems import write_problem

KINDS = ("made", "made", "made", "mutated", "bundled")
"""What is tried: problems as they are made, the same with something changed, bundled ones with something changed."""


class Fault(NamedTuple):
    """A fault that a try found, and how to see it again."""

    seed: str
    number: int
    kind: str
    text: str
    story: str

    def __str__(self) -> str:
        return f"=== {self.kind}   (--seed {self.seed} --only {self.number})\n{self.text}--- {self.story}\n"


class Run:
    """Tries of one seed, in a new folder."""

    def __init__(self, seed: str, folder: Path) -> None:
        self.seed, self.counts = seed, Counter[str]()
        self.checks = Checks(folder, self.counts)
        self.pairs: set[tuple[str, ...]] = set()
        self.keys: set[str] = set()
        sizes = [(rows, columns) for rows in range(1, 5) for columns in range(1, 5)]
        numbers = np.random.default_rng(0)
        arrays = {f"m{r}x{c}": numbers.integers(-3, 4, (r, c)) / 4 for r, c in sizes}
        np.savez(folder / "arrays.npz", **arrays)  # type: ignore[arg-type]

    def tries(self, seconds: float) -> Iterator[Fault]:
        """One try after the other for so much processor time; what they find."""
        end = time.process_time() + seconds
        for number in takewhile(lambda _: time.process_time() < end, count()):
            yield from self.one(number)

    def one(self, number: int) -> Iterator[Fault]:
        """The try of a number: a problem as it was made, or one that was changed."""
        random = Random(f"{self.seed}/{number}")
        kind = random.choice(KINDS)
        text = bundled(random) if kind == "bundled" else write_problem(random)
        if kind == "made":
            self.note_keys(text)
        else:
            text = mutate(random, text)
        before = self.counts["accepted"]
        try:
            self.checks(random, text, known=kind == "made")
        except Found as found:
            yield Fault(self.seed, number, found.kind, text, found.story)
        self.counts[kind] += 1
        self.counts[f"{kind} accepted"] += self.counts["accepted"] - before

    def note_keys(self, text: str) -> None:
        """Which keys stood beside each other."""
        keys = keys_of(text)
        self.keys |= keys
        self.pairs |= {*combinations(sorted(keys), 2)}


def keys_of(text: str) -> set[str]:
    """The keys of a problem that was made, one a line, without the numbers of heads."""
    return {re.sub(r"(?<=[QKV])_[0-9]+$", "", line.partition(":")[0]) for line in text.splitlines()}


def bundled(random: Random) -> str:
    """The text of a bundled problem."""
    return Path(folder_of_bundled(), f"{random.choice(list_bundled())}.yaml").read_text("utf-8")
