"""The checker of one problem: the right values are found once, then any number of answers is marked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attncalc.checking.answers import Answers, answers, read_answers
from attncalc.checking.diagnose import Attempt, Diagnosis, Diagnostician
from attncalc.checking.follow import Judged, Mark, Right, Walk, meets, walk
from attncalc.checking.letters import Values, at_values, values_of
from attncalc.checking.report import FirstWrong, Report, StepReport, counted, overall, unread
from attncalc.checking.slips import Cell, evidence, misplaced, misshapen, rounded_early
from attncalc.checking.told import ToldStep, gather
from attncalc.checking.verdicts import StepVerdict
from attncalc.errors import AttncalcError, fault
from attncalc.fields import Numeric
from attncalc.graph.graph import Step, number_of
from attncalc.graph.references import course_name, own_name
from attncalc.inputs.nodes import Mapped
from attncalc.inputs.problem import Problem
from attncalc.solution.selection import asked
from attncalc.solution.solution import Solution
from attncalc.solution.solve import exact_work, solve

LARGEST_EXACT_CHECK = 500_000
MOST_SLIPS = 3


class Checker:
    """Marks answers to one problem."""

    def __init__(self, problem: Problem, values: Values | None = None) -> None:
        first, second = values_of(problem)
        self.original, self.letters = problem, first if values is None else values
        self.second = Checker(problem, second) if values is None and second else None
        self.problem = problem = at_values(problem, self.letters)
        self.known = {**self.letters, **problem.let}
        solution = solve(problem, "numeric")
        if exact_work(solution.graph) <= LARGEST_EXACT_CHECK:
            solution = solve(problem, "exact")
        self.solution: Solution = solution
        self.graph = solution.graph
        self.names: Mapping[str, str] = problem.names
        self.right = Right(self.graph, solution.trace, problem.inputs == "rounded")
        self.doctor = Diagnostician(self.right)
        self.wanted = self.wanted_cells()
        self.points = {
            own_name(self.names, name): float(str(number_of(term, Numeric())))
            for name, term in problem.marks.items()
        }

    @cached_property
    def shown(self) -> Solution:
        """The solution that reports are about, its letters left in it."""
        return solve(self.original) if self.letters else self.solution

    def wanted_cells(self) -> dict[str, NDArray[np.bool_]]:
        """The cells that the exercise's parts ask for."""
        references = [
            self.problem.resolved(reference) for part in self.problem.parts for reference in part.steps
        ]
        found = {}
        for name, cells in asked(self.solution, references).items():
            if cells:
                mask = np.zeros(self.solution[name].shape, dtype=bool)
                mask[tuple(np.array(sorted(cells)).T)] = True
                found[name] = mask
        return found

    def check_file(self, file: str) -> Report:
        """Marks an answers file; one that cannot be read gets a report that says so."""
        try:
            name, root = read_answers(file)
        except AttncalcError as error:
            return unread(self.problem.name, file, map(str, error.faults))
        return self.check(root, name)

    def check_key(self) -> Report:
        """Marks the key in the problem file itself."""
        if self.problem.answers is None:
            raise fault("has no answers to check; name a file with some", self.problem.place("title"))
        return self.check(self.problem.answers, self.problem.name)

    def check(self, root: Mapped, name: str) -> Report:
        """Marks answers; those with letters at both values of each."""
        report = self.marked(root, name)
        return agreed(report, self.second.marked(root, name)) if self.second else report

    def marked(self, root: Mapped, name: str) -> Report:
        """Marks answers."""
        told = answers(root, name, self.graph, self.names, self.known)
        by_step = gather(told.told, self.graph.steps, self.right.is_whole, self.problem.places)
        # A hidden key is −∞ on both sides, and −∞ − −∞ is nothing to warn of.
        with np.errstate(invalid="ignore"):
            way, known = self.followed(by_step)
        steps = tuple(
            self.step_report(step, by_step.get(step.name), way, known)
            for step in self.graph.steps
            if step.name in by_step or step.name in self.wanted
        )
        errors = [*told.faults, *(fault for step in by_step.values() for fault in step.faults)]
        return self.report(told, steps, tuple(map(str, errors)))

    def followed(self, told: Mapping[str, ToldStep]) -> tuple[Walk, dict[str, list[Attempt]]]:
        """The student's way, and what explains its first wrong step.

        Where a mistake was made at a step that is not told, the way goes on with its result.
        """
        plain = walk(self.right, told)
        first = next((name for name, judged in plain.judged.items() if judged.is_wrong), None)
        if first is None:
            return plain, {}
        explanations = self.doctor.explanations(plain, first)
        ways = [plain]
        if sum(judged.is_wrong for judged in plain.judged.values()) > 1:
            for attempt in explanations:
                if not attempt.changes.keys() & told.keys():
                    other = walk(self.right, told, attempt.changes)
                    ways.append(Walk(other.values, {**other.judged, first: plain.judged[first]}))
        best = min(ways, key=lambda way: sum(judged.is_wrong for judged in way.judged.values()))
        return self.with_full_carry(best, first, explanations), {first: explanations}

    def with_full_carry(self, way: Walk, first: str, explanations: list[Attempt]) -> Walk:
        """Coarse steps pass that come out of a known mistake carried on in full."""
        judged = dict(way.judged)
        if not any(Mark.COARSE in one.present for one in judged.values()):
            return way
        for attempt in explanations:
            results = self.doctor.results(self.doctor.rightly.values, list(self.graph.steps), attempt)
            for name, one in judged.items():
                if name != first and name in results and Mark.COARSE in one.present:
                    explained = meets(one.told, results[name]) & (one.marks == Mark.COARSE)
                    marks = np.where(explained, Mark.FOLLOWS, one.marks)
                    judged[name] = Judged(one.told, marks, one.allowed)
        return Walk(way.values, judged)

    def report(self, told: Answers, steps: tuple[StepReport, ...], errors: tuple[str, ...]) -> Report:
        """The steps' reports put together."""
        bad = next((step for step in steps if step.is_bad), None)
        return Report(
            self.problem.name,
            told.name,
            told.student,
            overall(steps, bool(errors)),
            sum(step.score for step in steps),
            sum(step.max_score for step in steps),
            FirstWrong(bad.step, bad.wrong_cells) if bad else None,
            steps,
            errors,
            bool(steps) or not errors,
        )

    def step_report(
        self, step: Step, told: ToldStep | None, way: Walk, known: dict[str, list[Attempt]]
    ) -> StepReport:
        """The verdict, marks and reasons of one step."""
        symbol = course_name(self.names, step.name)
        points = self.points.get(step.name, 1.0)
        if told is None:
            return StepReport(step.name, symbol, StepVerdict.BLANK, (), 0.0, points, missing=True)
        judged = way.judged[step.name]
        verdict = step_verdict(told, judged)
        sources = self.sources(step, way) if Mark.FOLLOWS in judged.present else []
        hollow = [source for source in sources if self.is_trivial(source, way)]
        diagnoses, remarks = self.reasons(way, judged, known) if judged.is_wrong else ((), ())
        if told.misshapen:
            diagnoses = (*diagnoses, *misshapen(self.right, way, judged))
            remarks = (*(message for _, message in told.misshapen), *remarks)
        if hollow:
            remarks = (*remarks, f"no credit is carried, for {hollow[0]} makes this step trivial")
        return StepReport(
            step.name,
            symbol,
            verdict,
            counted(judged.wrong),
            points * self.earned(step.name, judged, bool(hollow)),
            points,
            diagnoses,
            remarks,
            tuple(sources),
            tuple(course_name(self.names, source) for source in sources),
            judged,
            self.is_missing(step.name, judged),
        )

    def earned(self, name: str, judged: Judged, hollow: bool) -> float:
        """The share of a step's cells that earn their mark."""
        best = Mark.ROUNDED if hollow else Mark.FOLLOWS
        good = (judged.marks >= Mark.CORRECT) & (judged.marks <= best)
        required = judged.told.is_told | (judged.marks == Mark.UNREADABLE)
        if name in self.wanted:
            required = required | self.wanted[name]
        return float((good & required).sum() / required.sum()) if required.any() else 0.0

    def is_missing(self, name: str, judged: Judged) -> bool:
        """Whether cells that the exercise asks for are not told."""
        return name in self.wanted and bool((self.wanted[name] & ~judged.told.is_told).any())

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

    def is_trivial(self, name: str, way: Walk) -> bool:
        """Whether a wrong step is all zeros or all equal, where the right one is not."""
        told = way.judged[name].told
        middle = (told.low + told.high)[told.is_told]
        right = self.right.range(name).low
        return bool(middle.size > 1 and np.ptp(middle) == 0 and np.ptp(right[np.isfinite(right)]) > 0)

    def reasons(
        self, way: Walk, judged: Judged, known: dict[str, list[Attempt]]
    ) -> tuple[tuple[Diagnosis, ...], tuple[str, ...]]:
        """Why a step is wrong: mistakes, else misplaced or early rounded numbers, else slips."""
        name = judged.told.step.name
        matching = known[name] if name in known else self.doctor.explanations(way, name)
        found = grouped(matching)
        found += [Diagnosis(d.mistake, d.step, d.message, len(matching)) for d in misplaced(judged)]
        if not found and not self.letters:
            found = list(rounded_early(self.doctor, way, name))
        if not found:
            found = self.slips(way, judged)
        remarks = () if found else tuple(evidence(judged))
        return tuple(found), remarks

    def slips(self, way: Walk, judged: Judged) -> list[Diagnosis]:
        """The slips of single cells, where only a few cells are wrong."""
        cells = np.argwhere(judged.wrong)
        told = int(judged.told.is_told.sum())
        if len(cells) > MOST_SLIPS or (len(cells) > 1 and 2 * len(cells) > told):
            return []
        op = self.right.trace.ops[judged.told.step.name]
        symbol = course_name(self.names, judged.told.step.name)
        slips = (Cell(way, self.graph, judged, tuple(map(int, at)), op, symbol) for at in cells)
        found = [diagnosis for cell in slips for diagnosis in cell.diagnoses()]
        return [Diagnosis(d.mistake, d.step, d.message, n) for n, d in enumerate(found)]


