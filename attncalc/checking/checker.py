"""The checker of one problem: the right values are found once, then any number of answers is marked."""

from __future__ import annotations

from attncalc.checking.answers import read_answers
from attncalc.checking.letters import at_values, values_of
from attncalc.checking.marker import Marker
from attncalc.checking.reading import refuse_others
from attncalc.checking.report import Report, unread
from attncalc.checking.right import Right
from attncalc.errors import AttncalcError, fault, inert
from attncalc.graph.graph import Graph
from attncalc.inputs.nodes import Mapped
from attncalc.inputs.problem import Problem
from attncalc.record import changed
from attncalc.solution.solution import Solution
from attncalc.solution.solve import solve


class Checker:
    """Marks answers to one problem; one with free letters at two values of each."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        if problem.symbols:
            self.solution: Solution = solve(problem)
            numbers = values_of(problem)
            self.markers = [Marker(at_values(self.solution, values), values) for values in numbers]
        else:
            self.markers = [Marker(problem)]
            self.solution = self.markers[0].solution

    @property
    def graph(self) -> Graph:
        """The steps that are marked."""
        return self.markers[0].graph

    @property
    def right(self) -> Right:
        """The right values of all steps."""
        return self.markers[0].right

    def check_file(self, file: str) -> Report:
        """Marks an answers file; one that cannot be read gets a report that says so."""
        try:
            name, root = read_answers(file)
            return self.check(root, inert(name))
        except AttncalcError as error:
            return unread(self.problem.name, file, map(str, error.faults))

    def check_key(self) -> Report:
        """Marks the key in the problem file itself."""
        if self.problem.answers is None:
            raise fault("has no answers to check; name a file with some", self.problem.place("title"))
        return self.check(self.problem.answers, self.problem.name)

    def check(self, root: Mapped, name: str) -> Report:
        """Marks answers; those with letters at both values of each."""
        refuse_others(root, self.problem)
        report, *others = (marker.mark(root, name) for marker in self.markers)
        for other in others:
            report = agreed(report, other)
        return report


def agreed(one: Report, other: Report) -> Report:
    """What two markings of the same answers have in common: all that is wrong, and the reasons of both."""
    worse, better = (one, other) if one.score <= other.score else (other, one)
    known = {step.step: {d.mistake for d in step.diagnoses} for step in better.steps}
    said = {step.step: step.remarks for step in better.steps}
    steps = [
        changed(
            step,
            diagnoses=tuple(one for one in step.diagnoses if one.mistake in known[step.step]),
            remarks=tuple(remark for remark in step.remarks if remark in said[step.step]),
        )
        for step in worse.steps
    ]
    return changed(worse, steps=tuple(steps))
