"""Where problems come from: files, bundled ones, standard input, Python."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from attncalc.core.errors import Place
from attncalc.core.record import record
from attncalc.exercise.bundled import find_bundled
from attncalc.exercise.keys.read_problem import read_problem
from attncalc.exercise.problem import Problem
from attncalc.exercise.yaml.reader import read_yaml
from attncalc.exercise.yaml.tree import (
    LARGEST_FILE,
    Mapped,
    Scalar,
    decode,
    from_python,
    read_bytes,
    read_stdin,
)


@record
class Source:
    """A problem file as it was written, its name, and the folder that it may refer to."""

    text: str
    name: str
    folder: str

    @cached_property
    def root(self) -> Mapped:
        """Its keys and values, with places."""
        return read_yaml(self.text.encode(), self.name)

    @cached_property
    def problem(self) -> Problem:
        """What it says."""
        return read_problem(self.root, self.name, self.folder)


def load_source(file: str | os.PathLike[str]) -> Source:
    """A problem file, a bundled one by its name, or standard input for '-'."""
    if str(file) == "-":
        return Source(decode(read_stdin(LARGEST_FILE), "-"), "-", os.curdir)
    name = path = os.fspath(file)
    if not os.path.exists(path) and re.fullmatch(r"[\w-]*", path):
        path = find_bundled(path)
        # Messages name a bundled problem without the folder in which it is installed.
        name = os.path.basename(path)
    return Source(decode(read_bytes(path, LARGEST_FILE), name), name, os.path.dirname(path))


def load(file: str | os.PathLike[str]) -> Problem:
    """The problem in a file, under a bundled name, or on standard input for '-'."""
    return load_source(file).problem


def problem(**keys: Any) -> Problem:
    """A problem from Python: the keys of a problem file with numbers, text, lists or arrays."""
    items = tuple((Scalar(key, Place(key)), from_python(value, key)) for key, value in keys.items())
    return read_problem(Mapped(items, Place("problem")), "problem", os.curdir)


def as_problem(given: Problem | Mapping[str, Any] | str | os.PathLike[str]) -> Problem:
    """Return a problem, given as such or as what `load` and `problem` take."""
    if isinstance(given, Mapping):
        return problem(**given)
    return load(given) if isinstance(given, str | os.PathLike) else given
