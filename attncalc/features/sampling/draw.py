"""Random inputs: weights and outputs if some matrices are drawn around their given values.

All draws are computed at once, with one more leading axis before the axes of batches.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attncalc.core.errors import Place, fault, quote
from attncalc.core.fields import Array, Floats, Numeric
from attncalc.core.graph.graph import Graph, Step, check_reference, numbers_of, trace
from attncalc.core.record import replace
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.problem import Problem, Sample
from attncalc.exercise.solve.solve import leaves_range, solve

MOST_SAMPLED = 50_000_000
"""The most numbers that are drawn and computed: 400 megabytes."""


def draw_inputs(graph: Graph, chosen: Sample) -> Graph:
    """The graph with draws in place of the random matrices."""
    rng = np.random.default_rng(chosen.seed)
    given: dict[str, Array] = dict(graph.given)
    axes = max((len(step.shape) for step in graph.steps), default=2)
    for name, found in chosen.covariances.items():
        if name not in given:
            raise fault(f"{quote(name)} is not given, so it cannot be drawn", chosen.place)
        mean = numbers_of(given[name], Numeric(chosen.numbers))
        *batches, count, width = mean.shape
        if len(found) not in (1, count):
            raise fault(f"{name} needs one covariance, or one for each of its {count} rows", chosen.place)
        rows = found * count if len(found) == 1 else found
        noise = [draw_vectors(rng, row, (chosen.draws, *batches, width), chosen.place) for row in rows]
        whole = mean + np.stack(noise, axis=-2)
        given[name] = whole.reshape(chosen.draws, *(1,) * (axes - mean.ndim), *mean.shape)
    return replace(graph, given=given)


def draw_vectors(rng: np.random.Generator, cov: Array, shape: tuple[int, ...], place: Place) -> Floats:
    """Vectors drawn from a normal distribution with mean 0 and this covariance."""
    width = shape[-1]
    full = cov * np.eye(width) if cov.shape == (1, 1) else cov
    if full.shape != (width, width) or not np.allclose(full, full.T):
        raise fault(f"a covariance must be a number or symmetric and {width}×{width}", place)
    values, vectors = np.linalg.eigh(full)
    if values.min() < -1e-9 * max(1.0, values.max()):
        raise fault("a covariance may not have a negative direction", place)
    return np.asarray(rng.standard_normal(shape) * np.sqrt(np.clip(values, 0, None)) @ vectors.T)


def refuse_too_many(graph: Graph, chosen: Sample) -> None:
    """Raise an error if there are more than MOST_SAMPLED numbers to compute."""
    drawn_shapes = [graph.shapes[name] for name in chosen.covariances if name in graph.given]
    entries = sum(map(prod, [*drawn_shapes, *(step.shape for step in graph.steps)]))
    if chosen.draws * entries > MOST_SAMPLED:
        message = f"{chosen.draws:,} draws of {entries:,} entries are more than {MOST_SAMPLED:,} numbers"
        raise fault(message, chosen.place)


def draw_samples(problem: Problem) -> dict[Step, Floats]:
    """The draws of all weights and outputs, by step; the first axis is over the draws."""
    chosen = problem.sample
    if chosen is None:
        example = "sample: {K: {cov: 0.01}, draws: 10000}"
        raise fault(f"{quote(problem.called)} has nothing to draw: give sample, such as {example}")
    if letters := [name for name in problem.symbols if name not in chosen.numbers]:
        example = f"sample: {{{letters[0]}: 30, ..}}"
        raise fault(f"has free letters, so nothing can be drawn: give them numbers, {example}", chosen.place)
    if problem.design:
        solve(problem)  # raises if the design misses its goal
    whole = build_graph(problem)
    graph = replace(whole, steps=tuple(step for step in whole.steps if not step.label.limit))
    refuse_too_many(graph, chosen)
    graph = draw_inputs(graph, chosen)
    try:
        values = trace(graph, Numeric(chosen.numbers)).values
        if any(leaves_range(values[step.name]) for step in graph.steps):
            raise ZeroDivisionError
    except ZeroDivisionError:
        raise fault("some draws divide by zero or leave the range of numbers", chosen.place) from None
    wanted = [step for step in graph.steps if step.kind.is_weights or step.kind.is_result] or graph.steps[-1:]
    counted = find_counting(problem, graph, chosen, values)
    return {step: all_draws(step, chosen, values)[counted] for step in wanted}


def all_draws(step: Step, chosen: Sample, values: Mapping[str, Array]) -> Floats:
    """The draws of a step, repeated if the step does not depend on them."""
    return np.broadcast_to(values[step.name], (chosen.draws, *step.shape))


def find_counting(
    problem: Problem, graph: Graph, chosen: Sample, values: Mapping[str, Array]
) -> NDArray[np.bool_]:
    """Which draws count: those with positive numbers in all entries under `positive`."""
    found = np.ones(chosen.draws, dtype=bool)
    for reference in chosen.positive:
        named = graph.resolve(reference, problem.names)
        check_reference(graph, named, chosen.place)
        step = graph.step(named.step)
        if step is None or len(named.at) != len(step.shape):
            raise fault(f"{named} is not one entry", chosen.place)
        where: tuple[slice | int, ...] = (slice(None), *(n - 1 for n in named.at))
        found &= all_draws(step, chosen, values)[where] > 0
    if not found.any():
        raise fault("leaves out every draw", chosen.place)
    return found


def measure(values: Floats) -> tuple[Floats, Floats]:
    """The mean and the standard deviation of every entry, over draws.

    They are computed in units of the largest number, as squares of very large numbers overflow.
    """
    unit = np.abs(values).max(axis=0)
    scaled = values / np.where(unit > 0, unit, 1.0)
    return scaled.mean(axis=0) * unit, scaled.std(axis=0) * unit


def mean_and_deviation(problem: Problem) -> dict[str, dict[str, Any]]:
    """The mean and the standard deviation of every entry, by step."""
    return {
        step.name: dict(zip(("mean", "std"), (x.tolist() for x in measure(values)), strict=True))
        for step, values in draw_samples(problem).items()
    }
