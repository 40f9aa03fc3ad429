"""The output of attention computed in other ways: by a running state, token by token, or tile by tile."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, prod

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Array, Numbers, Real
from attncalc.core.graph.graph import Step
from attncalc.core.graph.labels import Stage
from attncalc.core.ops.base import Operation, Turned
from attncalc.core.ops.position import Decay
from attncalc.core.ops.scores import GeneralScores, Mask, Scale, Scores, WithPast
from attncalc.core.ops.weights import Exponentials, Shares, SinkTotals, Unnormalised
from attncalc.core.readings.value import evaluate
from attncalc.core.record import record
from attncalc.core.terms import ONE, ZERO, Term
from attncalc.exercise.mechanisms.softcap import Softcap
from attncalc.exercise.solve.solution import Solution
from attncalc.exercise.solve.solve import solve

MOST_EXACT = 100
"""The largest number of weights for which exact numbers are used."""


class Unfit(Exception):
    """The reason why an output cannot be computed in this way."""


@record
class Tile:
    """Some keys of one row: their scores, and the largest score and the sums including this tile."""

    start: int
    scores: Array
    largest: Real
    correction: Real
    """The factor for the sums of the tiles before."""
    total: Real
    output: Array


@record
class Moment:
    """The state after a token: the sum of keys times values, and the sum of keys, for the division."""

    state: Array
    keys: Array


@record
class Reply:
    """The output of a query: the index of its state, the numerator, the denominator and the result."""

    moment: int
    over: Array
    under: Real | None
    output: Array


def workable(solution: Solution) -> Solution:
    """The solution if its numbers are quick to compute with, else the same problem solved in floats."""
    field = solution.trace.field
    cells = sum(prod(step.shape) for step in solution.steps if step.step.kind.is_weights)
    plain = all(field.is_plain(x) for values in solution.trace.values.values() for x in values.ravel())
    if field.name != "exact" or (cells <= MOST_EXACT and plain) or solution.problem.symbols:
        return solution
    return solve(solution.problem, "numeric")


class Attention:
    """One head of a solution, with its weights, values and output."""

    def __init__(self, solution: Solution, head: int | None) -> None:
        self.solution, self.head = solution, head
        self.field: Numbers = solution.trace.field
        output = self.step("output")
        if output is None:
            raise Unfit("there are no values, so there is no output")
        if len(output.shape) > 2:
            raise Unfit("it works on one sequence, not on a batch")
        weights = solution.graph.step(output.inputs[0])
        assert weights is not None
        self.output, self.weights = output, weights
        if any(self.field.is_open(x) for x in self.value(weights.name).ravel()):
            raise Unfit("the weights have free letters, and it needs numbers")

    @property
    def symbol(self) -> str:
        """The course's name of the output."""
        return self.solution.graph.symbol(self.output.name, self.solution.problem.names)

    def step(self, stage: Stage) -> Step | None:
        """The step of a stage in this head."""
        return self.solution.graph.step(self.solution.graph.find(stage, self.head))

    def find_step(self, op: type[Operation]) -> Step | None:
        """The first step of this head with an operation of this class."""
        steps = (step for step in self.solution.graph.steps if step.head == self.head)
        return next((step for step in steps if isinstance(step.op, op)), None)

    def value(self, name: str) -> Array:
        """A matrix by name."""
        return self.solution.trace.values[name]

    def number(self, term: Term) -> Real:
        """The value of a term over the sizes of the problem."""
        return evaluate(term, self.solution.trace.values, self.field)[()]

    @property
    def values(self) -> Array:
        """The values of all keys, cached ones first."""
        return np.concatenate([self.value(name) for name in self.output.inputs[1:]])

    @property
    def outputs(self) -> Array:
        """The output of the solution."""
        return self.value(self.output.name)

    def zeros(self, *shape: int) -> Array:
        """Zeros of the solution's field."""
        return np.full(shape, self.number(ZERO), dtype=self.field.dtype)

    def multiply_and_add(self, x: Array, factor: Real, y: Array) -> Array:
        """factor · x + y"""
        return self.field.add(self.field.multiply(self.field.array(factor), x), y)

    def times(self, row: Array, matrix: Array) -> Array:
        """A row times a matrix."""
        return np.asarray(self.field.matmul(row[None], matrix)[0])

    def distance(self, found: Array, row: int) -> float:
        """The largest difference from the output of a row; for exact numbers 0, or ∞ if any differs."""
        wanted = self.outputs[row]
        if self.field.name == "exact":
            return 0.0 if all(x == y for x, y in zip(found, wanted, strict=True)) else inf
        return float(np.max(np.abs(found - wanted)))


