"""Multiple choice after `show`: which line gives a value? The wrong lines are mistakes with other values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import islice

from attncalc.core.fields import Real, Undecided
from attncalc.core.fields.work_counter import Exhausted
from attncalc.core.notations.unicode import Ascii, write
from attncalc.core.ops.base import ShapeError
from attncalc.core.readings.value import evaluate
from attncalc.core.record import record
from attncalc.core.terms import Apply, Term, Valued, members
from attncalc.core.terms.formulas import Maths, Place, Text, Words
from attncalc.exercise.solve.selection import At
from attncalc.exercise.solve.solution import SolvedStep
from attncalc.marking.answers.questions import Question
from attncalc.marking.why.catalogue import WORKING
from attncalc.mistakes import SLIPS
from attncalc.worked.blocks import Block, Displays, Equation, Equations, Paragraph, Relation
from attncalc.worked.grids import is_literal
from attncalc.worked.rounding import count_characters
from attncalc.worked.writer.lines import LONGEST_WORKED
from attncalc.worked.writer.steps import Writer

MOST_OPTIONS, LONGEST_OPTION = 4, 80
"""The number of lines to pick from, and the largest length of each."""


@record
class Option:
    """A line that may give the value, and the mistake in it, if there is one."""

    rule: Term
    mistake: str = ""
    sentence: Text = ""


@record
class Pick:
    """Lines of which one gives the value of a cell."""

    step: str
    at: At
    options: tuple[Option, ...]

    @property
    def right(self) -> int:
        """The number of the correct line, counted from 1."""
        return next(n for n, option in enumerate(self.options, start=1) if not option.mistake)


def show_values(question: Question, writer: Writer) -> Block:
    """The correct values of the asked step, row or cell."""
    step, at = writer.solution[question.reference.step], tuple(n - 1 for n in question.reference.at)
    if len(at) == len(step.shape):
        return Equations((writer.value(step, at),))
    return Displays((writer.display(step.name, True, at),))


def show_number(number: Real, writer: Writer) -> Term:
    """A number as it is shown: with letters in exact form, else in decimals."""
    field = writer.solution.trace.field
    return field.term(number) if field.is_open(number) else writer.shown.decimal(number)


def make_pick(writer: Writer, step: SolvedStep, at: At, made: list[tuple[str, str]]) -> Pick | None:
    """A pick for a cell: the student's mistakes first, then others, then slips; None if there are none."""
    right = Option(writer.rule(step, at))
    known = {value_text(writer, right.rule, at), ""}
    wrong: list[Option] = []
    codes = {code for code, _ in made}
    found = apply_mistakes(writer, step, at)
    for option in sorted(found, key=lambda one: (one.mistake not in codes, shuffle_key(writer, one))):
        value = value_text(writer, option.rule, at)
        is_another = value not in known and all(option.mistake != other.mistake for other in wrong)
        if is_another and len(wrong) < MOST_OPTIONS - 1:
            wrong.append(option)
            known.add(value)
    wrong += islice(apply_slips(writer, right.rule, step, at, known), MOST_OPTIONS - 1 - len(wrong))
    options = sorted((right, *wrong), key=lambda one: shuffle_key(writer, one))
    return Pick(step.name, at, tuple(options)) if wrong else None


def apply_mistakes(writer: Writer, step: SolvedStep, at: At) -> Iterator[Option]:
    """The rule of a cell under every mistake that this step allows."""
    graph = writer.solution.graph
    for mistake in WORKING:
        for made in mistake.variations(step.step, graph):
            if made.step.shape == step.shape and not made.given and not made.others:
                with suppress(ShapeError, IndexError):
                    rule = graph.cell(made.step, at)
                    if count_characters(rule) <= LONGEST_OPTION and not is_unwritten(rule):
                        yield Option(rule, mistake.code, made.message or mistake.sentence)


def is_unwritten(rule: Term) -> bool:
    """Whether a rule has forms that are never shown to students."""
    is_one = isinstance(rule, Apply) and rule.function in ("step", "seen")
    return is_one or any(map(is_unwritten, members(rule)))


def apply_slips(writer: Writer, rule: Term, step: SolvedStep, at: At, known: set[str]) -> Iterator[Option]:
    """The rule of a cell with one slip in it, if its value is not known yet."""
    name = Place(step.symbol, tuple(n + 1 for n in at))
    for mistake in SLIPS:
        for other, sentence in mistake.alternatives(rule, name):
            value = value_text(writer, other, at)
            if value not in known:
                known.add(value)
                yield Option(other, mistake.code, sentence)


def value_text(writer: Writer, rule: Term, at: At) -> str:
    """The value of a rule as text; empty if it has none."""
    solution = writer.solution
    with suppress(ArithmeticError, ValueError, Undecided, Exhausted, KeyError):
        number = evaluate(writer.in_batch(rule, at), solution.trace.values, solution.trace.field)
        return write(writer.shown.decimal(number[()]), Ascii()) if number.ndim == 0 else ""
    return ""


def shuffle_key(writer: Writer, option: Option) -> str:
    """The sort key of options: a hash of the problem and the line, the same on every machine."""
    problem = writer.solution.problem
    return sha256(f"{problem.called} {problem.title} {write(option.rule, Ascii())}".encode()).hexdigest()


def write_pick(pick: Pick, writer: Writer) -> Iterator[Block]:
    """The question, and the numbered lines."""
    step = writer.solution[pick.step]
    name = writer.cell_name(step, pick.at)
    yield Paragraph(("Which of these lines gives ", name, "? Type its number."))
    yield Equations(
        tuple(write_option(n, option, name, pick, writer) for n, option in enumerate(pick.options, 1))
    )


def is_number(term: Term) -> bool:
    """Whether a term is a number, with no work left in it."""
    return is_literal(term.number if isinstance(term, Valued) else term)


def write_option(number: int, option: Option, name: Term, pick: Pick, writer: Writer) -> Equation:
    """A line in names, then in numbers if there is room, without its value."""
    rule = writer.in_batch(option.rule, pick.at)
    sides: list[tuple[Relation, Maths]] = [("=", writer.rename_term(rule))]
    ways: list[tuple[Relation, Callable[[Real], Term | None]]]
    ways = [("=", writer.shown.entry), ("≈", writer.shown.round_entry)]
    for relation, shown in ways:
        numbers = writer.with_numbers(rule, pick.at, shown)
        if numbers is not None and not is_number(numbers) and count_characters(numbers) <= LONGEST_WORKED:
            sides.append((relation, numbers))
            break
    return Equation(Words((f"({number})  ", name)), tuple(sides))
