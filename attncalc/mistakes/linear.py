"""Mistakes in attention without a softmax: feature maps, and decay."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import At, Entrywise, Operand, Piece
from attncalc.core.ops.linear import FeatureMap
from attncalc.core.ops.position import Decay, position_of
from attncalc.core.ops.projection import Copy
from attncalc.core.ops.scores import Mask, WithPast
from attncalc.core.ops.weights import Shares, Unnormalised
from attncalc.core.record import record, replace
from attncalc.core.terms import ONE, Apply, Axis, Index, Ordinal, Power, Term, total
from attncalc.mistakes.base import Mistake, Variation, vary
from attncalc.mistakes.softmax import Same


class Unmapped(Mistake):
    """Scores of queries or keys without their feature map."""

    rows: str
    """What the rows without the map are, by their letters: queries (i), keys (j)."""

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        made = [graph.step(name) for name in step.inputs] if step.kind.stage == "scores" else []
        before = {
            one.name: one.inputs
            for one in made
            if one and isinstance(one.op, FeatureMap) and one.kind.letters[0] in self.rows
        }
        inputs = [source for name in step.inputs for source in before.get(name, (name,))]
        if before and len(step.inputs) == 2:
            # Without the map of the keys, the cache is an input again.
            yield from vary(step, graph, WithPast(step.op) if len(inputs) > 2 else step.op, *inputs)


class FeatureMapMissing(Unmapped):
    """Queries and keys met as they are: the feature map was left out."""

    code, rows = "feature-map-missing", "ij"
    question = "What is done to every entry of queries and keys before they meet?"


class FeatureMapKeysOnly(Unmapped):
    """Only the keys went through the feature map: the queries do, too."""

    code, rows = "feature-map-keys-only", "i"
    question = "Which of queries and keys go through the feature map?"


class FeatureMapQueriesOnly(Unmapped):
    """Only the queries went through the feature map: the keys do, too."""

    code, rows = "feature-map-queries-only", "j"
    question = "Which of queries and keys go through the feature map?"


@record
class WithoutOne(FeatureMap):
    """elu(x) without the 1 that keeps it from being negative."""

    def map_entry(self, x: Term) -> Term:
        return Apply("elu", x)


class FeatureMapPlusOne(Mistake):
    """The 1 of elu(x) + 1 was left out, so that entries can be negative."""

    code = "feature-map-plus-one"
    question = "What is added to elu(x), so that no score is negative?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, FeatureMap) and step.op.kind == "elu+1":
            yield from vary(step, graph, WithoutOne(step.op.kind), *step.inputs)


class LinearUnnormalised(Mistake):
    """The scores were not divided by their row's sum."""

    code = "linear-unnormalised"
    question = "What is each score divided by before it weighs a value?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Shares) and step.op.visible_only:
            yield from vary(step, graph, Same(), step.inputs[0])


@record
class SoftmaxOfScores(Entrywise):
    """A softmax of each row."""

    def cell(self, at: At, *operands: Operand) -> Term:
        (m,) = operands

        def power(key: Index) -> Term:
            return Apply("exp", m[at[0], key])

        return power(at[1]) / total("l", m.cols, power)


class SoftmaxForLinear(Mistake):
    """A softmax was taken, which this exercise does not have."""

    code = "softmax-for-linear"
    question = "How do scores become weights in this exercise?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        is_shared = isinstance(step.op, Shares) and step.op.visible_only
        if is_shared or isinstance(step.op, Unnormalised):
            yield from vary(step, graph, SoftmaxOfScores(), step.inputs[0])


class DecayMissing(Mistake):
    """The decay was left out."""

    code = "decay-missing"
    question = "What is a score multiplied by for the distance to its key?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Decay):
            yield from vary(step, graph, replace(step.op, base=ONE))
        if isinstance(step.op, Mask) and step.op.is_decayed:
            scores, _, *added = step.inputs
            plain = replace(step.op, is_decayed=False) if added else Copy()
            yield from vary(step, graph, plain, scores, *added)


@record
class FlippedDecay(Decay):
    """Powers with the other sign in their exponents."""

    def cell(self, at: At, *operands: Operand) -> Term:
        rule = super().cell(at, *operands)
        assert isinstance(rule, Power)
        return Power(ONE / rule.base, rule.exponent)


@record
class FurtherDecay(Decay):
    """Powers with exponents larger by 1."""

    def cell(self, at: At, *operands: Operand) -> Term:
        rule = super().cell(at, *operands)
        assert isinstance(rule, Power)
        return Power(rule.base, rule.exponent + ONE)


@record
class BothWays(Decay):
    """Powers of the distance to every key, later ones too."""

    def pieces(self, axes: tuple[Axis, Axis], *operands: Operand) -> list[Piece]:
        return self.laws(axes, *operands)

    def cell(self, at: At, *operands: Operand) -> Term:  # noqa: ARG002
        i, j = at
        return Power(self.base, Apply("abs", position_of(i, self.before) - Ordinal(j)))


def vary_decay(step: Step, graph: Graph, kind: type[Decay]) -> Iterator[Variation]:
    """Yield the decay with another operation."""
    op = step.op
    if isinstance(op, Decay):
        yield from vary(step, graph, kind(op.rows, op.cols, op.before, op.base))


class DecayFlipped(Mistake):
    """The exponents of the decay have the wrong sign: γ^(j − i) in place of γ^(i − j)."""

    code = "decay-flipped"
    question = "Does a key that is further back count for more, or for less?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        return vary_decay(step, graph, FlippedDecay)


class DecayOffByOne(Mistake):
    """The decay is one power too far: a token sees itself without any."""

    code = "decay-off-by-one"
    question = "How far back is a token's own key?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        return vary_decay(step, graph, FurtherDecay)


class DecayBothWays(Mistake):
    """Later keys were not hidden: a decay looks back only."""

    code = "decay-both-ways"
    question = "May a token see those after it here?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        return vary_decay(step, graph, BothWays)
