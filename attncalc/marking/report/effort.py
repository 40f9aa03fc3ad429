"""Numbers that anyone could write: they earn nothing beyond what is right without them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step
from attncalc.marking.follow.judge import Judged
from attncalc.marking.follow.replay import replay
from attncalc.marking.follow.truth import ROUGH, Truth, extent_of, largest_of
from attncalc.marking.follow.walk import Walk
from attncalc.marking.policy import LIMITS, POLICY

DRAWS = 4
"""How often other numbers are drawn: a cell that never changes depends on none of them."""


def find_constant_cells(truth: Truth) -> dict[str, NDArray[np.bool_]]:
    """Which cells of every step are the same for all given numbers: those of hidden keys, a single weight."""
    rng = np.random.default_rng(0)
    found = {step.name: np.ones(step.shape, dtype=bool) for step in truth.graph.steps}
    with np.errstate(all="ignore"):
        for _ in range(DRAWS):
            start = {name: draw_like(truth, name, rng) for name in truth.start}
            values = replay(truth.graph.steps, start, lambda step, known: truth.evaluate(step, known, ROUGH))
            for name, same in found.items():
                same &= values[name] == truth.floats[name]
    return found


def draw_like(truth: Truth, name: str, rng: np.random.Generator) -> Floats:
    """Other numbers in place of given ones; sizes, masks and hidden entries stay."""
    given = truth.floats[name]
    if name in truth.graph.sizes or truth.graph.is_mask(name):
        return given
    drawn = rng.normal(size=given.shape) * (largest_of(given) or 1.0)
    return np.where(np.isfinite(given), drawn, given)


def is_alike(judged: Judged) -> bool:
    """Whether a step that is not right has the same number in all answered cells, three or more."""
    numbers = judged.answer.middle[judged.answer.is_answered]
    return not judged.is_right and len(numbers) > 2 and bool(np.all(numbers == numbers[0]))


def find_copied(truth: Truth, walk: Walk, judged: Judged) -> str | None:
    """The given matrix, or the answered one on the way to it, that a step repeats.

    It is not right, and the correct step, as it is written, does not repeat that matrix.
    """
    answer = judged.answer
    if judged.is_right or not answer.is_answered.all() or answer.middle.size < 2:
        return None
    expected = truth.floats[answer.step.name]
    matrices = known_matrices(truth, walk, answer.step)
    copied = [name for name, other in matrices if np.array_equal(answer.middle, other)]
    slack = answer.unit.max() / 2
    is_right = any(is_near(expected, truth.floats[name], slack) for name in copied)
    return None if is_right or not copied else copied[0]


def known_matrices(truth: Truth, walk: Walk, step: Step) -> Iterator[tuple[str, Floats]]:
    """The given matrices, and the answered ones on the way to a step, that have its shape."""
    before = {one.name for one in truth.graph.chain(step.name, ())} - {step.name}
    given = ((name, truth.floats[name]) for name in truth.graph.given)
    answered = (
        (name, one.answer.middle)
        for name, one in walk.judged.items()
        if name in before and one.answer.is_answered.all()
    )
    return ((name, matrix) for name, matrix in (*given, *answered) if matrix.shape == step.shape)


def is_near(one: Floats, other: Floats, slack: float) -> bool:
    """Whether two matrices are the same but for some slack, and errors of floats."""
    return bool(np.allclose(one, other, rtol=LIMITS.float_error, atol=slack + LIMITS.nothing))


def is_effortless(truth: Truth, walk: Walk, judged: Judged) -> bool:
    """Whether an answer took less work than the correct one: it is all alike, even, or picked."""
    answer, step = judged.answer, judged.answer.step
    expected = truth.floats[step.name]
    if not answer.is_answered.all() or answer.middle.size < 2:
        return False
    if is_flat(answer.middle, expected, answer.unit.max()):
        return True
    if step.kind.is_weights:
        return is_plain(answer.middle, expected)
    weights = truth.graph.find("weights", step.head)
    if step.kind.stage != "output" or weights is None:
        return False
    return has_plain_weights(truth, walk, weights) or is_picked(truth, walk, judged)


def is_nothing(truth: Truth, judged: Judged) -> bool:
    """Whether all answered numbers are 0, and the correct ones are not."""
    answer, expected = judged.answer, truth.floats[judged.answer.step.name]
    return not answer.middle[answer.is_answered].any() and bool(expected[answer.is_answered].any())


def is_flat(numbers: Floats, expected: Floats, unit: float) -> bool:
    """Whether all numbers are the same but for one unit, and little beside the correct ones."""
    most = min(unit, POLICY.fine * extent_of(expected)) + LIMITS.nothing * largest_of(numbers)
    return extent_of(numbers) <= most < extent_of(expected)


def has_plain_weights(truth: Truth, walk: Walk, weights: str) -> bool:
    """Whether the weights that a student answered, or that follow from the answers, are plain."""
    if weights not in walk.values:
        return False
    return is_plain(truth.field.floats(walk.values[weights]), truth.floats[weights])


def is_plain(weights: Floats, expected: Floats) -> bool:
    """Whether weights only pick one key, or are even in every row, and the correct ones are not."""
    return any(is_simple(weights) for is_simple in (picks_one, is_even)) and not (
        picks_one(expected, POLICY.alike) or is_even(expected)
    )


def picks_one(weights: Floats, most: float = LIMITS.nothing) -> bool:
    """Whether every row has nothing beside its largest entry, or at most this share of it."""
    sizes = np.sort(np.abs(weights), axis=-1)
    return bool(np.all(sizes[..., :-1].sum(axis=-1) <= most * sizes[..., -1]))


def is_even(weights: Floats) -> bool:
    """Whether the entries of every row are nearly the same, those of hidden keys apart."""
    seen = np.where(weights == 0, np.nan, weights)
    rows = seen[~np.isnan(seen).all(axis=-1)]
    spread = np.nanmax(rows, axis=-1) - np.nanmin(rows, axis=-1) if rows.size else np.zeros(1)
    return bool(np.all(spread <= POLICY.fine * largest_of(weights)))


def is_picked(truth: Truth, walk: Walk, judged: Judged) -> bool:
    """Whether every row of an output is a row of the values or their mean, and the correct rows are not."""
    step, expected = judged.answer.step, truth.floats[judged.answer.step.name]
    values = truth.graph.find("values", step.head) or ""
    own = truth.field.floats(walk.values[values]) if values in walk.values else truth.floats.get(values)
    if own is None or own.shape[-1:] != expected.shape[-1:]:
        return False
    plain, correct = with_mean(own), with_mean(truth.floats[values])
    slack = judged.answer.unit.max()
    most = POLICY.alike * max(extent_of(correct), LIMITS.nothing)
    return is_copied(judged.answer.middle, plain, slack) and not is_copied(expected, correct, most)


def with_mean(rows: Floats) -> Floats:
    """Rows, and their mean as one more."""
    return np.concatenate([rows, rows.mean(axis=-2, keepdims=True)], axis=-2)


def is_copied(rows: Floats, others: Floats, slack: float) -> bool:
    """Whether every row is one of the others, but for some slack."""
    off = np.abs(rows[..., :, None, :] - others[..., None, :, :]).max(axis=-1).min(axis=-1)
    return bool(np.all(off <= slack + LIMITS.nothing * extent_of(others)))
