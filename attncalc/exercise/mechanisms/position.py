"""Positions: all options of the key `position`; sinusoids added to the tokens, or biases by distance."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from attncalc.core.errors import fault, nearest
from attncalc.core.graph.labels import Kind
from attncalc.core.readings.magnitude import magnitude
from attncalc.core.record import record
from attncalc.core.terms import Constant, Power, Term
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, choice, number, numbers_list, reader, text, whole
from attncalc.exercise.keys.schema_types import CELL, mapping, one_of, one_or_list, words
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar

if TYPE_CHECKING:
    from attncalc.core.ops.position import Encoding

KINDS = ("none", "sinusoidal", "rope", "alibi")
OPTIONS = ("base", "offset", "angle")
PAIRS = choice("interleaved", "half")
TAKEN = {
    **dict.fromkeys(("sinusoidal", "rope"), PAIRS.schema),
    "alibi": one_or_list(CELL),
    **dict.fromkeys(OPTIONS, CELL),
}


@record
class Position:
    """The kind of positions, with its options."""

    kind: str
    encoding: Encoding
    slopes: tuple[Term, ...] = ()


@reader(
    one_of(words(*KINDS), mapping(TAKEN)), f"{', '.join(KINDS)}, or {{rope: half, base: 10000, offset: 0}}"
)
def position(node: Node, context: Context) -> Position | None:
    """Read a word, or a mapping {rope: half, base: 10000, offset: 0}, {alibi: [slopes]}."""
    from attncalc.core.ops.position import Encoding

    if isinstance(node, Scalar):
        kind = choice(*KINDS)(node, context)
        return None if kind == "none" else Position(kind, Encoding())
    if not isinstance(node, Mapped) or not node.items:
        raise fault("is written sinusoidal, rope, alibi, or {rope: half, base: 10000}", node.place)
    (key, value), *options = node.items
    if key.text not in KINDS[1:]:
        raise fault(f"'{text(key, context)}' is none of {', '.join(KINDS[1:])}", key.place)
    if key.text == "alibi":
        return Position("alibi", Encoding(), tuple(numbers_list(value, context)))
    settings: dict[str, Any] = {"half": PAIRS(value, context) == "half"}
    for option, given in options:
        if option.text not in OPTIONS:
            raise fault(
                f"'{text(option, context)}' is not known here{nearest(option.text, OPTIONS)}", option.place
            )
        reader = whole(0, 10**9) if option.text == "offset" else number
        settings[option.text] = reader(given, context)
        if option.text == "base" and magnitude(settings["base"]).value <= 0:
            raise fault("base must be positive", given.place)
    return Position(key.text, Encoding(**settings))


def build(building: Building) -> None:
    """Add P and X_P for sinusoids."""
    chosen: Position | None = building.setting("position")
    if chosen is None or chosen.kind != "sinusoidal":
        return
    from attncalc.core.ops.position import Addition, Sinusoids

    x = building.give("X")
    if x is None:
        raise fault(
            "sinusoidal positions are added to X, which is not given", building.problem.place("position")
        )
    rows, cols = building.shapes[x][-2:]
    encoding = building.step("P", Sinusoids(rows, cols, chosen.encoding), [])
    added = Addition("The encoding of each position is added to the token that stands there.")
    building.tokens = building.stream = building.step("X_P", added, [x, encoding])


def slope(chosen: Position, head: int, heads: int) -> Term:
    """Return the slope of a head, counted from 1: as given, or 2^(−8h/heads)."""
    if chosen.slopes:
        return chosen.slopes[head - 1]
    exponent = Fraction(-8 * head, heads)
    return Power(Constant(2), Constant(int(exponent) if exponent.denominator == 1 else exponent))


mechanism = Mechanism(
    "position",
    keys=(
        Key(
            "position",
            position,
            "How positions enter: added to X, by rotating queries and keys, or as a bias of the scores.",
            "position: rope",
            default="none",
        ),
    ),
    build=build,
    steps=(
        Kind(
            "P", "Positional encoding", "id", differentiable=False, words=("positional encoding", "positions")
        ),
        Kind("X_P", "Tokens with positions", "id"),
    ),
    before=("projection",),
)
