"""Numbers, vectors and matrices as people write them."""

from attncalc.exercise.numbers.answers import parse_answer, to_points, with_point
from attncalc.exercise.numbers.matrices import MATRICES, SizeError, Value, size_of, stacked
from attncalc.exercise.numbers.parser import CONSTANTS
from attncalc.exercise.numbers.texts import PLAIN, bounded, parse, parse_number, parse_value
from attncalc.exercise.numbers.tokens import ExpressionError

__all__ = [
    "CONSTANTS",
    "MATRICES",
    "PLAIN",
    "ExpressionError",
    "SizeError",
    "Value",
    "bounded",
    "parse",
    "parse_answer",
    "parse_number",
    "parse_value",
    "size_of",
    "stacked",
    "to_points",
    "with_point",
]
