"""Find statements in text: a name, a sign and numbers, such as `S = [[1, 0], [0, 1]]`, or rows below a name.

Text is only searched, never executed. What is no statement is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from attncalc.core.errors import Place, fault
from attncalc.core.record import record
from attncalc.exercise.yaml.tree import LONGEST_SHOWN, Node, Scalar, from_python
from attncalc.marking.answers.student import is_about_student
from attncalc.marking.answers.tables import Cells, read_rows

MOST_LINES, MOST_STATEMENTS, LONGEST_LINE, LONGEST_LISTS = 20_000, 2000, 20_000, 200_000
SIGN = r":=|==|->|→|[:=≈]"
START = re.compile(rf"\s*(?P<key>[^\s:=≈<>→][^:=≈→\n]{{0,79}}?)[^\S\n]*(?P<sign>{SIGN})[^\S\n]*(?P<rest>.*)")
"""The start of a statement: a name and a sign."""
NEXT = re.compile(
    r"(?<=[\w)\]}])(?:\s*[,;]|,?\s+and)\s+"
    rf"(?=[\"']?\\?[^\W\d][\w^]*[\"']?(?:[_^]?(?:\[[\d,; ]+\]|\([\d,; ]+\)|\{{[\w,; ]+\}}))*"
    rf"\s*(?:{SIGN})\s*[-+−\[(]?\s*[\d.])"
)
"""The sign between two statements in a line; a name may have indices: z_{3,1}, S[1][2], \\alpha_1."""
ROW = re.compile(
    r"\s*(?:(?:[\w.]+\()*[\[({]\s*[-+−.\d\[({_?≈~]|\\(?:begin|left)\b|[⎡⎢⎣⎛⎜⎝]"
    r"|[-+−]?\s*[.\d][-+−.\deE%_/ \t,;]*$)"
)
"""The start of a row of numbers, or of a matrix."""
WHOLE = r"\s*(?:[\w.]+\()*[\[({]\s*[\[({]|.*\\(?:begin|end)\b"
"""The start of a whole matrix, behind which no further row stands."""
GOES_ON = re.compile(r"\s*[=≈]\s*(?=[^\s=])(?=.*\d)")
"""The start of a line that goes on with what stands above it."""
COMMENT = re.compile(r"(?:^|(?<=\s))(?:#|//).*")
TABLE = re.compile(r"\s*\|.*\|\s*")
RULE = re.compile(r"[\s|:+-]*-{2,}[\s|:+-]*")
LISTS = re.compile(r"[\[\]\s,0-9.eE+-]+")
MARKS = re.compile(r"^(?:[-*•>]|#+)\s+")
"""What stands before a name in a list, a quotation or a heading."""
SAID = re.compile(
    r"\s*(?P<key>[^\W\d][^:=≈\[({\d]{0,79}?),?\s{1,9}(?:is|are|equals?|(?:we|i)\s{1,9}(?:get|got|have|find|obtain))\s{1,9}"
    r"(?P<rest>[\[(]*[-+−]?[.\d](?:[-+−.\deE%/ \t,;()\[\]]|and(?=\s))*)",
    re.IGNORECASE,
)
"""A sentence on nothing but numbers: The scores are 1, 2 and 4."""
NO_WORDS = (
    r"(?:[\W\d_]|[^\W\d_](?![^\W\d_])|exp|sqrt|np|jnp|torch|tensor|array|Array|dtype|float|double|device|cpu|cuda"
    r"|requires_grad|True|grad_fn=<\w+>)*"
)
"""A value without words, but for those of functions and arrays."""
BESIDE = re.compile(
    rf"\s*(?P<key>[^\W\d][\w ]{{0,79}}?)\s{{1,9}}(?=(?:[\w.]{{1,30}}\(){{0,3}}\[\s{{0,9}}[-+−.\d\[])"
    rf"(?P<rest>{NO_WORDS})"
)
"""A name and the array that is printed behind it, without a sign: weights tensor([[0.5, 0.5]])."""
NUMBERED_ROW = re.compile(r"(?:[-*•]\s+)?row\s*(?P<row>[1-9]\d{0,3})\s*[:=)]\s*(?P<rest>\S.*)", re.IGNORECASE)
"""A row of the matrix whose name stands above: row 1: 3, 2."""
OUTER = re.compile(
    r"(?i:(?:part|question|exercise|step|task|problem|answers?)\s*\(?\w{0,3}\)?"
    r"|my answers?|\(?[a-z0-9]{1,2}[).])"
)
"""A name of a part or of all answers, behind which another statement may stand in the same line."""
ARITHMETIC = r"\s*[-+−(\[]*[.\d]+(?:e[-+]?\d+)?\s*[-+−*·×/^]"
"""The start of an expression, which is no name."""
LABEL = re.compile(r"^\s*\(?\w{1,4}[).]\s+")
"""The letter of a part before a name."""
LABELLED = re.compile(
    rf"\s*(?P<key>\(?[A-Za-z]{{1,4}}[).])\s{{1,9}}(?=[\[( ]{{0,9}}[-+−]? ?[.\d])(?P<rest>{NO_WORDS})"
)
"""The letter of a part before a value."""
ANY_NAME = re.compile(
    r"(?=[^|]*[^\W\d_])[^|{}]*(?:\{[^{}]*(?:\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}[^{}]*)*\}[^|{}]*)*|[0-9]{1,2}"
)


@record
class Line:
    """A line of text and its place."""

    text: str
    place: Place

    def at(self, column: int) -> Place:
        """The place of a character, counted from 0."""
        return Place(self.place.file, self.place.line, self.place.column + column)


@record
class Style:
    """What is a statement in some kind of text: the look of a name, and of a comment."""

    name: re.Pattern[str] = ANY_NAME
    comment: re.Pattern[str] = COMMENT
    is_code: bool = False
    """Whether a colon gives a value only to a name in quotes, as in a dictionary."""
    has_words: bool = False
    """Whether a value may be anything, so that it is said if it cannot be read."""


PROSE, KEYS = Style(), Style(has_words=True)


def inside_of(text: Scalar) -> tuple[Scalar, Scalar] | None:
    """The statement in a value, as behind the name of a part: S = [[1, 0], [0, 1]]."""
    found = Finder([Line(text.text, text.place)], PROSE).split(Line(text.text, text.place))
    return found[0] if len(found) == 1 and "\n" not in text.text else None


def lines_of(text: str, file: str) -> list[Line]:
    """The lines of a text, with their places."""
    if text.count("\n") > MOST_LINES:
        raise fault(f"has more than {MOST_LINES:,} lines", Place(file))
    return [Line(line, Place(file, number, 1)) for number, line in enumerate(text.splitlines(), 1)]


def find_statements(lines: Sequence[Line], style: Style = PROSE) -> list[tuple[Scalar, Node]]:
    """All statements in some lines; the key of numbers without a name is empty."""
    found = [*Finder(lines, style).statements()]
    if len(found) > MOST_STATEMENTS:
        raise fault(f"holds more than {MOST_STATEMENTS:,} statements", found[MOST_STATEMENTS][0].place)
    return found


class Finder:
    """Goes through lines, and collects the rows of each value."""

    def __init__(self, lines: Sequence[Line], style: Style) -> None:
        self.lines = [line for line in lines if len(line.text) <= LONGEST_LINE]
        self.style, self.number = style, 0

    def statements(self) -> Iterator[tuple[Scalar, Node]]:
        """Every key with its value, in order; a line of words is the name of the rows below it."""
        heading: Scalar | None = None
        while self.number < len(self.lines):
            line = self.lines[self.number]
            if is_table(line.text):
                for key, node in read_rows(self.take_table()):
                    yield key if key.text or heading is None else heading, node
                heading = None
            elif heading and (match := GOES_ON.match(line.text)):
                self.number += 1
                value = self.take_value(Scalar(line.text[match.end() :], line.at(match.end())))
                yield heading, to_node(value)
                heading = None
            elif heading and (match := NUMBERED_ROW.fullmatch(line.text.strip())):
                self.number += 1
                yield Scalar(f"{heading.text}[{match['row']}]", line.place), Scalar(match["rest"], line.place)
            elif starts := self.split(line):
                yield from starts[:-1]
                key, rest = starts[-1]
                self.number += 1
                value = self.take_value(rest)
                if value.text:
                    yield key, to_node(value)
                heading = None if value.text else key
            elif ROW.match(line.text):
                value = self.take_value(Scalar("", line.place))
                yield heading or Scalar("", line.place), to_node(value)
                heading = None
            else:
                self.number += 1
                heading = self.heading_of(line) or (None if line.text.strip() else heading)

    def heading_of(self, line: Line) -> Scalar | None:
        """A short line of words as a name, without what it is set equal to."""
        start = START.fullmatch(line.text)
        words = name_of(start["key"] if start and depth_of(LABEL.sub("", start["key"])) == 0 else line.text)
        return Scalar(words, line.place) if 0 < len(words) <= LONGEST_SHOWN else None

    def split(self, line: Line) -> list[tuple[Scalar, Scalar]]:
        """The statements in a line, each a key and the text of its value; empty if there are none."""
        text = self.style.comment.sub("", line.text)
        return self.labelled(text, line) or self.signed(text, line) or self.unsigned(text, line)

    def labelled(self, text: str, line: Line) -> list[tuple[Scalar, Scalar]]:
        """The value behind the letter of a part."""
        match = None if self.style.is_code else LABELLED.fullmatch(text)
        return [entry_of(match, line)] if match else []

    def unsigned(self, text: str, line: Line) -> list[tuple[Scalar, Scalar]]:
        """The statement in a sentence on numbers, or the array behind a name."""
        match = None if self.style.is_code else SAID.fullmatch(text) or BESIDE.fullmatch(text)
        return [entry_of(match, line)] if match else []

    def signed(self, text: str, line: Line) -> list[tuple[Scalar, Scalar]]:
        """The statements in a line with signs; empty if one of them is none."""
        ends = [match.span() for match in NEXT.finditer(text)]
        found, start = [], 0
        for end, after in (*ends, (len(text), len(text))):
            match = START.fullmatch(text[start:end])
            while (
                match
                and OUTER.fullmatch(match["key"].strip())
                and START.fullmatch(match["rest"].lstrip("{( "))
            ):
                start += match.end("rest") - len(match["rest"].lstrip("{( "))
                match = START.fullmatch(text[start:end])
            if not match or not self.is_statement(*match.group("key", "sign", "rest")):
                return []
            key = Scalar(name_of(match["key"]), line.at(start + match.start("key")))
            found.append((key, Scalar(match["rest"].rstrip(" ;,"), line.at(start + match.start("rest")))))
            start = after
        return found

    def is_statement(self, key: str, sign: str, rest: str) -> bool:
        """Whether a text before a sign may be a name, and the text behind it a value or its start."""
        if self.style.is_code and sign == ":" and key[:1] not in ("'", '"'):
            return False
        if is_about_student(key):
            return True
        bare = LABEL.sub("", key)
        if re.match(ARITHMETIC, bare):
            return False
        is_even = depth_of(bare) == 0 and bare.count('"') % 2 == bare.count("'") % 2 == 0
        may_be_value = (
            self.style.has_words or not rest.strip() or bool(re.search(r"[\d_?]|\\begin|[\[({]\s*$", rest))
        )
        return is_even and bool(self.style.name.fullmatch(key)) and may_be_value

    def take_value(self, first: Scalar) -> Scalar:
        """The value that starts in a line: until its brackets are closed, or while rows follow."""
        place, pieces = first.place, [first.text] if first.text.strip() else []
        depth = depth_of(first.text)
        while self.number < len(self.lines):
            line = self.lines[self.number]
            text = self.style.comment.sub("", line.text).rstrip()
            if depth > 0:
                starts = self.split(line)
                if starts and ROW.match(starts[0][1].text):
                    break
            elif not (is_row(text) and self.may_go_on(pieces)) and (text or pieces):
                break
            if text:
                place = place if pieces else line.place
                pieces.append(text)
                depth += depth_of(text)
            self.number += 1
        return Scalar(without_ends("\n".join(pieces)), place)

    def may_go_on(self, pieces: Sequence[str]) -> bool:
        """Whether a further row may follow: not behind a whole matrix."""
        return not any(re.match(WHOLE, piece) for piece in pieces)

    def take_table(self) -> Iterator[Cells]:
        """The rows of the table that starts here."""
        sign = "|" if TABLE.fullmatch(self.lines[self.number].text) else "\t"
        while self.number < len(self.lines) and sign in self.lines[self.number].text:
            line = self.lines[self.number]
            self.number += 1
            if not RULE.fullmatch(line.text):
                yield cells_of(line)


def entry_of(match: re.Match[str], line: Line) -> tuple[Scalar, Scalar]:
    """The key and the value in a match."""
    value = re.sub(r",?\s{1,9}and\s{1,9}", ", ", match["rest"]).rstrip(" ;,.")
    return Scalar(name_of(match["key"]), line.at(match.start("key"))), Scalar(
        value, line.at(match.start("rest"))
    )


def without_ends(value: str) -> str:
    """A value without signs behind it, and without brackets that were opened before it."""
    value = value.rstrip(" \t\n,;.")
    while value.endswith(("}", ")")) and depth_of(value) < 0:
        value = value[:-1].rstrip(" \t\n,;.")
    return value


def is_table(text: str) -> bool:
    """Whether a line is a row of a table: between bars, or with tabs and without a name and a sign."""
    if TABLE.fullmatch(text):
        return True
    cells = [cell for cell in text.split("\t") if cell.strip()]
    return len(cells) > 1 and not START.fullmatch(cells[0]) and not ROW.match(text)


def is_row(text: str) -> bool:
    """Whether a line goes on with a value: it is a row of numbers."""
    return bool(ROW.match(text)) and not TABLE.fullmatch(text)


def cells_of(line: Line) -> Cells:
    """The cells of a line of a table."""
    is_barred = bool(TABLE.fullmatch(line.text))
    start, end = (line.text.index("|") + 1, line.text.rindex("|")) if is_barred else (0, None)
    cells, column = [], start
    for piece in line.text[start:end].split("|" if is_barred else "\t"):
        cells.append(Scalar(piece.strip(" *`$"), line.at(column)))
        column += len(piece) + 1
    return cells


def depth_of(text: str) -> int:
    """The brackets and LaTeX environments that a text opens, less those that it closes."""
    opened, closed = len(re.findall(r"[\[({]|\\begin\b", text)), len(re.findall(r"[\])}]|\\end\b", text))
    return opened - closed


def name_of(key: str) -> str:
    """A key without quotes, bullets and the marks of Markdown around it."""
    text = MARKS.sub("", key.strip()).replace("\\_", "_")
    return text.strip("*`$ \t").strip("\"'“”").rstrip(" :=≈")


def to_node(value: Scalar) -> Node:
    """A value as lists if it is written in brackets and commas, else as text."""
    if LONGEST_SHOWN < len(value.text) <= LONGEST_LISTS and LISTS.fullmatch(value.text):
        try:
            return from_python(json.loads(value.text, parse_float=str, parse_int=str), "", value.place)
        except (ValueError, RecursionError):
            pass
    return value
