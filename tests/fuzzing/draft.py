"""A problem file under construction: its keys so far, its sizes, and the pen that it is written with."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

from tests.fuzzing.writing import LETTERS, PALETTES, Pen, write_mapping

Thing = TypeVar("Thing")


class Draft:
    """A problem file under construction."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.letters = self.happens(0.1)
        palette = PALETTES[self.choose([*PALETTES, "whole", "whole", "fractions", "decimals"])]
        self.pen = Pen(random, LETTERS if self.letters else palette)
        self.keys: dict[str, str] = {}
        most = 2 if self.letters else 3
        self.queries, self.key_rows, self.model = (random.randint(1, most) for _ in range(3))
        self.heads = self.choose([1, 1, 1, 1, 2] if self.letters else [1, 1, 1, 2, 2, 3, 4])
        self.shared = self.choose([n for n in range(1, self.heads + 1) if self.heads % n == 0])
        self.width, self.value_width = self.choose([1, 2, 2, 2, 3, 4]), random.randint(1, 3)
        self.past = random.randint(1, 2) if self.happens(0.15) else 0
        self.batch = (2,) if self.happens(0.1) else ()
        self.has_values, self.output_width = True, 0
        """Whether there is an output, and how wide it is."""
        self.labels = 0
        """How many logits a row has, if it has any."""

    def happens(self, chance: float) -> bool:
        """Whether something happens, by chance."""
        return self.random.random() < chance

    def choose(self, things: Sequence[Thing]) -> Thing:
        """One of some things."""
        return self.random.choice(things)

    @property
    def is_turned(self) -> bool:
        """Whether weights are written with their outputs first."""
        return self.keys.get("weights") == "out-in"

    @property
    def all_keys(self) -> int:
        """The keys that a query sees, cached ones included."""
        return self.past + self.key_rows

    def weight(self, rows: int, columns: int) -> str:
        """A weight matrix, in the convention of the file."""
        return self.pen.matrix(*((columns, rows) if self.is_turned else (rows, columns)))

    def to_text(self) -> str:
        """The file; what is used is defined first."""
        let = {"let": write_mapping(self.pen.let)} if self.pen.let else {}
        symbols = {"symbols": "{beta: positive, x: real}"} if self.letters else {}
        items = list({**symbols, **let, **self.keys}.items())
        if self.happens(0.2):
            self.random.shuffle(items)
        return "".join(f"{key}: {value}\n" for key, value in items)
