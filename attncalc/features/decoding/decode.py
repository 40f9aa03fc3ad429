"""The cost of a token that is decoded with a cache, and the size of the cache, without computing values."""

from __future__ import annotations

from functools import reduce
from math import prod
from operator import add

import numpy as np

from attncalc.core.errors import ProblemError, fault
from attncalc.core.fields import Array
from attncalc.core.graph.graph import Graph
from attncalc.core.readings.cost import Cost
from attncalc.core.record import record, replace
from attncalc.exercise.mechanisms import GIVEN, KINDS, build_graph
from attncalc.exercise.mechanisms.base import parse_key
from attncalc.exercise.problem import Problem, Scheme
from attncalc.exercise.solve.solution import Solution, pieces_cost

BYTES = {"fp32": 4, "fp16": 2, "int8": 1}
"""The bytes of a number, by number format."""
DROPPED = ("mask", "masked_rows", "limit", "backward", "targets")
"""Settings that do not apply to a new token, which sees all keys before it."""
ROW_A_TOKEN = {
    kind.role for kind in (*KINDS, *GIVEN) if kind.stage in ("tokens", "queries", "keys", "values")
}
"""The keys of matrices with a row for each token."""
CROSS = ("X_Q", "X_K", "X_V", "X_KV")


@record
class Cached:
    """The size of a cache: heads of keys and values, the widths of each, and the number of tokens."""

    groups: int
    d_k: int
    d_v: int
    tokens: int

    @property
    def numbers(self) -> int:
        """The number of cached numbers for one token."""
        return self.groups * (self.d_k + self.d_v)

    def bytes(self, tokens: int = 1) -> dict[str, int]:
        """The bytes of some tokens, by number format."""
        return {kept: size * self.numbers * tokens for kept, size in BYTES.items()}


def find_cache(solution: Solution) -> Cached | None:
    """The cache of a problem with keys and values that are equally wide in all heads, else None."""
    graph = solution.graph
    heads = range(1, len(graph.heads) + 1)
    keys, values = (
        {name for head in heads if (name := graph.find(stage, head))} for stage in ("keys", "values")
    )
    widths = [{graph.shapes[name][-1] for name in names} for names in (keys, values)]
    if any(len(width) != 1 for width in widths):
        return None
    (d_k,), (d_v,) = widths
    return Cached(max(len(keys), len(values)), d_k, d_v, graph.sizes["n_k"])


@record
class Decoding:
    """The costs of tokens that are decoded one by one: the first, the last, and the total."""

    first: Cost
    last: Cost
    total: Cost


def decode(solution: Solution, tokens: int) -> Decoding:
    """The cost of decoding tokens after those of a problem, each with a cache of all before it."""
    problem, keys = solution.problem, solution.graph.sizes.get("n_k", 0)
    if find_cache(solution) is None:
        raise fault("there are no keys and values to be cached", problem.place("S", "O", "K"))
    if any(key in problem.settings for key in CROSS) or count_queries(solution) != keys - already_cached(
        solution
    ):
        place = problem.place(*CROSS, "K")
        raise fault("queries and keys come from different tokens, so a new token adds no keys", place)
    # The cost of a token grows linearly with the cache, so two tokens give the total; the last one checks it.
    first, second, last = (one_token(solution, keys + n) for n in (0, 1, tokens - 1))
    each = {name: second.counts()[name] - count for name, count in first.counts().items()}
    assert last.counts() == {
        name: count + (tokens - 1) * each[name] for name, count in first.counts().items()
    }
    pairs = tokens * (tokens - 1) // 2
    total = {name: tokens * count + pairs * each[name] for name, count in first.counts().items()}
    return Decoding(first, last, Cost(**total))


def count_queries(solution: Solution) -> int:
    """The number of tokens with a query."""
    return solution.graph.sizes["n_q"]


def already_cached(solution: Solution) -> int:
    """The number of tokens in the cache before the first one of the problem."""
    graph = solution.graph
    past = graph.heads[0].get("past_K")
    return graph.shapes[past][-2] if past else 0


def one_token(solution: Solution, cached: int) -> Cost:
    """The cost of all steps of one new token with this number of cached tokens."""
    try:
        graph = build_graph(next_token(solution.problem, solution.graph, cached))
    except ProblemError as error:
        message = f"a new token cannot be decoded: {error.faults[0].message}"
        raise fault(message, solution.problem.place()) from None
    costs = (pieces_cost(graph.pieces(step)) * prod(step.shape[:-2]) for step in graph.steps)
    return reduce(add, costs, Cost())


def next_token(problem: Problem, graph: Graph, cached: int) -> Problem:
    """The problem of one token after others, whose keys and values are cached."""
    own = {key: value for key, value in problem.settings.items() if key not in DROPPED}
    for key, value in problem.settings.items():
        if parse_key(key).role in ROW_A_TOKEN:
            own[key] = value[..., :1, :]
    own |= {
        f"past_{key}": np.zeros((*lead, cached, width)) for key, lead, width in find_cached(problem, graph)
    }
    origins = {key: place for key, place in problem.origins.items() if "tokens" not in key}
    return replace(
        problem, settings=own, parts=(), tokens=(), key_tokens=(), names={}, marks=Scheme(),
        answers=None, design=(), goal=(), origins=origins,
    )  # fmt: skip


def find_cached(problem: Problem, graph: Graph) -> list[tuple[str, tuple[int, ...], int]]:
    """The keys and values as in the problem file: name, axes before the rows, width."""
    numbered = any(parse_key(key).head for key in problem.settings)
    found = []
    for role in ("K", "V"):
        array: Array | None = problem.settings.get(role)
        if array is not None and array.ndim == 4:
            found.append((role, array.shape[:-2], array.shape[-1]))
            continue
        names = dict.fromkeys(roles[role] for roles in graph.heads) if numbered else {role: None}
        found += [(name, graph.shapes[name][:-2], graph.shapes[name][-1]) for name in names]
    return found
