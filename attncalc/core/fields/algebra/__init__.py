"""Numbers beyond roots and powers of e, in SymPy.  The only folder that imports it.

Only numbers are handed to SymPy, never text, which it would run as code.
"""

from attncalc.core.fields.algebra.evaluation import decimal
from attncalc.core.fields.algebra.expressions import is_known, term, to_expressions, to_sympy
from attncalc.core.fields.algebra.operations import (
    apply,
    coefficients,
    combination,
    derivative,
    divide,
    expand,
    factor,
    integer,
    is_nested,
    is_polynomial,
    leaves,
    letter,
    limit,
    pi,
    positive_root,
    power,
    tidy,
)

__all__ = [
    "apply",
    "coefficients",
    "combination",
    "decimal",
    "derivative",
    "divide",
    "expand",
    "factor",
    "integer",
    "is_known",
    "is_nested",
    "is_polynomial",
    "leaves",
    "letter",
    "limit",
    "pi",
    "positive_root",
    "power",
    "term",
    "tidy",
    "to_expressions",
    "to_sympy",
]
