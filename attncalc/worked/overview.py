"""A solution at a glance: its shapes, its cost, its attention map, and who attends to whom."""

from __future__ import annotations

from collections.abc import Iterator
from math import isclose

import numpy as np
from numpy.typing import NDArray

from attncalc.core.graph.graph import Step
from attncalc.core.graph.references import count_from_one
from attncalc.core.ops.weights import Shares
from attncalc.core.readings.cost import Cost
from attncalc.core.terms.formulas import Name, Shape, Text, join_sentences
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.worked.blocks import Block, Cell, Heading, Map, Paragraph, Table

COUNTS = ("multiplications", "additions", "divisions", "exponentials")
MOST_SAID, MOST_READ = 6, 3
"""The most rows that an answer describes one by one, and that a remark does."""
ALMOST_ALL, MOST, SOME, EQUAL = 0.9, 0.5, 0.1, 0.02


def shapes(solution: Solution) -> Iterator[Block]:
    """List the given matrices and the steps, with their shapes."""
    graph = solution.graph
    yield Heading("Shapes", 3)
    given = [(Name(name), "given", Shape(graph.shown_shape(name))) for name in graph.given]
    steps = [
        (Name(step.symbol), in_rows(solution, step), Shape(graph.shown_shape(step.name)))
        for step in solution.steps
    ]
    yield Table(("name", "is", "shape"), (*given, *steps))
    learnt = [matrix for name, matrix in solution.graph.given.items() if name in solution.graph.learnt]
    if learnt:
        yield Paragraph(f"{sum(matrix.size for matrix in learnt):,} parameters.")


def say_shapes(solution: Solution) -> Text:
    """The shapes of all steps in one sentence."""
    sizes = ((step.symbol, solution.graph.shown_shape(step.name)) for step in solution.steps)
    found = [part for symbol, shape in sizes for part in (", ", Name(symbol), " ", Shape(shape))]
    return (*found[1:], ".")


def in_rows(solution: Solution, step: SolvedStep) -> Cell:
    """Return the formula of the whole matrix in rows, even if the working is written in columns."""
    graph, names = solution.graph, solution.problem.names
    return step.formula_of(step.step.op.in_rows, lambda name: graph.symbol(name, names)) or ""


def cost(solution: Solution) -> Iterator[Block]:
    """Tabulate the operations of each step, and their total."""
    yield Heading("Cost", 3)
    rows: list[tuple[Cell, ...]] = [(Name(step.symbol), *counts(step.cost)) for step in solution.steps]
    yield Table(("step", *COUNTS), (*rows, ("total", *counts(solution.cost))))


def say_cost(solution: Solution) -> Text:
    """The operations of all steps together, in one sentence."""
    names = [
        f"{count} {word}" for count, word in zip(counts(solution.cost), COUNTS, strict=True) if count != "0"
    ]
    return f"{', '.join(names) or 'no operations'} in all."


def counts(cost: Cost) -> tuple[str, ...]:
    """The four counts as text."""
    return tuple(f"{count:,}" for count in cost.counts().values())


def weights_of(solution: Solution) -> Iterator[SolvedStep]:
    """Yield the attention weights of every head that have no batch axes and no free letters."""
    weights = (step for step in solution.steps if step.step.kind.is_weights and len(step.shape) == 2)
    return (step for step in weights if np.isfinite(step.value).all())


