"""One marking: answers walked through the graph, every step judged, the reasons found."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from math import fsum
from typing import TypeAlias

import numpy as np

from attncalc.core.fields import Floats, Undecided
from attncalc.core.fields.budget import Exhausted, at_most
from attncalc.core.graph.graph import Graph, Step
from attncalc.core.record import replace
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.letters import Values
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import is_within, traced
from attncalc.exercise.yaml.tree import Mapped
from attncalc.marking.answers.answer import ToldStep, gather
from attncalc.marking.answers.boxes import Yardstick
from attncalc.marking.answers.files import Answers
from attncalc.marking.answers.reader import Reader
from attncalc.marking.follow.judge import Judged, Mark
from attncalc.marking.follow.paths import find_way
from attncalc.marking.follow.truth import Right
from attncalc.marking.follow.walk import NO_CHANGES, Walk, follow, written_on
from attncalc.marking.limits import TookTooLong
from attncalc.marking.report.marks import Marks, is_alike, is_trivial
from attncalc.marking.report.report import Report, StepReport, find_first_wrong, overall
from attncalc.marking.report.verdicts import OverallVerdict, StepVerdict
from attncalc.marking.why.attempts import Diagnosis, Match
from attncalc.marking.why.diagnose import Diagnostician
from attncalc.marking.why.evidence import disagrees, evidence, is_on_the_way
from attncalc.marking.why.match import counted
from attncalc.marking.why.slips import slips
from attncalc.marking.why.solve_for import other_scale, untold_slip
from attncalc.mistakes.slips import CellSlip

LARGEST_EXACT_CHECK, MOST_TERMS = 500_000, 30_000
NO_LETTERS: Values = {}
NO_TIME = "There was no time to find out why."
ALIKE = "All entries are the same number, so the right ones among them earn nothing."

Known: TypeAlias = Mapping[str, list[Match]] | None
"""What explains wrong steps as far as it is known; none where there is no time to look for more."""
Reasons: TypeAlias = tuple[tuple[Diagnosis, ...], tuple[str, ...]]
"""Mistakes, and remarks."""


def best_solution(problem: Problem, graph: Graph) -> Solution:
    """The right values: exact where that is cheap, else as floats."""
    if is_within(graph, LARGEST_EXACT_CHECK):
        with suppress(Exhausted, Undecided), at_most(MOST_TERMS):
            return traced(problem, graph, "exact")
    return traced(problem, graph, "numeric")


class Marker:
    """Marks answers to a problem without free letters, or at one value of each."""

    def __init__(self, problem: Problem, letters: Values = NO_LETTERS) -> None:
        self.problem, self.letters = problem, letters
        self.graph = build_graph(problem)
        self.reader = Reader(problem, self.graph, {**letters, **problem.let})
        self.solution = solution = best_solution(problem, self.graph)
        self.course = self.graph.course(problem.names)
        self.symbols = {name: symbol for symbol, name in self.course.items()}
        self.right = Right(self.graph, solution.trace, problem.inputs == "rounded")
        self.doctor = Diagnostician(self.right)
        self.marks = Marks(solution)

    def yardstick(self, name: str) -> Yardstick:
        """What the numbers told of a step are measured by."""
        return self.right.yardstick(name, self.problem.places)

    def mark(self, root: Mapped, name: str) -> Report:
        """Marks answers; where tokens may be columns, or a step stands for its limit, as they fit better."""
        report = self.marked(self.reader.read(root, name))
        if limits := self.find_limits(report):
            report = max(report, self.marked(self.reader.read(root, name, limits=limits)), key=correctness)
        if not self.reader.columns or report.verdict is OverallVerdict.CORRECT:
            return report
        turned = self.marked(self.reader.read(root, name, turned=True))
        return max(report, turned, key=rightness)

    def find_limits(self, report: Report) -> dict[str, str]:
        """The limits of steps that are told and not just right, where these are not told themselves."""
        told = {step.step: step for step in report.steps if step.verdict is not StepVerdict.BLANK}
        others = (name for name, step in told.items() if step.verdict is not StepVerdict.CORRECT)
        limits = {name: replace(self.graph.labels[name], limit=True).name for name in others}
        untold = self.graph.shapes.keys() - told.keys()
        return {name: limit for name, limit in limits.items() if limit in untold}

    def marked(self, told: Answers) -> Report:
        """Marks answers that are read."""
        # A hidden key is −∞ on both sides, and −∞ − −∞ is nothing to warn of.
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            by_step = gather(told.told, self.graph.steps, self.yardstick)
            plain = follow(self.right, by_step)
            try:
                steps = self.step_reports(by_step, *find_way(self.doctor, by_step, plain))
            except TookTooLong:
                steps = self.step_reports(by_step, plain, None)
        errors = [*told.faults, *(fault for step in by_step.values() for fault in step.faults)]
        return self.report(told, self.marks.with_implied(steps), tuple(map(str, errors)))

    def step_reports(self, told: Mapping[str, ToldStep], way: Walk, known: Known) -> tuple[StepReport, ...]:
        """The steps that are told or asked for."""
        return tuple(
            self.step_report(step, told.get(step.name), way, known)
            for step in self.graph.steps
            if step.name in told or step.name in self.marks.asked
        )

    def report(self, told: Answers, steps: tuple[StepReport, ...], errors: tuple[str, ...]) -> Report:
        """The steps' reports put together."""
        return Report(
            problem=self.problem.name,
            answers=told.name,
            student=told.student,
            verdict=overall(steps, bool(errors)),
            score=fsum(step.score for step in steps),
            max_score=self.marks.most,
            first_wrong=find_first_wrong(steps),
            steps=steps,
            errors=errors,
            is_read=bool(steps) or not errors,
        )

    def step_report(self, step: Step, told: ToldStep | None, way: Walk, known: Known) -> StepReport:
        """The verdict, marks and reasons of one step."""
        symbol, points = self.symbols[step.name], self.marks.of(step.name)
        if told is None:
            return StepReport(step.name, symbol, StepVerdict.BLANK, (), 0.0, points, missing=True)
        judged = way.judged[step.name]
        sources = (self.sources(step, way) or list(known or ())) if Mark.FOLLOWS in judged.present else []
        hollow, habit = self.hollow(judged, sources, way), judged.habit
        matching = self.matching(way, judged, known)
        diagnoses, remarks = self.reasons(way, judged, matching)
        alike = (ALIKE,) if points and judged.is_wrong and is_alike(judged) else ()
        remarks = (*(message for _, message in told.misshapen), *remarks, *alike)
        return StepReport(
            step=step.name,
            symbol=symbol,
            verdict=step_verdict(told, judged),
            wrong_cells=counted(judged.wrong) if judged.is_wrong else (),
            score=points and points * self.marks.earned(judged, bool(hollow)),
            max_score=points,
            diagnoses=diagnoses,
            remarks=remarks,
            hollow=hollow,
            rounding=habit.sentence if habit and not judged.is_wrong else "",
            follows_from=tuple(sources),
            given=tuple(self.symbols[source] for source in sources),
            judged=judged,
            mistaken=matching[0].result if matching and not self.letters else None,
            carried=self.carried(step, way) if judged.is_wrong else None,
            missing=self.marks.is_missing(judged),
            is_all_wrong=judged.is_wrong and judged.marks.size > 1 and bool(judged.wrong.all()),
            against=self.against(step, judged, way),
        )

    def against(self, step: Step, judged: Judged, way: Walk) -> tuple[str, ...]:
        """The wrong steps that a right one does not follow from, as the course calls them."""
        if not judged.is_right or not disagrees(judged):
            return ()
        return tuple(self.symbols[source] for source in self.sources(step, way))

    def hollow(self, judged: Judged, sources: list[str], way: Walk) -> str:
        """Why a step that follows earns nothing: what is wrong before it leaves nothing to work out."""
        if not sources:
            return ""
        trivial = [name for name in sources if is_trivial(self.right, way.judged[name].told, way.judged)]
        if is_trivial(self.right, judged.told, way.judged):
            trivial = trivial or sources
        name = self.symbols[trivial[0]] if trivial else ""
        return name and f"no credit is carried over: {name} makes this step trivial"

    def sources(self, step: Step, way: Walk) -> list[str]:
        """The last wrong steps that a step goes back to."""
        before: set[str] = set(step.inputs)
        found: list[str] = []
        for earlier in reversed(self.graph.steps):
            if earlier.name in before:
                if earlier.name in way.judged and way.judged[earlier.name].is_wrong:
                    found.insert(0, earlier.name)
                else:
                    before.update(earlier.inputs)
        return found

    def carried(self, step: Step, way: Walk) -> Floats | None:
        """A step from the numbers written before it; those that stand for letters are nobody's business."""
        return None if self.letters else written_on(self.right, way.judged, NO_CHANGES, step)

    def matching(self, way: Walk, judged: Judged, known: Known) -> list[Match] | None:
        """The mistakes that explain a wrong step; none where there is no time to look for them."""
        name = judged.told.step.name
        if known is None:
            return None
        if not judged.is_wrong or judged.habit:
            return []
        return known[name] if name in known else self.doctor.explanations(way, name)

    def reasons(self, way: Walk, judged: Judged, matching: list[Match] | None) -> Reasons:
        """Why a step is wrong, also in its shape, as far as there is time to find out."""
        if matching is None:
            return (), (NO_TIME,) if judged.is_wrong else ()
        diagnoses, remarks = self.explained(way, judged, matching)
        return (*diagnoses, *self.doctor.misshapen(way, judged)), remarks

    def explained(self, way: Walk, judged: Judged, matching: list[Match]) -> Reasons:
        """Why a step is wrong: a habit, mistakes, numbers rounded early, slips; of a right one, the habit."""
        name, habit = judged.told.step.name, judged.habit
        if habit and judged.is_wrong:
            return (Diagnosis(habit.code, name, habit.sentence, cells=int(judged.wrong.sum())),), ()
        if not judged.is_wrong:
            return (), (f"{habit.code}: {habit.sentence}",) if habit else ()
        found = grouped(matching)
        if not found and self.problem.places is not None:
            found = list(self.doctor.rounded_early(way, name))
        return (tuple(found), ()) if found else self.unexplained(way, judged)

    def unexplained(self, way: Walk, judged: Judged) -> Reasons:
        """What is said where no mistake explains a step: slips, another scale, or what the numbers show."""
        chain, symbols = self.doctor.chain(way, judged.told.step.name), self.symbols
        found = list(untold_slip(self.doctor, way, judged, symbols))
        remarks = [] if found else list(other_scale(self.doctor, way, judged, symbols))
        if not found and not remarks:
            is_direct = all(map(is_on_the_way, chain[:-1]))
            found = slips(self.right, way, judged, is_direct, symbols)
        if not found and not remarks:
            remarks = list(evidence(self.right, way, judged, chain, symbols))
        if self.letters:
            # The numbers that stand for letters are nobody's business.
            found = [one for one in found if one.mistake != CellSlip.code]
        return tuple(found), tuple(remarks)


def correctness(report: Report) -> tuple[int, int]:
    """How few steps are wrong, and how many are just right."""
    steps = report.steps
    return -sum(step.is_bad for step in steps), sum(step.verdict is StepVerdict.CORRECT for step in steps)


def rightness(report: Report) -> tuple[int, int]:
    """In how many steps nothing is wrong, and how many of them are right, not only too coarse to tell."""
    steps = report.steps
    return sum(not step.is_bad for step in steps), sum(step.verdict.passes for step in steps)


def grouped(matches: list[Match]) -> list[Diagnosis]:
    """The diagnoses of all matches, those that say the same only once."""
    seen: dict[tuple[tuple[str, str], ...], tuple[Diagnosis, ...]] = {}
    for match in matches:
        said = match.diagnoses(len(seen))
        seen.setdefault(tuple((one.mistake, one.step) for one in said), said)
    return [diagnosis for said in seen.values() for diagnosis in said]


def step_verdict(told: ToldStep, judged: Judged) -> StepVerdict:
    """The gravest verdict of a step's cells; a step is blank only if nothing else is told of it."""
    return StepVerdict.SHAPE if told.misshapen else StepVerdict.of_gravity(max(judged.present))
