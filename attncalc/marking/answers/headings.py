"""What stands around answers: headings of parts and heads, the student, and the name of the problem."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from attncalc.core.errors import fault, inert, quote
from attncalc.core.spellings import find_meant
from attncalc.exercise.keys.readers import Context, text
from attncalc.exercise.problem import Problem
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, one_or_more
from attncalc.marking.answers.cells import BLANKS
from attncalc.marking.answers.names import WRAPPER
from attncalc.marking.answers.statements import inside_of
from attncalc.marking.answers.student import BY_RANK, about_student, is_to_reader

WORDS = ("problem", "student")
SECTION = r"(?:(?i:part|question|exercise|step|task)\s*\(?\w{1,3}\)?|\(?(?:[a-z]|[0-9]{1,2})[).]?)"
"""A key above the answers to one part."""
HEAD = r"head[\s_]*(?P<head>[1-9][0-9]?)"
NOWHERE = Context("", {})
"""Answers refer to no files."""
UNNAMED = ("-", "problem")
"""Names of problems that do not come from a file."""


def unwrapped(root: Mapped) -> Iterator[tuple[Scalar, Node]]:
    """The keys that name steps, also those below `answers`, a part or a head."""
    for key, node in root.items:
        word = key.text.lower()
        head = re.fullmatch(HEAD, word)
        inside = [item for item in one_or_more(node) if isinstance(item, Mapped)]
        if inside and (find_meant(word, (WRAPPER,)) or re.fullmatch(SECTION, key.text)):
            yield from (pair for item in inside for pair in unwrapped(item))
        elif (
            isinstance(node, Scalar)
            and (re.fullmatch(SECTION, key.text) or is_to_reader(key.text))
            and (inner := inside_of(node))
        ):
            yield inner
        elif isinstance(node, Scalar) and is_to_reader(key.text):
            continue
        elif inside and (head or word == "heads"):
            yield from number_heads(inside, int(head["head"]) if head else 1)
        elif (
            word not in WORDS
            and not about_student(key.text)
            and not (word == WRAPPER and isinstance(node, Scalar) and not node.text)
        ):
            yield key, node


def number_heads(heads: Iterable[Mapped], first: int) -> Iterator[tuple[Scalar, Node]]:
    """The steps of some heads, with the number of each."""
    for number, head in enumerate(heads, first):
        yield from ((key._replace(text=f"{key.text}_{number}"), node) for key, node in head.items)


def keys_beside(root: Mapped) -> list[tuple[Scalar, Node]]:
    """The keys beside the steps or among them."""
    inner = root.get(WRAPPER)
    return [*root.items, *(inner.items if isinstance(inner, Mapped) else ())]


def find_word(root: Mapped, key: str) -> Scalar:
    """The value of a word such as `student`, beside the steps or among them; an empty text if missing."""
    node = next((value for name, value in keys_beside(root) if name.text.lower() == key), None)
    return node if isinstance(node, Scalar) else Scalar("", root.place)


def student_of(root: Mapped) -> str:
    """The name of the student, if it is given; else the number or the address."""
    said: dict[str, str] = {}
    for key, node in keys_beside(root):
        if (meaning := about_student(key.text)) and isinstance(node, Scalar):
            written = text(node, NOWHERE)
            said = said if written in BLANKS else {meaning: inert(written), **said}
    exact = text(find_word(root, "student"), NOWHERE)
    found = "" if exact in BLANKS else inert(exact)
    return found or next((said[meaning] for meaning in BY_RANK if meaning in said), "")


def refuse_others(root: Mapped, problem: Problem) -> None:
    """Raise a fault if answers name another problem."""
    node = find_word(root, "problem")
    said = text(node, NOWHERE)
    if said in BLANKS or problem.name in UNNAMED:
        return
    if strip_name(said) != strip_name(problem.name) and said.casefold() != problem.title.casefold():
        message = f"the answers are to {quote(said)}, not to {quote(strip_name(problem.name))}"
        raise fault(message, node.place)


def strip_name(name: str) -> str:
    """The name of a file without folder and ending, its words joined by hyphens."""
    return re.sub(r"[\s_-]+", "-", os.path.splitext(os.path.basename(name.replace("\\", "/")))[0].casefold())
