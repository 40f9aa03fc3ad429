"""Checks of an exercise's numbers: weights that say little, masks that hide nothing, too much work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from attncalc.core.errors import Place
from attncalc.core.fields import Array, Floats
from attncalc.core.graph.graph import Graph, Step, where
from attncalc.core.readings.value import prepare
from attncalc.core.terms import ONE, ZERO, Constant, Entry, Greatest, Product, Sum, Term, Total, members
from attncalc.exercise.solve.selection import Cells, find_cells, with_sources
from attncalc.exercise.yaml.tree import Mapped
from attncalc.features.authoring.lint.batches import Sets, align, only_set
from attncalc.features.authoring.lint.findings import Finding
from attncalc.features.authoring.lint.marker import mark_values
from attncalc.features.authoring.lint.wrong_answers import Exercise
from attncalc.marking.follow.replay import axes_of
from attncalc.marking.follow.truth import ROUGH
from attncalc.marking.verdicts import StepVerdict
from attncalc.mistakes.softmax_base import exponentials_of

SATURATED = 0.99
MOST_PRODUCTS, MOST_DIGITS = 300, 3
NOISE = 1e-9


class Looker:
    """One exercise, with what the checks need to know about it."""

    def __init__(self, exercise: Exercise, root: Mapped) -> None:
        self.exercise, self.root = exercise, root
        self.solution, self.graph, self.problem = exercise.solution, exercise.graph, exercise.problem

    def findings(self) -> Iterator[Finding]:
        """The findings of all checks."""
        for look in LOOKS:
            yield from look(self)

    def place(self, *keys: str) -> Place:
        """The place of one of these keys, else the start of the file."""
        found = self.problem.place(*keys)
        return found if found.line else self.root.place

    @cached_property
    def needed(self) -> Cells:
        """The cells that have to be computed for the asked steps."""
        references = [question.reference for question in self.exercise.questions]
        return with_sources(self.solution, find_cells(self.solution, references))

    @cached_property
    def weights(self) -> list[tuple[Step, Floats, NDArray[np.bool_]]]:
        """By softmax step, the needed rows that see several keys: their weights, and which keys they see."""
        found = []
        for step in self.exercise.chain:
            exponentials = exponentials_of(step, self.graph)
            rows = sorted({at[:-1] for at in self.needed[step.name]})
            if exponentials and rows:
                where = tuple(np.array(rows).T)
                values = self.exercise.right.floats
                weights, scores = values[step.name][where], values[exponentials.inputs[0]][where]
                visible = ~np.isneginf(scores)
                several = visible.sum(axis=-1) > 1
                found.append((step, weights[several], visible[several]))
        return [one for one in found if one[1].size]

    def symbol(self, step: Step) -> str:
        """What the course calls a step."""
        return self.graph.symbol(step.name, self.problem.names)


def look_saturated(looker: Looker) -> Iterator[Finding]:
    """In every row one weight above 0.99."""
    tops = [weights.max(axis=-1) for _, weights, _ in looker.weights]
    if tops and all((top > SATURATED).all() for top in tops):
        message = f"in every asked row one weight is above {SATURATED}, so the other weights hardly matter"
        yield Finding("saturated", message, looker.place("scale", "Q", "X", "S"))


def look_even(looker: Looker) -> Iterator[Finding]:
    """A row of equal weights although its keys differ."""
    if looker.problem.goal:
        return
    for step, weights, visible in looker.weights:
        largest, smallest = (
            take(np.where(visible, weights, rest), axis=-1)
            for take, rest in ((np.max, -np.inf), (np.min, np.inf))
        )
        if (largest - smallest <= NOISE).any() and not has_equal_keys(looker, step):
            message = f"a row of {looker.symbol(step)} has equal weights: many mistakes do not change it"
            yield Finding("even", message, looker.place("Q", "X", "S"))
            return


def has_equal_keys(looker: Looker, step: Step) -> bool:
    """Whether all keys are equal, which makes the weights equal."""
    name = looker.graph.find("keys", step.head)
    keys = looker.exercise.right.floats.get(name or "")
    return keys is not None and bool(np.ptp(keys, axis=-2).max() <= NOISE)


def look_mask(looker: Looker) -> Iterator[Finding]:
    """A mask that hides nothing."""
    values = looker.exercise.right.floats
    masks = [values[name] for name in looker.graph.given if looker.graph.is_mask(name)]
    if masks and all((mask == 0).all() for mask in masks):
        yield Finding("mask-idle", "the mask hides nothing", looker.place("mask"))


def look_laborious(looker: Looker) -> Iterator[Finding]:
    """Too many products, or too long numbers, for work by hand."""
    counts = Work(looker.graph, looker.exercise.chain).count(only_set(looker.exercise.right.floats))
    total = sum(
        float(counts[step.name][0][at]) for step in looker.exercise.chain for at in looker.needed[step.name]
    )
    if total > MOST_PRODUCTS:
        message = f"takes {total:.0f} products by hand, more than {MOST_PRODUCTS}"
        yield Finding("laborious", message, looker.place("X", "Q", "S"))
    used = {name for step in looker.exercise.chain for name in step.inputs}
    given = [(name, matrix) for name, matrix in looker.graph.given.items() if name in used]
    long = [
        name for name, matrix in given if not looker.graph.is_mask(name) and digits_of(matrix) > MOST_DIGITS
    ]
    if long:
        message = f"entries of {', '.join(long)} have more than {MOST_DIGITS} digits"
        yield Finding("laborious", message, looker.place(long[0]))


def digits_of(matrix: Array) -> int:
    """The largest number of significant digits that an entry is written with."""
    if matrix.dtype != object:
        return max(count_digits(f"{float(number):.15g}") for number in matrix.ravel())
    return max(
        (count_digits(digits_as_written(term)) for term in matrix.ravel() if isinstance(term, Constant)),
        default=0,
    )


def digits_as_written(constant: Constant) -> str:
    """The digits of a number as it was written; empty if it is no integer and no decimal."""
    if isinstance(constant.value, float):
        return ""
    if constant.places is None:
        return str(constant.value) if isinstance(constant.value, int) else ""
    return f"{int(constant.value * 10**constant.places)}"


def count_digits(text: str) -> int:
    """The number of significant digits: from the first that is not 0."""
    return len("".join(filter(str.isdigit, text.partition("e")[0])).lstrip("0"))


def look_coarse(looker: Looker) -> Iterator[Finding]:
    """Correct work that the checker cannot judge, as too few digits are asked."""
    exercise = looker.exercise
    ways = [exercise.right.floats]
    if looker.problem.places is None:
        ways.append(round_every_step(exercise))
    for values in ways:
        report = mark_values(exercise, exercise.prepared, values)
        coarse = [step.symbol for step in report.steps if step.verdict is StepVerdict.COARSE]
        if coarse:
            message = f"so few digits of {', '.join(coarse)} are asked that honest work cannot be judged"
            yield Finding("coarse", message, looker.place("places", "answers", "parts"))
            return


def round_every_step(exercise: Exercise) -> dict[str, Floats]:
    """The values of all steps, each computed from rounded ones and rounded."""
    values = dict(exercise.right.floats)
    for step in exercise.chain:
        unit = exercise.units[step.name]
        op = exercise.right.own_op(step, values, ROUGH)
        values[step.name] = np.round(exercise.graph.evaluate(step, values, ROUGH, op) / unit) * unit
    return values


LOOKS: tuple[Callable[[Looker], Iterator[Finding]], ...] = (
    look_saturated,
    look_even,
    look_mask,
    look_laborious,
    look_coarse,
)
"""All checks, in the order of their findings."""


def products(term: Term) -> Term:
    """The number of products in a term, as a term over matrices with 1 for each number that is not 0."""
    if isinstance(term, Total | Greatest):
        inside = products(term.term)
        return ZERO if inside == ZERO else Total(term.axis, inside)
    counts = [count for count in map(products, members(term)) if count != ZERO]
    if isinstance(term, Product):
        factors = tuple(factor if isinstance(factor, Entry) else ONE for factor in term.factors)
        counts.append(Product((Constant(len(factors) - 1), *factors)))
    return Sum(tuple(counts)) if counts else ZERO


class Work:
    """Counts the products of some steps of a graph, for any numbers."""

    def __init__(self, graph: Graph, steps: list[Step]) -> None:
        self.graph, self.steps = graph, steps
        self.plans = {
            step.name: [
                (where(piece), prepare(products(piece.rule), ROUGH, piece.axes))
                for piece in graph.pieces(step)
            ]
            for step in steps
        }

    def count(self, sets: Sets) -> dict[str, Floats]:
        """The number of products in every cell of every step."""
        axes = axes_of(self.steps)
        present = {name: (numbers != 0).astype(float) for name, numbers in sets.align(axes).items()}
        return {step.name: self.cells(step, present, sets.count, axes) for step in self.steps}

    def cells(self, step: Step, present: Mapping[str, Floats], count: int, axes: int) -> Floats:
        """The number of products in every cell of one step."""
        found = align(np.zeros((count, *step.shape)), axes)
        for (rows, columns), compute in self.plans[step.name]:
            found[..., rows, columns] = compute(present)
        return found.reshape(count, *step.shape)
