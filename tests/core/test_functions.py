"""The table of functions: laws that hold for every row, and for one that is added."""

from __future__ import annotations

import math
from fractions import Fraction
from math import inf, isnan
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import attncalc
from attncalc.core.fields import Numeric
from attncalc.core.fields.exact import Exact
from attncalc.core.fields.interval import Interval, Intervals
from attncalc.core.notations.latex import Latex, MathJax
from attncalc.core.notations.mathml import MathML
from attncalc.core.notations.unicode import Ascii, Code, Notation, write
from attncalc.core.ops.base import At, Operand
from attncalc.core.readings.value import evaluate
from attncalc.core.terms import ONE, TWO, Apply, Constant, Entry, Negative, Power, Quotient, Sum, Term
from attncalc.core.terms.functions import FUNCTIONS, ROWS, Function
from attncalc.exercise.mechanisms.softcap import Softcap
from attncalc.exercise.numbers.texts import parse, parse_number
from attncalc.exercise.numbers.tokens import ExpressionError
from tests.helpers.quick_and_slow import examples
from tests.pages.test_scripts import LIBRARIES, executed, needs, rendered

ATAN = Function(
    "atan", np.arctan, lambda x: Quotient(ONE, Sum((ONE, Power(x, TWO)))),
    spellings=("atan", "arctan"), latex=r"\arctan", sympy="atan", rises=True, calls={"np": "np.arctan({})"},
)  # fmt: skip
COSH = Function(
    "cosh", np.cosh, lambda x: Quotient(Sum((Apply("exp", x), Negative(Apply("exp", Negative(x))))), TWO),
    spellings=("cosh",), latex=r"\cosh", sympy="cosh", turns=(0,),
)  # fmt: skip
ADDED = (ATAN, COSH)
POINTS = [Fraction(n, 8) for n in range(-40, 41)]
WRITTEN = (Notation(), Ascii(), Code(), Latex(), Latex(slashed=True), MathJax())


ALL = (*ROWS, *ADDED)
TYPED = [row for row in ALL if row.spellings]
IN_SCRIPTS = [row for row in ALL if row.name not in ("step", "seen", "lim")]
"""Scripts have neither gradients nor limits."""


def named(row: Function) -> str:
    """What a test of a row is called."""
    return row.name


