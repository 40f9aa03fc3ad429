"""Numbers, vectors and matrices as people write them."""

from attncalc.inputs.expression.answer import parse_answer, to_points, with_point
from attncalc.inputs.expression.hints import ANSWER_SLIPS, find_hint
from attncalc.inputs.expression.matrices import MATRICES, SizeError, Value, size_of, stacked
from attncalc.inputs.expression.parser import CONSTANTS
from attncalc.inputs.expression.texts import PLAIN, bounded, parse, parse_number
from attncalc.inputs.expression.tokens import ExpressionError

__all__ = [
    "ANSWER_SLIPS",
    "CONSTANTS",
    "MATRICES",
    "PLAIN",
    "ExpressionError",
    "SizeError",
    "Value",
    "bounded",
    "find_hint",
    "parse",
    "parse_answer",
    "parse_number",
    "size_of",
    "stacked",
    "to_points",
    "with_point",
]
