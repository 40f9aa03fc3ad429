"""Words, such as shapes, and topics, which a part may ask for besides steps; features add more of both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from attncalc.core.families import load_member
from attncalc.core.record import record, replace
from attncalc.core.terms.formulas import Text
from attncalc.exercise.solve.solution import Solution
from attncalc.worked.blocks import Block, Note
from attncalc.worked.overview import (
    attends,
    attention_map,
    cost,
    say_attends,
    say_cost,
    say_map,
    say_shapes,
    shapes,
)


@record
class Word:
    """The blocks that answer a word, and the question of a worksheet."""

    show: Callable[[Solution], Iterable[Block]]
    question: str
    answer: Callable[[Solution], Text] | None = None
    """What answers it in a sentence, if that can be said shortly."""


WORDS = {
    "shapes": Word(shapes, "Give the shape of every matrix.", say_shapes),
    "cost": Word(
        cost, "Count the multiplications, additions, divisions and exponentials of every step.", say_cost
    ),
    "map": Word(
        attention_map,
        "Draw the attention map: a row for each query, every cell as dark as its weight.",
        say_map,
    ),
    "attends": Word(attends, "Say in words which tokens each token attends to.", say_attends),
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


def explain(topic: Any, solution: Solution | None, **options: object) -> Iterator[Block]:
    """Explain a topic or a section on a problem; derivations have a row for each token."""
    if solution is not None and solution.graph.in_columns:
        yield Note(
            "This derivation has a row for each token: its matrices are the transposes of the problem's."
        )
        problem = solution.problem.with_settings(layout="rows")
        solution = replace(solution, problem=problem, graph=replace(solution.graph, in_columns=False))
    yield from topic.explain(solution, **options)
