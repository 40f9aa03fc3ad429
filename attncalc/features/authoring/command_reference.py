"""Teachers: Print every key, step, mistake, habit, function or format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import get_args

import click

from attncalc.cli.options import writes
from attncalc.cli.printer import Printer
from attncalc.core.docstrings import docstring
from attncalc.core.errors import fault, nearest, quote
from attncalc.core.families import load_member, names_in
from attncalc.core.graph.backward import gradients
from attncalc.core.graph.graph import Step
from attncalc.core.notations.unicode import Ascii, write
from attncalc.core.record import record
from attncalc.core.terms.formulas import Name
from attncalc.core.terms.functions import FUNCTIONS
from attncalc.exercise.bundled import list_bundled
from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.load import Source, load
from attncalc.exercise.mechanisms import KINDS, build_graph
from attncalc.marking.rounding.plans import HABITS
from attncalc.mistakes import MISTAKES
from attncalc.pages import FormatKind
from attncalc.worked.blocks import Document, Heading, Listing

NUMBER, GAP = re.compile(r"\d+(?:\.\d+)?"), "\0"


@record
class Item:
    """One entry of the reference: a name, and facts by their headings."""

    name: str
    facts: dict[str, str]

    @property
    def words(self) -> str:
        """The text of all facts except the example."""
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
    """The first step of each kind, gradients too, in the bundled problems and the examples of keys."""
    found: dict[tuple[str, bool], Step] = {}
    examples = (Source(key.problem, name, ".").problem for name, key in KEYS.items())
    for problem in (*map(load, list_bundled()), *examples):
        graph = build_graph(problem)
        forward = [step for step in graph.steps if not step.label.of and not step.label.limit]
        backward = gradients(graph, forward[-1].name, {}) if forward else ()
        for step in (*graph.steps, *backward):
            found.setdefault((step.role, step.label.limit), step)
    return found


def rule_of(step: Step) -> str:
    """The rule of a step: its formula, if it has one, and a sentence."""
    formula = step.op.formula(*map(Name, step.inputs))
    said = docstring(type(step.op.core)).partition("\n")[0]
    return f"{write(formula, Ascii())}. {said}" if formula else said


def mistakes() -> Iterator[Item]:
    """Every mistake, once for each code."""
    for code in dict.fromkeys(mistake.code for mistake in MISTAKES):
        mistake = next(one for one in MISTAKES if one.code == code)
        yield Item(code, {"is": mistake.sentence, "question": mistake.question})


def habits() -> Iterator[Item]:
    """Every habit, with all its sentences."""
    for code in dict.fromkeys(habit.code for habit in HABITS):
        said = dict.fromkeys(habit.sentence for habit in HABITS if habit.code == code)
        yield Item(code, {"is": " ".join(join_subjects(join_numbers(said)))})


def join_subjects(sentences: Iterable[str]) -> Iterator[str]:
    """Join what is said of one subject; then the subjects of which the same is said.

    >>> [*join_subjects(["Keys were cut.", "Keys were rounded.", "Values were cut.", "Values were rounded."])]
    ['Keys or values were cut or rounded.']
    """
    said: dict[str, list[str]] = {}
    for sentence in sentences:
        subject, _, rest = sentence.partition(" were ")
        said.setdefault(subject, []).append(rest.removesuffix("."))
    subjects: dict[str, list[str]] = {}
    for subject, rests in said.items():
        subjects.setdefault(list_choices(rests), []).append(subject)
    for rest, (first, *others) in subjects.items():
        named = list_choices([first, *(f"{other[0].lower()}{other[1:]}" for other in others)])
        yield f"{named} were {rest}." if rest else " ".join((first, *others))


def join_numbers(sentences: Iterable[str]) -> Iterator[str]:
    """Join sentences that differ only in their first number into one with all the numbers."""
    numbers: dict[str, list[str]] = {}
    for sentence in sentences:
        numbers.setdefault(NUMBER.sub(GAP, sentence, count=1), []).extend(NUMBER.findall(sentence)[:1])
    for sentence, found in numbers.items():
        yield sentence.replace(GAP, list_choices(found or [""]))


def list_choices(choices: Sequence[str]) -> str:
    """Choices as text: a, b or c."""
    *others, last = choices
    return f"{', '.join(others)} or {last}" if others else last


def functions() -> Iterator[Item]:
    """Every function of one number that can be typed or occurs in a law."""
    for function in FUNCTIONS.values():
        if function.spellings:
            facts = {"is written": ", ".join(f"{word}(x)" for word in function.spellings)}
            yield Item(function.name, {**facts, "refused": f"what {function.why}" if function.why else ""})
        elif function.meaning:
            yield Item(function.name, {"is": function.meaning})


def formats() -> Iterator[Item]:
    """Every format, by the kind of its input."""
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
"""The sections of the reference."""


def find_items(what: str, word: str | None) -> list[Item]:
    """All entries of a section, or those named `word`, else with it in their names, else in their facts."""
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


@click.command()
@click.argument("what", type=click.Choice([*SECTIONS]))
@click.argument("word", required=False)
@writes("documents", "data")
def command(output: Printer, what: str, word: str | None) -> None:
    """Print what there is: every key of a problem file, every step, mistake, habit, function or format."""
    items = find_items(what, word)
    blocks = [
        block
        for item in items
        for block in (
            Heading(item.name, 3),
            Listing(tuple((head, fact) for head, fact in item.facts.items() if fact)),
        )
    ]
    output.write(
        documents=lambda: Document(
            (Heading(f"All {what}" if word is None else what.capitalize(), 1), *blocks)
        ),
        data=lambda: [{"name": item.name, **item.facts} for item in items],
    )
