"""Read YAML text into a tree: only what is safe and unambiguous, without converting a value.

YAML alone would read 0.50 as 0.5, `no` as false and 1:30 as 90, and a small file can unfold to
gigabytes.  So only its events are used, checked one by one: no anchors, no tags, bounded depth and number.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import yaml

from attncalc.core.errors import Fault, Place, ProblemError, fault, quote
from attncalc.exercise.yaml.tree import DEEPEST, MOST_NODES, Mapped, Node, Scalar, Sequence, decode

if TYPE_CHECKING:
    from attncalc.exercise.yaml.try_repairs import Repaired

NO_MAPPING = "the file must be a mapping: lines of a key, a colon and a value, such as S: [[1, 0], [0, 1]]"
NOT_READ = "this cannot be read: a line is a key, a colon and a value, such as S: [[1, 0], [0, 1]]"
SURROGATES = re.compile("[\ud800-\udfff]")
SPACES = dict.fromkeys(
    map(ord, "\xa0\u1680\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"), " "
)
"""Characters, pasted from pages and documents, that look like a space but are none to YAML."""
STAND_INS = dict(zip("[],{}", "\ue000\ue001\ue002\ue003\ue004", strict=True))
"""Private characters that replace the brackets of S[3, 1] and \\frac{1}{2}, which YAML would parse."""
RESTORED = {ord(stand_in): sign for sign, stand_in in STAND_INS.items()}
LATEX_WORDS = (
    "alpha approx bar begin beta binom boldsymbol ell end epsilon equiv eta exp forall frac "
    "nabla ne neq nu rangle rho right rightarrow tanh tau text textbf textit tfrac theta times to top "
    "varepsilon vec vdots Lambda Phi Pi Psi"
)
"""LaTeX commands that start like a YAML escape, as \\alpha like a bell and \\theta like a tab."""
ESCAPED_LATEX = rf"(?<!\\)(?:\\\\)*\\(?:{'|'.join(LATEX_WORDS.split())})(?![A-Za-z])"
TEXTS = "title|source|note|remark|ask|student|problem"
"""The keys whose values are texts."""
HASH = re.compile(
    rf"^[^\S\n]*(?:- +)?(?:{TEXTS}):[^\S\n]+(?:(?=#\w)|(?!['\"|>#])[^#\n]*\s(?=#[0-9]))", re.MULTILINE
)
"""A # inside a text, which YAML takes for the start of a comment: Problem #3."""


class Misread(Exception):
    """The line and column, counted from 0, at which a text cannot be read as YAML, and the reason."""

    def __init__(self, message: str, line: int, column: int) -> None:
        self.message, self.line, self.column = message, line, column
        super().__init__(message)


def read_yaml(data: bytes, file: str) -> Mapped:
    """Return the mapping that a YAML file holds; repair sloppy text, or raise faults that say what to do."""
    text = decode(data, file).translate(SPACES)
    try:
        return Builder(text, file).root()
    except Misread:
        repaired = repair_yaml(text, file)
    if repaired.faults:
        raise ProblemError(*repaired.faults)
    return repaired.found


def repair_yaml(text: str, file: str) -> Repaired[Mapped]:
    """Return the mapping that a sloppy YAML text holds, and what is to be written properly in it."""
    from attncalc.exercise.yaml.repairs import SCANNERS
    from attncalc.exercise.yaml.try_repairs import read_repaired

    return read_repaired(text.translate(SPACES), file, lambda text: Builder(text, file).root(), SCANNERS)


