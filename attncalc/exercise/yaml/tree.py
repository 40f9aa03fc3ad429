"""The tree of a file or of Python values: scalars, lists and mappings of text, each with its place."""

from __future__ import annotations

import codecs
import os
import re
import stat
import sys
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np

from attncalc.core.errors import Fault, Place, fault, inert, quote, reason
from attncalc.core.fields import Array
from attncalc.core.record import record
from attncalc.exercise.numbers.tokens import MOST_NUMBER_DIGITS

LARGEST_FILE = 1_000_000
MOST_NODES = 50_000
DEEPEST = 20
LONGEST_SHOWN = 60

UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


class Scalar(NamedTuple):
    """A piece of text."""

    text: str
    place: Place
    quoted: bool = False

    @property
    def on_one_line(self) -> str:
        """The text with its white space folded."""
        return " ".join(self.text.split())

    def at(self, offset: int) -> Place:
        """Return the place of one of its characters."""
        if not self.place.line:
            return self.place
        *lines, last = self.text[:offset].split("\n")
        start = 1 if lines else self.place.column + self.quoted
        return Place(self.place.file, self.place.line + len(lines), start + len(last))


@record
class Sequence:
    """A list; `source` is how it was written."""

    items: tuple[Node, ...]
    place: Place
    source: str = ""


@record
class Mapped:
    """A mapping, its keys in the order written."""

    items: tuple[tuple[Scalar, Node], ...]
    place: Place
    faults: tuple[Fault, ...] = ()
    in_rows: bool = False
    """Whether matrices have a row for each token, however the problem is written: those of programs do."""
    slips: Mapping[Place, tuple[Fault, ...]] = {}
    """For the place of a key, the slips that were repaired in its lines."""
    has_prose: bool = False
    """Whether it was found among other text, so that keys without a meaning are no faults."""
    notes: tuple[Fault, ...] = ()
    """What is said of the whole file."""

    def get(self, key: str) -> Node | None:
        """The value of a key."""
        return next((value for name, value in self.items if name.text == key), None)


@record
class Given:
    """An array from Python or from an array file."""

    array: Array
    place: Place


Node: TypeAlias = Scalar | Sequence | Mapped | Given
Kind = TypeVar("Kind", Scalar, Sequence, Mapped)


def expect(node: Node, kind: type[Kind], otherwise: str) -> Kind:
    """Return the node if it has the wanted type; else raise a fault with this message."""
    if not isinstance(node, kind):
        raise fault(otherwise, node.place)
    return node


def word_of(node: Node) -> str:
    """Return the text of a scalar; empty for other nodes."""
    return node.text if isinstance(node, Scalar) else ""


def write_on_one_line(node: Node) -> str:
    """Return a node as YAML on one line; an ellipsis if that is too long."""
    if isinstance(node, Scalar):
        text = node.text
    elif isinstance(node, Sequence):
        text = node.source or f"[{', '.join(map(write_on_one_line, node.items))}]"
    elif isinstance(node, Mapped):
        text = f"{{{', '.join(f'{key.text}: {write_on_one_line(value)}' for key, value in node.items)}}}"
    else:
        text = "…"
    shown = " ".join(text.split())
    return inert(shown if len(shown) <= LONGEST_SHOWN else "…")


def one_or_more(node: Node) -> tuple[Node, ...]:
    """Return the members of a list; any other node as the only member."""
    return node.items if isinstance(node, Sequence) else (node,)


def read_bytes(path: str, largest: int) -> bytes:
    """Read a regular file; raise a fault if it is larger than a bound."""
    place = Place(path)
    try:
        mode = os.stat(path).st_mode
        if not stat.S_ISREG(mode):
            raise fault("is a folder, not a file" if stat.S_ISDIR(mode) else "is not a regular file", place)
        with open(path, "rb") as file:
            data = file.read(largest + 1)
    except (OSError, ValueError) as error:
        raise fault(f"cannot be read: {reason(error)}", place) from None
    if len(data) > largest:
        raise fault(f"is larger than {largest:,} bytes", place)
    return data


def read_stdin(largest: int) -> bytes:
    """Read standard input; raise a fault if it is larger than a bound."""
    try:
        data = sys.stdin.buffer.read(largest + 1) if sys.stdin else b""
    except (OSError, ValueError) as error:
        raise fault(f"cannot be read: {reason(error)}", Place("-")) from None
    if len(data) > largest:
        raise fault(f"is larger than {largest:,} bytes", Place("-"))
    return data


def decode(data: bytes, file: str) -> str:
    """Decode a file: UTF-8, or UTF-16 with a byte order mark; control characters are a fault."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if marked else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise fault("is not UTF-8 text: save it as UTF-8", Place(file, line, column)) from None
    unwanted = UNWANTED.search(text)
    if unwanted:
        *lines, last = re.split(r"\r\n?|\n", text[: unwanted.start()])
        hint = "save it as UTF-8" if text.count("\0") > len(text) // 4 else "leave it out"
        message = f"contains the control character {quote(unwanted[0])}: {hint}"
        raise fault(message, Place(file, len(lines) + 1, len(last) + 1))
    return text


def from_python(value: Any, key: str, at: Place | None = None) -> Node:
    """Convert a Python value to the nodes that a file would give."""
    place = at or Place(key)
    if isinstance(value, np.ndarray) and value.ndim:
        return Given(value, place)
    if isinstance(value, np.generic | np.ndarray):
        return from_python(value.item(), key, at)
    if isinstance(value, Mapping):
        keys = [(Scalar(str(k), place), from_python(v, str(k), at)) for k, v in value.items()]
        return Mapped(tuple(keys), place)
    if isinstance(value, list | tuple):
        return Sequence(tuple(from_python(item, key, at) for item in value), place)
    if isinstance(value, bool) or not isinstance(value, str | int | float | Fraction | Decimal):
        if hasattr(value, "__array__"):
            return from_python(np.asarray(value), key, at)
        if hasattr(value, "free_symbols"):
            return Scalar(str(value), place)
        raise fault(f"a {type(value).__name__} is neither a number, text, a list nor an array", place)
    if isinstance(value, int) and abs(value) >= 10**MOST_NUMBER_DIGITS:
        raise fault(f"has more than {MOST_NUMBER_DIGITS} digits", place)
    return Scalar(value if isinstance(value, str) else str(value), place)