def labels(solution: Solution, step: SolvedStep) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tokens of queries and keys if they are named, else their numbers."""
    problem = solution.problem
    tokens = problem.tokens
    keys = problem.key_tokens or tokens
    rows, columns = step.shape[-2:]

    def of(given: tuple[str, ...], size: int) -> tuple[str, ...]:
        return given if len(given) == size else tuple(map(str, range(1, size + 1)))

    return of(tokens, rows), of(keys, columns)


def attention_map(solution: Solution) -> Iterator[Block]:
    """Show the attention weights as shades, with a map for every sequence of a batch."""
    for step in solution.steps:
        if not step.step.kind.is_weights or not np.isfinite(step.value).all():
            continue
        rows, columns = labels(solution, step)
        for batch in np.ndindex(step.shape[:-2]):
            of_which = f", sequence {count_from_one(batch)}," if batch else ""
            yield Heading(f"Attention map{of_which}", 3, step.symbol)
            weights = tuple(map(tuple, step.value[batch].tolist()))
            places = np.argwhere(find_hidden(solution, step.step)[batch])
            hidden = frozenset((int(i), int(j)) for i, j in places)
            yield Map(step.symbol, rows, columns, weights, hidden, batch)


def say_map(solution: Solution) -> Text:
    """The largest weight of every row, in one sentence."""
    steps = list(weights_of(solution))
    if len(steps) != 1 or len(steps[0].value) > MOST_SAID:
        return "the map above: a row for each query, every cell as dark as its weight."
    rows, columns = labels(solution, steps[0])
    darkest = (columns[int(weights.argmax())] for weights in steps[0].value)
    said = (
        f"row {quote_token(row)} at {quote_token(column)}" for row, column in zip(rows, darkest, strict=True)
    )
    return f"the map above, darkest in {', '.join(said)}."


def say_attends(solution: Solution) -> Text:
    """Which tokens each token attends to, in short sentences without numbers."""
    if len(list(weights_of(solution))) != 1:
        return ""
    said = [block.text for block in attends(solution, in_percent=False) if isinstance(block, Paragraph)]
    return join_sentences(said) if len(said) <= MOST_SAID else ""


def find_hidden(solution: Solution, step: Step) -> NDArray[np.bool_]:
    """Return which entries of a step, with one column for each key, a mask or a decay hides."""
    found = np.zeros(step.shape, dtype=bool)
    for other in solution.steps:
        if other.step.kind.hides_by is not None and other.step.head == step.head:
            found |= other.value == other.step.kind.hides_by
    return found


def attends(solution: Solution, in_percent: bool = True) -> Iterator[Block]:
    """Say in words which tokens each token attends to."""
    for step in weights_of(solution):
        rows, columns = labels(solution, step)
        several = step.step.head is not None or step.step.label.limit
        yield Heading("Who attends to whom" + "," * several, 3, step.symbol if several else "")
        for label, weights in zip(rows, step.value.tolist(), strict=True):
            left = 1 - sum(weights) if has_sink(step) else 0
            some = percent(left) if in_percent else "some"
            rest = f", and leaves {some} to the sink" if left else ""
            said = describe_row(weights, columns, left, in_percent=in_percent)
            yield Paragraph(f"Token {quote_token(label)} {said}{rest}.")


def say_rows(solution: Solution, step: SolvedStep, rows: list[int]) -> Text:
    """What the weights of some queries say; of many, only those of the query with the largest weight."""
    names, columns = labels(solution, step)
    if len(rows) > MOST_READ:
        rows = [max(rows, key=lambda row: float(step.value[row].max()))]
    is_self = "tokens" in map(solution.graph.stage, solution.graph.given)
    query, key = ("Token", "token") if is_self else ("Query", "key")
    who = ["The query" if len(names) == 1 else f"{query} {quote_token(names[row])}" for row in rows]
    said = [describe_row(step.value[row].tolist(), columns, key=key) for row in rows]
    of_head = f" in head {step.step.head}" if step.step.head else ""
    return " ".join(f"{one} {text}{of_head}." for one, text in zip(who, said, strict=True))


def has_sink(step: SolvedStep) -> bool:
    """Whether a sink takes a part of the weights."""
    return isinstance(step.step.op, Shares) and step.step.op.has_sink


def describe_row(
    weights: list[float],
    columns: tuple[str, ...],
    left: float = 0,
    key: str = "token",
    in_percent: bool = True,
) -> str:
    """Describe the weights of one query; `left` is the weight of the sink, `key` the word for a key."""
    if not any(weights):
        return f"attends to no {key}"
    if min(weights) < 0 or not isclose(sum(weights) + left, 1):
        best = max(weights)
        most = [
            quote_token(column) for column, weight in zip(columns, weights, strict=True) if weight == best
        ]
        return f"has its largest weight ({best:.4g}) on {key}{'s' * (len(most) > 1)} {' and '.join(most)}"
    order = sorted(range(len(weights)), key=lambda n: (-weights[n], n))
    shares = [f" ({percent(weights[n])})" if in_percent else "" for n in order]
    named = [f"{quote_token(columns[n])}{share}" for n, share in zip(order, shares, strict=True)]
    if len(weights) > 1 and max(weights) - min(weights) <= EQUAL:
        return f"attends to all {key}s alike"
    best = weights[order[0]]
    if best == 1:
        return f"attends only to {key} {quote_token(columns[order[0]])}"
    ties = [named[k] for k, n in enumerate(order) if best - weights[n] <= EQUAL]
    rest = [named[k] for k, n in enumerate(order) if weights[n] >= SOME and best - weights[n] > EQUAL]
    if len(ties) > 1:
        main = f"attends equally to {key}s {' and '.join(ties)}"
    elif best >= ALMOST_ALL:
        return f"attends almost only to {key} {named[0]}"
    else:
        main = f"attends {'mostly' if best >= MOST else 'most'} to {key} {named[0]}"
    *others, last = rest or [""]
    listed = f"s {', '.join(others)} and {last}" if others else f" {last}"
    return main + (f", less to {key}{listed}" if rest else "")


def quote_token(label: str) -> str:
    """Return a token for a sentence: its number, or its word in quotes."""
    return label if label.isdigit() else f"“{label}”"


def percent(weight: float) -> str:
    """Return a weight in percent; only 1 is written as 100 %."""
    share = 100 * weight
    if 99.5 <= share < 100:
        return f"{share:.1f} %" if share < 99.95 else "over 99.9 %"
    return f"{share:.0f} %"
