"""Where problems come from: files, bundled ones, standard input, Python."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attncalc.core.errors import Fault, Place, ProblemError
from attncalc.core.record import record, replace
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

if TYPE_CHECKING:
    from attncalc.exercise.keys.meant import Meant


@record
class Source:
    """A problem file as it was written, its name, and the folder that it may refer to.

    In one that is not written properly the text is what was read, and `readings` say how.
    """

    text: str
    name: str
    folder: str
    readings: tuple[Fault, ...] | None = None

    @cached_property
    def meant(self) -> Meant | None:
        """Its keys as they are meant, if it is not written properly."""
        if self.readings is None:
            return None
        # Loaded only here: most files are written properly.
        from attncalc.exercise.keys.meant import read_keys

        return read_keys(read_yaml(self.text.encode(), self.name), self.folder)

    @cached_property
    def root(self) -> Mapped:
        """Its keys and values, with places."""
        return self.meant.root if self.meant else read_yaml(self.text.encode(), self.name)

    @cached_property
    def problem(self) -> Problem:
        """What it says."""
        problem = read_problem(self.root, self.name, self.folder)
        if not self.meant:
            return problem
        readings = (*(self.readings or ()), *self.meant.readings)
        return replace(problem, readings=readings, claims=self.meant.claims)


def load_source(file: str | os.PathLike[str]) -> Source:
    """A problem file, a bundled one by its name, or standard input for '-'."""
    if str(file) == "-":
        return as_meant(Source(decode(read_stdin(LARGEST_FILE), "-"), "-", os.curdir))
    name = path = os.fspath(file)
    if not os.path.exists(path) and re.fullmatch(r"[\w-]*", path):
        path = find_bundled(path)
        # Messages name a bundled problem without the folder in which it is installed.
        name = os.path.basename(path)
    return as_meant(Source(decode(read_bytes(path, LARGEST_FILE), name), name, os.path.dirname(path)))


def as_meant(source: Source) -> Source:
    """Return a source as it is meant; the same if it is written properly."""
    try:
        _ = source.problem
    except ProblemError as error:
        # Loaded only here: most files are written properly.
        from attncalc.exercise.mend import mend

        return mend(source, error)
    return source


def load(file: str | os.PathLike[str]) -> Problem:
    """The problem in a file, under a bundled name, or on standard input for '-'."""
    return load_source(file).problem


def problem(**keys: Any) -> Problem:
    """A problem from Python: the keys of a problem file with numbers, text, lists or arrays."""
    items = tuple((Scalar(key, Place(key)), from_python(value, key)) for key, value in keys.items())
    root = Mapped(items, Place("problem"))
    try:
        return read_problem(root, "problem", os.curdir)
    except ProblemError:
        from attncalc.exercise.keys.meant import read_keys

        meant = read_keys(root, os.curdir)
        problem = read_problem(meant.root, "problem", os.curdir)
        return replace(problem, readings=meant.readings, claims=meant.claims)


def as_problem(given: Problem | Mapping[str, Any] | str | os.PathLike[str]) -> Problem:
    """Return a problem, given as such or as what `load` and `problem` take."""
    if isinstance(given, Mapping):
        return problem(**given)
    return load(given) if isinstance(given, str | os.PathLike) else given
