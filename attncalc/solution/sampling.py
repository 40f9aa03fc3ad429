"""Random inputs: weights and outputs when some matrices are drawn around what is given.

All draws go through the graph at once, as one more axis in front of every matrix.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from attncalc.errors import fault, quoted
from attncalc.fields import Array, Numeric
from attncalc.graph.graph import Graph, numbers_of, trace
from attncalc.graph.labels import Label
from attncalc.inputs.problem import Problem
from attncalc.inputs.sample import Sample
from attncalc.mechanisms import build_graph
from attncalc.record import changed

Floats = NDArray[np.float64]


def drawn(graph: Graph, chosen: Sample) -> Graph:
    """The graph with draws in place of the matrices that are random."""
    rng = np.random.default_rng(chosen.seed)
    given: dict[str, Array] = dict(graph.given)
    for name, found in chosen.covariances.items():
        if name not in given:
            raise fault(f"{quoted(name)} is not given, so it cannot be drawn", chosen.place)
        mean = numbers_of(given[name], Numeric())
        if mean.ndim != 2 or len(found) not in (1, len(mean)):
            raise fault(f"{name} needs one covariance, or one for each of its {len(mean)} rows", chosen.place)
        rows = found * len(mean) if len(found) == 1 else found
        noise = [around(rng, row, mean.shape[1], chosen) for row in rows]
        given[name] = mean + np.stack(noise, axis=1)
    return changed(graph, given=given)


def around(rng: np.random.Generator, cov: Array, width: int, chosen: Sample) -> Floats:
    """Draws around zero with a covariance."""
    full = cov * np.eye(width) if cov.shape == (1, 1) else cov
    if full.shape != (width, width) or not np.allclose(full, full.T):
        raise fault(f"a covariance must be a number or symmetric and {width}×{width}", chosen.place)
    values, vectors = np.linalg.eigh(full)
    if values.min() < -1e-9 * max(1.0, values.max()):
        raise fault("a covariance may not have a negative direction", chosen.place)
    normal = rng.standard_normal((chosen.draws, width))
    return np.asarray(normal * np.sqrt(np.clip(values, 0, None)) @ vectors.T)


def sampled(problem: Problem) -> dict[Label, Floats]:
    """The draws of all weights and outputs, by step: draws first, then rows and columns."""
    chosen = problem.sample
    if chosen is None:
        raise fault("has nothing to draw: give sample", problem.place("title"))
    if problem.symbols:
        raise fault("has free letters, so nothing can be drawn", problem.place("symbols"))
    graph = drawn(build_graph(problem), chosen)
    values = trace(graph, Numeric()).values
    wanted = [step for step in graph.steps if step.role in ("A", "O", "H", "Y")]
    return {
        step.label: np.broadcast_to(values[step.name], (chosen.draws, *step.shape[-2:])) for step in wanted
    }


def mean_and_deviation(problem: Problem) -> dict[str, dict[str, Any]]:
    """The mean and the standard deviation of every entry, by step."""
    return {
        label.name: {"mean": values.mean(axis=0).tolist(), "std": values.std(axis=0).tolist()}
        for label, values in sampled(problem).items()
    }
