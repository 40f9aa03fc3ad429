"""A problem solved: every step with its values, its law and its cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property, reduce
from math import prod
from operator import add

import numpy as np

from attncalc.core.fields import Array, Floats
from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.graph.graph import Graph, Step, Trace, shape_text
from attncalc.core.graph.references import Reference
from attncalc.core.notations.unicode import Ascii, write
from attncalc.core.ops.base import Operand, Operation, Piece
from attncalc.core.readings.cost import Cost, cost
from attncalc.core.readings.subterms import matrices_of
from attncalc.core.record import record, replace
from attncalc.core.terms import Term
from attncalc.core.terms.formulas import Maths, Name, Text
from attncalc.core.terms.turned import turn_formula, turn_text
from attncalc.exercise.problem import Problem


@record
class SolvedStep:
    """One step with its result."""

    step: Step
    graph: Graph
    trace: Trace
    problem: Problem

    def __repr__(self) -> str:
        return f"<Step {self.name}: {self.title}, {shape_text(self.shape)}>"

    @property
    def symbol(self) -> str:
        """The course's own name of the step."""
        return self.step.label.to_course_name(self.problem.names)

    @property
    def name(self) -> str:
        """The fixed name of the step: S, A, O."""
        return self.step.name

    @property
    def title(self) -> str:
        """What the step is called in words."""
        return self.step.title

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the result, rows and columns last."""
        return self.step.shape

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names that the step really uses."""
        used = frozenset().union(*(matrices_of(piece.rule) for piece in self.pieces))
        return tuple(name for name in self.step.inputs if name in used)

    @property
    def numbers(self) -> Array:
        """The result in the field of the solution."""
        return self.trace.values[self.name]

    @cached_property
    def value(self) -> Floats:
        """The result as floats."""
        return self.trace.field.floats(self.numbers)

    @property
    def exact(self) -> Array | None:
        """The result as SymPy expressions, or None in numeric mode."""
        if self.trace.field.name != "exact":
            return None
        return algebra.to_expressions(self.numbers)

    @property
    def terms(self) -> Array:
        """The result as terms, one a cell."""
        # SymPy evaluates floats on the way, and NumPy would warn of those that overflow.
        with np.errstate(all="ignore"):
            return np.asarray(np.frompyfunc(self.trace.field.term, 1, 1)(self.numbers), dtype=object)

    @property
    def pieces(self) -> list[Piece]:
        """The blocks of the step, each with the rule of its cells in letters."""
        return self.graph.pieces(self.step, self.trace.ops[self.name])

    @property
    def laws(self) -> list[Piece]:
        """The blocks whose rules are written in letters."""
        op = self.trace.ops[self.name]
        return op.laws(self.step.axes, *(Operand(name, self.graph.shapes[name]) for name in self.step.inputs))

    def cell(self, at: tuple[int, ...], expand: bool = True) -> Term:
        """The rule of the cell at 0-based indices, its sums written out or not."""
        return self.graph.cell(self.step, at, self.trace.ops[self.name], expand)

    def piece(self, at: tuple[int, ...]) -> Piece:
        """The block that the cell at 0-based indices belongs to."""
        return self.graph.piece(self.step, at, self.trace.ops[self.name])[0]

    @property
    def formula(self) -> str:
        """The matrix formula, as it can be typed, with a row for each token as in `value`."""
        op = self.trace.ops[self.name]
        found = (op.in_rows if self.graph.in_columns else op).formula(*map(Name, self.step.inputs))
        return write(found, Ascii()) if found else ""

    def formula_of(self, op: Operation, symbol: Callable[[str], str]) -> Maths | None:
        """The matrix formula of an operation on the step's inputs, in other names for them."""
        names = {symbol(name): name for name in self.step.inputs}
        turns = self.graph.in_columns
        found = (op.in_rows if turns else op).formula(*map(Name, names))
        if not turns or found is None:
            return found
        flip = self.graph.is_turned(self.name)
        return turn_formula(found, flip, lambda own: self.graph.is_turned(names[own]), names.__contains__)

    @property
    def sentence(self) -> Text:
        """What the step does, in one sentence."""
        sentence = self.trace.ops[self.name].sentence
        return turn_text(sentence) if self.graph.in_columns else sentence

    @property
    def cost(self) -> Cost:
        """The operations of all cells together."""
        return pieces_cost(self.pieces) * prod(self.shape[:-2])

    @property
    def shifted(self) -> bool:
        """Whether the exponentials are those of scores minus their row's maximum."""
        is_inside = self.step.kind.part_of == "softmax"
        steps = [self.graph.step(name) for name in (self.name, *(self.inputs if is_inside else ()))]
        return any(step and self.trace.ops[step.name] == step.op.shifted for step in steps)


@record
class Solution:
    """A solved problem: `solution["A"]` is the step A."""

    problem: Problem
    graph: Graph
    trace: Trace

    def __repr__(self) -> str:
        steps = ", ".join(f"{step.name} {shape_text(step.shape)}" for step in self.graph.steps)
        named = self.problem.heading
        return f"<Solution {named}, {self.mode}: {steps or 'derivations only'}>"

    @property
    def mode(self) -> str:
        """exact or numeric"""
        return self.trace.field.name

    @cached_property
    def steps(self) -> tuple[SolvedStep, ...]:
        """All steps in order."""
        return tuple(SolvedStep(step, self.graph, self.trace, self.problem) for step in self.graph.steps)

    @property
    def output(self) -> str:
        """The name of the last step of the forward pass; limits do not count."""
        names = [step.name for step in self.graph.steps if not step.label.limit and not step.label.of]
        return names[-1] if names else ""

    @property
    def last(self) -> str:
        """The name of the last step, or of its limit if there is one: it is asked for by default."""
        names = [step.name for step in self.graph.steps if not step.label.limit]
        limit = replace(self.graph.labels[names[-1]], limit=True).name if names else ""
        return limit if limit in self.graph.shapes else names[-1] if names else ""

    def resolve(self, reference: Reference) -> Reference:
        """Return a reference in the course's own names with the fixed name of its step."""
        return self.graph.resolve(reference, self.problem.names)

    def __getitem__(self, name: str) -> SolvedStep:
        if name in self.by_name:
            return self.by_name[name]
        raise KeyError(f"{name}: the steps are {', '.join(step.name for step in self.steps)}")

    @cached_property
    def by_name(self) -> dict[str, SolvedStep]:
        """The steps by name, and by the course's own names."""
        found: dict[str, SolvedStep] = {}
        for step in self.steps:
            found.setdefault(step.name, step)
            found.setdefault(step.symbol, step)
        return found

    @property
    def cost(self) -> Cost:
        """The operations of all steps together."""
        return reduce(add, (step.cost for step in self.steps), Cost())

    def __iter__(self) -> Iterator[SolvedStep]:
        return iter(self.steps)

    def __contains__(self, name: object) -> bool:
        return name in self.by_name


def pieces_cost(pieces: list[Piece]) -> Cost:
    """The operations of all blocks of a matrix."""
    return reduce(add, (cost(piece.rule, piece.axes) for piece in pieces))
