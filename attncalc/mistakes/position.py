"""Mistakes with positions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import Operation
from attncalc.core.ops.position import Addition, Angles, DistanceBias, Rotation, Sinusoids
from attncalc.core.ops.projection import Copy
from attncalc.core.ops.scores import Mask
from attncalc.core.record import record, replace
from attncalc.core.terms import Apply, Constant, Entry, Negative, Term
from attncalc.mistakes.base import Mistake, OtherCalls, Variation, combine, vary


class Rotated(Mistake):
    """A mistake made with a rotation, of the queries or the keys or of both."""

    @abstractmethod
    def change_rotation(self, op: Rotation) -> Operation:
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


MOST_NEIGHBOURS = 4
"""The number of heads up to which the slopes of all of them are tried, not only of the neighbours."""


class SlopeOtherHead(Mistake):
    """The slope of another head was used for the bias by distance."""

    code = "slope-other-head"
    question = "Which slope belongs to this head?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, DistanceBias):
            heads = [
                (other.head or 1, other.op) for other in graph.steps if isinstance(other.op, DistanceBias)
            ]
            own = step.head or 1
            near = len(heads) if len(heads) <= MOST_NEIGHBOURS else 1
            slopes = [op.slope for head, op in heads if abs(head - own) <= near]
            for slope in dict.fromkeys(slopes):
                yield from vary(step, graph, replace(step.op, slope=slope))


class PositionOffset(Mistake):
    """The positions were counted from the wrong number."""

    code = "position-offset"
    question = "Which number does the first position have in this exercise?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        steps = [other for other in graph.steps if isinstance(other.op, Sinusoids | Angles)]
        for by in (1, -1) if step in steps else ():
            yield from self.shift(step, graph, by)
            if step is steps[0]:
                yield from combine(*(self.shift(other, graph, by) for other in steps))

    def shift(self, step: Step, graph: Graph, by: int) -> Iterator[Variation]:
        """Yield one step with all positions larger by a number, if none of them is negative."""
        assert isinstance(step.op, Sinusoids | Angles)
        offset = step.op.encoding.offset + by
        if offset >= 0:
            yield from vary(step, graph, replace(step.op, encoding=replace(step.op.encoding, offset=offset)))


class WithWaves(Rotated):
    """A mistake in the sines and cosines of a rotation, or in those that are added to the tokens."""

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        yield from super().variations(step, graph)
        if isinstance(step.op, Sinusoids):
            yield from vary(step, graph, self.change_rotation(step.op))

    @abstractmethod
    def change_rotation(self, op: Rotation | Sinusoids) -> Operation:
        """Return the wrong operation."""


OTHER_WAVE = {"sin": "cos", "cos": "sin"}


@record
class WavesSwapped(OtherCalls):
    """Cosines in place of sines, and the reverse."""

    def change_call(self, call: Apply) -> Term:
        return Apply(OTHER_WAVE.get(call.function, call.function), call.term)


class PositionSwapped(WithWaves):
    """Sine and cosine were swapped."""

    code = "position-swapped"
    question = "Where does a sine stand here, and where a cosine?"

    def change_rotation(self, op: Rotation | Sinusoids) -> Operation:
        return WavesSwapped(op)


@record
class InDegrees(OtherCalls):
    """Sines and cosines of angles that are taken as degrees."""

    def change_call(self, call: Apply) -> Term:
        is_wave = call.function in OTHER_WAVE
        return Apply(call.function, call.term * Entry("pi") / Constant(180)) if is_wave else call


class RopeDegrees(WithWaves):
    """The sines and cosines were taken of degrees in place of radians."""

    code = "rope-degrees"
    question = "In which unit does your calculator take angles?"

    def change_rotation(self, op: Rotation | Sinusoids) -> Operation:
        return InDegrees(op)


class PositionMissing(Mistake):
    """The positions were left out."""

    code = "position-missing"
    question = "Where does the position of a token enter?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Addition) and is_encoding(graph.step(step.inputs[1])):
            yield from vary(step, graph, Copy(), step.inputs[0])
        if isinstance(step.op, Rotation) and graph.stage(step.inputs[0]) == "queries":
            yield from unrotated(step, graph)
            rotations = [other for other in graph.steps if isinstance(other.op, Rotation)]
            if step is rotations[0]:
                yield from combine(*(unrotated(other, graph) for other in rotations))


class RopeKeys(Mistake):
    """The keys were not rotated."""

    code = "rope-keys"
    question = "Which matrices are rotated before they meet in the scores?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Rotation) and graph.stage(step.inputs[0]) == "keys":
            yield from unrotated(step, graph)


def is_encoding(step: Step | None) -> bool:
    """Whether a step is the encoding that is added to the tokens."""
    return step is not None and isinstance(step.op, Sinusoids)


def unrotated(step: Step, graph: Graph) -> Iterator[Variation]:
    """Yield queries or keys as they are before their rotation."""
    return vary(step, graph, Copy(), step.inputs[0])