class Builder:
    """Builds nodes from YAML events, within limits."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.lines = [*text.splitlines(keepends=True), ""]
        self.next_event: Callable[[], Any] = LOADER(text).get_event
        self.file = file
        self.nodes = 0
        self.faults: list[Fault] = []

    def root(self) -> Mapped:
        """Return the mapping that the text holds."""
        if hidden := HASH.search(self.text):
            before = self.text[: hidden.end()].splitlines()
            raise Misread("the rest of the line is a comment", len(before) - 1, len(before[-1]))
        try:
            root = self.build()
        except yaml.YAMLError as error:
            raise Misread(NOT_READ, *where(getattr(error, "problem_mark", None))) from None
        if root is None:
            raise fault("the file is empty", Place(self.file, 1, 1))
        if not isinstance(root, Mapped):
            raise Misread(NO_MAPPING, root.place.line - 1, root.place.column - 1)
        return root

    def build(self) -> Node | None:
        """Return the only document of the stream; None if it is empty."""
        root: Node | None = None
        while not isinstance(event := self.next_event(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                found = self.node(self.next_event(), 1)
                if root is not None and not is_nothing(found):
                    raise fault("a file holds one document: leave out this line", self.place(event))
                root = found if root is None or is_nothing(root) else root
        return None if root is None or is_nothing(root) else root

    def place(self, event: Any) -> Place:
        """Return the place at which an event starts."""
        mark = event.start_mark
        return Place(self.file, mark.line + 1, mark.column + 1)

    def node(self, event: Any, depth: int) -> Node:
        """Build the node that starts with this event."""
        place = self.place(event)
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise fault(f"holds more than {MOST_NODES:,} values", place)
        if depth > DEEPEST:
            raise fault(f"is nested more than {DEEPEST} levels deep", place)
        if isinstance(event, yaml.AliasEvent) or event.anchor:
            raise Misread("anchors and aliases are not read", *where(event.start_mark))
        if event.tag is not None and event.tag != "!":
            hint = "a text with ! before it needs quotes"
            raise fault(f"the tag {quote(event.tag)} is not read: {hint}", place)
        if isinstance(event, yaml.ScalarEvent):
            return self.scalar(event, place)
        if isinstance(event, yaml.SequenceStartEvent):
            return self.sequence(event, place, depth)
        return self.mapping(place, depth)

    def scalar(self, event: Any, place: Place) -> Scalar:
        """A piece of text."""
        if not event.value.isascii() and SURROGATES.search(event.value):
            raise fault("contains half of a character", place)
        text, is_quoted = event.value, event.style in ("'", '"')
        if event.start_mark.line != event.end_mark.line:
            text, place = self.as_written(event, place)
        elif event.style == '"' and re.search(ESCAPED_LATEX, self.source(event.start_mark, event.end_mark)):
            raise Misread("LaTeX stands in double quotes: write single ones", *where(event.start_mark))
        return Scalar(text.translate(RESTORED), place, is_quoted)

    def as_written(self, event: Any, place: Place) -> tuple[str, Place]:
        """Return a text of several lines as it was written, so that its rows keep their places."""
        source = self.source(event.start_mark, event.end_mark)
        if event.style in ("|", ">"):
            return source.partition("\n")[2], Place(place.file, place.line + 1, 1)
        if event.style in ("'", '"'):
            return event.value if "\\" in source or "''" in source else source[1:-1], place
        return source, place

    def sequence(self, start: Any, place: Place, depth: int) -> Sequence:
        """A list, with its source text if it is in flow style."""
        items = []
        while not isinstance(event := self.next_event(), yaml.SequenceEndEvent):
            items.append(self.node(event, depth + 1))
        source = self.source(start.start_mark, event.end_mark) if start.flow_style else ""
        return Sequence(tuple(items), place, source)

    def mapping(self, place: Place, depth: int) -> Mapped:
        """Build a mapping; a duplicate key is a fault."""
        items: dict[str, tuple[Scalar, Node]] = {}
        doubled: set[str] = set()
        while not isinstance(event := self.next_event(), yaml.MappingEndEvent):
            key = self.node(event, depth + 1)
            if not isinstance(key, Scalar):
                raise Misread("a key must be a word, not a list or a mapping", *where(event.start_mark))
            if key.text == "<<":
                raise fault("merge keys are not read", key.place)
            if key.text in items:
                first = items[key.text][0].place.line
                message = f"the key {quote(key.text)} already stands in line {first}: leave one of them out"
                self.faults.append(Fault(message, key.place))
                self.node(self.next_event(), depth + 1)
                doubled.add(key.text)
                continue
            items[key.text] = (key, self.node(self.next_event(), depth + 1))
        single = tuple(item for name, item in items.items() if name not in doubled)
        return Mapped(single, place, tuple(self.faults))

    def source(self, start: Any, end: Any) -> str:
        """Return the text between two marks."""
        lines = self.lines[start.line : end.line + 1]
        lines[-1] = lines[-1][: end.column]
        lines[0] = lines[0][start.column :]
        return "".join(lines).translate(RESTORED)


def is_nothing(node: Node) -> bool:
    """Whether a document is empty."""
    return isinstance(node, Scalar) and not node.text


def where(mark: Any) -> tuple[int, int]:
    """Return the line and column of a YAML mark, counted from 0."""
    return (mark.line, mark.column) if mark else (0, 0)


LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
