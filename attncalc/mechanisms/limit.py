"""The limit: what weights and output tend to when a free letter grows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isinf
from typing import NamedTuple

from attncalc.errors import Place, fault, quoted
from attncalc.fields import Array
from attncalc.inputs.nodes import Node, Scalar
from attncalc.inputs.readers import Context
from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.mechanisms.output import weighted_sum
from attncalc.notations.terms import GREEK
from attncalc.ops.base import Operation
from attncalc.ops.output import LimitOutput
from attncalc.ops.projection import Copy
from attncalc.ops.weights import LimitShares
from attncalc.terms import Entry

FORM = re.compile(r"(\w+)\s*(?:->|→)\s*([+−-]?)(oo|inf|∞|[0-9]+(?:\.[0-9]+)?)")


class Limit(NamedTuple):
    """A letter, and what it tends to."""

    letter: str
    target: float
    place: Place
    known: Mapping[str, Array] = {}
    """The weights, where they have been found before: with numbers for letters there is no limit."""


def limit(node: Node, context: Context) -> Limit:
    """beta -> oo"""
    found = FORM.fullmatch(node.text.strip()) if isinstance(node, Scalar) else None
    if not found:
        raise fault("is written beta -> oo", node.place)
    letter, sign, target = found.groups()
    if context.names.get(letter) != Entry(letter):
        raise fault(f"{quoted(letter)} is not one of the symbols", node.place)
    size = float("inf") if target in ("oo", "inf", "∞") else float(target)
    return Limit(letter, -size if sign in ("−", "-") and sign else size, node.place)


def check(building: Building, chosen: Limit) -> None:
    """Refuses a limit that cannot be."""
    if building.setting("normalize", "softmax") != "softmax":
        raise fault("a limit compares exponents, so it needs normalize: softmax", chosen.place)
    if building.problem.symbols.get(chosen.letter) == "positive" and chosen.target < 0:
        raise fault(f"{chosen.letter} is positive, so it does not tend there", chosen.place)


def build(building: Building) -> None:
    """Adds A_limit, and O_limit where there are values."""
    chosen: Limit | None = building.setting("limit")
    if chosen is None:
        return
    check(building, chosen)
    weights = f"{building.roles['weights']}_limit"
    op: Operation = LimitShares(building.zero_rows)
    source = building.roles["scores"]
    if chosen.known:
        op, source = Copy(), building.give_matrix(f"lim {weights}", chosen.known[weights])
    sign = "−" if chosen.target < 0 else ""
    letter = GREEK.get(chosen.letter, chosen.letter)
    end = "∞" if isinf(chosen.target) else f"{abs(chosen.target):g}"
    building.step(weights, "Weights in the limit", op, [source], "ij", f"This is for {letter} → {sign}{end}.")
    finite, name = not isinf(chosen.target), f"{building.name('O')}_limit"
    if finite and name in chosen.known:
        source = building.give_matrix(f"lim {name}", chosen.known[name])
        building.step(name, "Output in the limit", Copy(), [source], "id")
    else:
        output = LimitOutput(building.setting("vectors") == "columns", finite)
        weighted_sum(building, weights, output, name, "Output in the limit")


mechanism = Mechanism(stage=Stage.LIMIT, keys={"limit": limit}, build=build)
