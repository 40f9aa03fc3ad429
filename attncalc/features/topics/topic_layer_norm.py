"""Layer norm: every token brought to mean 0 and variance 1, each alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attncalc.core.ops.block import LayerNorm, Mean, MeanSquare, RmsNorm, Variance
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.base import Topic, example, refuse, rules_of, show_example, steps_by
from attncalc.worked.blocks import Block, Heading, Paragraph

ALONE: dict[str, Any] = {
    "X": [[1, 2, 3, 6], [0, 0, 4, 4]], "O": [[1, 2, 3, 6], [0, 0, 4, 4]],
    "block": [{"layer_norm": {"eps": 0}}],
}  # fmt: skip
FIRST = "Every token is normalised alone, over its own components: no other token and no batch is looked at. "
WHOLE = "Its mean is subtracted, and the difference divided by the standard deviation."
ROOT = "RMS norm leaves the mean where it is, and divides by the root of the mean square."


def explain(solution: Solution | None) -> Iterator[Block]:
    """What is normalised, and the first norm of a problem or of an example step by step."""
    norms = steps_by(solution, LayerNorm, RmsNorm) if solution else []
    if solution and solution.steps and not norms:
        raise refuse(solution, "it has no norm (block: [layer_norm])")
    found = solution if solution and norms else example(**ALONE)
    norm = steps_by(found, LayerNorm, RmsNorm)[0]
    is_rms = isinstance(norm.step.op.core, RmsNorm)
    yield Paragraph(FIRST + (ROOT if is_rms else WHOLE))
    yield Paragraph(
        "Then every component may be multiplied by a learned gain and moved by a learned shift. A small "
        "number eps under the root keeps the quotient finite."
    )
    source, *between = norm.inputs
    yield show_example(found, source)
    for step in steps_by(found, Mean, Variance, MeanSquare):
        if step.name in between:
            yield Heading(step.title, 3, step.symbol)
            yield from rules_of(found, step)
    yield Heading(norm.title, 3, norm.symbol)
    yield from rules_of(found, norm)
    if found is not solution:
        yield Paragraph("Every row now has mean 0 and variance 1.")


topic = Topic(
    "Layer norm",
    explain,
    answer="Each token is normalised over its own components: minus their mean, divided by their standard "
    "deviation; RMS norm divides by the root of their mean square only.",
)
