"""Answers as arrays that NumPy saved: .npz under the names of steps, .npy in a file named after its step."""

from __future__ import annotations

import os

from attncalc.core.errors import Place
from attncalc.exercise.yaml.tree import Given, Mapped, Scalar
from attncalc.marking.answers.kinds.base import Kind, name_of_step

LARGEST = 64_000_000
ZIPPED = b"PK"


def read_arrays(data: bytes, name: str) -> Mapped:
    """Read the arrays of an .npz or .npy file, under the names of their steps."""
    from attncalc.exercise.numbers.arrays import read_npy, read_npz

    place = Place(name)
    stem, ending = os.path.splitext(os.path.basename(name))
    # Arrays of several files are sent as one, whatever the ending of the first.
    if ending.lower() == ".npz" or data.startswith(ZIPPED):
        arrays = read_npz(data, place)
    else:
        arrays = {name_of_step(stem): read_npy(data, place)}
    return Mapped(tuple((Scalar(key, place), Given(array, place)) for key, array in arrays.items()), place)


kind = Kind((".npz", ".npy"), read_arrays, LARGEST, is_text=False)
