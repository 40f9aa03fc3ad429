"""Answers to a question with many right answers: a student's design is tried, and what it reaches marked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import fsum

import numpy as np

from attncalc.checking.answers import BLANK
from attncalc.checking.attempts import Diagnosis
from attncalc.checking.cells import BLANKS
from attncalc.checking.reading import unwrapped
from attncalc.checking.report import Report, StepReport, find_first_wrong, overall
from attncalc.checking.told import fitted
from attncalc.checking.verdicts import StepVerdict
from attncalc.document.goals import name_goal, say_numbers
from attncalc.document.prose import to_words
from attncalc.document.steps import View, Writer, rounding_of
from attncalc.errors import AttncalcError, Fault, fault, inert
from attncalc.fields import Array
from attncalc.graph.graph import shape_text
from attncalc.inputs.expression import Value
from attncalc.inputs.nodes import Mapped, Node, Scalar
from attncalc.inputs.problem import Problem
from attncalc.inputs.readers import Context, read_matrix
from attncalc.mechanisms import build_graph
from attncalc.record import changed, record
from attncalc.solution.designs import Reached, find_reached
from attncalc.solution.solution import Solution
from attncalc.solution.solve import solved
from attncalc.terms import Entry, entries
from attncalc.terms.formulas import Equal, Text, join_sentences

NOTHING: Array = np.empty(0, dtype=object)
"""A design of which nothing is told."""
GOAL_MISSED = "goal-missed"
"""The code of a design that does not reach its goal."""
MISSED_SENTENCE = "The design does not reach its goal."


@record
class ToldDesign:
    """The matrices that a student designed, what is wrong with others, and all else that is told."""

    matrices: Mapping[str, Array]
    misfits: tuple[str, ...]
    faults: tuple[Fault, ...]
    rest: Mapped

    @property
    def is_sound(self) -> bool:
        """Whether all that is told of it can be tried."""
        return not self.misfits and not self.faults


def read_design(root: Mapped, problem: Problem) -> ToldDesign:
    """What answers tell of a design; faults are gathered, not raised."""
    names: dict[str, Value] = {**{name: Entry(name) for name in problem.symbols}, **problem.let, "_": BLANK}
    matrices: dict[str, Array] = {}
    misfits: list[str] = []
    faults: list[Fault] = []
    rest: list[tuple[Scalar, Node]] = []
    for key, node in unwrapped(root):
        name = find_designed(key.text, problem)
        if name is None:
            rest.append((key, node))
            continue
        try:
            told = read_matrix_of(key, node, Context("", names))
        except AttncalcError as error:
            faults += [Fault(f"{inert(key.text)}: {one.message}", one.place) for one in error.faults]
            continue
        shape = problem.settings[name].shape
        matrix = fitted(told, shape)
        if matrix is not None:
            matrices[name] = matrix
        elif told is not NOTHING:
            is_, want = shape_text(told.shape), shape_text(shape)
            misfits.append(f"{name} has the shape {is_}, and should have {want}.")
    return ToldDesign(matrices, tuple(misfits), tuple(faults), Mapped(tuple(rest), root.place))


def find_designed(key: str, problem: Problem) -> str | None:
    """What is designed under a key, in capitals or small letters."""
    if key in {*problem.let, *problem.symbols}:
        return None
    return next((name for name in problem.design if key.casefold() == name.casefold()), None)


def read_matrix_of(key: Scalar, node: Node, context: Context) -> Array:
    """One matrix of a design, which refers to no file and is told whole or not at all."""
    if isinstance(node, Mapped):
        raise fault("is not a matrix", node.place)
    if isinstance(node, Scalar) and node.text in BLANKS:
        return NOTHING
    matrix = read_matrix(node, context, hidden=False)
    blank = [BLANK in entries(term) for term in matrix.flat] if matrix.dtype == object else [False]
    if any(blank) and not all(blank):
        raise fault("has blanks: a design is told whole", key.place)
    return NOTHING if all(blank) else matrix


def solve_design(problem: Problem, told: ToldDesign) -> Solution:
    """The problem solved with a student's design in place of its own."""
    own = problem.with_settings(**told.matrices)
    return solved(own, build_graph(own))


def with_goals(report: Report, student: str, told: ToldDesign, goals: tuple[StepReport, ...]) -> Report:
    """The report on what is told besides a design, with the steps that it had to reach."""
    marked = {goal.step for goal in goals}
    steps = (*(step for step in report.steps if step.step not in marked), *goals)
    errors = (*map(str, told.faults), *report.errors)
    return changed(
        report,
        student=student,
        verdict=overall(steps, bool(errors)),
        score=fsum(step.score for step in steps),
        first_wrong=find_first_wrong(steps),
        steps=steps,
        errors=errors,
    )


def report_goals(
    key: Solution, worth: Mapping[str, float], told: ToldDesign, own: Solution | None
) -> Iterator[StepReport]:
    """Every step that goals are about: what a design reaches, or why it cannot be tried."""
    steps = dict.fromkeys(key.resolved(goal.reference).step for goal in key.problem.goal)
    found = find_reached(own) if own else ()
    for name in steps:
        reached = [each for each in found if each.reference.step == name]
        blank = StepReport(name, key[name].symbol, StepVerdict.BLANK, (), 0.0, worth[name], missing=True)
        yield judge(blank, reached, own) if own else untried(blank, told)


def untried(blank: StepReport, told: ToldDesign) -> StepReport:
    """A step whose design is missing, of a wrong shape, or not to be read."""
    if told.misfits:
        return changed(blank, verdict=StepVerdict.SHAPE, remarks=told.misfits, missing=False)
    return changed(blank, verdict=StepVerdict.UNREADABLE, missing=False) if told.faults else blank


def judge(blank: StepReport, goals: list[Reached], own: Solution) -> StepReport:
    """A step of a design that was tried: the share of its goals that is reached, and what it comes to."""
    writer = Writer(own, View(rounding=rounding_of(own.problem)))
    missed = [goal for goal in goals if not goal.is_reached]
    cells = tuple(at for goal in missed for at in goal.missed)
    message = join_sentences(say_missed(writer, goal) for goal in missed) if missed else ""
    return changed(
        blank,
        verdict=StepVerdict.WRONG if missed else StepVerdict.CORRECT,
        wrong_cells=cells,
        score=blank.max_score * (1 - len(missed) / len(goals)),
        diagnoses=(Diagnosis(GOAL_MISSED, blank.step, message, cells=len(cells)),) if missed else (),
        missing=False,
        reached=", ".join(to_words((equation(writer, goal),)) for goal in goals),
    )


def say_missed(writer: Writer, goal: Reached) -> Text:
    """What a design reaches, and what it should."""
    wanted = say_numbers(writer, goal.wanted)
    return ("Your design gives ", equation(writer, goal), ", and should give ", wanted, ".")


def equation(writer: Writer, goal: Reached) -> Equal:
    """c_limit[2] = u_b"""
    return Equal(name_goal(writer, goal), say_numbers(writer, goal.numbers))
