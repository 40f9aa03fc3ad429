"""Mistakes with the mask."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator

import numpy as np

from attncalc.core.errors import count_of
from attncalc.core.fields import Array, Numeric
from attncalc.core.graph.graph import Graph, Step, numbers_of
from attncalc.core.ops.base import At, Entrywise, Operand
from attncalc.core.ops.position import DistanceBias
from attncalc.core.ops.projection import Copy
from attncalc.core.ops.scores import Mask
from attncalc.core.ops.weights import Shares
from attncalc.core.record import record, replace
from attncalc.core.terms import ONE, Constant, Sum, Term
from attncalc.mistakes.base import Mistake, Variation, combine, vary
from attncalc.mistakes.scale import scale_of, value_of
from attncalc.mistakes.softmax import MaskedShares
from attncalc.mistakes.softmax_base import exponentials_of

OWN = "its mask"
"""The name of a matrix that only a mistake knows."""


def mask_of(step: Step, graph: Graph) -> Array | None:
    """The mask that a step adds, as floats."""
    if not isinstance(step.op, Mask) or not step.op.is_masked:
        return None
    return numbers_of(graph.given[step.inputs[-1]], Numeric())


def hide_keys(hidden: Array) -> Array:
    """The mask with −∞ where `hidden` is true, and 0 elsewhere."""
    return np.where(hidden, -np.inf, 0.0)


def to_factors(mask: Array) -> dict[str, Array]:
    """A mask as factors, 1 for a visible key and 0 for a hidden one, by name."""
    return {OWN: np.where(np.isneginf(mask), 0.0, 1.0)}


def with_mask(step: Step, graph: Graph, mask: Array) -> Iterator[Variation]:
    """Yield the masked scores with another mask."""
    return vary(step, graph, step.op, *step.inputs[:-1], OWN, given={OWN: mask})


def other_mask(step: Step, graph: Graph, mask: Array) -> Iterator[Variation]:
    """Yield the masked scores with another mask, if it leaves every query a key."""
    if not np.isneginf(mask).all(axis=-1).any():
        yield from with_mask(step, graph, mask)


class MaskMissing(Mistake):
    """The mask was left out."""

    code = "mask-missing"
    question = "Which keys may each query see?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        if isinstance(step.op, Mask) and step.op.is_masked:
            scores = step.inputs[:-1]
            unmasked = replace(step.op, is_masked=False)
            yield from vary(step, graph, unmasked if len(scores) > 1 else Copy(), *scores)


class MaskFlipped(Mistake):
    """Kept and hidden keys were swapped."""

    code = "mask-flipped"
    question = "Does the mask mark the keys that are kept, or those that are hidden?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        mask = mask_of(step, graph)
        if mask is not None and np.isneginf(mask).any():
            flipped = hide_keys(~np.isneginf(mask))
            yield from other_mask(step, graph, flipped)
            diagonal = np.eye(*mask.shape[-2:]) == 1
            yield from other_mask(step, graph, np.where(diagonal, 0.0, flipped))


class MaskAfterSoftmax(Mistake):
    """The mask was applied to the weights after the softmax, so that rows no longer add up to 1."""

    code = "mask-after-softmax"
    question = "What does each row of weights add up to once keys are hidden?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        exponentials = exponentials_of(step, graph)
        masked = graph.step(exponentials.inputs[0]) if exponentials else None
        mask = mask_of(masked, graph) if masked else None
        if masked and mask is not None:
            yield from vary(step, graph, MaskedShares(), *masked.inputs[:-1], OWN, given=to_factors(mask))


@record
class KeptOrZero(Entrywise):
    """The score where a key is kept, 0 where it is hidden."""

    def cell(self, at: At, *operands: Operand) -> Term:
        *scores, keep = operands
        return Sum(tuple(x[at] for x in scores)) * keep[at]


def has_softmax(step: Step, graph: Graph) -> bool:
    """Whether the scores of a step's head go through a softmax."""
    return graph.step(graph.find("exponentials", step.head)) is not None


class MaskZero(Mistake):
    """Hidden scores were set to 0 in place of −∞: e^0 = 1 still gives them weight."""

    code = "mask-zero"
    question = "Which score becomes the weight 0 in the softmax?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        mask = mask_of(step, graph)
        # Without exponentials, a score of 0 has no weight either.
        if has_softmax(step, graph) and mask is not None and np.isneginf(mask).any():
            yield from vary(step, graph, KeptOrZero(), *step.inputs[:-1], OWN, given=to_factors(mask))


def triangle(mask: Array, shift: int) -> Array:
    """The mask that shows query i the keys up to i + shift."""
    i, j = np.ogrid[: mask.shape[-2], : mask.shape[-1]]
    return hide_keys(np.broadcast_to(j > i + shift, mask.shape))


def causal_shift(mask: Array) -> int | None:
    """Which key the first query of a causal mask sees last, 0 for the first; None for other masks."""
    corner = mask.shape[-1] - mask.shape[-2]
    return next((shift for shift in (0, corner) if np.array_equal(mask, triangle(mask, shift))), None)


class WithCausalMask(Mistake):
    """A mistake made with a causal mask."""

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        mask = mask_of(step, graph)
        shift = None if mask is None else causal_shift(mask)
        if mask is not None and shift is not None:
            yield from self.other_masks(step, graph, mask, shift)

    @abstractmethod
    def other_masks(self, step: Step, graph: Graph, mask: Array, shift: int) -> Iterator[Variation]:
        """The masked scores with other masks than one that shows query i the keys up to i + shift."""


