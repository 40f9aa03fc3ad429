"""The key `vary`: which matrices may differ from student to student, and between which bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from attncalc.core.errors import fault, nearest, quote
from attncalc.core.families import names_in
from attncalc.core.terms import Constant, Quotient
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.problem_keys import WORDS
from attncalc.exercise.keys.readers import Context, number, reader
from attncalc.exercise.keys.schema_types import CELL, mapping, mapping_of, one_of, one_or_list
from attncalc.exercise.problem import Bounds
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, expect, one_or_more

ENDS = ("from", "to")
BOUNDS = mapping(dict.fromkeys(ENDS, CELL), required=[*ENDS])
FORM = "must name what may change, [X, W_Q], or say between what, {X: {from: -3, to: 3}}"


@reader(one_of(one_or_list({"type": "string"}), mapping_of(BOUNDS)), "names, or names and {from: .., to: ..}")
def parse_vary(node: Node, context: Context) -> Mapping[str, Bounds]:
    """[X, W_Q], or {X: {from: -3, to: 3}}"""
    found: dict[str, Bounds]
    if isinstance(node, Mapped):
        found = {key.text: parse_bounds(value, context) for key, value in node.items}
    else:
        found = {expect(item, Scalar, FORM).text: None for item in one_or_more(node)}
    refuse_unknown(found, context)
    return found


def parse_bounds(node: Node, context: Context) -> Bounds:
    """{from: -3, to: 3}"""
    ends = {key.text: value for key, value in expect(node, Mapped, FORM).items}
    if set(ends) != {*ENDS}:
        raise fault("is written {from: -3, to: 3}", node.place)
    least, most = (plain_number(ends[end], context) for end in ENDS)
    if least >= most:
        raise fault("from must be less than to", node.place)
    return least, most


def plain_number(node: Node, context: Context) -> Fraction:
    """A whole number, a fraction or a decimal."""
    match number(node, context):
        case Constant(int() | Fraction() as value):
            return Fraction(value)
        case Quotient(Constant(int() as over), Constant(int() as under)):
            return Fraction(over, under)
    raise fault("must be a plain number", node.place)


def refuse_unknown(names: Iterable[str], context: Context) -> None:
    """Raise an error for a name that the file does not define."""
    others = {*WORDS, *names_in("keys")}
    known = [name for name in (*context.keys, *context.names) if name not in others]
    for name in names:
        if name not in known:
            message = f"{quote(name)} is no matrix of this file, nor defined in it{nearest(name, known)}"
            raise fault(message, context.keys["vary"])


key = Key(
    "vary",
    parse_vary,
    "What `attncalc vary` may change.",
    "vary: {V: {from: -3, to: 3}}",
    default="all matrices",
)
