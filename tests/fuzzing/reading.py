"""A problem file read without the program: YAML's plain texts, and Python's own arithmetic.

It reads what `writing` writes and what people usually write; anything else is not covered.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Tree = Any
"""Nested dictionaries and lists with texts at their ends, as YAML has them."""


class NotCovered(Exception):
    """What the reference does not know."""


class Matrix(np.ndarray[Any, np.dtype[np.float64]]):
    """An array on which * is the matrix product."""

    def __mul__(self, other: Any) -> Any:
        """The product of two matrices, or of a matrix and a number."""
        if not isinstance(other, np.ndarray) or 0 in (self.ndim, other.ndim):
            return np.multiply(self, other)
        if (self.ndim, other.ndim) != (2, 2):
            raise NotCovered("a product of vectors")
        return self @ other


def as_matrix(values: Any) -> Matrix:
    """Anything like an array."""
    return np.asarray(values, dtype=np.float64).view(Matrix)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "sqrt": math.sqrt, "exp": math.exp, "ln": math.log, "log": math.log, "tanh": math.tanh, "sin": math.sin,
    "cos": math.cos, "erf": math.erf, "transpose": lambda a: as_matrix(np.transpose(a)),
    "outer": lambda u, v: as_matrix(np.outer(u, v)), "dot": lambda u, v: float(np.dot(u, v)),
    "identity": lambda n: as_matrix(np.eye(n)), "zeros": lambda m, n: as_matrix(np.zeros((m, n))),
    "ones": lambda m, n: as_matrix(np.ones((m, n))), "diag": lambda *x: as_matrix(np.diag(x)),
    "stack": lambda *rows: as_matrix(np.stack(rows)), "array": as_matrix, "Matrix": as_matrix,
}  # fmt: skip
LETTERS = {"beta": 1.3, "x": 0.7}
"""What free letters stand for."""
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "oo": math.inf}
REWRITTEN = [
    (r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))"), (r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)"), (r"\\cdot", "*"),
    (r"√([0-9]+)", r"sqrt(\1)"), ("½", "(1/2)"), ("−", "-"), ("∞", "inf"), (r"\^", "**"),
    (r"(?<![\w.])0+(?=[0-9])", ""), (r"(?<=[0-9])(?=sqrt|pi|\()", "*"), (r"(?<=\))(?=[\w(])", "*"),
]  # fmt: skip
"""How people write, and how Python reads it."""
SAFE = r"[\w\s.,+*/()\[\]-]*"


def evaluate(text: str, names: dict[str, Any]) -> Any:
    """The number or matrix that a text stands for."""
    for pattern, plain in REWRITTEN:
        text = re.sub(pattern, plain, text)
    if not re.fullmatch(SAFE, text) or "__" in text:
        raise NotCovered(text)
    try:
        return eval(text, {"__builtins__": {}}, {**CONSTANTS, **FUNCTIONS, **names})
    except NotCovered:
        raise
    except Exception as error:
        raise NotCovered(f"{text}: {error}") from None


def read_value(tree: Tree, names: dict[str, Any], folder: Path) -> Any:
    """A number, a vector or a matrix, however it is written."""
    if isinstance(tree, dict):
        return read_file(tree, folder)
    if isinstance(tree, list):
        return as_matrix([read_value(item, names, folder) for item in tree])
    text = tree.strip()
    if "matrix}" in text:
        inner = re.sub(r"\\(?:begin|end)\{\w+\}", "", text)
        return read_value([row.split("&") for row in inner.split(r"\\")], names, folder)
    if text.startswith("{"):
        text = text.replace("{", "[").replace("}", "]")
    if text.startswith("[") and (";" in text or ("," not in text and " " in text)):
        rows = text.strip("[]").split(";")
        return read_value([re.split(r",\s*|\s+", row.strip()) for row in rows], names, folder)
    value = evaluate(text, names)
    return as_matrix(value) if isinstance(value, list) else value


def read_file(tree: dict[str, Tree], folder: Path) -> Matrix:
    """An array in a file."""
    with np.load(folder / tree["file"]) as archive:
        return as_matrix(archive[tree["key"]])


class Reader:
    """A problem file: its settings as texts, its matrices as arrays."""

    def __init__(self, text: str, folder: Path) -> None:
        try:
            self.tree: dict[str, Tree] = yaml.load(text, yaml.BaseLoader)
        except yaml.YAMLError as error:
            raise NotCovered("what YAML does not read") from error
        self.folder, self.names = folder, dict[str, Any](LETTERS if "symbols" in self.tree else {})
        self.moved: dict[str, Floats] = {}
        """What is added to matrices, by their keys."""
        for name, value in self.tree.get("let", {}).items():
            self.names[name] = self.value(value)

    def value(self, tree: Tree) -> Any:
        """What a part of the file stands for."""
        return read_value(tree, self.names, self.folder)

    def matrix(self, key: str) -> Floats | None:
        """The matrix under a key; a vector is one row."""
        return self.as_rows(self.tree[key]) + self.moved.get(key, 0.0) if key in self.tree else None

    def as_rows(self, tree: Tree) -> Floats:
        """A matrix; a vector is one row."""
        return np.atleast_2d(np.array(self.value(tree), dtype=np.float64))

    def word(self, key: str, default: str = "none") -> Tree:
        """A setting as it is written."""
        return self.tree.get(key, default)
