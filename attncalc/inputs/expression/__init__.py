"""Numbers, vectors and matrices as people write them."""

from attncalc.inputs.expression.matrices import MATRICES, SizeError, Value, stacked
from attncalc.inputs.expression.parser import CONSTANTS, PLAIN, bounded, parse, parse_number
from attncalc.inputs.expression.tokens import ExpressionError

__all__ = [
    "CONSTANTS",
    "MATRICES",
    "PLAIN",
    "ExpressionError",
    "SizeError",
    "Value",
    "bounded",
    "parse",
    "parse_number",
    "stacked",
]
