"""The grammar of numbers and matrices, as a table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy

from attncalc.core.fields.algebra import to_sympy
from attncalc.core.fields.exact import Exact
from attncalc.core.graph.graph import numbers_of
from attncalc.core.readings.value import evaluate
from attncalc.core.terms import Constant, Entry
from attncalc.exercise.mechanisms.scale import DEFAULT, USUAL
from attncalc.exercise.numbers.texts import parse, parse_number
from attncalc.exercise.numbers.tokens import ExpressionError

E, ROOT, PI = sympy.exp, sympy.sqrt, sympy.pi
NUMBERS = [
    ("3", 3), ("-2.50", Fraction(-5, 2)), (".5", Fraction(1, 2)), ("5.", 5), ("+7", 7), ("017", 17),
    ("1e-3", Fraction(1, 1000)), ("1.5E3", 1500), ("1/2", Fraction(1, 2)), ("½", Fraction(1, 2)),
    ("−3", -3), ("2^3", 8), ("2**3", 8), ("-2^2", -4), ("2^3^2", 512), ("2^-1", Fraction(1, 2)),
    ("(1+2)*3", 9), ("1 - -2", 3), ("-1/-3", Fraction(1, 3)), ("1/2/2", Fraction(1, 4)),
    ("sqrt(2)", ROOT(2)), ("√2", ROOT(2)), ("2sqrt(2)", 2 * ROOT(2)), ("2 √3", 2 * ROOT(3)),
    ("√(1+1)", ROOT(2)), ("sqrt(8)", 2 * ROOT(2)), ("2^0.5", ROOT(2)), ("2^(1/3)", 2 ** sympy.Rational(1, 3)),
    ("exp(2)", E(2)), ("e^2", E(2)), ("e", E(1)), ("2e^3", 2 * E(3)), ("e^-20", E(-20)), ("e^{2}", E(2)),
    ("e^2/(e^2+e^8+e^−20)", E(2) / (E(2) + E(8) + E(-20))), ("ln(3)", sympy.log(3)), ("log(e^2)", 2),
    ("pi", PI), ("2π", 2 * PI), ("tanh(1)", sympy.tanh(1)), ("sin(0)", 0), ("cos(0)", 1),
    (r"\frac{1}{2}", Fraction(1, 2)), (r"\sqrt{2}", ROOT(2)), (r"3\cdot 2", 6), (r"\frac{e^{2}}{3}", E(2) / 3),
    ("1.1787\xa0", Fraction(11787, 10000)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), NUMBERS)
def test_number(text: str, value: object) -> None:
    """Texts are read as exactly what they say."""
    number = evaluate(parse_number(text), {}, Exact())[()]
    assert to_sympy(number) - sympy.sympify(value) == 0


@pytest.mark.parametrize(
    ("text", "places"), [("0.50", 2), ("3", None), ("1e-3", 3), ("2.0", 1), ("1e3", None), ("1/2", None)]
)
def test_written_decimals_are_kept(text: str, places: int | None) -> None:
    """0.50 is one half and keeps its two decimals."""
    term = parse_number(text)
    assert getattr(term, "places", None) == places


REFUSED = [
    ("2 1/2", 2, "side by side"), ("--5", 1, "two signs"), ("0,62", 1, "decimal comma"), ("exp(1", 3, "not closed"),
    ("1/2sqrt(2)", 3, "brackets"), ("nan", 0, "not known"), ("x", 0, "not known"), ("sqrt", 4, "brackets"),
    ("", 0, "empty"), ("1+", 2, "early"), ("(1", 0, "not closed"), ("1)", 1, "not expected"), ("2 $", 2, "read"),
    ("sqrt(-1)", 0, "negative"), ("1/(2-2)", 0, "zero"), ("sin(1, 2)", 0, "one number"), ("[1, 2]", 0, "matrix"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "offset", "reason"), REFUSED)
def test_refused(text: str, offset: int, reason: str) -> None:
    """What cannot be read is refused at its character, with the reason."""
    with pytest.raises(ExpressionError, match=reason) as caught:
        parse_number(text)
    assert caught.value.offset == offset


MATRICES = [
    ("[1 2; 3 4]", [[1, 2], [3, 4]]), ("[1, 2; 3, 4;]", [[1, 2], [3, 4]]), ("[1 -2; 3 - 4 5]", [[1, -2], [-1, 5]]),
    ("identity(2)", [[1, 0], [0, 1]]), ("zeros(1, 2)", [[0, 0]]), ("ones(2, 1)", [[1], [1]]),
    ("diag(1, 2)", [[1, 0], [0, 2]]), ("diag([1, 2])", [[1, 0], [0, 2]]), ("outer([1, 2], [3, 4])", [[3, 4], [6, 8]]),
    ("transpose([1 2; 3 4])", [[1, 3], [2, 4]]), ("stack([1, 2], [3, 4])", [[1, 2], [3, 4]]),
    ("[1 2; 3 4] * [1; 1]", [[3], [7]]), ("2*[1 2] + [3 4]/2 - [1 1]", [Fraction(5, 2), 5]),
    ("[dot([1, 2], [3, 4]), 1]", [11, 1]), ("-[1 2]", [-1, -2]), ("2[1 2]", None),
    ("[1 2; 3 4]ᵀ", [[1, 3], [2, 4]]), ("[1 2; 3 4]^T", [[1, 3], [2, 4]]), (r"[1 2; 3 4]^{\top}", [[1, 3], [2, 4]]),
    ("[1 2; 3 4].T", [[1, 3], [2, 4]]), ("[1, 2]*[3, 4]ᵀ", [[3, 4], [6, 8]]), ("[[1, 2]ᵀ*[3, 4], 1]", [11, 1]),
    ("[1, 2]ᵀ", [[1, 2]]), ("[1 2; 3 4]ᵀᵀ", [[1, 2], [3, 4]]), ("1/2 ([1 2] + [3 4])", [2, 3]), ("2ᵀ", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), MATRICES)
def test_matrix(text: str, value: list[object] | None) -> None:
    """Matrix texts and the arithmetic of matrices."""
    if value is None:
        with pytest.raises(ExpressionError):
            parse(text)
        return
    matrix = parse(text)
    assert isinstance(matrix, np.ndarray)
    assert numbers_of(matrix, Exact()).tolist() == value


def test_names_are_only_those_known() -> None:
    """A name is read when the caller knows it, and the nearest one is suggested."""
    assert parse("2 beta", {"beta": Constant(3)}) == parse("2*3")
    with pytest.raises(ExpressionError, match="did you mean 'beta'"):
        parse("2 betta", {"beta": Constant(3)})


def test_default_scale_is_what_its_text_says() -> None:
    """The default is kept as a term, so that it is not read for every problem."""
    assert USUAL.term == parse_number(DEFAULT, {"d_k": Entry("d_k")})
