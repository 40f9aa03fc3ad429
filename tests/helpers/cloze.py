"""Cloze questions read as Moodle's documentation says that they are written.

{weight:TYPE:alternative~alternative…}, where an alternative is = or %percent%, an answer, and # with its feedback;
a backslash takes a sign's meaning away.  A numerical answer is a number, a colon and a tolerance; * is any.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from typing import NamedTuple
from xml.etree import ElementTree

START = re.compile(r"\{([0-9]*):([A-Z_]+):")
TYPES = ("NUMERICAL", "SHORTANSWER")
ROUGHLY = 1e-14
"""How much Moodle adds to a tolerance, of numbers up to 1."""


class Alternative(NamedTuple):
    """One answer that is known, the share of the marks it has, and what is said of it."""

    share: float
    answer: str
    feedback: str

    def takes(self, typed: str, is_numerical: bool) -> bool:
        """Whether an answer is this one."""
        if self.answer == "*" or not is_numerical:
            return self.answer in ("*", typed)
        middle, tolerance = map(float, self.answer.split(":"))
        return abs(float(typed) - middle) <= tolerance + ROUGHLY * max(1, abs(middle))


class Blank(NamedTuple):
    """One blank."""

    weight: int
    is_numerical: bool
    alternatives: tuple[Alternative, ...]

    def mark(self, typed: str) -> Alternative:
        """The first alternative that an answer is; else nothing is said, and nothing earned."""
        found = (one for one in self.alternatives if one.takes(typed, self.is_numerical))
        return next(found, Alternative(0.0, "", ""))


class Question(NamedTuple):
    """One question: its name, the words of its page, and its blanks in order."""

    name: str
    page: str
    blanks: tuple[Blank, ...]


def read_quiz(xml: bytes) -> list[Question]:
    """The Cloze questions of a file."""
    root = ElementTree.fromstring(xml)
    assert root.tag == "quiz"
    return [
        Question(text_of(one, "name"), *read_cloze(text_of(one, "questiontext")))
        for one in root.findall("question[@type='cloze']")
    ]


def text_of(element: ElementTree.Element, tag: str) -> str:
    """What stands in the text of a part of a question."""
    return element.findtext(f"{tag}/text") or ""


def read_cloze(text: str) -> tuple[str, tuple[Blank, ...]]:
    """A text without its blanks, and these."""
    words, blanks, at = [], [], 0
    while found := START.search(text, at):
        assert found[2] in TYPES, found[0]
        words.append(text[at : found.start()])
        inside, at = read_inside(text, found.end())
        alternatives = tuple(map(read_alternative, cut(inside, "~")))
        blanks.append(Blank(int(found[1] or 1), found[2] == "NUMERICAL", alternatives))
    return "".join([*words, text[at:]]), tuple(blanks)


def read_inside(text: str, start: int) -> tuple[str, int]:
    """What stands up to the brace that closes a blank, and where it goes on."""
    inside, *_ = cut(text[start:], "}")
    return inside, start + len(inside) + 1


def cut(text: str, sign: str) -> list[str]:
    """Text cut at a sign that has its meaning."""
    return re.split(rf"(?<!\\){re.escape(sign)}", text)


def read_alternative(text: str) -> Alternative:
    """One alternative; Moodle reads the entities of its feedback once, and takes what comes for HTML."""
    shared = re.fullmatch(r"(=|%(-?[0-9.]+)%)?(.*)", text, re.DOTALL)
    assert shared is not None
    share = 1.0 if shared[1] == "=" else float(shared[2] or 0) / 100
    # The sign of an entity is none of Cloze.
    answer, _, feedback = re.sub(r"&#", "&\0", shared[3]).replace("#", "\1", 1).partition("\1")
    return Alternative(share, answer.replace("\0", "#"), unescape(feedback.replace("\0", "#")))


class Tags(HTMLParser):
    """The tags of a page, and its words."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.words: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags |= {tag, *(name for name, _ in attrs)}

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def words_of(page: str) -> str:
    """What is read on a page."""
    return "".join(Tags(page).words)


def all_feedback(blanks: tuple[Blank, ...]) -> Iterator[str]:
    """All that can be said of answers."""
    return (one.feedback for blank in blanks for one in blank.alternatives)
