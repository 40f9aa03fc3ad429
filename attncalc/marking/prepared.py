"""What is found once for a problem, before the first answer is marked."""

from __future__ import annotations

from contextlib import suppress
from functools import partial

from attncalc.core.fields import Undecided
from attncalc.core.fields.work_counter import Exhausted, at_most
from attncalc.core.graph.graph import Graph
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.letters import Values
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import is_within, trace_graph
from attncalc.marking.answers.intervals import Yardstick
from attncalc.marking.answers.reader import Reader
from attncalc.marking.follow.truth import Truth
from attncalc.marking.follow.walk import Excuse
from attncalc.marking.report.points import Marks
from attncalc.marking.rounding.excuse import excuse
from attncalc.marking.why.diagnose import Diagnostician

LARGEST_EXACT_CHECK, MOST_TERMS = 500_000, 30_000
NO_LETTERS: Values = {}


class Prepared:
    """A problem ready for marking: correct values, the reader of names, the catalogue, the points.

    A problem with free letters is prepared at one value of each (`letters`).
    """

    def __init__(self, problem: Problem, letters: Values = NO_LETTERS) -> None:
        self.problem, self.letters = problem, letters
        self.solution = solution = solve_for_marking(problem, build_graph(problem))
        self.graph = solution.graph
        self.symbols = {name: self.graph.symbol(name, problem.names) for name in self.graph.labels}
        self.truth = Truth(self.graph, solution.trace, problem.inputs == "rounded")
        self.reader = Reader(problem, self.graph, {**letters, **problem.let}, self.truth.largest)
        self.doctor = Diagnostician(self.truth)
        self.marks = Marks(solution, self.truth)
        self.excuse: Excuse = partial(excuse, suspect=self.doctor.is_suspect)

    def yardstick(self, name: str) -> Yardstick:
        """The yardstick for the answer to a step."""
        return self.truth.yardstick(name, self.problem.places)


def solve_for_marking(problem: Problem, graph: Graph) -> Solution:
    """The correct values: exact if that is cheap, else as floats."""
    if is_within(graph, LARGEST_EXACT_CHECK):
        with suppress(Exhausted, Undecided), at_most(MOST_TERMS):
            return trace_graph(problem, graph, "exact")
    return trace_graph(problem, graph, "numeric")
