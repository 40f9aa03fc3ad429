"""One marking: answers walked through the graph, every step judged, the reasons found."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from attncalc.checking.answers import Answers
from attncalc.checking.boxes import Yardstick
from attncalc.checking.diagnose import Attempt, Diagnosis, Diagnostician
from attncalc.checking.follow import Judged, Mark, Right, Walk, all_right, meets, walk
from attncalc.checking.letters import Values
from attncalc.checking.reading import Reader
from attncalc.checking.report import FirstWrong, Report, StepReport, counted, overall
from attncalc.checking.slips import evidence, slips
from attncalc.checking.told import ToldStep, gather
from attncalc.checking.verdicts import StepVerdict
from attncalc.fields import Numeric
from attncalc.graph.graph import Step, number_of
from attncalc.graph.references import Reference
from attncalc.inputs.nodes import Mapped
from attncalc.inputs.problem import Problem
from attncalc.mechanisms import build_graph
from attncalc.solution.selection import asked
from attncalc.solution.solve import exact_work, solved

LARGEST_EXACT_CHECK = 500_000
NO_LETTERS: Values = {}


class Marker:
    """Marks answers to a problem without free letters, or at one value of each."""

    def __init__(self, problem: Problem, letters: Values = NO_LETTERS) -> None:
        self.problem, self.letters = problem, letters
        self.graph = build_graph(problem)
        self.reader = Reader(problem, self.graph, {**letters, **problem.let})
        mode = "exact" if exact_work(self.graph) <= LARGEST_EXACT_CHECK else "numeric"
        self.solution = solution = solved(problem, self.graph, mode)
        self.course = self.graph.course(problem.names)
        self.symbols = {name: symbol for symbol, name in self.course.items()}
        self.right = Right(self.graph, solution.trace, problem.inputs == "rounded")
        self.doctor = Diagnostician(self.right)
        self.wanted = self.wanted_cells()
        self.points = {
            solution.resolved(Reference(name)).step: float(str(number_of(term, Numeric())))
            for name, term in problem.marks.items()
        }

    def yardstick(self, name: str) -> Yardstick:
        """What the numbers told of a step are measured by."""
        return self.right.yardstick(name, self.problem.places)

    def wanted_cells(self) -> dict[str, NDArray[np.bool_]]:
        """The cells that the exercise's parts ask for."""
        references = [
            self.solution.resolved(reference) for part in self.problem.parts for reference in part.steps
        ]
        found = {}
        for name, cells in asked(self.solution, references).items():
            if cells:
                mask = np.zeros(self.solution[name].shape, dtype=bool)
                mask[tuple(np.array(sorted(cells)).T)] = True
                found[name] = mask
        return found

    def mark(self, root: Mapped, name: str) -> Report:
        """Marks answers."""
        told = self.reader.read(root, name)
        # A hidden key is −∞ on both sides, and −∞ − −∞ is nothing to warn of.
        with np.errstate(invalid="ignore", over="ignore"):
            by_step = gather(told.told, self.graph.steps, self.yardstick)
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
        plain = all_right(self.right, told) or walk(self.right, told)
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
        symbol = self.symbols[step.name]
        points = self.points.get(step.name, 1.0)
        if told is None:
            return StepReport(step.name, symbol, StepVerdict.BLANK, (), 0.0, points, missing=True)
        judged = way.judged[step.name]
        verdict = step_verdict(told, judged)
        sources = self.sources(step, way) if Mark.FOLLOWS in judged.present else []
        hollow = [source for source in sources if self.is_trivial(source, way)]
        diagnoses, remarks = self.reasons(way, judged, known) if judged.is_wrong else ((), ())
        if told.misshapen:
            diagnoses = (*diagnoses, *self.doctor.misshapen(way, judged))
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
            tuple(self.symbols[source] for source in sources),
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
        """Why a step is wrong: mistakes, else numbers rounded early, else slips."""
        name = judged.told.step.name
        matching = known[name] if name in known else self.doctor.explanations(way, name)
        found = grouped(matching)
        if not found and not self.letters:
            found = list(self.doctor.rounded_early(way, name))
        if not found:
            found = slips(self.right, way, judged, self.symbols[name])
        remarks = () if found else tuple(evidence(self.right, judged))
        return tuple(found), remarks


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
