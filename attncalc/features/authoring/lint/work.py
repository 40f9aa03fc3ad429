"""The work of an exercise by hand: the number of products whose factors are not 0."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Graph, Step, where
from attncalc.core.readings.value import prepare
from attncalc.core.terms import ONE, ZERO, Constant, Entry, Greatest, Product, Sum, Term, Total, members
from attncalc.features.authoring.lint.batches import Sets, align
from attncalc.marking.follow.replay import axes_of
from attncalc.marking.follow.truth import ROUGH


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
