"""Arithmetic and functions of vectors and matrices of terms."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from operator import mul
from typing import TypeAlias

import numpy as np

from attncalc.core.fields import Array
from attncalc.core.terms import Constant, Negative, Quotient, Term

Value: TypeAlias = Term | Array

LARGEST_MATRIX = 50_000


class SizeError(ValueError):
    """Sizes that do not fit or are too large."""


def check_size(value: Value) -> Value:
    """Return the value if it is not too large, else raise SizeError."""
    if isinstance(value, np.ndarray) and value.size > LARGEST_MATRIX:
        raise SizeError(f"has more than {LARGEST_MATRIX:,} entries")
    return value


def negative(value: Value) -> Value:
    """−value; a literal takes the sign itself."""
    if isinstance(value, np.ndarray):
        return over_entries(negative, value)
    if isinstance(value, Constant):
        return Constant(-value.value, value.places)
    return Negative(value)


def over_entries(change: Callable[..., Value], *values: Value) -> Array:
    """Apply a function to every entry."""
    return np.asarray(np.frompyfunc(change, len(values), 1)(*values), dtype=object)


def apply_sign(sign: str, left: Value, right: Value) -> Value:
    """Return `left sign right`, for numbers, vectors and matrices."""
    matrices = [v for v in (left, right) if isinstance(v, np.ndarray)]
    if sign in "+-":
        if len(matrices) == 1 or (len(matrices) == 2 and matrices[0].shape != matrices[1].shape):
            raise SizeError("sizes differ: " + " and ".join(map(size_of, (left, right))))
        return left + (right if sign == "+" else negative(right))
    if sign == "/":
        if isinstance(right, np.ndarray):
            raise SizeError("divides by a matrix")
        return over_entries(Quotient, left, right) if matrices else Quotient(left, right)  # type: ignore[arg-type]
    if len(matrices) == 2:
        return product_of(left, right)  # type: ignore[arg-type]
    return over_entries(mul, left, right) if matrices else left * right


def product_of(left: Array, right: Array) -> Value:
    """Return the matrix product; a vector before a row is a column, behind one it gives a number."""
    if left.ndim == 1 and right.ndim == 2 and len(right) == 1:
        left = left[:, None]
    if left.shape[-1] != right.shape[0]:
        raise SizeError(f"sizes do not fit: {size_of(left)} times {size_of(right)}")
    if left.size * right.size // left.shape[-1] > LARGEST_MATRIX:
        raise SizeError(f"takes more than {LARGEST_MATRIX:,} products")
    found = np.matmul(left, right)
    return found[0] if left.ndim == 2 and right.ndim == 1 and len(left) == 1 else found  # type: ignore[no-any-return]


def size_of(value: Value) -> str:
    """Return rows × columns as text, or 'a number'."""
    return "×".join(map(str, value.shape)) if isinstance(value, np.ndarray) else "a number"


def stack(rows: list[list[Value]]) -> Array:
    """Stack rows of entries, which may be arrays themselves, into one array."""
    if rows[-1] == [] and len(rows) > 1:
        rows = rows[:-1]
    lengths = [len(row) for row in rows]
    if 0 in lengths:
        raise SizeError("is empty")
    if len(set(lengths)) > 1:
        raise SizeError(f"rows have different lengths: {', '.join(map(str, lengths))}")
    if len(rows) > 1:
        return np.stack([stack([row]) for row in rows])
    (row,) = rows
    shapes = {v.shape if isinstance(v, np.ndarray) else () for v in row}
    if len(shapes) > 1:
        raise SizeError("rows have different lengths")
    if shapes == {()}:
        array = np.empty(len(row), dtype=object)
        array[:] = row
        return array
    return np.stack(row)  # type: ignore[arg-type]


def whole_number(value: Value) -> int:
    """Return a size that is given as an argument."""
    if not isinstance(value, Constant) or not isinstance(value.value, int):
        raise SizeError("a size is a whole number")
    if not 1 <= value.value <= LARGEST_MATRIX:
        raise SizeError(f"a size is from 1 to {LARGEST_MATRIX:,}")
    return value.value


def fill(value: int, *sizes: Value) -> Array:
    """Return a matrix filled with one number."""
    rows, columns = side_by_side(sizes)
    shape = whole_number(rows), whole_number(columns)
    if shape[0] * shape[1] > LARGEST_MATRIX:
        raise SizeError(f"has more than {LARGEST_MATRIX:,} entries")
    return np.full(shape, Constant(value), dtype=object)


def side_by_side(arguments: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the arguments, or the entries of a single vector: ones((2, 3))."""
    first = arguments[0]
    return tuple(first) if len(arguments) == 1 and isinstance(first, np.ndarray) else arguments


def diagonal(*entries: Value) -> Array:
    """Return a matrix with these numbers, or this vector, on its diagonal."""
    values = side_by_side(entries)
    size = Constant(len(values))
    matrix = fill(0, size, size)
    np.fill_diagonal(matrix, np.array(values, dtype=object))
    return matrix


def identity(size: Value) -> Array:
    """The identity matrix."""
    matrix = fill(0, size, size)
    np.fill_diagonal(matrix, Constant(1))
    return matrix


def transpose(a: Value) -> Array:
    """Return the transpose of a matrix; a vector becomes one row."""
    if not isinstance(a, np.ndarray):
        raise SizeError("a number has neither rows nor columns")
    return a[None] if a.ndim == 1 else a.T


MATRICES: dict[str, Callable[..., Value]] = {
    "transpose": transpose,
    "outer": lambda u, v: product_of(u[:, None], v[None, :]),
    "dot": lambda u, v: product_of(u[None, :], v[:, None])[0, 0],  # type: ignore[index]
    "identity": identity,
    "eye": identity,
    "zeros": partial(fill, 0),
    "ones": partial(fill, 1),
    "diag": diagonal,
    "stack": lambda *rows: np.stack(rows),
}
"""Functions of vectors and matrices."""