def is_turned(op: Operation) -> bool:
    """Whether an operation, with cached keys or without, transposes its weight matrix."""
    return isinstance(op.scores if isinstance(op, WithPast) else op, Turned)


class Tiled(Attention):
    """A softmax computed tile by tile."""

    def __init__(self, solution: Solution, head: int | None, size: int) -> None:
        super().__init__(solution, head)
        self.size = size
        totals = self.solution.graph.step(self.weights.inputs[-1])
        made = self.solution.graph.step(self.weights.inputs[0])
        if not isinstance(self.weights.op, Shares) or made is None or not isinstance(made.op, Exponentials):
            raise Unfit("it needs a softmax, and there is none here")
        self.scores = self.value(made.inputs[0])
        self.sink: Real | None = None
        if totals and isinstance(totals.op, SinkTotals):
            column = totals.op.sink if isinstance(totals.op.sink, int) else 0
            self.sink = self.value("sink")[0, column]

    def start(self) -> Tile:
        """The sums before the first tile: empty, or the sink alone."""
        one, nothing = self.number(ONE), self.zeros(self.values.shape[-1])
        if self.sink is None:
            return Tile(0, nothing[:0], float("-inf"), one, self.number(ZERO), nothing)
        return Tile(0, nothing[:0], self.sink, one, one, nothing)

    def row(self, row: int) -> Iterator[Tile]:
        """The tiles of one row, each with the sums so far."""
        last, keys = self.start(), self.scores.shape[-1]
        for start in range(0, keys, self.size):
            last = self.next(last, self.scores[row, start : start + self.size], start)
            yield last

    def next(self, last: Tile, scores: Array, start: int) -> Tile:
        """The next tile; the sums do not change if all its keys are hidden."""
        field = self.field
        both = np.concatenate([scores, np.array([last.largest], dtype=field.dtype)])
        top = field.greatest(both)[()]
        if isinstance(top, float) and top == float("-inf"):
            return Tile(start, scores, top, self.number(ONE), last.total, last.output)
        with np.errstate(all="ignore"):
            powers = field.apply("exp", field.add(both, field.negative(field.array(top))))
        powers, correction = powers[:-1], powers[-1]
        values = self.values[start : start + len(scores)]
        total = field.add(
            field.multiply(field.array(correction), field.array(last.total)), field.total(powers)
        )
        output = self.multiply_and_add(last.output, correction, self.times(powers, values))
        return Tile(start, scores, top, correction, total[()], output)

    def finish(self, tile: Tile) -> Array:
        """The output of a row after its last tile; 0 if every key is hidden."""
        if tile.total == 0:
            return tile.output
        return self.field.divide(tile.output, self.field.array(tile.total))


