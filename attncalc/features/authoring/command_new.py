"""Teachers: Print a new exercise with small numbers that show every mistake."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

import click

from attncalc.cli.options import writes
from attncalc.cli.printer import Printer
from attncalc.core.errors import fault
from attncalc.core.record import record, replace
from attncalc.exercise.load import Source
from attncalc.exercise.yaml.writing import write_entry
from attncalc.features.authoring.command_schema import FILE
from attncalc.features.authoring.lint.hidden import Sight, sight_of
from attncalc.features.authoring.lint.numbers import MOST_PRODUCTS, Looker
from attncalc.features.authoring.lint.wrong_answers import Exercise
from attncalc.features.authoring.vary.solve_draws import Draw, Drawing
from attncalc.features.authoring.vary.template import Template
from attncalc.marking.prepared import Prepared

RANGES = ((-2, 3), (-2, 2), (-1, 2), (-1, 1))
"""The smallest and the largest drawn number; the pairs are tried in this order."""
TRIES_OF_RANGE = 100
"""The number of draws from one range before the next is tried."""
ROUNDS = 20
"""The number of passes through the ranges: of two tokens with a mask, few draws show every mistake."""
MOST_EXAMINED = 12
"""Files that the marker is asked about: with two tokens, or one column, it cannot name every mistake."""
CYCLE = (1, 2, 3, -1, -2)
MATRICES = ("X", "W_Q", "W_K", "W_V")
WORDS = ("no", "one", "two", "three", "four", "five", "six")
ROOM = 0.9
"""The planned share of the allowed products, as the number differs from draw to draw."""


@record
class Plan:
    """The sizes, mask and seed of a new exercise."""

    tokens: int
    width: int
    d_model: int
    heads: int
    mask: str
    seed: int

    @property
    def columns(self) -> int:
        """The columns of a weight matrix, which the heads share."""
        return self.width * self.heads

    @property
    def after_projection(self) -> int:
        """The number of products in scores and outputs."""
        return 2 * self.tokens**2 * self.columns

    @property
    def zeros(self) -> tuple[int, int]:
        """The number of zeros in a row of X and of a weight matrix that keeps to the limit of products."""
        for per_weight in range(self.columns):
            for per_token in range(min(per_weight + 1, self.d_model)):
                filled = (self.d_model - per_token) * (self.columns - per_weight)
                if 3 * self.tokens * filled + self.after_projection <= ROOM * MOST_PRODUCTS:
                    return per_token, per_weight
        raise fault(f"takes more than {MOST_PRODUCTS} products by hand: fewer tokens, heads or columns")


def write_new(plan: Plan) -> str:
    """The text of a new problem file: one in which every mistake is named, else one in which all are seen."""
    examiner, rest = Examiner(), list[Source]()
    for sight, source in draw_all(plan):
        if sight.are_values_apart(units=1) and examiner.names_all(source):
            return source.text
        rest.append(source)
        if max(examiner.examined, len(rest)) == MOST_EXAMINED:
            break
    for source in rest[:MOST_EXAMINED]:
        if examiner.sees_all(source):
            return source.text
    raise fault("no numbers were found that show every mistake: try another seed or other sizes")


def draw_all(plan: Plan) -> Iterator[tuple[Sight, Source]]:
    """The files with drawn numbers in which every mistake leads to numbers of its own."""
    text = "\n".join(lines_of(plan)) + "\n"
    exercise = Exercise(Prepared(Source(text, "new", ".").problem))
    random = Random(f"new {plan.seed}")
    for least, most in RANGES * ROUNDS:
        bounds = ", ".join(f"{name}: {{from: {least}, to: {most}}}" for name in MATRICES)
        vary = f"vary: {{{bounds}}}\n"
        drawing = Drawing(exercise, Template(Source(text + vary, "new", ".")))
        for draws in drawing.draw_all(random, TRIES_OF_RANGE):
            for n, sight in draws.sights(range(draws.sets.count)).items():
                if sight.are_values_apart(units=0):
                    found = Draw(draws, n).source
                    yield sight, replace(found, text=found.text.removesuffix(vary))


class Examiner:
    """Asks the marker about drawn numbers, first about the mistakes that it did not name in earlier ones."""

    def __init__(self) -> None:
        self.examined, self.suspects = 0, list[str]()

    def names_all(self, source: Source) -> bool:
        """Whether lint finds nothing."""
        sight = self.examine(source)
        codes = sorted(sight.ways, key=lambda code: code not in self.suspects) if sight else ()
        unnamed = [*islice((code for code in codes if sight and not sight.is_apart(code)), 1)]
        self.suspects += unnamed
        return sight is not None and not unnamed

    def sees_all(self, source: Source) -> bool:
        """Whether lint finds nothing but mistakes that are not named, or not alone."""
        sight = self.examine(source)
        return sight is not None and not sight.find_hidden(())

    def examine(self, source: Source) -> Sight | None:
        """What the marker says; None if lint finds something in the numbers themselves."""
        self.examined += 1
        exercise = Exercise(Prepared(source.problem))
        if any(Looker(exercise, source.root).findings()):
            return None
        return sight_of(exercise, exercise.hand_in(exercise.right.floats))


def lines_of(plan: Plan) -> Iterator[str]:
    """The lines of the file, with numbers that are replaced by drawn ones."""
    per_token, per_weight = plan.zeros
    yield f"# yaml-language-server: $schema={FILE}"
    yield f"title: Self-attention over {WORDS[plan.tokens]} tokens"
    yield "# One row per token. Fractions, decimals and sqrt(2) are read as they stand."
    yield from write_entry(MATRICES[0], matrix(plan.tokens, plan.d_model, per_token), column=5)
    yield "# Q = X W_Q, K = X W_K, V = X W_V; b_Q, b_K and b_V would be added to every row."
    for start, name in enumerate(MATRICES[1:], 1):
        yield from write_entry(name, matrix(plan.d_model, plan.columns, per_weight, start), column=5)
    if plan.heads > 1:
        yield f"heads: {plan.heads}                  # each takes its block of columns"
    yield "scale: 1/sqrt(d_k)        # a factor; none where scores are not scaled"
    yield f"mask: {plan.mask.ljust(20)}# none, causal, {{window: 1}}, {{keep: [[1, 0], [1, 1]]}}, ..."
    yield "parts:                    # what is asked, part by part; without them, the last step"
    yield from (f"  - {{part: {part}, show: [{', '.join(steps)}]}}" for part, steps in parts_of(plan))


def parts_of(plan: Plan) -> Iterator[tuple[str, list[str]]]:
    """The parts of the exercise, each with its asked steps."""
    heads = [f"_{head}" for head in range(1, plan.heads + 1)] if plan.heads > 1 else [""]
    scores = ["S", "Z"] if plan.width > 1 else ["S"]
    yield "a", ["Q", "K", "V"]
    yield "b", [f"{step}{head}" for step in scores for head in heads]
    yield "c", [f"{step}{head}" for step in ("A", "O") for head in heads] + ["H"] * (plan.heads > 1)


def matrix(rows: int, columns: int, zeros: int, start: int = 0) -> list[list[str]]:
    """A matrix with this number of zeros in each row; others for another start, as equal ones stay equal."""
    each = columns - zeros
    numbers = [str(CYCLE[(start + n) % len(CYCLE)]) for n in range(rows * each)]
    return [numbers[n * each : (n + 1) * each] + ["0"] * zeros for n in range(rows)]


@click.command()
@click.option("--tokens", type=click.IntRange(2, 4), default=3, show_default=True, help="Rows of X.")
@click.option(
    "--width", type=click.IntRange(1, 3), default=2, show_default=True, help="d_k and d_v of one head."
)
@click.option("--d-model", type=click.IntRange(2, 4), default=3, show_default=True, help="Columns of X.")
@click.option("--heads", type=click.IntRange(1, 2), default=1, show_default=True)
@click.option("--mask", type=click.Choice(["none", "causal"]), default="none", show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Other numbers.")
@writes("files")
def command(output: Printer, tokens: int, width: int, d_model: int, heads: int, mask: str, seed: int) -> None:
    """Print a new exercise with small numbers that show every mistake."""
    output.write(files=lambda: write_new(Plan(tokens, width, d_model, heads, mask, seed)))
