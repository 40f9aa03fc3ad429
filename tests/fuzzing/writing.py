"""Numbers and matrices as people write them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from random import Random

PALETTES: dict[str, tuple[str, ...]] = {
    "whole": ("0", "1", "2", "3", "-1", "-2", "-3"),
    "fractions": ("0", "1", "-1", "1/2", "-2/3", "5/4", "2"),
    "roots": ("0", "1", "-2", "sqrt(2)", "-sqrt(3)/2", "2sqrt(2)", "√2", "1/sqrt(2)"),
    "decimals": ("0.5", "-1.25", ".5", "2.", "1e-3", "0.10", "-0.333", "1", "0"),
    "powers": ("e^2", "exp(-1)", "ln(3)", "pi", "tanh(1)", "sin(1)", "cos(pi/3)", "1", "0", "e", "-1"),
    "spelt": ("½", "−2", r"\frac{1}{2}", r"\sqrt{2}", "017", "+3", "1E1", "2^3", "2**3", r"2\cdot 3", "-0"),
    "large": ("100", "-500", "1000", "0.001", "1e4", "-1e-5", "123456"),
    "one": ("1",),
}
LETTERS = ("beta", "-beta", "2*beta", "beta/2", "beta^2", "x", "x + 1", "0", "1", "-1", "1", "0")
PLAIN = r"[\w.(/+-][\w.()/^+* -]*"
LAYOUTS = ("list", "rows", "matlab", "spaced", "latex", "mathematica", "numpy", "sympy")
"""A list of lists five times out of six; the others are what programs print."""


def quoted(text: str) -> str:
    """A text as YAML, in quotes if it needs them."""
    return text if re.fullmatch(PLAIN, text) else json.dumps(text, ensure_ascii=False)


def write_list(items: Sequence[str]) -> str:
    """A list in brackets."""
    return f"[{', '.join(items)}]"


def write_mapping(items: dict[str, str]) -> str:
    """A mapping in braces."""
    return f"{{{', '.join(f'{key}: {value}' for key, value in items.items())}}}"


class Pen:
    """Writes numbers of one kind, and matrices of them in every layout."""

    def __init__(self, random: Random, numbers: Sequence[str]) -> None:
        self.random, self.numbers = random, numbers
        self.let: dict[str, str] = {}
        """What has been defined on the way."""

    def number(self) -> str:
        """A number."""
        return self.random.choice(self.numbers)

    def rows(self, *shape: int) -> str:
        """Nested lists of numbers, as many levels as there are sizes."""
        if not shape:
            return quoted(self.number())
        return write_list([self.rows(*shape[1:]) for _ in range(shape[0])])

    def matrix(self, *shape: int) -> str:
        """A matrix, or a batch of them, in some layout."""
        roll = self.random.random()
        if roll < 0.8 or len(shape) > 2:
            return self.rows(*shape)
        if roll < 0.85:
            return self.computed(*shape)
        if roll < 0.9:
            name = f"m{len(self.let) + 1}"
            self.let[name] = self.rows(*shape)
            return name
        if roll < 0.93 and shape[0] <= 4 and shape[1] <= 4:
            return f"{{file: arrays.npz, key: m{shape[0]}x{shape[1]}}}"
        return self.printed(self.random.choice(LAYOUTS), *shape)

    def vector(self, size: int) -> str:
        """A vector, perhaps as a matrix of one row."""
        return self.rows(size) if self.random.random() < 0.7 else self.matrix(1, size)

    def computed(self, rows: int, columns: int) -> str:
        """The matrix that an expression evaluates to."""
        entries = ", ".join(self.number() for _ in range(rows))
        forms = [
            f"zeros({rows}, {columns})",
            f"ones({rows}, {columns})",
            f"{self.number()}*ones({rows}, {columns})",
        ]
        if rows == columns:
            forms += [f"identity({rows})", f"diag({entries})", f"2*identity({rows}) - ones({rows}, {rows})"]
        else:
            forms += [f"transpose(ones({columns}, {rows}))", f"ones({rows}, 2)*ones(2, {columns})"]
        return quoted(self.random.choice(forms))

    def printed(self, layout: str, rows: int, columns: int) -> str:
        """A matrix as a program prints it, or a person types it."""
        cells = [[self.number() for _ in range(columns)] for _ in range(rows)]
        commas = [", ".join(row) for row in cells]
        listed = f"[{', '.join(f'[{row}]' for row in commas)}]"
        typeset = " \\\\ ".join(" & ".join(row) for row in cells)
        texts = {
            "list": listed,
            "rows": f"stack({', '.join(f'[{row}]' for row in commas)})",
            "matlab": f"[{'; '.join(commas)}]",
            "spaced": f"[{'; '.join(' '.join(row) for row in cells)}]" if self.is_tight(cells) else listed,
            "latex": rf"\begin{{bmatrix}}{typeset}\end{{bmatrix}}",
            "mathematica": f"{{{', '.join(f'{{{row}}}' for row in commas)}}}",
            "numpy": f"array({listed})",
            "sympy": f"Matrix({listed})",
        }
        return json.dumps(texts[layout], ensure_ascii=False)

    @staticmethod
    def is_tight(cells: list[list[str]]) -> bool:
        """Whether no number has spaces in it."""
        return not any(" " in cell for row in cells for cell in row)
