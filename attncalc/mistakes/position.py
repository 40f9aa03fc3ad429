"""Mistakes with positions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from attncalc.graph.graph import Graph, Step
from attncalc.mistakes.base import Mistake, Variation, instead, together
from attncalc.ops.position import Encoding, Rotation, Sinusoids


class Rotated(Mistake):
    """A mistake made with a rotation, of the queries or the keys or of both."""

    @abstractmethod
    def changed(self, op: Rotation) -> Rotation:
        """The rotation as it was done."""

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Rotation):
            yield from self.turned(step, graph)
            others = [other for other in graph.steps if isinstance(other.op, Rotation) and other is not step]
            yield from together(self.turned(step, graph), *(self.turned(other, graph) for other in others))

    def turned(self, step: Step, graph: Graph) -> Iterator[Variation]:
        """One step rotated otherwise."""
        assert isinstance(step.op, Rotation)
        yield from instead(step, graph, self.changed(step.op), *step.inputs)


class RopePairing(Rotated):
    """Other columns were paired: halves in place of neighbours, or the reverse."""

    code = "rope-pairing"
    question = "Which two columns are turned together?"

    def changed(self, op: Rotation) -> Rotation:
        return Rotation(Encoding(**{**vars(op.encoding), "half": not op.encoding.half}), op.backwards)


class RopeSign(Rotated):
    """The pairs were turned the other way."""

    code = "rope-sign"
    question = "In which direction does a position turn a pair?"

    def changed(self, op: Rotation) -> Rotation:
        return Rotation(op.encoding, not op.backwards)


class PositionExponent(Mistake):
    """The exponent was p/d in place of 2p/d."""

    code = "position-exponent"
    question = "How does the exponent grow from one pair of columns to the next?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Sinusoids):
            op = Sinusoids(step.op.rows, step.op.cols, step.op.encoding, not step.op.doubled)
            yield from instead(step, graph, op, *step.inputs)
