"""Habits: the correct method with another rounding, which excuses a result that it explains in every cell.

A habit is run from the numbers that the student has written: unanswered steps are rounded on the way, roots
and powers of e are rounded as people do, or the result is written in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np

from attncalc.core.fields import Array
from attncalc.core.graph.labels import Kind, Stage, Whole
from attncalc.core.record import record
from attncalc.marking.policy import POLICY

IN_NORMS: tuple[Whole | None, ...] = ("norm", "positions")
INSIDE: tuple[Whole | None, ...] = (*IN_NORMS, "network", "loss")
"""The wholes whose steps are often worked out in one go."""


@record
class Habit:
    """A way of rounding: a code, a sentence, and what it does.

    `stages` are the unanswered steps that are rounded to `places` or to significant `digits`, empty for all,
    except parts of the wholes in `spared`; `root` rounds a square root, or 1 over it; `writing` changes the
    result before it is written.
    """

    code: str
    sentence: str
    places: int | None = None
    digits: int | None = None
    ties_up: bool = False
    stages: tuple[Stage | None, ...] = ()
    spared: tuple[Whole | None, ...] = ()
    root: Callable[[Array], Array] | None = None
    is_inverse: bool = False
    e: float = np.e
    writing: Callable[[Array, int], Array] | None = None
    """From exact results and the number of decimals to the written numbers."""
    only_weights: bool = False
    """Whether only weights are written so."""

    def effect(self, kinds: frozenset[Kind]) -> object:
        """A key that is equal for habits that do the same to steps of these kinds."""
        carried = frozenset(filter(self.carries, kinds))
        return (self.code, self.places, self.digits, self.ties_up, carried) if self.is_on_the_way else self

    @property
    def is_on_the_way(self) -> bool:
        """Whether it rounds unanswered results."""
        return self.places is not None or self.digits is not None

    def carries(self, kind: Kind) -> bool:
        """Whether the result of an unanswered step is rounded before it is used."""
        is_meant = not self.stages or kind.stage in self.stages
        return self.is_on_the_way and is_meant and kind.part_of not in self.spared


def to_digits(digits: int | Array, x: Array) -> Array:
    """Round numbers to significant digits."""
    unit = 10.0 ** (np.floor(np.log10(np.where(x == 0, 1, np.abs(x)))) - digits + 1)
    return np.asarray(np.round(x / unit) * unit)


def to_two_places(x: Array) -> Array:
    """Round numbers to two decimals."""
    return np.asarray(np.round(x, 2))


def cut_off(x: Array, places: int) -> Array:
    """Cut digits off."""
    scale = 10.0**places
    return np.asarray(np.trunc(x * scale * (1 + 1e-12)) / scale)


def last_as_rest(x: Array, places: int) -> Array:
    """Rounded weights, the last of a row as 1 minus the others."""
    others = np.round(x[..., :-1], places)
    return np.concatenate([others, 1 - others.sum(axis=-1, keepdims=True)], axis=-1)


def in_percent(x: Array, _: int) -> Array:
    """Weights in percent without the sign."""
    return np.asarray(100 * x)


PARTS: tuple[tuple[str, tuple[Stage | None, ...], tuple[Whole | None, ...]], ...] = (
    ("results that are not answered", (), ()),
    ("results that are not answered, all but the exponentials,", (), ("softmax",)),
    ("results that are not answered, all but those inside other steps,", (), INSIDE),
    (
        "results that are not answered, all but the exponentials and those inside other steps,",
        (),
        ("softmax", *INSIDE),
    ),
    ("results that are not answered, all but those inside norms and softmaxes,", (), ("softmax", *IN_NORMS)),
    ("weights", ("weights",), ()),
    ("scaled scores", ("scaled scores",), ()),
    ("probabilities", ("probabilities",), ()),
    ("results from the probabilities on", ("probabilities", "row losses", "loss"), ()),
    ("losses of the rows", ("row losses",), ()),
    ("results from the losses of the rows on", ("row losses", "loss"), ()),
    ("last results before it", ("loss",), ()),
)
"""Which unanswered steps are rounded: the words for them, their stages, and the wholes left out."""
ALL_PARTS = tuple(part for part in PARTS if not part[1])
"""All unanswered steps, but for those left out."""


def hidden_roundings() -> Iterator[Habit]:
    """The habits of rounding unanswered steps."""
    for places, (what, stages, spared), up in product(POLICY.hidden_places, PARTS, (False, True)):
        said = f"The {what} were rounded to {places} decimals on the way."
        yield Habit("hidden-rounding", said, places, ties_up=up, stages=stages, spared=spared)
    for what, stages, spared in ALL_PARTS:
        said = f"The {what} were rounded to {POLICY.most_hidden_places} decimals on the way."
        yield Habit("hidden-rounding", said, POLICY.most_hidden_places, stages=stages, spared=spared)
    for digits, (what, stages, spared) in product(POLICY.hidden_digits, ALL_PARTS):
        said = f"The {what} were rounded to {digits} digits on the way."
        yield Habit("hidden-rounding", said, digits=digits, stages=stages, spared=spared)


HIDDEN_ROUNDINGS = tuple(hidden_roundings())
SCATTERED = Habit("hidden-rounding", "Results on the way were rounded.")
"""What is said if no habit is known, but rounding explains the answer."""
HABITS: tuple[Habit, ...] = (
    Habit("truncated", "Digits were cut off, not rounded.", writing=cut_off),
    Habit(
        "last-weight",
        "The last weight of a row is 1 minus the others.",
        writing=last_as_rest,
        only_weights=True,
    ),
    Habit("percent", "The weights are in percent.", writing=in_percent, only_weights=True),
    *(
        Habit("root-rounded", f"{what} was taken to {digits}.", root=root, is_inverse=is_inverse)
        for what, is_inverse in (("The square root", False), ("One over the square root", True))
        for digits, root in (("three digits", partial(to_digits, 3)), ("two decimals", to_two_places))
    ),
    *(Habit("e-rounded", f"e was taken as {e}.", e=float(e)) for e in ("2.72", "2.718")),
    *HIDDEN_ROUNDINGS,
)
"""All habits, the simplest first."""
