"""How weights and outputs spread from draw to draw: tables, and histograms of what moves most."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

import numpy as np

from attncalc.document.blocks import Bars, Block, Cell, Document, Heading, Note, Paragraph, Table
from attncalc.graph.labels import Label
from attncalc.inputs.problem import Problem
from attncalc.solution.sampling import Floats, sampled
from attncalc.terms.formulas import Place

BINS = 10


def spread(problems: list[Problem]) -> Document:
    """How weights and outputs spread, problem by problem; of several, the outputs side by side first."""
    draws = [sampled(problem) for problem in problems]
    compared = list(compare_problems(problems, draws)) if len(problems) > 1 else []
    for problem, found in zip(problems, draws, strict=True):
        compared += [Heading(problem.title or problem.name, 1), *describe_problem(problem, found)]
    return Document(tuple(compared))


def compare_problems(problems: list[Problem], draws: list[dict[Label, Floats]]) -> Iterator[Block]:
    """How the last step of every problem spreads, a column each."""
    yield Heading("Side by side", 1)
    for number, problem in enumerate(problems, start=1):
        yield Paragraph(f"({number}) {problem.title or problem.name}")
    outputs = [list(found.values())[-1] for found in draws]
    kinds = ("mean", "std", "25 %", "75 %")
    heads = [f"{kind} ({number})" for number in range(1, len(outputs) + 1) for kind in kinds]
    lines = [
        (
            f"[{at[0] + 1},{at[1] + 1}]",
            *(f"{x:.4f}" for output in outputs for x in measure_entry(output, at, 0.25, 0.75)),
        )
        for at in np.ndindex(outputs[0].shape[1:])
        if all(np.all(np.less(at, output.shape[1:])) for output in outputs)
    ]
    yield Table(("output", *heads), tuple(lines))


def measure_entry(values: Floats, at: tuple[int, ...], *shares: float) -> list[float]:
    """Mean, standard deviation and quantiles of an entry."""
    entry = values[:, at[0], at[1]]
    return [float(entry.mean()), float(entry.std()), *map(float, np.quantile(entry, shares))]


def describe_problem(problem: Problem, draws: Mapping[Label, Floats]) -> Iterator[Block]:
    """A table a step, and a histogram of the entry that spreads most."""
    chosen = problem.sample
    assert chosen is not None
    names = ", ".join(chosen.covariances)
    yield Paragraph(f"{chosen.draws:,} draws of {names}, seed {chosen.seed}.")
    for label, values in draws.items():
        symbol = label.called(problem.names)
        yield Heading("Spread of", 3, symbol)
        yield Table(("entry", "mean", "std", "5 %", "50 %", "95 %"), tuple(measure_entries(symbol, values)))
    last = list(draws)[-1]
    for label in [label for label in draws if label.role == "A"] + [last]:
        yield from histogram(label.called(problem.names), draws[label])


def measure_entries(name: str, values: Floats) -> Iterator[tuple[Cell, ...]]:
    """Mean, standard deviation and quantiles of every entry."""
    for at in np.ndindex(values.shape[1:]):
        numbers = measure_entry(values, at, 0.05, 0.5, 0.95)
        yield (Place(name, (at[0] + 1, at[1] + 1)), *(f"{number:.4f}" for number in numbers))


def histogram(name: str, values: Floats) -> Iterator[Block]:
    """How often the entry that spreads most falls where."""
    row, column = divmod(int(values.std(axis=0).argmax()), values.shape[2])
    entry = values[:, row, column]
    label = Place(name, (row + 1, column + 1))
    if entry.std() < 1e-3:
        yield Note((label, " hardly moves."))
        return
    counts, edges = np.histogram(entry, bins=BINS)
    bins = (f"{low:.2f} to {high:.2f}" for low, high in pairwise(edges))
    yield Bars((label, ", draw by draw"), tuple(zip(bins, map(int, counts), strict=True)))
