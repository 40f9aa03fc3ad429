"""Answers as arrays that NumPy saved: .npz under the names of steps, .npy in a file named after its step."""

from __future__ import annotations

import os
import re

from attncalc.core.errors import Place
from attncalc.exercise.yaml.tree import Given, Mapped, Scalar
from attncalc.marking.answers.kinds.base import Kind

LARGEST = 64_000_000
EXPORTED = r"(?:.*_[0-9]{3,}_)?(?P<name>.+?)(?:-[0-9]+| ?\([0-9]+\))?"
"""The name of a file, behind what a learning platform puts before it, and the number of a later try."""


def read_arrays(data: bytes, name: str) -> Mapped:
    """Read the arrays of an .npz or .npy file, under the names of their steps."""
    from attncalc.exercise.numbers.arrays import read_npy, read_npz

    place = Place(name)
    stem, ending = os.path.splitext(os.path.basename(name))
    if ending.lower() == ".npz":
        arrays = read_npz(data, place)
    else:
        arrays = {name_of_step(stem): read_npy(data, place)}
    return Mapped(tuple((Scalar(key, place), Given(array, place)) for key, array in arrays.items()), place)


def name_of_step(stem: str) -> str:
    """The name of a step in the name of a file.

    >>> [*map(name_of_step, ("A", "smithann_123_456_A", "A-2", "A (1)", "A_1", "weights"))]
    ['A', 'A', 'A', 'A', 'A_1', 'weights']
    """
    match = re.fullmatch(EXPORTED, stem)
    return match["name"] if match else stem


kind = Kind((".npz", ".npy"), read_arrays, LARGEST)
