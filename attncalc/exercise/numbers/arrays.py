"""Array files: .npy, .npz and .csv, within bounds that are checked before anything is unpacked."""

from __future__ import annotations

import csv
import io
import os
import zipfile
from math import prod
from typing import Any

import numpy as np

from attncalc.core.errors import Place, ProblemError, fault, nearest, quote
from attncalc.core.fields import Array, Numeric
from attncalc.core.readings.value import evaluate
from attncalc.exercise.numbers.texts import parse_number
from attncalc.exercise.numbers.tokens import ExpressionError
from attncalc.exercise.yaml.tree import LARGEST_FILE, decode, read_bytes

LARGEST_ARRAYS, MOST_MEMBERS = 64_000_000, 1000


def read_inside(folder: str, name: str, key: str | None, place: Place) -> Array:
    """Read the array of a file; raise a fault if it lies outside the folder."""
    path = os.path.join(folder, name)
    try:
        root = os.path.realpath(folder)
        inside = os.path.commonpath([root, os.path.realpath(path)]) == root
    except (OSError, ValueError):
        inside = False
    if not inside:
        raise fault(f"{quote(name)} is outside the problem's folder", place)
    try:
        return read_array(path, key, place)
    except ProblemError as error:
        raise fault(f"{quote(name)}: {error.faults[0].message}", place) from None


def read_array(path: str, key: str | None, place: Place) -> Array:
    """Read the array of a file; of an .npz file, the one under `key`."""
    name = os.path.basename(path)
    if path.endswith(".npz"):
        arrays = read_npz(read_bytes(path, LARGEST_ARRAYS), Place(path))
        if key is None and len(arrays) == 1:
            return next(iter(arrays.values()))
        if key is None or key not in arrays:
            hint = nearest(key or "", arrays)
            raise fault(f"{quote(name)} needs one of the keys {', '.join(arrays)}{hint}", place)
        return arrays[key]
    if key is not None:
        raise fault(f"{quote(name)} has no keys: only .npz files do", place)
    if path.endswith(".npy"):
        return read_npy(read_bytes(path, LARGEST_ARRAYS), place)
    if path.endswith(".csv"):
        return read_csv(read_bytes(path, LARGEST_FILE), path)
    raise fault(f"{quote(name)} is not a .npy, .npz or .csv file", place)


def read_npz(data: bytes, place: Place) -> dict[str, Array]:
    """Read all arrays of an .npz file."""
    name = os.path.basename(place.file)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = archive.infolist()
            if len(members) > MOST_MEMBERS:
                raise fault(f"{quote(name)} holds more than {MOST_MEMBERS:,} arrays", place)
            if sum(member.file_size for member in members) > LARGEST_ARRAYS:
                raise fault(f"{quote(name)} unpacks to too many bytes", place)
            found, left = {}, LARGEST_ARRAYS
            for member in members:
                with archive.open(member) as packed:
                    # The size in an archive's directory may be wrong: no more than that is unpacked.
                    unpacked = packed.read(min(left, member.file_size) + 1)
                left -= len(unpacked)
                if left < 0:
                    raise fault(f"{quote(name)} unpacks to too many bytes", place)
                key = member.filename.removesuffix(".npy")
                if key in found:
                    raise fault(f"{quote(name)} holds two arrays called {quote(key)}", place)
                found[key] = read_npy(unpacked, place)
            return found
    except ProblemError:
        raise
    except Exception:
        # zipfile raises a dozen kinds of errors on broken archives; to a user they are one.
        raise fault(f"{quote(name)} is not a readable .npz file", place) from None


def read_npy(data: bytes, place: Place) -> Array:
    """Read the array of an .npy file; raise a fault if its header claims more data than there is."""
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        header: Any = getattr(np.lib.format, f"read_array_header_{version[0]}_0")
        shape, _, dtype = header(file)
        claimed = prod(shape) * dtype.itemsize
        if dtype.hasobject or claimed > len(data) - file.tell():
            raise ValueError
        file.seek(0)
        array: Array = np.lib.format.read_array(file, allow_pickle=False)
    except Exception:
        # NumPy's header parser raises whatever its bytes make it raise.
        raise fault("the array file is broken, or holds something other than numbers", place) from None
    return array


def read_csv(data: bytes, file: str) -> Array:
    """Read the rows of numbers of a .csv file."""
    rows: list[list[float]] = []
    table = csv.reader(io.StringIO(decode(data, file)))
    try:
        for row in filter(None, table):
            rows.append([float(evaluate(parse_number(cell.strip()), {}, Numeric())) for cell in row])
    except (ExpressionError, csv.Error) as error:
        raise fault(f"line {table.line_num}: {error}", Place(file, table.line_num, 1)) from None
    if len({len(row) for row in rows}) != 1:
        raise fault("the rows of the table are not equally long", Place(file, 1, 1))
    return np.array(rows)
