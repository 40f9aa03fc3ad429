"""Mistakes with positions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.position import Angles, DistanceBias, Rotation, Sinusoids
from attncalc.core.ops.projection import Copy
from attncalc.core.ops.scores import Mask
from attncalc.core.record import replace
from attncalc.core.terms import Negative
from attncalc.mistakes.base import Mistake, Variation, combine, vary


class Rotated(Mistake):
    """A mistake made with a rotation, of the queries or the keys or of both."""

    @abstractmethod
    def change_rotation(self, op: Rotation) -> Rotation:
        """Return the wrong rotation."""

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Rotation):
            yield from self.rotate(step, graph)
            others = [other for other in graph.steps if isinstance(other.op, Rotation) and other is not step]
            yield from combine(self.rotate(step, graph), *(self.rotate(other, graph) for other in others))

    def rotate(self, step: Step, graph: Graph) -> Iterator[Variation]:
        """Yield one step with the wrong rotation."""
        assert isinstance(step.op, Rotation)
        yield from vary(step, graph, self.change_rotation(step.op), *step.inputs)


class RopePairing(Rotated):
    """Other columns were paired: halves in place of neighbours, or the reverse."""

    code = "rope-pairing"
    question = "Which two columns are turned together?"

    def change_rotation(self, op: Rotation) -> Rotation:
        return Rotation(not op.half, op.backwards)


class RopeSign(Rotated):
    """The pairs were turned the other way."""

    code = "rope-sign"
    question = "In which direction does a position turn a pair?"

    def change_rotation(self, op: Rotation) -> Rotation:
        return Rotation(op.half, not op.backwards)


class PositionExponent(Mistake):
    """The exponent was p/d in place of 2p/d."""

    code = "position-exponent"
    question = "How does the exponent grow from one pair of columns to the next?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Sinusoids | Angles) and step.op.encoding.angle is None:
            yield from vary(step, graph, replace(step.op, doubled=not step.op.doubled), *step.inputs)


def is_bias(step: Step | None) -> bool:
    """Whether a step is the bias by distance."""
    return step is not None and isinstance(step.op, DistanceBias)


class AlibiMissing(Mistake):
    """The bias by distance was left out."""

    code = "alibi-missing"
    question = "What is taken off a score for the distance between query and key?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Mask) and step.op.is_biased:
            unbiased = replace(step.op, is_biased=False)
            rest = [name for name in step.inputs if not is_bias(graph.step(name))]
            yield from vary(step, graph, unbiased if len(rest) > 1 else Copy(), *rest)


class AlibiSign(Mistake):
    """The bias grows with the distance in place of falling."""

    code = "alibi-sign"
    question = "Does a key that is further away gain or lose by its distance?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, DistanceBias):
            yield from vary(step, graph, replace(step.op, slope=Negative(step.op.slope)))
