"""Mistakes with heads that share keys and values."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

from attncalc.core.graph.graph import Graph, Step
from attncalc.mistakes.base import Mistake, Variation, combine, exchange_inputs


class OtherGroups(Mistake):
    """The keys and values of another group of heads."""

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        heads = range(1, len(graph.heads) + 1)
        keys = {head: graph.roles(head).get("keys") for head in heads}
        groups = [*dict.fromkeys(keys.values())]
        if not is_shared(step) or not 1 < len(groups) < len(heads):
            return
        firsts = [next(head for head in heads if keys[head] == group) for group in groups]
        wrong = {head: firsts[self.group_of(head - 1, len(groups))] for head in heads}
        yield from share(step, graph, wrong)
        steps = [(one, one.head or 1) for one in graph.steps if is_shared(one)]
        changed = [one for one, head in steps if keys[wrong[head]] != keys[head]]
        if step is changed[0]:
            yield from combine(*(share(one, graph, wrong) for one in changed))

    @abstractmethod
    def group_of(self, head: int, groups: int) -> int:
        """The group that a head was given, both counted from 0."""


def is_shared(step: Step) -> bool:
    """Whether a step of a head uses keys or values that other heads may share."""
    return step.head is not None and step.kind.stage in ("scores", "output")


def share(step: Step, graph: Graph, wrong: dict[int, int]) -> Iterator[Variation]:
    """Yield the scores or the output of a head with the keys or values of another head."""
    own = shared_by(graph, step.head)
    other = shared_by(graph, wrong[step.head or 1])
    return exchange_inputs(step, graph, dict(zip(own, other, strict=True)))


def shared_by(graph: Graph, head: int | None) -> tuple[str | None, ...]:
    """The keys and values of a head, and those that are cached."""
    roles = graph.roles(head)
    values = (graph.find(stage, head) for stage in ("values", "cached values"))
    return roles.get("keys"), roles.get("cached"), *values


class GroupsInterleaved(OtherGroups):
    """The key heads were dealt out in turn: neighbouring heads share one."""

    code = "groups-interleaved"
    question = "Which heads share their keys: neighbours, or those that are far apart?"

    def group_of(self, head: int, groups: int) -> int:
        return head % groups


class GroupsFirst(OtherGroups):
    """The first key head was used for all heads."""

    code = "groups-first"
    question = "Which key head belongs to this head?"

    def group_of(self, head: int, groups: int) -> int:  # noqa: ARG002
        return 0
