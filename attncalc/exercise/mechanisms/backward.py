"""The backward pass: from the gradient of one step to the gradients of everything that it depends on."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import NamedTuple

import numpy as np

from attncalc.core.errors import Place, fault, quote
from attncalc.core.fields import Array
from attncalc.core.graph.graph import Graph, Step, check_reference, shape_text
from attncalc.core.graph.labels import Kind, Label
from attncalc.core.graph.references import Reference
from attncalc.core.ops.base import Shape
from attncalc.core.record import replace
from attncalc.core.terms import Constant
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, matrix, reader
from attncalc.exercise.keys.schema_types import MATRIX, mapping_of, one_of, words
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, expect, word_of

LOSS, ONES = "loss", "ones"
SUCH = ", such as {O: ones}"
SWITCHED_ON = ("true", "yes", "on")


class Incoming(NamedTuple):
    """The step where the backward pass starts, and its gradient; None for all ones."""

    step: str
    gradient: Array | None
    place: Place


@reader(
    one_of(words("none", LOSS), mapping_of(one_of(words(ONES), MATRIX))),
    "none, loss, or a step with a matrix, or with ones",
)
def incoming(node: Node, context: Context) -> Incoming | None:
    """Read a step with its gradient, or the loss alone; None for `none`."""
    word = word_of(node)
    if word in ("none", LOSS):
        return None if word == "none" else Incoming(LOSS, None, node.place)
    said = f": write {{{word}: {ONES}}}" if word.isidentifier() and word not in SWITCHED_ON else SUCH
    pairs = expect(node, Mapped, f"must be none, {LOSS}, or a step with its gradient{said}").items
    if len(pairs) != 1:
        raise fault(f"a gradient comes into one step{SUCH}", node.place)
    ((key, value),) = pairs
    is_ones = isinstance(value, Scalar) and value.text == ONES
    return Incoming(key.text, None if is_ones else matrix(value, context), key.place)


def build(building: Building) -> None:
    """Add the gradients of all steps before the chosen one, and of the given matrices."""
    chosen: Incoming | None = building.setting("backward")
    if chosen is None:
        return
    from attncalc.core.graph.backward import gradients

    graph = building.graph()
    name = graph.resolve(Reference(chosen.step), building.problem.names).step
    if name == LOSS and graph.step(name) is None:
        raise fault("there is no loss: give logits, by W_U or L, and targets", chosen.place)
    check_reference(graph, Reference(name), chosen.place)
    shape = graph.shapes[name]
    if any(len(sizes) > 2 for sizes in graph.shapes.values()):
        raise fault("the backward pass is worked for one sequence, not for a batch", chosen.place)
    upstream = all_ones(shape) if chosen.gradient is None else chosen.gradient
    if upstream.shape != shape:
        sizes = f"is {shape_text(shape)}, the gradient {shape_text(upstream.shape)}"
        raise fault(f"{quote(chosen.step)} {sizes}", chosen.place)
    titles = dict(titles_of_given(building))
    building.give_matrix(graph.labels[name].gradient, upstream, "backward")
    merged = {step.name for step in graph.steps if not step.kind.differentiable or step.kind.inner}
    for step in gradients(give_targets(building, name), name, titles, merged):
        building.add(step)


def give_targets(building: Building, start: str) -> Graph:
    """Return the graph with the targets as a given matrix y, if a loss lies before the start."""
    from attncalc.core.ops.loss import CrossEntropy, TargetLoss

    graph = building.graph()
    names = [step.name for step in graph.steps]
    for n, step in enumerate(graph.steps[: names.index(start) + 1]):
        if isinstance(step.op, TargetLoss):
            taken = {*building.problem.let, *building.problem.symbols, *building.problem.names.values()}
            label = Label("y" if "y" not in taken else "y_target")
            rows = [
                [Constant(int(v == target)) for v in range(width_of(step, graph))]
                for target in step.op.targets
            ]
            y = building.give_matrix(label, np.array(rows, dtype=object), "targets")
            same = replace(step, op=CrossEntropy(), inputs=(*step.inputs, y))
            return replace(building.graph(), steps=(*graph.steps[:n], same, *graph.steps[n + 1 :]))
    return graph


def width_of(step: Step, graph: Graph) -> int:
    """Return the number of columns of the first input of a step."""
    return graph.shapes[step.inputs[0]][-1]


def all_ones(shape: Shape) -> Array:
    """A gradient of 1 everywhere."""
    return np.array([Constant(1)] * prod(shape), dtype=object).reshape(shape)


def titles_of_given(building: Building) -> Iterator[tuple[str, str]]:
    """Yield the given matrices that may have a gradient, with their titles, in the order of the file."""
    order = {key: n for n, key in enumerate(building.problem.settings)}
    given = [name for name in building.given if building.origins[name] in order]
    for name in sorted(given, key=lambda name: order[building.origins[name]]):
        kind = building.named_kinds.get(name)
        if name in building.learnt:
            yield name, "Parameter"
        elif kind is None or kind.differentiable:
            yield name, kind.title if kind else "Given matrix"


mechanism = Mechanism(
    "backward",
    keys=(
        Key(
            "backward",
            incoming,
            "Where the backward pass starts: the loss, or a step with its gradient. The gradients of all "
            "earlier steps and of what is given become further steps.",
            "backward: {O: [[1, 0], [0, 1]]}",
            default="none",
        ),
    ),
    build=build,
    given=(Kind("y", "Targets", "iv"),),
    closing=True,
)
