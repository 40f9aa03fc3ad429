"""How weights and outputs spread from draw to draw: tables, and histograms of the entries that vary most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from itertools import pairwise

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step
from attncalc.core.graph.references import count_from_one
from attncalc.core.terms import Constant
from attncalc.core.terms.formulas import Equal, Maths, Name, Place, Text
from attncalc.exercise.problem import Problem
from attncalc.features.sampling.draw import draw_samples, measure
from attncalc.worked.blocks import Bars, Block, Cell, Document, Heading, Note, Paragraph, Table

SMALLEST_SPREAD = 1e-5
"""The smallest deviation of an entry in a table of four decimals."""
SMALLEST_DIFFERENCE = 1e-9
"""The smallest relative deviation of a large entry that is no float noise."""
BINS = 10


def spread(problems: list[Problem]) -> Document:
    """The spread of weights and outputs of each problem; with several, first their outputs side by side."""
    draws = [draw_samples(problem) for problem in problems]
    compared = list(compare_problems(problems, draws)) if len(problems) > 1 else []
    for problem, found in zip(problems, draws, strict=True):
        compared += [Heading(problem.heading, 1), *describe_problem(problem, found)]
    return Document(tuple(compared))


def compare_problems(problems: list[Problem], draws: list[dict[Step, Floats]]) -> Iterator[Block]:
    """The spread of the last step of every problem, side by side."""
    yield Heading("Side by side", 1)
    for number, problem in enumerate(problems, start=1):
        yield Paragraph(f"({number}) {problem.heading}")
    outputs = [list(found.values())[-1] for found in draws]
    kinds = ("mean", "std", "25 %", "75 %")
    heads = [f"{kind} ({number})" for number in range(1, len(outputs) + 1) for kind in kinds]
    lines = [
        (
            f"[{count_from_one(at)}]",
            *(decimal(x) for output in outputs for x in measure_entry(output, at, 0.25, 0.75)),
        )
        for at in np.ndindex(outputs[0].shape[1:])
        if all(has_entry(output, at) for output in outputs)
    ]
    yield Table(("output", *heads), tuple(lines))
    yield from compare_histograms(outputs)


def compare_histograms(outputs: list[Floats]) -> Iterator[Block]:
    """A histogram for each problem, with the same bins, of the entry that spreads most in any of them."""
    shared = [at for at in np.ndindex(outputs[0].shape[1:]) if all(has_entry(each, at) for each in outputs)]
    widest = max(shared, key=lambda at: max(draws_of(each, at).std() for each in outputs), default=None)
    if widest is None:
        return
    entries = [draws_of(each, widest) for each in outputs]
    edges = np.histogram_bin_edges(np.concatenate(entries), bins=BINS)
    for number, entry in enumerate(entries, start=1):
        name = count_from_one(widest)
        yield count_draws((f"Output [{name}] of ({number}), draw by draw",), entry, edges)


def has_entry(values: Floats, at: tuple[int, ...]) -> bool:
    """Whether there is an entry with these indices."""
    sizes = values.shape[1:]
    return len(sizes) == len(at) and all(n < size for n, size in zip(at, sizes, strict=True))


def measure_entry(values: Floats, at: tuple[int, ...], *shares: float) -> list[float]:
    """Mean, standard deviation and quantiles of an entry."""
    entry = draws_of(values, at)
    return [*map(float, (*measure(entry), *np.quantile(entry, shares)))]


def describe_problem(problem: Problem, draws: Mapping[Step, Floats]) -> Iterator[Block]:
    """What is drawn, a table for each step, and a histogram of the output."""
    yield from describe_draws(problem, draws)
    for step, values in draws.items():
        symbol = step.label.to_course_name(problem.names)
        if measure(values)[1].max() < SMALLEST_SPREAD:
            yield Note((Name(symbol), " hardly varies."))
            continue
        yield Heading("Spread of", 3, symbol)
        yield Table(("entry", "mean", "std", "5 %", "50 %", "95 %"), tuple(measure_entries(symbol, values)))
    yield from describe_output(problem, draws)


def describe_output(problem: Problem, draws: Mapping[Step, Floats]) -> Iterator[Block]:
    """A histogram of the last step: it says what the weights do, on one line."""
    last = list(draws)[-1]
    yield from histogram(last.label.to_course_name(problem.names), draws[last])


def describe_draws(problem: Problem, draws: Mapping[Step, Floats]) -> Iterator[Block]:
    """What is drawn, and what is left out."""
    chosen = problem.sample
    assert chosen is not None
    names = enumerate_members(map(Name, chosen.covariances), f"{chosen.draws:,} draws of ", ", ")
    numbers = (Equal(Name(name), Constant(Decimal(f"{x:g}"))) for name, x in chosen.numbers.items())
    with_numbers = enumerate_members(numbers, ", with ", ", ")
    yield Paragraph((*names, f", seed {chosen.seed}", *with_numbers, "."))
    if chosen.positive:
        out = chosen.draws - len(next(iter(draws.values())))
        entries = (Place(entry.step, entry.at) for entry in chosen.positive)
        left_out = enumerate_members(entries, f"{out:,} of them are left out: there ", " or ")
        yield Paragraph((*left_out, " is not positive."))


def enumerate_members(members: Iterable[Maths], before: str, between: str) -> Iterator[str | Maths]:
    """`before`, then the members separated by `between`; empty if there are no members."""
    for number, member in enumerate(members):
        yield between if number else before
        yield member


def measure_entries(name: str, values: Floats) -> Iterator[tuple[Cell, ...]]:
    """Mean, standard deviation and quantiles of every entry."""
    for at in np.ndindex(values.shape[1:]):
        numbers = measure_entry(values, at, 0.05, 0.5, 0.95)
        yield (place_of(name, at), *map(decimal, numbers))


def decimal(number: float, places: int = 4) -> str:
    """A number as a table shows it, with 0 instead of −0."""
    return f"{round(number, places) + 0:.{places}f}".replace("-", "−")


def draws_of(values: Floats, at: tuple[int, ...]) -> Floats:
    """All draws of an entry."""
    where: tuple[slice | int, ...] = (slice(None), *at)
    return values[where]


def place_of(name: str, at: tuple[int, ...]) -> Place:
    """The name of an entry, with indices from 1."""
    return Place(name, tuple(n + 1 for n in at))


def histogram(name: str, values: Floats) -> Iterator[Block]:
    """A histogram of the entry that spreads most, or a note that it hardly varies."""
    deviations = measure(values)[1]
    at = tuple(map(int, np.unravel_index(deviations.argmax(), deviations.shape)))
    entry = draws_of(values, at)
    label = place_of(name, at)
    if deviations[at] < max(1e-3, SMALLEST_DIFFERENCE * np.abs(entry).max()):
        yield Note((label, " hardly moves."))
        return
    yield count_draws((label, ", draw by draw"), entry, np.histogram_bin_edges(entry, bins=BINS))


def count_draws(title: Text, entry: Floats, edges: Floats) -> Bars:
    """A bar chart of the number of draws in each bin."""
    counts, _ = np.histogram(entry, bins=edges)
    bins = (f"{decimal(low, 2)} to {decimal(high, 2)}" for low, high in pairwise(edges))
    return Bars(title, tuple(zip(bins, map(int, counts), strict=True)))