def agreed(one: Report, other: Report) -> Report:
    """What two markings of the same answers have in common: all that is wrong, and the reasons of both."""
    worse, better = (one, other) if one.score <= other.score else (other, one)
    known = {step.step: {d.mistake for d in step.diagnoses} for step in better.steps}
    steps = [
        StepReport(
            **{
                **vars(step),
                "diagnoses": tuple(d for d in step.diagnoses if d.mistake in known[step.step]),
                "remarks": (),
            }
        )
        for step in worse.steps
    ]
    return Report(**{**vars(worse), "steps": tuple(steps)})


def grouped(attempts: list[Attempt]) -> list[Diagnosis]:
    """The diagnoses of all attempts, those that say the same only once."""
    seen: dict[tuple[tuple[str, str], ...], tuple[Diagnosis, ...]] = {}
    for attempt in attempts:
        said = attempt.diagnoses(len(seen))
        seen.setdefault(tuple((d.mistake, d.step) for d in said), said)
    return [diagnosis for said in seen.values() for diagnosis in said]


def step_verdict(told: ToldStep, judged: Judged) -> StepVerdict:
    """The gravest verdict of a step's cells; a step is blank only if nothing else is told of it."""
    return StepVerdict.SHAPE if told.misshapen else StepVerdict.of_gravity(max(judged.present))
