"""The document of a page that computes: its rules, the mistakes that can be switched on, the marking policy.

It stands apart from the page's format, so that writing a page does not load the marker.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Step
from attncalc.core.record import replace
from attncalc.exercise.solve.solution import Solution
from attncalc.marking.policy import IN_PAGES
from attncalc.marking.rounding.plans import COARSEST, share_of
from attncalc.mistakes import MISTAKES
from attncalc.mistakes.base import Mistake
from attncalc.worked.blocks import Document
from attncalc.worked.build_page_model import is_computed, model_of, rule_of
from attncalc.worked.document import Worked, to_document
from attncalc.worked.page_model import Model, Switch
from attncalc.worked.view import View
from attncalc.worked.writer.lines import Lines

CHOSEN = ("scale-missing", "mask-missing", "mask-after-softmax", "softmax-columns", "scores-swapped")
"""The mistakes that can be switched on, by their codes."""


def in_camel_case(name: str) -> str:
    """A name as the page's script spells it."""
    first, *others = name.split("_")
    return first + "".join(map(str.title, others))


MARKING = {in_camel_case(name): number for name, number in IN_PAGES.items()} | {"coarsest": COARSEST}
"""The part of the marking policy by which the page judges answers."""


def interactive(solution: Solution, view: View) -> Document:
    """The worked solution for a page, with the model of one that computes."""
    writer = Worked(solution, replace(view, is_live=view.pointed and is_computed(solution)))
    return to_document(writer, full_model(writer) if writer.view.is_live else None)


def full_model(writer: Lines) -> Model:
    """The model of a solution, with the mistakes and the policy for judging answers."""
    model = model_of(writer)
    widths = (1, *model.sizes.values())
    shares = {rule.name: max(share_of(rule.kind, width) for width in widths) for rule in model.rules}
    return replace(model, switches=tuple(find_switches(writer)), marking=MARKING, shares=shares)


def find_switches(writer: Lines) -> Iterator[Switch]:
    """The mistakes that can be made in a solution, in all heads at once."""
    by_code = {mistake.code: mistake for mistake in MISTAKES}
    for mistake in (by_code[code] for code in CHOSEN):
        rules = tuple(rule_of(writer, step) for step in find_changed_steps(mistake, writer))
        if rules:
            yield Switch(mistake.code, mistake.sentence, rules)


def find_changed_steps(mistake: Mistake, writer: Lines) -> Iterator[Step]:
    """The steps that a mistake changes, if they keep their shape and need no further matrices."""
    graph = writer.solution.graph
    for step in graph.steps:
        for variation in mistake.variations(step, graph):
            all_steps = (variation.step, *variation.others)
            if not variation.given and all(each.shape == graph.shapes[each.name] for each in all_steps):
                yield from all_steps
                break