class CausalStrict(WithCausalMask):
    """The diagonal was hidden too: a token sees itself."""

    code = "causal-strict"
    question = "May a token see itself?"

    def other_masks(self, step: Step, graph: Graph, mask: Array, shift: int) -> Iterator[Variation]:
        strict = triangle(mask, shift - 1)
        # A first query that sees no key has no softmax: its weights are set to 0, or it sees itself.
        yield from combine(with_mask(step, graph, strict), *self.zero_empty_rows(step, graph))
        yield from with_mask(step, graph, strict)
        first = np.where(np.isneginf(strict).all(axis=-1, keepdims=True), mask, strict)
        yield from other_mask(step, graph, first)

    def zero_empty_rows(self, step: Step, graph: Graph) -> Iterator[Iterator[Variation]]:
        """Yield the weights with 0 in rows without a visible key."""
        weights = graph.step(graph.find("weights", step.head))
        if weights and isinstance(weights.op, Shares):
            yield vary(weights, graph, Shares(weights.op.visible_only, True), *weights.inputs)


class CausalShifted(WithCausalMask):
    """The causal mask was aligned to the other corner."""

    code = "causal-shifted"
    question = "Which is the last key that the first query may see?"

    def other_masks(self, step: Step, graph: Graph, mask: Array, shift: int) -> Iterator[Variation]:
        corner = mask.shape[-1] - mask.shape[-2]
        for other in {0, corner, 1} - {shift}:
            by = other - shift
            off = f"{count_of(abs(by), 'key')} too {'many' if by > 0 else 'few'}"
            shifted = f"The causal mask was shifted: a query sees {off}."
            for made in other_mask(step, graph, triangle(mask, other)):
                yield made if other in (0, corner) else replace(made, message=shifted)


REPLACED, ADDED = (-1, -10, -100), (-10,)
"""Finite numbers that students write for a hidden score, or add to it; adding −1 subtracts a 0/1 mask."""


@record
class KeptOrNumber(KeptOrZero):
    """The score where a key is kept, a number where it is hidden."""

    number: int

    def cell(self, at: At, *operands: Operand) -> Term:
        return super().cell(at, *operands) + (ONE - operands[-1][at]) * Constant(self.number)


class MaskFinite(Mistake):
    """Hidden scores were set to a number such as −10 in place of −∞: e to its power is not 0."""

    code = "mask-finite"
    question = "Which number is so small that e to its power is exactly 0?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        mask = mask_of(step, graph)
        if has_softmax(step, graph) and mask is not None and np.isneginf(mask).any():
            scores = step.inputs[:-1]
            for number in REPLACED:
                yield from vary(step, graph, KeptOrNumber(number), *scores, OWN, given=to_factors(mask))
            for number in ADDED:
                yield from with_mask(step, graph, np.where(np.isneginf(mask), number, mask))


class MaskAdded(Mistake):
    """A mask of zeros and ones was added to the scores, which hides no key."""

    code = "mask-added"
    question = "What must be added to a score so that its key is hidden?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        mask = mask_of(step, graph)
        if mask is not None and {*np.unique(mask)} == {-np.inf, 0}:
            hidden = np.isneginf(mask) * 1.0
            for added in (1 - hidden, hidden, -hidden):
                yield from with_mask(step, graph, added)


class MaskScaled(Mistake):
    """The mask or bias was scaled with the scores: it is added after the scale."""

    code = "mask-scaled"
    question = "What comes first: are the scores scaled, or is the mask or the bias added?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        mask = mask_of(step, graph)
        is_finite = mask is not None and np.any(np.isfinite(mask) & (mask != 0))
        factor = scale_of(step, graph) if is_finite or isinstance(step.op, DistanceBias) else None
        if factor is None:
            return
        if mask is not None:
            yield from with_mask(step, graph, mask * value_of(factor, graph))
        if isinstance(step.op, DistanceBias):
            yield from vary(step, graph, replace(step.op, slope=step.op.slope * factor))


class WindowOneSided(Mistake):
    """The window reaches to one side only."""

    code = "window-one-sided"
    question = "To which sides of a token does the window reach?"

    def variations(self, step: Step, graph: Graph) -> Iterator[Variation]:
        mask = mask_of(step, graph)
        if mask is None:
            return
        before = graph.shapes.get(graph.find("cached keys", step.head) or "", (0, 0))[-2]
        i, j = np.ogrid[before : before + mask.shape[-2], : mask.shape[-1]]
        distance = np.broadcast_to(j - i, mask.shape)
        if is_window(np.isneginf(mask), distance):
            for other_side in (distance > 0, distance < 0):
                yield from other_mask(step, graph, np.where(other_side, -np.inf, mask))


def is_window(hidden: Array, distance: Array) -> bool:
    """Whether the keys up to a distance to the left and to the right are visible, and all others hidden.

    >>> distance = np.array([[0, 1, 2], [-1, 0, 1], [-2, -1, 0]])
    >>> is_window(abs(distance) > 1, distance), is_window(distance > 1, distance)
    (True, False)
    """
    seen = distance[~hidden]
    if not seen.size or not seen.min() < 0 < seen.max():
        return False
    outside = (distance < seen.min()) | (distance > seen.max())
    is_hidden_on_both_sides = hidden[distance < 0].any() and hidden[distance > 0].any()
    return bool(np.array_equal(hidden, outside) and is_hidden_on_both_sides)
