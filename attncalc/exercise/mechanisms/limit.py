"""The limit: what weights and output tend to when a free letter grows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isinf
from typing import NamedTuple

from attncalc.core.errors import Place, fault, quote
from attncalc.core.fields import Array
from attncalc.core.graph.labels import Kind, Label
from attncalc.core.notations.terms import GREEK
from attncalc.core.ops.base import Operation
from attncalc.core.ops.output import LimitOutput
from attncalc.core.ops.projection import Copy
from attncalc.core.ops.weights import LimitShares
from attncalc.core.record import replace
from attncalc.core.terms import Entry
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, reader
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.mechanisms.normalize import way_of
from attncalc.exercise.mechanisms.output import add_weighted_sum
from attncalc.exercise.mechanisms.sink import own_sink
from attncalc.exercise.yaml.tree import Node, word_of

FORM = r"(\w+)\s*(?:-+>|=>|→|(?:tends )?to\b)\s*([+−-]?)(oo|infinity|infty|inf|∞|[0-9]+(?:\.[0-9]+)?)"


class Limit(NamedTuple):
    """A letter, and what it tends to."""

    letter: str
    target: float
    place: Place
    known: Mapping[str, Array] = {}
    """The limits by name, if they are known: they cannot be found once numbers replace the letters."""


@reader({"type": "string"}, "a letter -> a number, oo or -oo")
def parse_limit(node: Node, context: Context) -> Limit:
    """Read a limit such as beta -> oo."""
    found = re.fullmatch(FORM, word_of(node).strip())
    if not found:
        raise fault("is written beta -> oo", node.place)
    letter, sign, target = found.groups()
    if context.names.get(letter) != Entry(letter):
        raise fault(f"{quote(letter)} is not one of the symbols", node.place)
    size = float("inf") if target in ("oo", "infinity", "infty", "inf", "∞") else float(target)
    return Limit(letter, -size if sign in ("−", "-") and sign else size, node.place)


def check_limit(building: Building, chosen: Limit) -> None:
    """Raise a fault for a limit that does not fit the problem."""
    if way_of(building) != "softmax":
        raise fault("a limit compares exponents, so it needs normalize: softmax", chosen.place)
    if building.problem.symbols.get(chosen.letter) == "positive" and chosen.target < 0:
        raise fault(f"{chosen.letter} is positive, so it does not tend there", chosen.place)


def build(building: Building) -> None:
    """Add A_limit, and O_limit if there are values."""
    chosen: Limit | None = building.setting("limit")
    if chosen is None:
        return
    check_limit(building, chosen)
    sinks = [building.roles["sink"]] if "sink" in building.roles else []
    op: Operation = LimitShares(building.zero_rows, own_sink(building) if sinks else None)
    sources = [building.roles["scores"], *sinks]
    if found := give_known(building, chosen, "A"):
        op, sources = Copy(), [found]
    sign = "−" if chosen.target < 0 else ""
    letter = GREEK.get(chosen.letter, chosen.letter)
    end = "∞" if isinf(chosen.target) else f"{abs(chosen.target):g}"
    weights = building.step("A", op, sources, f"This is for {letter} → {sign}{end}.", limit=True)
    finite = not isinf(chosen.target)
    if finite and (found := give_known(building, chosen, "O")):
        building.step("O", Copy(), [found], limit=True)
    else:
        output = LimitOutput(building.setting("vectors") == "columns", finite)
        add_weighted_sum(building, weights, output, limit=True)


def give_known(building: Building, chosen: Limit, role: str) -> str | None:
    """Add a limit that is known already as a given matrix, and return its name."""
    name = replace(building.label(role), limit=True).name
    return building.give_matrix(Label(f"lim {name}"), chosen.known[name]) if name in chosen.known else None


mechanism = Mechanism(
    "limit",
    keys=(
        Key(
            "limit",
            parse_limit,
            "What weights and output tend to when a free letter grows, as further steps.",
            "symbols: {beta: positive}, Q: [[beta]], K: [[1], [2]], V: [[1], [2]], limit: beta -> oo",
            "",
            "none",
        ),
    ),
    build=build,
    steps=(
        Kind("A", "Weights in the limit", "ij", limit=True, stage="weights", irrational="none"),
        Kind("O", "Output in the limit", "id", limit=True, stage="output", irrational="none"),
    ),
    after=("output",),
    each_head=True,
)
