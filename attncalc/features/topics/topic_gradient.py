"""The backward pass of a problem: the gradient of every matrix, derived from the rules of its steps."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from attncalc.core.fields import Array
from attncalc.core.ops.block import Norm
from attncalc.core.terms import Constant
from attncalc.core.terms.formulas import Name, sentence
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.mechanisms.backward import Incoming
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import solve_graph
from attncalc.features.topics.base import Topic, with_steps
from attncalc.worked.blocks import Block, Displays, Note, Paragraph
from attncalc.worked.view import View, rounding_of
from attncalc.worked.writer.steps import Writer

SMALL = {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]], "scale": "none"}


def backward(solution: Solution) -> Solution:
    """The problem solved with gradients, from the step under `backward`, else from its output."""
    problem, output = solution.problem, solution.output
    if problem.settings.get("backward") is not None:
        return solution
    own = problem.with_settings(backward=Incoming(output, upstream(solution), problem.place(output)))
    return solve_graph(own, build_graph(own), "auto" if solution.mode == "exact" else "numeric")


def upstream(solution: Solution) -> Array | None:
    """The incoming gradient of the output by default: None, which stands for all ones.

    For a norm it is 1, 2, 3, …: every row of a norm has the same sum, so with all ones its gradient is 0.
    """
    output = solution[solution.output]
    if not isinstance(output.step.op, Norm):
        return None
    counts = [Constant(n + 1) for n in range(prod(output.shape))]
    return np.array(counts, dtype=object).reshape(output.shape)


def explain(solution: Solution | None) -> Iterator[Block]:
    """Every gradient with its law and its worked lines, from the output back to the inputs."""
    found = backward(with_steps(solution, **SMALL))
    writer = Writer(found, View(rounding=rounding_of(found.problem)))
    start = next(name for name in found.graph.given if found.graph.labels[name].of)
    yield Paragraph(
        "A small change of one entry changes every entry that is computed from it. Backwards, the gradient "
        "of each result is multiplied by the local derivative; what reaches an entry by several ways is "
        "added up."
    )
    gradients = [step for step in found.steps if step.step.label.of]
    used = {name for step in gradients for name in step.inputs} - {start, *(step.name for step in gradients)}
    yield Paragraph("The lines below take these from the forward pass:")
    known = (name for name in found.graph.shapes if name in used)
    yield Displays(tuple(writer.display(name, fold=True) for name in known))
    if all(term == Constant(1) for term in found.graph.given[start].ravel()):
        output = found.graph.labels[start].source.name
        whole = "the sum of all entries of {}" if found.graph.given[start].size > 1 else "{} itself"
        loss = f"The loss is {whole}, so its gradient is a matrix of ones."
        yield Note(sentence(loss, Name(writer.symbol(output))))
    yield Displays((writer.display(start, fold=True),))
    for step in gradients:
        yield from writer.step(step, None, folded=True)


topic = Topic(
    "The backward pass",
    explain,
    answer="Step by step backwards, the gradient of every matrix is the gradient of what it was used for, "
    "times the local derivative, added up over all its uses.",
)
