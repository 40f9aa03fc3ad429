"""The functions of one number, one row each: how they are typed, written, computed and differentiated.

To add a function or an activation, add its row.  Operations may name a function; all other code looks it up
in the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from math import erf, inf, pi
from typing import Any, TypeAlias

import numpy as np

from attncalc.core.record import record
from attncalc.core.terms.nodes import (
    ONE,
    TWO,
    ZERO,
    Apply,
    Constant,
    Entry,
    Negative,
    Power,
    Product,
    Quotient,
    Sum,
    Term,
)

# What `numpy.typing` calls NDArray: that module takes longer to import than it is worth.
Floats: TypeAlias = np.ndarray[tuple[Any, ...], np.dtype[np.float64]]
ANGLE_LOSS = 1e-15
"""The relative error of an angle in floats."""


@record
class Function:
    """A function of one number, and all its properties."""

    name: str
    floats: Callable[[Floats], Floats]
    """Its values for an array of floats."""
    slope: Callable[[Term], Term]
    """Its derivative at a term."""
    spellings: tuple[str, ...] = ()
    """What users type for it; empty for functions that only operations use."""
    meaning: str = ""
    """Its meaning in a law, for a function that cannot be typed."""
    latex: str = ""
    """The command that LaTeX has for it, if there is one."""
    sympy: str = ""
    """Its name in SymPy."""
    cases: Callable[[Any], Any] | None = None
    """Its value for an exact number, if a comparison is enough to find it."""
    rises: bool = False
    """Whether it is monotonically increasing, so that it maps the ends of an interval to ends."""
    turns: tuple[float, ...] = ()
    """Its turning points and jumps."""
    period: float = inf
    """The period of its turning points."""
    undefined: Callable[[float], bool] | None = None
    """Whether it is undefined for a number."""
    why: str = ""
    """The message about a term that applies it to such a number."""
    vanishes: float | None = None
    """The argument below which it underflows, though it is never 0."""
    is_written: bool = True
    """Whether a law shows it, and not only its argument."""
    is_looked_up: bool = False
    """Whether a worked line shows its value as well, because a student needs a calculator for it."""
    word: str = ""
    """The name of its values in a program."""
    code: str = ""
    """Its name in libraries, if it differs."""
    calls: Mapping[str, str] = {}
    """Its calls in libraries with another name for it, by library."""
    helper: str = ""
    """Its definition in a program for a LIBRARY that lacks it."""
    lacking: tuple[str, ...] = ()
    """The libraries that lack it."""

    def write_call(self, library: str, argument: str) -> str:
        """Write a call of it in a program."""
        own = f"{self.name}({{}})" if library in self.lacking else f"{library}.{self.code or self.name}({{}})"
        return self.calls.get(library, own).format(argument)


def itself(x: Any) -> Any:
    """x"""
    return x


def turning(wave: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """The sine or cosine, with 0 for values that are only the rounding error of the angle: sin(π)."""

    def floats(x: Floats) -> Floats:
        found = wave(x)
        return np.where(np.abs(found) < ANGLE_LOSS * np.abs(x), 0.0, found)

    return floats


ROWS = (
    Function(
        "exp", np.exp, lambda x: Apply("exp", x),
        spellings=("exp",), latex=r"\exp", sympy="exp", rises=True, vanishes=-100_000,
    ),
    Function(
        "ln", np.log, lambda x: Quotient(ONE, x),
        spellings=("ln", "log"), latex=r"\ln", sympy="log", rises=True, code="log",
        undefined=lambda x: x <= 0, why="is the logarithm of a number that is not positive",
    ),
    Function(
        "sqrt", np.sqrt, lambda x: Quotient(ONE, Product((TWO, Apply("sqrt", x)))),
        spellings=("sqrt",), sympy="sqrt", rises=True,
        undefined=lambda x: x < 0, why="is a root of a negative number",
    ),
    Function(
        "tanh", np.tanh, lambda x: ONE - Power(Apply("tanh", x), TWO),
        spellings=("tanh",), latex=r"\tanh", sympy="tanh", rises=True, is_looked_up=True,
    ),
    # The tanh of a score, which leaves hidden what is hidden.
    Function(
        "bend", lambda x: np.where(np.isneginf(x), x, np.tanh(x)), lambda x: FUNCTIONS["tanh"].slope(x),
        meaning="tanh x, and −∞ for the score −∞ of a hidden key",
        rises=True, is_looked_up=True, lacking=("np", "torch"), helper='''
def bend(scores):
    """The tanh of the scores, with -inf for the -inf of a hidden key."""
    return LIBRARY.where(LIBRARY.isneginf(scores), scores, LIBRARY.tanh(scores))
''',
    ),
    Function(
        "sin", turning(np.sin), lambda x: Apply("cos", x),
        spellings=("sin",), latex=r"\sin", sympy="sin", word="sine",
        turns=(pi / 2, 3 * pi / 2), period=2 * pi, is_looked_up=True,
    ),
    Function(
        "cos", turning(np.cos), lambda x: Negative(Apply("sin", x)),
        spellings=("cos",), latex=r"\cos", sympy="cos", word="cosine",
        turns=(0, pi), period=2 * pi, is_looked_up=True,
    ),
    Function(
        "erf", np.vectorize(erf, otypes=[float]),
        lambda x: Quotient(Product((TWO, Apply("exp", Negative(Power(x, TWO))))), Apply("sqrt", Entry("pi"))),
        spellings=("erf",), sympy="erf", rises=True, is_looked_up=True, lacking=("np",), helper='''
def erf(x):
    """The error function of every entry, which NumPy lacks."""
    return np.vectorize(math.erf)(x)
''',
    ),
    # Only for distances: it cannot be typed.
    Function(
        "abs", np.abs, lambda x: Quotient(x, Apply("abs", x)), cases=lambda x: x if x > 0 else -x, turns=(0,),
        meaning="x without its sign",
    ),
    Function(
        "relu", lambda x: np.maximum(x, 0), lambda x: Apply("step", x),
        meaning="x where it is above 0, else 0", cases=lambda x: x if x > 0 else 0, rises=True,
        calls={"np": "np.maximum({}, 0)", "sheet": "MAX({0},0)"},
    ),
    Function(
        "elu", lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
        lambda x: Apply("exp", Negative(Apply("relu", Negative(x)))),
        meaning="x where it is above 0, else e^x − 1",
        rises=True, lacking=("np",),
        calls={"torch": "torch.nn.functional.elu({})", "sheet": "IF({0}>0,{0},EXP({0})-1)"},
        helper='''
def elu(x):
    """x above 0, e^x - 1 below."""
    return np.where(x > 0, x, np.expm1(np.minimum(x, 0)))
''',
    ),
    # The slope of relu: 1 for a positive number, 0 for any other.
    Function(
        "step", lambda x: np.where(x > 0, 1.0, 0.0), lambda _: ZERO, meaning="1 where x is above 0, else 0",
        cases=lambda x: int(x > 0), rises=True,
        calls={
            "np": "np.where({} > 0, 1.0, 0.0)", "torch": "({} > 0).double()", "sheet": "IF({0}>0,1,0)",
        },
    ),
    # The number itself, and 0 for the score −∞ of a hidden key.
    Function(
        "visible", lambda x: np.where(np.isneginf(x), 0.0, x), lambda x: Apply("seen", x),
        cases=lambda x: 0 if x == -inf else x, is_written=False, lacking=("np", "torch"), helper='''
def visible(scores):
    """The scores, with 0 for the -inf of a hidden key."""
    return LIBRARY.where(LIBRARY.isneginf(scores), 0, scores)
''',
    ),
    # The slope of visible: 0 for −∞, 1 for any other number.
    Function(
        "seen", lambda x: np.where(np.isneginf(x), 0.0, 1.0), lambda _: ZERO,
        meaning="0 for the score −∞ of a hidden key, 1 for any other",
        cases=lambda x: int(x != -inf), rises=True,
        calls={"np": "np.where(np.isneginf({}), 0.0, 1.0)", "torch": "(~torch.isneginf({})).double()"},
    ),
    # The number itself, and 1 for 0, the total of a row in which all keys are hidden.
    Function(
        "nonzero", lambda x: np.where(x == 0, 1.0, x), lambda _: ONE,
        cases=lambda x: 1 if x == 0 else x, turns=(0,), is_written=False,
        calls={"sheet": "IF({0}=0,1,{0})"},
        lacking=("np", "torch"), helper='''
def nonzero(totals):
    """The totals, with 1 for the 0 of a row that is hidden whole."""
    return LIBRARY.where(totals == 0, 1, totals)
''',
    ),
    # The value of a number with a free letter in the problem's limit; a number without one is unchanged.
    Function("lim", itself, lambda _: ONE, latex=r"\lim", rises=True, meaning="what x tends to"),
)  # fmt: skip
FUNCTIONS: dict[str, Function] = {row.name: row for row in ROWS}
"""The table, by name."""
ON_PAGES = frozenset(
    [
        "exp", "ln", "sqrt", "tanh", "bend", "sin", "cos", "erf", "abs", "relu", "elu", "step", "visible",
        "seen", "nonzero",
    ]
)  # fmt: skip
"""The functions that a page can compute."""


def gelu_tanh(x: Term) -> Term:
    """Return GELU with tanh in place of erf, as GPT-2 has it."""
    cubic = Sum((x, Constant(Decimal("0.044715")) * Power(x, Constant(3))))
    return x * (ONE + Apply("tanh", Apply("sqrt", TWO / Entry("pi")) * cubic)) / TWO


ACTIVATIONS: dict[str, Callable[[Term], Term]] = {
    "relu": lambda x: Apply("relu", x),
    "gelu": lambda x: x * (ONE + Apply("erf", x / Apply("sqrt", TWO))) / TWO,
    "gelu_tanh": gelu_tanh,
    "silu": lambda x: x / (ONE + Apply("exp", Negative(x))),
    "tanh": lambda x: Apply("tanh", x),
}
"""The activations of a feed-forward network, the default first, each as a term: all else is read off it."""


def spellings() -> list[str]:
    """Every word that users may type for a function."""
    return [word for row in FUNCTIONS.values() for word in row.spellings]


def find_spelt(word: str) -> Function | None:
    """The function that a typed word means."""
    return next((row for row in FUNCTIONS.values() if word in row.spellings), None)
