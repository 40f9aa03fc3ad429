"""The backward pass of a problem: the gradient of every matrix, read off the rules of its steps."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from attncalc.document.blocks import Block, Displays, Note, Paragraph
from attncalc.document.steps import View, Writer, rounding_of
from attncalc.errors import fault
from attncalc.fields import Array
from attncalc.graph.backward import with_gradients
from attncalc.mechanisms import build_graph
from attncalc.ops.block import Norm
from attncalc.record import changed
from attncalc.solution.solution import Solution
from attncalc.solution.solve import solved
from attncalc.terms import Constant
from attncalc.terms.formulas import Name, sentence
from attncalc.topics.base import Topic, example

SMALL = {"Q": [[1, 0]], "K": [[1, 0], [0, 1]], "V": [[1, 2], [3, 4]], "scale": "none"}


def backward(solution: Solution) -> Solution:
    """The problem with the gradients of all its matrices as further steps."""
    problem, output = solution.problem, last(solution)
    if len(solution[output].shape) > 2:
        raise fault("the backward pass is worked for one sequence, not for a batch")
    names = problem.names
    courses = {f"d{step}": f"d{course}" for step, course in names.items()}
    graph = with_gradients(build_graph(problem), output, upstream(solution, output))
    renamed = changed(problem, names={**names, **courses})
    return solved(renamed, graph, mode_of(solution))


def mode_of(solution: Solution) -> str:
    """How gradients are computed: exactly only where that is quick and all zeros are seen to be zeros."""
    if solution.problem.symbols:
        return "exact"
    is_plain = solution.trace.field.is_plain
    plain = all(is_plain(number) for step in solution.steps for number in step.numbers.ravel())
    return "auto" if plain and solution.mode == "exact" else "numeric"


def last(solution: Solution) -> str:
    """The step whose gradient comes in: one that the problem defines it for, else the output."""
    told = [step.name for step in solution.steps if f"d{step.name}" in solution.problem.let]
    return told[-1] if told else solution.output


def upstream(solution: Solution, output: str) -> Array:
    """The gradient that comes in: what the problem defines, else all ones.

    Every row of a norm adds up to the same, so there all ones would ask for nothing: they count instead.
    """
    shape = solution[output].shape
    told = solution.problem.let.get(f"d{output}")
    if told is None:
        counts = isinstance(solution[output].step.op, Norm)
        entries = [Constant(n + 1 if counts else 1) for n in range(prod(shape))]
        return np.array(entries, dtype=object).reshape(shape)
    if not isinstance(told, np.ndarray) or np.atleast_2d(told).shape != shape:
        raise fault(f"d{output} must be {'×'.join(map(str, shape))}", solution.problem.place("let"))
    return np.atleast_2d(told)


def explain(solution: Solution | None) -> Iterator[Block]:
    """Every gradient with its law and its worked lines, from the output back to the inputs."""
    forward = solution if solution and solution.steps else example(**SMALL)
    found = backward(forward)
    listed = bool(found.problem.symbols)
    writer = Writer(found, View(rounding=rounding_of(found.problem), listed=listed))
    output = last(forward)
    yield Paragraph(
        "A small change of one entry changes every entry that is computed from it. Read backwards, the "
        "rule of each step says how the gradient of its result is shared among what it was computed from."
    )
    if forward is not solution:
        yield Displays(tuple(writer.display(name, fold=True) for name in ("Q", "K", "V")))
    start = Displays((writer.display(f"d{output}", fold=True),))
    ones = all(term == Constant(1) for term in found.graph.given[f"d{output}"].ravel())
    if ones:
        loss = "The loss is the sum of all entries of {}, so its gradient is 1."
        yield Note(sentence(loss, Name(writer.symbol(output))))
    yield start
    for step in found.steps[len(forward.steps) :]:
        yield from writer.step(step, None, folded=True)


topic = Topic("The backward pass", explain)
