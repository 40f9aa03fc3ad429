"""Plans of rounding: how a student may have rounded on the way, each a way for all results and changes of it.

A way rounds one number. A plan has a way for every result, perhaps for every operation inside a step too, and
perhaps another way at one place: at the products, the exponentials, the scaled scores. Ways of working cannot
be listed; but a few ways at a few places, one changed at a time, come near to most of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property
from itertools import product
from typing import Literal, TypeAlias

import numpy as np

from attncalc.core.fields import Array
from attncalc.core.graph.labels import Irrational, Kind, Stage
from attncalc.core.record import record
from attncalc.marking.policy import LIMITS

Rule: TypeAlias = Literal[
    "none", "written", "places", "even", "digits", "cut", "cut digits", "half", "bfloat"
]
Inner: TypeAlias = Literal["product", "sum", "quotient", "exponential", "reciprocal", "root", "inverse root"]
Group: TypeAlias = Literal["losses", "results from the probabilities on"]
Place: TypeAlias = "Inner | Stage | Group"
LARGEST_HALF = 65504.0


@record
class Way:
    """How one number is rounded: by a rule, to n places or digits."""

    rule: Rule = "none"
    n: int = 0

    @property
    def is_cut(self) -> bool:
        """Whether digits are cut off, not rounded."""
        return self.rule in ("cut", "cut digits")

    @property
    def rounds_sums(self) -> bool:
        """Whether sums of rounded numbers have more digits than it leaves; sums of decimals have not."""
        return self.rule in ("digits", "cut digits", "half", "bfloat")

    @property
    def words(self) -> str:
        """What was done, after "were"."""
        match self.rule:
            case "places" | "even":
                return f"rounded to {self.n} decimal{'s' * (self.n != 1)}"
            case "digits":
                return f"rounded to {self.n} digits"
            case "cut":
                return f"cut off after {self.n} decimal{'s' * (self.n != 1)}"
            case "cut digits":
                return f"cut off after {self.n} digits"
            case "half" | "bfloat":
                return f"computed in {'half precision' if self.rule == 'half' else 'bfloat16'}"
        return "rounded"


NONE, WRITTEN = Way(), Way("written")
PLACES = tuple(Way("places", n) for n in (1, 2, 3, 4, 5))
EVEN = tuple(Way("even", n) for n in (1, 2, 3, 4))
DIGITS = tuple(Way("digits", n) for n in (2, 3, 4, 5, 6))
CUT = tuple(Way("cut", n) for n in (1, 2, 3, 4))
CUT_DIGITS = tuple(Way("cut digits", n) for n in (3, 4, 5))
FORMATS = (Way("half"), Way("bfloat"))


@record
class Plan:
    """A way for all results, `inside` also for the operations in a step, and another way at one place."""

    price: int
    """The bits that it costs to choose it: the more there are of its kind, the more."""
    base: Way = NONE
    inside: bool = False
    place: Place | None = None
    way: Way = NONE
    e: float = np.e
    code: str = "hidden-rounding"
    writing: Literal["cut", "last weight", "percent"] | None = None
    """How only the written number differs."""
    sentence: str = ""

    @property
    def fewest_places(self) -> float:
        """The fewest decimals that it rounds to; ∞ if none. A root has few digits with anyone."""
        ways = (self.base, NONE if self.place in ROOTS else self.way)
        return min((way.n for way in ways if way.rule in ("places", "even", "cut")), default=np.inf)

    def way_at(self, place: Place | None) -> Way:
        """The way at a place, inside a step or its result."""
        if place is not None and place in GROUPS.get(self.place, (self.place,)):
            return self.way
        is_rounded = self.base.rounds_sums if place == "sum" else True
        return self.base if (self.inside and is_rounded) or place not in INNER else NONE


INNER: tuple[Place, ...] = ("product", "sum", "quotient", "exponential", "reciprocal", "root", "inverse root")
GROUPS: dict[Place | None, tuple[Place, ...]] = {
    "losses": ("row losses", "loss"),
    "results from the probabilities on": ("probabilities", "row losses", "loss"),
}
"""Places that are rounded together."""
ROUNDED_ON_THE_WAY = "Results on the way were rounded."
NAMES: dict[Place, str] = {
    "product": "products", "sum": "sums", "quotient": "quotients", "exponential": "powers of e",
    "reciprocal": "reciprocals of the totals", "scores": "scores", "scaled scores": "scaled scores",
    "exponentials": "exponentials", "weights": "weights", "probabilities": "probabilities",
    "row losses": "losses of the rows", "output": "outputs", "queries": "queries", "keys": "keys",
    "values": "values", **{group: str(group) for group in GROUPS if group},
}  # fmt: skip
SOFTMAX: tuple[Place, ...] = (
    "product", "exponential", "reciprocal", "quotient", "sum", "exponentials", "scaled scores", "scores",
    "weights",
)  # fmt: skip
"""The places on the way to the weights."""
CHANGED: tuple[Place, ...] = (
    *SOFTMAX, "queries", "keys", "values", "output", "probabilities", "row losses",
    *(group for group in GROUPS if group),
)  # fmt: skip
"""The places at which another way is tried."""
USUAL: tuple[Place, ...] = ("weights", "scaled scores", "exponentials")
"""The results that students write down most often, and round."""


BASES = {NONE: 0, WRITTEN: 0, **dict.fromkeys(PLACES[1:4], 2)}
"""What else is rounded beside a constant or a way of writing, and the bits that it costs more."""
ROOTS: dict[Place, str] = {"root": "The square root", "inverse root": "One over the square root"}


def all_plans() -> Iterator[Plan]:
    """All plans; of alike ones the cheapest first."""
    yield Plan(0)
    yield Plan(1, WRITTEN)
    for way in (*PLACES, *EVEN, *DIGITS):
        yield Plan(4, way, sentence=f"Results on the way were {way.words}.")
    yield from written_plans()
    yield from constant_plans()
    for way in (*PLACES[:4], *DIGITS[:4], *CUT, *CUT_DIGITS):
        yield Plan(6, way, inside=True, sentence=f"Results on the way were {way.words}.")
    for way, inside in product(FORMATS, (False, True)):
        yield Plan(5, way, inside, sentence=f"The results were {way.words}.")
    for base, place, way in product((NONE, WRITTEN), CHANGED, (*PLACES[:4], *DIGITS[:3], *CUT[1:3])):
        price, said = (6 if place in USUAL else 8), f"The {NAMES[place]} were {way.words} on the way."
        yield Plan(price, base, place=place, way=way, sentence=said)
    for base, place, way in product(PLACES[1:4], SOFTMAX, PLACES[:4]):
        if base != way:
            yield Plan(10, base, place=place, way=way, sentence=ROUNDED_ON_THE_WAY)


def written_plans() -> Iterator[Plan]:
    """Plans in which the written numbers differ: cut off, in percent, the last weight as the rest."""
    cut, last = "Digits were cut off, not rounded.", "The last weight of a row is 1 minus the others."
    for way in (*CUT, *CUT_DIGITS):
        yield Plan(5, way, code="truncated", sentence=cut)
    yield Plan(3, code="truncated", writing="cut", sentence=cut)
    for base, more in BASES.items():
        yield Plan(3 + more // 2, base, code="last-weight", writing="last weight", sentence=last)
    yield Plan(3, code="percent", writing="percent", sentence="The weights are in percent.")


def constant_plans() -> Iterator[Plan]:
    """Plans with a rounded e, or a rounded root."""
    for (base, more), e in product(BASES.items(), ("2.718", "2.72", "2.71", "2.7")):
        yield Plan(4 + more, base, e=float(e), code="e-rounded", sentence=f"e was taken as {e}.")
    for (base, more), (place, what), way in product(
        BASES.items(), ROOTS.items(), (*PLACES[:4], *DIGITS[1:3])
    ):
        said = f"{what} was {way.words}."
        yield Plan(4 + more, base, place=place, way=way, code="root-rounded", sentence=said)


PLANS = tuple(all_plans())
HABITS = tuple(plan for plan in PLANS if plan.sentence)
"""The plans that can be named."""


def round_bfloat(x: Array) -> Array:
    """Round numbers to bfloat16: eight bits, to the nearest and ties to even."""
    bits = np.asarray(x, np.float32).view(np.uint32)
    kept = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return np.asarray(np.where(np.isfinite(x), kept.view(np.float32).astype(float), x))


def round_half(x: Array) -> Array:
    """Round numbers to half precision."""
    return np.asarray(np.where(np.abs(x) <= LARGEST_HALF, np.asarray(x, np.float16).astype(float), x))


def to_unit(x: Array, unit: Array | float, even: Array | bool = False, cut: Array | bool = False) -> Array:
    """Round numbers to multiples of a unit: halves away from 0 or to even, or digits cut off."""
    scaled = x / unit
    size = np.abs(scaled) * (1 + LIMITS.tie_error)
    away = np.copysign(np.floor(size + np.where(cut, 0, 0.5)), scaled)
    return np.asarray((np.where(even, np.rint(scaled), away) if np.any(even) else away) * unit)


def unit_of_digits(x: Array, digits: Array | int) -> Array:
    """The unit of the last of some significant digits of numbers."""
    size = np.where((x == 0) | ~np.isfinite(x), 1, np.abs(x))
    return np.asarray(10.0 ** (np.floor(np.log10(size) + LIMITS.tie_error) - digits + 1))


class Rounder:
    """Rounds at one place: an array whose first axis runs through plans."""

    def __init__(self, ways: list[Way], unit: float | None) -> None:
        """`unit` is that of the answer to the step, or the usual one, for ways that round as written."""
        known = [Way("none") if way.rule == "written" and unit is None else way for way in ways]
        self.decimal = [n for n, way in enumerate(known) if way.rule in DECIMAL]
        chosen = [known[n] for n in self.decimal]
        units = [unit if way.rule == "written" else 10.0**-way.n for way in chosen]
        self.units = np.array(units, dtype=float)
        self.even = np.array([way.rule == "even" for way in chosen])
        self.cut = np.array([way.rule == "cut" for way in chosen])
        self.by_digits = [n for n, way in enumerate(known) if way.rule in ("digits", "cut digits")]
        self.digits = np.array([known[n].n for n in self.by_digits], dtype=int)
        self.cut_digits = np.array([known[n].is_cut for n in self.by_digits])
        self.half = [n for n, way in enumerate(known) if way.rule == "half"]
        self.bfloat = [n for n, way in enumerate(known) if way.rule == "bfloat"]

    @cached_property
    def does_nothing(self) -> bool:
        """Whether no plan rounds here."""
        return not (self.decimal or self.by_digits or self.half or self.bfloat)

    def __call__(self, x: Array) -> Array:
        """The numbers as each plan rounds them."""
        if self.does_nothing:
            return x
        found = x.copy()
        axes = (-1, *(1,) * (x.ndim - 1))
        if self.decimal:
            part = x[self.decimal]
            units, even, cut = (row.reshape(axes) for row in (self.units, self.even, self.cut))
            found[self.decimal] = np.where(np.isfinite(part), to_unit(part, units, even, cut), part)
        if self.by_digits:
            part = x[self.by_digits]
            unit = unit_of_digits(part, self.digits.reshape(axes))
            rounded = to_unit(part, unit, cut=self.cut_digits.reshape(axes))
            found[self.by_digits] = np.where(np.isfinite(part), rounded, part)
        if self.half:
            found[self.half] = round_half(x[self.half])
        if self.bfloat:
            found[self.bfloat] = round_bfloat(x[self.bfloat])
        return found


DECIMAL = ("written", "places", "even", "cut")
"""The rules of one unit for all numbers."""


def is_used(plan: Plan, kinds: frozenset[Kind]) -> bool:
    """Whether a plan does something that a simpler one does not, to steps of these kinds."""
    stages = {kind.stage for kind in kinds}
    if plan.place is None or plan.place in INNER:
        return True
    return not stages.isdisjoint(GROUPS.get(plan.place, (plan.place,)))


@cache
def root_share(width: int) -> float:
    """The largest error of a rounded root of a width, or of 1 over it, as a share."""
    roots = np.array([np.sqrt(width), 1 / np.sqrt(width)])
    taken = (to_unit(roots, 0.01) / roots, to_unit(roots, unit_of_digits(roots, 3)) / roots)
    return max(ROOT_SHARE, *(float(np.abs(share - 1).max()) for share in taken))


COARSEST = 0.0051
"""The most that rounding a result to two decimals changes."""
E_SHARE = 0.02
"""The most that e as 2.72 changes an exponential, as a share."""
ROOT_SHARE = 0.005
"""The most that a root or e of a few digits changes any other result, as a share."""
SHARES: dict[Irrational, float] = {"none": 0.0, "e": E_SHARE, "any": ROOT_SHARE}


def share_of(kind: Kind, width: int) -> float:
    """The most that a rounded root or e changes a step, as a share."""
    return root_share(width) if kind.irrational == "root" else SHARES[kind.irrational]
