"""The reference: what the program itself knows of keys, steps, mistakes, habits, functions and formats."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import get_args

from attncalc.core.docstrings import docstring
from attncalc.core.errors import fault, nearest, quote
from attncalc.core.families import load_member, names_in
from attncalc.core.graph.backward import gradients
from attncalc.core.graph.graph import Step
from attncalc.core.notations.unicode import Ascii, write
from attncalc.core.record import record
from attncalc.core.terms.formulas import Name
from attncalc.core.terms.functions import FUNCTIONS
from attncalc.exercise.bundled import bundled_names
from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.load import Source, load
from attncalc.exercise.mechanisms import KINDS, build_graph
from attncalc.marking.rounding.known_habits import HABITS
from attncalc.mistakes import MISTAKES
from attncalc.pages import FormatKind

NUMBER, GAP = re.compile(r"\d+(?:\.\d+)?"), "\0"


@record
class Item:
    """One thing by its name, and what is known of it, fact by fact."""

    name: str
    facts: dict[str, str]

    @property
    def words(self) -> str:
        """All that is said of it, but for its example."""
        return " ".join(fact for kind, fact in self.facts.items() if kind != "example")


def keys() -> Iterator[Item]:
    """Every key of a problem file."""
    return (Item(name, key.facts) for name, key in KEYS.items())


def steps() -> Iterator[Item]:
    """Every kind of step, with its rule in the first bundled problem or example that has one."""
    known = first_steps()
    for kind in KINDS:
        step = known.get((kind.role, kind.limit))
        name = f"{kind.role}{'1' if kind.layered else ''}{'_limit' if kind.limit else ''}"
        facts = {"is": kind.title, "also called": ", ".join(kind.words)}
        yield Item(name, {**facts, "rule": rule_of(step) if step else ""})


def first_steps() -> dict[tuple[str, bool], Step]:
    """A step of each kind, from the bundled problems and from the examples of keys, and of its gradient."""
    found: dict[tuple[str, bool], Step] = {}
    examples = (Source(key.problem, name, ".").problem for name, key in KEYS.items())
    for problem in (*map(load, bundled_names()), *examples):
        graph = build_graph(problem)
        forward = [step for step in graph.steps if not step.label.of and not step.label.limit]
        backward = gradients(graph, forward[-1].name, {}) if forward else ()
        for step in (*graph.steps, *backward):
            found.setdefault((step.role, step.label.limit), step)
    return found


def rule_of(step: Step) -> str:
    """What a step does: its formula where it has one, and in words."""
    formula = step.op.formula(*map(Name, step.inputs))
    said = docstring(type(step.op.core)).partition("\n")[0]
    return f"{write(formula, Ascii())}. {said}" if formula else said


def mistakes() -> Iterator[Item]:
    """Every mistake, once for each code."""
    for code in dict.fromkeys(mistake.code for mistake in MISTAKES):
        mistake = next(one for one in MISTAKES if one.code == code)
        yield Item(code, {"is": mistake.sentence, "question": mistake.question})


def habits() -> Iterator[Item]:
    """Every habit, with all that is said of it."""
    for code in dict.fromkeys(habit.code for habit in HABITS):
        said = dict.fromkeys(habit.sentence for habit in HABITS if habit.code == code)
        yield Item(code, {"is": " ".join(told_once(said))})


def told_once(sentences: Iterable[str]) -> Iterator[str]:
    """Sentences that differ in one number only as one sentence with all of these numbers."""
    numbers: dict[str, list[str]] = {}
    for sentence in sentences:
        numbers.setdefault(NUMBER.sub(GAP, sentence, count=1), []).extend(NUMBER.findall(sentence)[:1])
    for sentence, (*others, last) in ((one, found or [""]) for one, found in numbers.items()):
        yield sentence.replace(GAP, f"{', '.join(others)} or {last}" if others else last)


def functions() -> Iterator[Item]:
    """Every function of one number that can be typed, or stands in a law."""
    for function in FUNCTIONS.values():
        if function.spellings:
            facts = {"is written": ", ".join(f"{word}(x)" for word in function.spellings)}
            yield Item(function.name, {**facts, "refused": f"what {function.why}" if function.why else ""})
        elif function.meaning:
            yield Item(function.name, {"is": function.meaning})


def formats() -> Iterator[Item]:
    """Every format, by what it takes."""
    for kind in get_args(FormatKind):
        for name in names_in(f"pages.{kind}"):
            said = (load_member(f"pages.{kind}", name).__doc__ or "").partition("\n")[0]
            yield Item(name, {"is": said, "takes": kind})


SECTIONS: dict[str, Callable[[], Iterator[Item]]] = {
    "keys": keys,
    "steps": steps,
    "mistakes": mistakes,
    "habits": habits,
    "functions": functions,
    "formats": formats,
}
"""What there is a reference of."""


def find_items(what: str, word: str | None) -> list[Item]:
    """All of a section; or those that a word names, else is part of the name of, else is said of."""
    every = [*SECTIONS[what]()]
    if word is None:
        return every
    part = word.lower()
    found = (
        [item for item in every if item.name == word]
        or [item for item in every if part in item.name.lower()]
        or [item for item in every if part in item.words.lower()]
    )
    if not found:
        hint = nearest(word, [item.name for item in every])
        raise fault(f"there is nothing called {quote(word)} among the {what}{hint}")
    return found
