"""Files and Python values as trees of text with places: nothing is converted, nothing is lost.

YAML alone would read 0.50 as 0.5, `no` as false and 1:30 as 90, and a small file can unfold to
gigabytes.  So only its events are used, checked one by one: no anchors, no tags, bounded depth and number.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
import yaml

from attncalc.errors import Fault, Place, fault, inert, quoted, reason
from attncalc.fields import Array
from attncalc.record import record

LARGEST_FILE = 1_000_000
MOST_NODES = 50_000
DEEPEST = 20

UNWANTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
SURROGATES = re.compile("[\ud800-\udfff]")


class Scalar(NamedTuple):
    """A piece of text."""

    text: str
    place: Place
    quoted: bool = False

    def at(self, offset: int) -> Place:
        """The place of one of its characters."""
        if not self.place.line:
            return self.place
        shift = offset + self.quoted
        return Place(self.place.file, self.place.line, self.place.column + shift)


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
    """The node, if it is of the kind that is wanted; else the fault says what is."""
    if not isinstance(node, kind):
        raise fault(otherwise, node.place)
    return node


def word_of(node: Node) -> str:
    """The text of a node that is a text."""
    return node.text if isinstance(node, Scalar) else ""


def one_or_more(node: Node) -> tuple[Node, ...]:
    """The members of a list; anything else alone."""
    return node.items if isinstance(node, Sequence) else (node,)


def read_bytes(path: str, largest: int) -> bytes:
    """A regular file, read up to a bound."""
    place = Place(path)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise fault("is not a regular file", place)
        with open(path, "rb") as file:
            data = file.read(largest + 1)
    except (OSError, ValueError) as error:
        raise fault(f"cannot be read: {reason(error)}", place) from None
    if len(data) > largest:
        raise fault(f"is larger than {largest:,} bytes", place)
    return data


def read_stdin(largest: int) -> bytes:
    """Standard input, read up to a bound."""
    try:
        data = sys.stdin.buffer.read(largest + 1) if sys.stdin else b""
    except (OSError, ValueError) as error:
        raise fault(f"cannot be read: {reason(error)}", Place("-")) from None
    if len(data) > largest:
        raise fault(f"is larger than {largest:,} bytes", Place("-"))
    return data


def decoded(data: bytes, file: str) -> str:
    """The text of a file: UTF-8 without characters that no one can see."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise fault("is not UTF-8 text", Place(file, line, column)) from None
    unwanted = UNWANTED.search(text)
    if unwanted:
        before = text[: unwanted.start()].splitlines() or [""]
        place = Place(file, len(before), len(before[-1]) + 1)
        raise fault(f"contains the control character {quoted(unwanted[0])}", place)
    return text


def read_yaml(data: bytes, file: str) -> Mapped:
    """The mapping that a YAML file holds."""
    text = decoded(data, file)
    try:
        root = Builder(text, file).build()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = Place(file, mark.line + 1, mark.column + 1) if mark else Place(file, 1, 1)
        message = getattr(error, "problem", None) or "cannot be read as YAML"
        raise fault(f"is not valid YAML: {inert(message)}", place) from None
    if root is None:
        raise fault("the file is empty", Place(file, 1, 1))
    if not isinstance(root, Mapped):
        raise fault("the file must be a mapping of keys to values", root.place)
    return root


class Builder:
    """Builds nodes from YAML events, within limits."""

    def __init__(self, text: str, file: str) -> None:
        self.lines = text.splitlines(keepends=True)
        self.next_event: Callable[[], Any] = LOADER(text).get_event
        self.file = file
        self.nodes = 0
        self.faults: list[Fault] = []

    def build(self) -> Node | None:
        """The one document of the stream."""
        root: Node | None = None
        while not isinstance(event := self.next_event(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    raise fault("the file holds more than one document", self.place(event))
                root = self.node(self.next_event(), 1)
        return None if isinstance(root, Scalar) and not root.text else root

    def place(self, event: Any) -> Place:
        """Where an event starts."""
        mark = event.start_mark
        return Place(self.file, mark.line + 1, mark.column + 1)

    def node(self, event: Any, depth: int) -> Node:
        """The node that starts with this event."""
        place = self.place(event)
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise fault(f"holds more than {MOST_NODES:,} values", place)
        if depth > DEEPEST:
            raise fault(f"is nested more than {DEEPEST} levels deep", place)
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            raise fault("anchors and aliases are not read", place)
        if event.tag is not None and event.tag != "!":
            raise fault(f"the tag {quoted(event.tag)} is not read", place)
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event, place)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(event, place, depth)
        return self.mapping(place, depth)

    def scalar(self, event: Any, place: Place) -> Scalar:
        """A piece of text."""
        if not event.value.isascii() and SURROGATES.search(event.value):
            raise fault("contains half of a character", place)
        return Scalar(event.value, place, event.style in ("'", '"'))

    def sequence(self, start: Any, place: Place, depth: int) -> Sequence:
        """A list, with its source text where it is written on the flow."""
        items = []
        while not isinstance(event := self.next_event(), yaml.SequenceEndEvent):
            items.append(self.node(event, depth + 1))
        source = self.source(start.start_mark, event.end_mark) if start.flow_style else ""
        return Sequence(tuple(items), place, source)

    def mapping(self, place: Place, depth: int) -> Mapped:
        """A mapping; a key that stands twice is refused."""
        items: dict[str, tuple[Scalar, Node]] = {}
        while not isinstance(event := self.next_event(), yaml.MappingEndEvent):
            key = self.node(event, depth + 1)
            if not isinstance(key, Scalar):
                raise fault("a key must be a word, not a list or a mapping", key.place)
            if key.text == "<<":
                raise fault("merge keys are not read", key.place)
            if key.text in items:
                first = items[key.text][0].place.line
                message = f"the key {quoted(key.text)} already stands in line {first}"
                self.faults.append(Fault(message, key.place))
                self.node(self.next_event(), depth + 1)
                continue
            items[key.text] = (key, self.node(self.next_event(), depth + 1))
        return Mapped(tuple(items.values()), place, tuple(self.faults))

    def source(self, start: Any, end: Any) -> str:
        """The text between two marks."""
        lines = self.lines[start.line : end.line + 1]
        if start.line == end.line:
            return lines[0][start.column : end.column]
        return "".join([lines[0][start.column :], *lines[1:-1], lines[-1][: end.column]])


LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def from_python(value: Any, key: str, at: Place | None = None) -> Node:
    """A Python value as the text that a file would hold."""
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
    return Scalar(value if isinstance(value, str) else str(value), place)