class Recurrent(Attention):
    """Attention without a softmax, computed token by token."""

    def __init__(self, solution: Solution, head: int | None) -> None:
        super().__init__(solution, head)
        self.divides = isinstance(self.weights.op, Shares)
        if not isinstance(self.weights.op, Shares | Unnormalised):
            raise Unfit("its weights are neither the scores nor their shares")
        made = self.solution.graph.step(self.weights.inputs[0])
        if made and isinstance(made.op, Exponentials):
            raise Unfit(
                "the exponentials of a softmax cannot be split into a factor of the query and one of the key"
            )
        scores = self.step("scores")
        if scores is None or not isinstance(scores.op.core, Scores | GeneralScores):
            raise Unfit("only dot products can be split into a factor of the query and one of the key")
        if self.find_step(Softcap) is not None:
            raise Unfit("capped scores cannot be split into a factor of the query and one of the key")
        self.read_scores(scores)
        self.read_mask()

    def read_scores(self, scores: Step) -> None:
        """Set the queries, times the scale and the matrix between if there is one, and all keys."""
        is_general = isinstance(scores.op.core, GeneralScores)
        queries, *keys = scores.inputs[:-1] if is_general else scores.inputs
        names = self.solution.problem.names
        self.query_symbol, self.key_symbol = (
            self.solution.graph.symbol(name, names) for name in (queries, keys[-1])
        )
        found, scaled = self.value(queries), self.step("scaled scores")
        if is_general:
            between = self.value(scores.inputs[-1])
            found = self.field.matmul(found, between.T if is_turned(scores.op) else between)
        self.is_scaled = scaled is not None
        if scaled and isinstance(scaled.op, Scale):
            found = self.field.multiply(found, self.field.array(self.number(scaled.op.factor)))
        self.queries, self.keys = found, np.concatenate([self.value(name) for name in keys])

    def read_mask(self) -> None:
        """Set how many keys each query sees, which must be the first ones, and the base of the decay."""
        seen, decay = self.find_seen(), self.find_step(Decay)
        rows, keys = seen.shape
        self.base: Real | None = None
        self.times_at = [int(count) for count in seen.sum(axis=-1)]
        if decay and isinstance(decay.op, Decay):
            self.base = self.number(decay.op.base)
            self.times_at = [row + decay.op.before + 1 for row in range(rows)]
        first = np.arange(keys) < np.array(self.times_at)[:, None]
        # A decay excludes later keys, whether a mask hides them or not.
        if not np.array_equal(seen if self.base is None else seen & first, first):
            end = "some" if self.base is None else "its own"
            raise Unfit(f"some query does not see exactly the keys up to {end} position")

    def find_seen(self) -> NDArray[np.bool_]:
        """Which keys each query sees under the mask; raises if the scores have a bias."""
        masked = self.find_step(Mask)
        everything = np.full((len(self.queries), len(self.keys)), True)
        if not masked or not isinstance(masked.op, Mask):
            return everything
        if masked.op.is_biased:
            raise Unfit("a bias by distance cannot be split into a factor of the query and one of the key")
        if not masked.op.is_masked:
            return everything
        mask = self.field.floats(self.value(masked.inputs[-1]))
        if np.any(mask[np.isfinite(mask)] != 0):
            raise Unfit("a bias cannot be split into a factor of the query and one of the key")
        return np.asarray(~np.isneginf(mask))

    def moments(self) -> Iterator[Moment]:
        """The state after every position."""
        last = Moment(self.zeros(self.keys.shape[-1], self.values.shape[-1]), self.zeros(self.keys.shape[-1]))
        for t in range(max([*self.times_at, 1])):
            last = self.next(last, self.keys[t : t + 1], self.values[t : t + 1])
            yield last

    def next(self, last: Moment, key: Array, value: Array) -> Moment:
        """The state after the next position; after the last key it only decays."""
        factor = self.number(ONE) if self.base is None else self.base
        there = len(key) > 0
        state = self.field.matmul(key.T, value) if there else self.zeros(*last.state.shape)
        keys = key[0] if there else self.zeros(*last.keys.shape)
        return Moment(
            self.multiply_and_add(last.state, factor, state), self.multiply_and_add(last.keys, factor, keys)
        )

    def reply(self, row: int, moments: list[Moment]) -> Reply:
        """The output of one query; 0 if it sees no key."""
        at = self.times_at[row] - 1
        if at < 0:
            nothing = self.zeros(self.values.shape[-1])
            return Reply(-1, nothing, None, nothing)
        query, moment = self.queries[row], moments[at]
        over = self.times(query, moment.state)
        if not self.divides:
            return Reply(at, over, None, over)
        under = self.times(query, moment.keys[:, None])[0]
        return Reply(at, over, under, self.field.divide(over, self.field.array(under)))
