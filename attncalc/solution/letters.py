"""Numbers for free letters, such as no exercise would choose.

Two expressions that agree at two values of each letter are the same expression, but for a coincidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TypeAlias

from attncalc.inputs.problem import Problem
from attncalc.terms import Constant

Values: TypeAlias = Mapping[str, Constant]
PLACES = (Fraction(37, 61), Fraction(83, 29))
"""Far apart, so that a number without the letter cannot pass at both."""


def values_of(problem: Problem) -> tuple[Values, Values]:
    """Two values for every letter, all different."""
    symbols = list(enumerate(problem.symbols))
    first, second = ({name: Constant(start + Fraction(n, 17)) for n, name in symbols} for start in PLACES)
    return first, second
