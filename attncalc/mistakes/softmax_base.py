"""Base classes of mistakes in a softmax: of scores, which takes several steps, or of logits, in one step."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.core.ops.base import Operation
from attncalc.core.ops.loss import Softmax
from attncalc.core.ops.weights import Exponentials, RowTotals, Shares
from attncalc.core.record import record
from attncalc.core.terms import ONE, Apply, Entry, Term, map_members
from attncalc.mistakes.base import Mistake, Variation, Wrapped, vary


def exponentials_of(step: Step, graph: Graph) -> Step | None:
    """The step of exponentials that a step of weights divides by their totals."""
    if not isinstance(step.op, Shares):
        return None
    found = graph.step(step.inputs[0])
    return found if found and isinstance(found.op, Exponentials) else None


@record
class OfLogits(Wrapped):
    """An operation on logits divided by the temperature, or on the exponentials of these."""

    temperature: Term
    is_power: bool = False

    def change_rule(self, rule: Term) -> Term:
        if not isinstance(rule, Entry) or not rule.at:
            return map_members(rule, self.change_rule)
        tempered = rule if self.temperature == ONE else rule / self.temperature
        return Apply("exp", tempered) if self.is_power else tempered


class InSoftmax(Mistake):
    """A mistake made in a softmax, of scores or of logits."""

    op: Operation
    is_of_keys = False
    """Whether its sentence mentions keys, which logits do not have."""

    def of_logits(self, step: Step, graph: Graph, op: Operation, is_power: bool) -> Iterator[Variation]:
        """Yield the probabilities with another operation on their logits."""
        if isinstance(step.op, Softmax) and not self.is_of_keys:
            said = self.sentence.replace("weights", "probabilities").replace("scores", "logits")
            wrong = OfLogits(op, step.op.temperature, is_power)
            yield from vary(step, graph, wrong, *step.inputs, message=said)


class OnExponentials(InSoftmax):
    """A mistake made with the exponentials."""

    totals: Operation | None = None
    """What each row of them is divided by in place of its total, if the mistake can be made there."""

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if exponentials_of(step, graph):
            yield from vary(step, graph, self.op, step.inputs[0])
        if self.totals and step.op == RowTotals():
            yield from vary(step, graph, self.totals, *step.inputs)
        yield from self.of_logits(step, graph, self.op, is_power=True)


class OnScores(InSoftmax):
    """A mistake made with the scores."""

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        exponentials = exponentials_of(step, graph)
        if exponentials:
            yield from vary(step, graph, self.op, exponentials.inputs[0])
        yield from self.of_logits(step, graph, self.op, is_power=False)
