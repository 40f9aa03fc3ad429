"""What if: mistakes of the catalogue that a page can switch on, to show what they would change."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.document.computed import rule_of
from attncalc.document.lines import Lines
from attncalc.document.model import Switch
from attncalc.graph.graph import Step
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.base import Mistake

CHOSEN = ("scale-missing", "mask-missing", "mask-after-softmax", "softmax-columns", "scores-swapped")
"""The mistakes that are worth looking at, by their codes."""


def find_switches(writer: Lines) -> Iterator[Switch]:
    """The mistakes that can be made in a solution, in all heads at once."""
    by_code = {mistake.code: mistake for mistake in MISTAKES}
    for mistake in (by_code[code] for code in CHOSEN):
        rules = tuple(rule_of(writer, step) for step in changed_steps(mistake, writer))
        if rules:
            yield Switch(mistake.code, mistake.sentence, rules)


def changed_steps(mistake: Mistake, writer: Lines) -> Iterator[Step]:
    """The steps that a mistake changes, as far as they keep their shape and need no further matrices."""
    graph = writer.solution.graph
    for step in graph.steps:
        for variation in mistake.variations(step, graph):
            all_steps = (variation.step, *variation.others)
            if not variation.given and all(each.shape == graph.shapes[each.name] for each in all_steps):
                yield from all_steps
                break
