"""Words, such as shapes, and topics, which a part may ask for besides steps; features add more of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from attncalc.core.families import load_member
from attncalc.core.record import record
from attncalc.exercise.solve.solution import Solution
from attncalc.worked.blocks import Block
from attncalc.worked.overview import attends, attention_map, cost, shapes


@record
class Word:
    """The blocks that answer a word, and the question of a worksheet."""

    show: Callable[[Solution], Iterable[Block]]
    question: str


WORDS = {
    "shapes": Word(shapes, "Give the shape of every matrix."),
    "cost": Word(cost, "Count the multiplications, additions, divisions and exponentials of every step."),
    "map": Word(
        attention_map, "Draw the attention map: a row for each query, every cell as dark as its weight."
    ),
    "attends": Word(attends, "Say in words which tokens each token attends to."),
}


def word_named(name: str) -> Word:
    """Return a word of a part: one of these, or a feature's, from a file that defines `word`."""
    if name in WORDS:
        return WORDS[name]
    found: Word = load_member("words", name).word
    return found


def topic_named(name: str) -> Any:
    """Return a topic, or a section of it (scaling.mean), with a `title` and `explain(solution)`."""
    whole, _, section = name.partition(".")
    found = load_member("topics", whole).topic
    return found.sections[section] if section else found