def in_table(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Function:
    """A row, which the table has from then on if it has not had it before."""
    row: Function = request.param
    monkeypatch.setitem(FUNCTIONS, row.name, row)
    return row


row = pytest.fixture(in_table, params=ALL, ids=named, name="row")
typed = pytest.fixture(in_table, params=TYPED, ids=named, name="typed")


def points_of(row: Function) -> list[Fraction]:
    """Some numbers that a function has a value of."""
    return [x for x in POINTS if not (row.undefined and row.undefined(float(x)))]


def value_of(row: Function, x: float) -> float:
    """The value of a function by NumPy."""
    with np.errstate(all="ignore"):
        return float(row.floats(np.asarray(x, float)))


def test_slope_is_the_finite_difference(row: Function) -> None:
    """The term of the slope, evaluated, is how steep the values are; but for jumps and corners at 0."""
    step = 1e-6
    for x in points_of(row):
        if x and not (row.undefined and row.undefined(float(x) - step)):
            slope = evaluate(row.slope(Entry("x")), {"x": np.asarray(float(x))}, Numeric())
            rise = value_of(row, float(x) + step) - value_of(row, float(x) - step)
            np.testing.assert_allclose(slope, rise / (2 * step), rtol=1e-5, atol=1e-6, err_msg=str(x))


def test_rising(row: Function) -> None:
    """What is said to rise never falls, and what falls has a turn or says nothing."""
    values = [value_of(row, x) for x in (-inf, *map(float, points_of(row)), inf)]
    defined = [value for value in values if not isnan(value)]
    assert not row.rises or defined == sorted(defined)


@given(st.data())
@settings(examples(1.5), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_interval_encloses_its_values(row: Function, data: st.DataObject) -> None:
    """Wherever a number lies in an interval, the function of it lies in the function of the interval."""
    ends = st.one_of(st.sampled_from([0.0, -inf, 1.0]), st.floats(-50, 50))
    low, high = sorted(data.draw(st.tuples(ends, ends)))
    share = data.draw(st.floats(0, 1))
    between = max(low, -700.0) * (1 - share) + max(high, -700.0) * share
    inside = data.draw(st.sampled_from([low, high, min(max(between, low), high)]))
    numbers = {"x": Intervals(np.asarray(low), np.asarray(high))}
    found = evaluate(Apply(row.name, Entry("x")), numbers, Interval())
    value = value_of(row, inside)
    assert isnan(value) or float(found.low) <= value <= float(found.high)


def test_exact_is_numeric(row: Function) -> None:
    """Both fields compute the same."""
    for x in points_of(row)[::5]:
        exact = evaluate(Apply(row.name, Constant(x)), {}, Exact())
        np.testing.assert_allclose(
            Exact().floats(exact), value_of(row, float(x)), rtol=1e-12, err_msg=f"{x}: {exact}"
        )


def test_infinity_is_exactly_what_it_is_numerically(row: Function) -> None:
    """The score −∞ of a hidden key goes through both fields alike."""
    value = value_of(row, -inf)
    if not isnan(value):
        exact = evaluate(Apply(row.name, Constant(-inf)), {}, Exact())
        assert Exact().floats(exact) == value


@pytest.mark.parametrize("x", [Constant(2), Constant(Fraction(1, 3)), Constant(1) / Constant(3)], ids=str)
def test_print_then_parse(typed: Function, x: Term) -> None:
    """What any notation writes is read as what it was."""
    wanted = evaluate(Apply(typed.name, x), {}, Exact())[()]
    for notation in WRITTEN:
        printed = write(Apply(typed.name, x), notation)
        assert evaluate(parse_number(printed), {}, Exact())[()] == wanted, printed


def test_every_spelling(typed: Function) -> None:
    """Typed, as a command of LaTeX, set upright, and as Mathematica prints it."""
    for word in typed.spellings:
        texts = (f"{word}(2)", rf"\{word}(2)", rf"\mathrm{{{word}}}(2)", rf"\operatorname{{{word}}}{{2}}")
        assert {parse_number(text) for text in texts} == {Apply(typed.name, Constant(2))}
        printed = parse(f"{{{{{word.title()}[2], {word.title()}[{word.title()}[2]]}}}}")
        assert isinstance(printed, np.ndarray)
        once = Apply(typed.name, Constant(2))
        assert printed.tolist() == [[once, Apply(typed.name, once)]]


def test_outside_its_domain(typed: Function) -> None:
    """A number that it has no value of is refused with the reason."""
    refused = [x for x in POINTS if typed.undefined and typed.undefined(float(x))]
    assert bool(refused) == bool(typed.why)
    for x in refused[::8]:
        with pytest.raises(ExpressionError, match=typed.why):
            parse_number(f"{typed.name}({x})")


def test_written_in_every_notation(row: Function) -> None:
    """By its name, with its argument in brackets; if the name is not written, as its argument."""
    x = Entry("x")
    for notation in (*WRITTEN, MathML()):
        written, alone = write(Apply(row.name, x), notation), write(x, notation)
        assert alone in written
        assert (written == alone) is not row.is_written
    ElementTree.fromstring(f"<math>{write(Apply(row.name, x), MathML())}</math>")


@pytest.mark.parametrize(
    ("row", "library"),
    [*((row, "np") for row in IN_SCRIPTS), *((row, "math") for row in TYPED)],
    ids=lambda x: x if isinstance(x, str) else x.name,
)
def test_called_by_programs(row: Function, library: str) -> None:
    """The call that scripts write, of arrays or of single numbers, computes the same."""
    names: dict[str, Any] = {"np": np, "math": math}
    exec(row.helper.replace("LIBRARY", library), names)
    for x in points_of(row)[::5]:
        found = eval(row.write_call(library, repr(float(x))), names)
        np.testing.assert_allclose(found, value_of(row, float(x)), rtol=1e-14)


KEYS: dict[str, Any] = {
    "Q": [[1, "1/2"], [0, -2]], "K": [[1, 0], ["1/3", 1]], "V": [[1, 2], [3, 4]], "softcap": "2",
}  # fmt: skip


@pytest.fixture(params=ADDED, ids=named)
def bent(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Function:
    """A row that is added, and taken of every score in place of the softcap."""
    row: Function = request.param

    def cell(_: Softcap, at: At, *operands: Operand) -> Term:
        return Apply(row.name, operands[0][at])

    monkeypatch.setitem(FUNCTIONS, row.name, row)
    monkeypatch.setattr(Softcap, "cell", cell)
    return row


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_row_is_all_that_scripts_need(bent: Function, library: str) -> None:
    """The scripts call the function, of arrays and of single numbers, and agree."""
    needs(library)
    keys = {**KEYS, "V": [[f"{bent.spellings[-1]}(1)", 2], [3, 4]]}
    solution = attncalc.solve(attncalc.problem(**keys), "exact")
    assert executed(rendered(solution, library)) == [step.name for step in solution.steps]
