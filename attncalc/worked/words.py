"""What a part may ask for besides steps: a word, such as shapes, or a topic; features bring more of both."""

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
    """What is shown of a solution, and how a worksheet asks for it."""

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
    """A word of a part: one of these, or a feature's, in a file that defines `word`."""
    if name in WORDS:
        return WORDS[name]
    found: Word = load_member("words", name).word
    return found


def topic_named(name: str) -> Any:
    """A topic, or a section of it, scaling.mean: it has a `title`, and `explain(solution)` gives blocks."""
    whole, _, section = name.partition(".")
    found = load_member("topics", whole).topic
    return found.sections[section] if section else found
