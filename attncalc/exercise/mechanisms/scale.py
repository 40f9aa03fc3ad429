"""The scale: a factor that multiplies every score."""

from __future__ import annotations

import re
from typing import NamedTuple

from attncalc.core.errors import Place, fault, quote
from attncalc.core.fields import Numeric
from attncalc.core.graph.labels import Kind
from attncalc.core.ops.scores import Scale
from attncalc.core.readings.magnitude import Unbounded, magnitude
from attncalc.core.readings.value import evaluate
from attncalc.core.terms import ONE, Apply, Constant, Entry, Term, map_members
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, number, reader
from attncalc.exercise.keys.refusals import refuse_word
from attncalc.exercise.keys.schema_types import CELL
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.numbers.tokens import ExpressionError
from attncalc.exercise.problem import SIZES
from attncalc.exercise.yaml.tree import Node, Scalar, expect

DEFAULT = "1/sqrt(d_k)"


class Factor(NamedTuple):
    """A factor, as a term over the sizes of the problem, and as it was written."""

    term: Term
    text: str
    place: Place


USUAL = Factor(ONE / Apply("sqrt", Entry("d_k")), DEFAULT, Place(""))
"""The default; it is positive for every d_k."""


@reader(CELL, f"none, or an expression over {', '.join(SIZES)}")
def factor(node: Node, context: Context) -> Factor | None:
    """A factor, or None for `none`."""
    typed = expect(node, Scalar, "must be a number, an expression such as 1/sqrt(d_k), or none")
    if typed.text == "none":
        return None
    refuse_word(typed, "none", DEFAULT)
    named = Context(context.folder, {**context.names, **{size: Entry(size) for size in SIZES}})
    if re.search(r"\broot\b", typed.text):
        raise fault(f"{quote(typed.text)} is not read here; did you mean '{DEFAULT}'?", node.place)
    if divisor := re.fullmatch(r"(?:(?:divided? )?by|/|÷)\s*(.+)", typed.text):
        number(Scalar(divisor[1], node.place), named)
        raise fault(f"the scale is a factor: write 1/{divisor[1]}", node.place)
    term = number(typed, named)
    if is_divisor(term):
        text = typed.text
        message = f"the scale is a factor: write 1/{text}, or 1*{text} where it multiplies"
        raise fault(message, node.place)
    return Factor(term, typed.text, node.place)


def is_divisor(term: Term) -> bool:
    """Whether a factor is a size or its root alone: √d_k is meant as a divisor."""
    inner = term.term if isinstance(term, Apply) and term.function == "sqrt" else term
    return isinstance(inner, Entry) and inner.of in SIZES


def build(building: Building) -> None:
    """Add Z, unless nothing is scaled."""
    scores = building.roles["scores"]
    dot = scores not in building.given and building.setting("score", "dot") == "dot"
    usual = USUAL if dot and building.setting("feature_map") is None else None
    chosen: Factor | None = building.setting("scale", usual)
    if chosen is None:
        return
    if chosen is not USUAL and evaluate_factor(building, chosen) <= 0 and hides(building):
        raise fault("the scale must be positive where scores of −∞ hide keys", chosen.place)
    if usual is not None and chosen is not USUAL:
        refuse_divisor(building, chosen)
    if scores in building.given and re.fullmatch(NUMBER, chosen.text.strip()):
        refuse_large(building, chosen)
    building.roles["scores"] = building.step("Z", Scale(chosen.term), [scores])


NUMBER = r"[0-9.]+|(?:[a-z]+\.)?sqrt\s*\(\s*[0-9.]+\s*\)|√\s*\(?[0-9.]+\)?"
CLOSE = 0.005
"""A rounded root of a size differs from the root by less than this share."""


def refuse_divisor(building: Building, chosen: Factor) -> None:
    """Raise a fault if a number is d_k or its root: most people who write it mean a divisor."""
    size, text = building.sizes.get("d_k", 1), chosen.text.strip()
    if size < 2 or not re.fullmatch(NUMBER, text):
        return
    value = evaluate_factor(building, chosen)
    if any(abs(value - likely) <= CLOSE * likely for likely in (size, size**0.5)):
        ways = f"write 1/{text}, or 1*{text} where it multiplies"
        raise fault(f"the scale is a factor, and d_k is {size} here: {ways}", chosen.place)


def refuse_large(building: Building, chosen: Factor) -> None:
    """Raise a fault if given scores are multiplied by a number above 1: most people mean a divisor."""
    if evaluate_factor(building, chosen) > 1:
        text = chosen.text.strip()
        ways = f"write 1/{text}, or 1*{text} where it multiplies"
        raise fault(f"the scale is a factor, by which the scores are multiplied: {ways}", chosen.place)


def hides(building: Building) -> bool:
    """Whether given scores contain −∞."""
    return "S" in building.given and any(
        value == float("-inf") or (isinstance(value, Constant) and value.value == float("-inf"))
        for value in building.given["S"].ravel()
    )


def evaluate_factor(building: Building, chosen: Factor) -> float:
    """Return the factor as a number; raise a fault if it has no value, or a size that is not known."""

    def put_sizes(term: Term) -> Term:
        if isinstance(term, Entry) and term.of in SIZES:
            if term.of not in building.sizes:
                raise fault(f"{term.of} is not known in this problem", chosen.place)
            return Constant(building.sizes[term.of])
        return map_members(term, put_sizes)

    term = put_sizes(chosen.term)
    try:
        magnitude(term)
    except (Unbounded, ExpressionError) as error:
        raise fault(f"the scale {error}", chosen.place) from None
    return float(evaluate(term, {}, Numeric()))


mechanism = Mechanism(
    "scale",
    keys=(
        Key(
            "scale",
            factor,
            "A factor that multiplies the scores, over the sizes of the problem.",
            "scale: 1/sqrt(d_model)",
            "X",
            f"{DEFAULT} for dot products without a feature map, else none",
        ),
    ),
    build=build,
    steps=(
        Kind(
            "Z",
            "Scaled scores",
            "ij",
            words=("scaled scores", "scaled"),
            stage="scaled scores",
            is_quick=True,
            irrational="root",
        ),
    ),
    after=("scores",),
    each_head=True,
)
