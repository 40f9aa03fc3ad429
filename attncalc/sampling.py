"""Random inputs: how far weights and outputs spread when some matrices are drawn around what is given.

All draws go through the graph at once, as one more axis in front of every matrix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attncalc.document import Bars, Block, Document, Heading, Note, Paragraph, Table
from attncalc.errors import Place, fault, quoted
from attncalc.fields import Array, Numeric
from attncalc.graph import Graph, numbers_of, trace
from attncalc.mechanisms import build_graph
from attncalc.nodes import Mapped, Node, Scalar, Sequence
from attncalc.readers import Context, read_matrix, value_of, whole
from attncalc.record import record
from attncalc.steps import course_name

Floats = NDArray[np.float64]
MOST_DRAWS = 200_000
BINS = 10


@record
class Sample:
    """What is drawn: the covariances of rows by matrix, how often, and from which seed."""

    covariances: Mapping[str, tuple[Array, ...]]
    draws: int
    seed: int
    place: Place


def sample(node: Node, context: Context) -> Sample:
    """{K: {cov: [..]}, draws: 10000, seed: 0}"""
    if not isinstance(node, Mapped):
        raise fault("is written {K: {cov: [..]}, draws: 10000, seed: 0}", node.place)
    found: dict[str, tuple[Array, ...]] = {}
    settings = {"draws": 10_000, "seed": 0}
    for key, value in node.items:
        if key.text in settings:
            settings[key.text] = whole(int(key.text == "draws"), MOST_DRAWS)(value, context)
        else:
            found[key.text] = covariances(value, context)
    if not found:
        raise fault("names no matrix to draw, such as K", node.place)
    return Sample(found, settings["draws"], settings["seed"], node.place)


def covariances(node: Node, context: Context) -> tuple[Array, ...]:
    """The covariance of every row, or one for all: a number a stands for a times the identity."""
    inner = node.get("cov") if isinstance(node, Mapped) and len(node.items) == 1 else None
    if inner is None:
        raise fault("is written {cov: ..}", node.place)
    items = inner.items if isinstance(inner, Sequence) else (inner,)
    # Rows of numbers, as many as they are long, are one covariance for all.
    rows = [item.items for item in items if isinstance(item, Sequence)]
    numbers = all(isinstance(entry, Scalar) for row in rows for entry in row)
    if rows and numbers and {len(row) for row in rows} == {len(items)}:
        return (covariance(inner, context),)
    return tuple(covariance(item, context) for item in items)


def covariance(node: Node, context: Context) -> Array:
    """One covariance, as floats."""
    if isinstance(node, Scalar):
        value = value_of(node, context, hidden=False)
        terms = value if isinstance(value, np.ndarray) else np.array([[value]], dtype=object)
    else:
        terms = read_matrix(node, context, hidden=False)
    return numbers_of(terms, Numeric())


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
    return Graph(given, graph.sizes, graph.steps, graph.shapes)


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


def sampled(problem: Any) -> dict[str, Floats]:
    """The draws of all weights and outputs, by step: draws first, then rows and columns."""
    chosen: Sample | None = problem.get("sample")
    if chosen is None:
        raise fault("has nothing to draw: give sample", problem.place("title"))
    if problem.get("symbols"):
        raise fault("has free letters, so nothing can be drawn", problem.place("symbols"))
    graph = drawn(build_graph(problem), chosen)
    values = trace(graph, Numeric()).values
    wanted = [step.name for step in graph.steps if step.name[0] in "AOHY"]
    return {name: np.broadcast_to(values[name], (chosen.draws, *graph.shapes[name][-2:])) for name in wanted}


def spread(problems: list[Any]) -> Document:
    """How weights and outputs spread, problem by problem; of several, the outputs side by side first."""
    draws = [sampled(problem) for problem in problems]
    compared = list(side_by_side(problems, draws)) if len(problems) > 1 else []
    for problem, found in zip(problems, draws, strict=True):
        compared += [Heading(problem.get("title") or problem.name, 1), *blocks(problem, found)]
    return Document(tuple(compared))


def side_by_side(problems: list[Any], draws: list[dict[str, Floats]]) -> Iterator[Block]:
    """How the last step of every problem spreads, a column each."""
    yield Heading("Side by side", 1)
    for number, problem in enumerate(problems, start=1):
        yield Paragraph(f"({number}) {problem.get('title') or problem.name}")
    outputs = [list(found.values())[-1] for found in draws]
    kinds = ("mean", "std", "25 %", "75 %")
    heads = [f"{kind} ({number})" for number in range(1, len(outputs) + 1) for kind in kinds]
    lines = [
        (
            f"[{at[0] + 1},{at[1] + 1}]",
            *(f"{x:.4f}" for output in outputs for x in moments(output, at, 0.25, 0.75)),
        )
        for at in np.ndindex(outputs[0].shape[1:])
        if all(np.all(np.less(at, output.shape[1:])) for output in outputs)
    ]
    yield Table(("output", *heads), tuple(lines))


def moments(values: Floats, at: tuple[int, ...], *shares: float) -> list[float]:
    """Mean, standard deviation and quantiles of an entry."""
    entry = values[:, at[0], at[1]]
    return [float(entry.mean()), float(entry.std()), *map(float, np.quantile(entry, shares))]


def blocks(problem: Any, draws: Mapping[str, Floats]) -> Iterator[Block]:
    """A table a step, and a histogram of the entry that spreads most."""
    chosen: Sample = problem.get("sample")
    names = ", ".join(chosen.covariances)
    yield Paragraph(f"{chosen.draws:,} draws of {names}, seed {chosen.seed}.")
    symbols = {name: course_name(problem.get("names", {}), name) for name in draws}
    for name, values in draws.items():
        yield Heading(f"Spread of {symbols[name]}", 3)
        yield Table(("entry", "mean", "std", "5 %", "50 %", "95 %"), tuple(rows(symbols[name], values)))
    last = list(draws)[-1]
    for name in [name for name in draws if name[0] == "A"] + [last]:
        yield from histogram(symbols[name], draws[name])


def rows(name: str, values: Floats) -> Iterator[tuple[str, ...]]:
    """Mean, standard deviation and quantiles of every entry."""
    for at in np.ndindex(values.shape[1:]):
        numbers = moments(values, at, 0.05, 0.5, 0.95)
        yield (f"{name}[{at[0] + 1},{at[1] + 1}]", *(f"{number:.4f}" for number in numbers))


def histogram(name: str, values: Floats) -> Iterator[Block]:
    """How often the entry that spreads most falls where."""
    row, column = divmod(int(values.std(axis=0).argmax()), values.shape[2])
    entry = values[:, row, column]
    label = f"{name}[{row + 1},{column + 1}]"
    if entry.std() < 1e-3:
        yield Note(f"{label} hardly moves.")
        return
    counts, edges = np.histogram(entry, bins=BINS)
    bins = (f"{low:.2f} to {high:.2f}" for low, high in pairwise(edges))
    yield Bars(f"{label}, draw by draw", tuple(zip(bins, map(int, counts), strict=True)))
