"""What a written number stands for: a table of answers for every sentence of the rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.core.fields import Floats
from attncalc.marking.answers.formats import FORMATS, Format, find_format, round_to_format
from attncalc.marking.checker import Checker
from tests.helpers.bundled import FEW, NUMERIC, checker_of
from tests.helpers.quick_and_slow import each
from tests.helpers.random_students import marked
from tests.helpers.solutions import verdicts

TWO = {"S": [[1, 0]], "V": [[1, 2], [3, 4]]}
"""Weights 0.7311 and 0.2689, outputs 1.5379 and 2.5379."""
EIGHTH = {"S": [[0] * 8]}
HALVES = {
    "X": [[1, 1], [0, 1]],
    "W_Q": [[1, 0], [0, 1]],
    "W_K": [["1/2", -1], [0, "-53/4"]],
    "W_V": [[1, 0], [0, 1]],
}
"""Keys 1/2, −57/4, 0 and −53/4."""
LARGE = {"S": [[9.2, 8.1]], "V": [[1], [2]]}
"""Exponentials 9897.13 and 3294.47, which add up to 13191.60."""
NEAR_ONE = {"S": [[0, -20], [0.5, 0]], "V": [[1], [2]]}
"""Weights 1.0000, 2e−9; 0.6225, 0.3775."""
SPREAD = {"S": [["19/10", 0, 1]]}
"""Weights 0.6426, 0.0961 and 0.2613."""
EIGHT = {"S": [["3/10", "22/100", "15/100", "8/100", "2/100", "5/100", "-2/100", "-4/1000"]]}
"""Weights 0.1525, 0.1408, …, near to each other."""
CUT = {"S": [["2.04", "3.03"]]}
"""Exponentials 7.691 and 20.697."""
ALIKE = {"S": [["1/100", 0, "-1/100"]], "V": [[1], [2], [4]]}
"""Weights 0.3367, 0.3333, 0.3300."""
TABLE = {"Q": [["0.50"]], "K": [["9.0"]], "V": [[1]], "scale": "none", "inputs": "rounded"}
HIDDEN = {"Q": [["1/2"], [2]], "K": [[1], [3]], "V": [[1], [2]], "scale": "none", "mask": "causal"}
"""Masked scores 1/2 and −∞; 2 and 6."""
CAUSAL = {"S": [[1, 2], [3, 4]], "V": [[1], [2]], "mask": "causal"}
SIXTH = {"S": [[2.6731, 0]], "normalize": "none"}

CASES: list[tuple[dict[str, Any], dict[str, Any], dict[str, str]]] = [
    # A decimal with p places has unit 10^-p; both ways of rounding a half pass.
    (TWO, {"A": [["0.73", "0.27"]]}, {"A": "correct"}),
    (TWO, {"A": [["0.74", "0.27"]]}, {"A": "rounded"}),
    (TWO, {"A": [["0.76", "0.27"]]}, {"A": "wrong"}),
    (EIGHTH, {"A": [["0.12"] * 8]}, {"A": "correct"}),
    (EIGHTH, {"A": [["0.13"] * 8]}, {"A": "correct"}),
    (EIGHTH, {"A": [["0.13", "0.12"] * 4]}, {"A": "correct"}),
    # Three decimals are no sign of half precision, which may be off by more.
    ({"S": [["105.14"]], "normalize": "none"}, {"A": [["105.125"]]}, {"A": "wrong"}),
    # Digits beyond the sixth significant one are not judged.
    (SIXTH, {"A": [["2.67310049", "0"]]}, {"A": "correct"}),
    (SIXTH, {"A": [["2.67313", "0"]]}, {"A": "wrong"}),
    # A dropped zero at the end has the places of its neighbours.
    (SPREAD, {"A": [["0.643", "0.096", "0.261"]]}, {"A": "correct"}),
    ({"S": [[1.3095, 0, 0]]}, {"A": [["0.65", "0.175", "0.175"]]}, {"A": "correct"}),
    ({"S": [["1/5", 0]]}, {"A": [["0.55", "0.45"]]}, {"A": "correct"}),
    (EIGHT, {"A": [["0.152", "0.14", "0.131", "0.122", "0.115", "0.118", "0.11", "0.112"]]}, {"A": "correct"}),
    # But it may have its own: 0.25 for 0.2493 beside numbers of other lengths.
    ({"S": [["1/10", 0, "-1/10", 0]]}, {"A": [["0.2756", "0.249", "0.2256", "0.25"]]}, {"A": "correct"}),
    # The same after an own wrong number: 0.2 beside 0.14 is 0.20.
    (TWO, {"A": [["0.83", "0.17"]], "O": [["1.3", "2.34"]]}, {"A": "wrong", "O": "follows"}),
    (
        EIGHT,
        {"E": [["1.35", "1.15", "1.07", "1.00", "0.94", "0.97", "0.90", "1.62"]], "A": [["0.15", "0.128", "0.119", "0.111", "0.104", "0.108", "0.1", "0.18"]]},
        {"E": "wrong", "A": "follows"},
    ),
    # Fractions and exact expressions must be equal; one that holds a decimal has its precision.
    (EIGHTH, {"A": [["1/8"] * 8]}, {"A": "correct"}),
    (EIGHTH, {"A": [["1/7"] * 8]}, {"A": "wrong"}),
    (EIGHTH, {"A": [["125/1001"] * 8]}, {"A": "wrong"}),
    ({**EIGHTH, "mode": "numeric"}, {"A": [["1/8"] * 8]}, {"A": "correct"}),
    ({"S": [[0] * 3], "mode": "numeric"}, {"A": [["1/3"] * 3]}, {"A": "correct"}),
    (TWO, {"A": [["e/(1+e)", "1/(1+e)"]]}, {"A": "correct"}),
    (TWO, {"A": [["2.72/3.72", "1/3.72"]]}, {"A": "correct"}),
    (TWO, {"A": [["2.9/3.9", "1/3.9"]]}, {"A": "wrong"}),
    (TWO, {"A": [["2.7/3.7", "1/3.7"]]}, {"A": "correct"}),
    # If the correct values have short decimals, a whole number must be equal.
    (HALVES, {"K": [[0, -14], [0, -13]]}, {"K": "wrong"}),
    (HALVES, {"K[1,1]": 0}, {"K": "wrong"}),
    (HALVES, {"K[1,1]": 1}, {"K": "wrong"}),
    (HALVES, {"K[1,1]": "1/2"}, {"K": "correct"}),
    (HALVES, {"K": [["0.5", "-14.25"], [0, "-13.25"]]}, {"K": "correct"}),
    (HALVES, {"K": [["0.5", "-14.3"], [0, "-13.2"]]}, {"K": "correct"}),
    (HALVES, {"K": [["1/2", -14], [0, "-13.25"]]}, {"K": "wrong"}),
    ({"X": [[1]], "W_Q": [[1]], "W_K": [["1/2"]], "W_V": [[1]]}, {"K": [[0]], "S": [[0]]}, {"K": "wrong", "S": "follows"}),
    # Digits beyond the sixth are not judged: 1 is 0.99999999999.
    ({"S": [[0, -30]]}, {"A": [[1, 0]]}, {"A": "correct"}),
    ({"S": [[0, -8]]}, {"A": [[1, 0]]}, {"A": "coarse"}),
    (HIDDEN, {"M": [[0, "-inf"], [2, 6]]}, {"M": "wrong"}),
    (HIDDEN, {"M": [["0.5", "-inf"], [2, 6]]}, {"M": "correct"}),
    ({**HALVES, "mode": "numeric"}, {"K": [[0, -14], [0, -13]]}, {"K": "wrong"}),
    # But a large one may be rounded to three digits.
    ({"Q": [["2001/2"]], "K": [[12]], "V": [[1]], "scale": "none"}, {"S": [[12006]]}, {"S": "correct"}),
    ({"Q": [["2001/4"]], "K": [[23]], "V": [[1]], "scale": "none"}, {"S": [[11506]]}, {"S": "wrong"}),
    ({"Q": [["2001/4"]], "K": [[23]], "V": [[1]], "scale": "none"}, {"S": [[11500]]}, {"S": "coarse"}),
    # If one entry is a fraction, all are exact.
    ({"S": [[0, 0, -20]]}, {"A": [["1/2", "1/2", 0]]}, {"A": "wrong"}),
    # Beside decimals a whole number has dropped its zeros.
    (NEAR_ONE, {"A": [[1, 0], ["0.62", "0.38"]]}, {"A": "correct"}),
    (NEAR_ONE, {"A[1]": [1, 0], "A[2]": ["0.62", "0.38"]}, {"A": "correct"}),
    (NEAR_ONE, {"A[1,1]": 1, "A[1,2]": 0, "A[2]": ["0.62", "0.38"]}, {"A": "correct"}),
    (NEAR_ONE, {"A": [[1, 0], [1, "0.38"]]}, {"A": "wrong"}),
    (TWO, {"O": [[2, "2.54"]]}, {"O": "wrong"}),
    (LARGE, {"E": [[9897, "3294.47"]]}, {"E": "rounded"}),
    ({"S": [["5.2", "-1"]]}, {"E": [[181, "0.368"]]}, {"E": "correct"}),
    # Whole numbers only: coarse at best, wrong if off by more than a unit.
    (TWO, {"A": [[1, 0]]}, {"A": "coarse"}),
    (TWO, {"A": [["1.", "0."]]}, {"A": "coarse"}),
    (TWO, {"A": [[0, 1]]}, {"A": "wrong"}),
    (TWO, {"A": [[2, 0]]}, {"A": "wrong"}),
    (CAUSAL, {"A": [[0, 0], [1, 0]]}, {"A": "wrong"}),
    (TWO, {"O": [[2, 3]]}, {"O": "coarse"}),
    (TWO, {"O": [[1, 2]]}, {"O": "coarse"}),
    (TWO, {"O": [[3, 2]]}, {"O": "wrong"}),
    (TWO, {"A": [[0, 1]], "O": [[3, 4]]}, {"A": "wrong", "O": "coarse"}),
    (TWO, {"A": [[1, 0]], "O": [["1.538", "2.538"]]}, {"A": "coarse", "O": "correct"}),
    (TWO, {"A": [[1, 0]], "O": [[1, 2]]}, {"A": "coarse", "O": "coarse"}),
    (CUT, {"E": [[7, 20]]}, {"E": "coarse"}),
    (CUT, {"E": [[8, 21]]}, {"E": "coarse"}),
    (CUT, {"E": [[6, 20]]}, {"E": "wrong"}),
    (TWO, {"O": [[0, 2]]}, {"O": "wrong"}),
    (LARGE, {"T": [13192]}, {"T": "coarse"}),
    (LARGE, {"T": [13200]}, {"T": "coarse"}),
    (LARGE, {"T": [13100]}, {"T": "coarse"}),
    (LARGE, {"T": [13500]}, {"T": "wrong"}),
    # Cells that are whole exactly are right: 1 and 0 of a row with one key.
    (CAUSAL, {"A": [[1, 0], ["0.27", "0.73"]]}, {"A": "correct"}),
    (CAUSAL, {"A[1]": [1, 0]}, {"A": "correct"}),
    # The asked places are obeyed: nothing is coarse.
    ({**EIGHTH, "places": 2}, {"A": [["0.13"] * 8]}, {"A": "correct"}),
    (EIGHTH, {"A": [["0.1"] * 8]}, {"A": "coarse"}),
    ({**EIGHTH, "places": 1}, {"A": [["0.1"] * 8]}, {"A": "correct"}),
    ({**ALIKE, "places": 1}, {"A": [["0.3", "0.3", "0.3"]]}, {"A": "correct"}),
    (ALIKE, {"A": [["0.3", "0.3", "0.3"]]}, {"A": "coarse"}),
    ({**ALIKE, "places": 2}, {"A": [["0.3", "0.3", "0.3"]]}, {"A": "coarse"}),
    ({**ALIKE, "places": 2}, {"A": [["0.34", "0.33", "0.33"]], "O": [["2.32"]]}, {"A": "correct", "O": "correct"}),
    ({"S": [["139/100", 0]], "places": 2}, {"A": [[0.8, 0.2]]}, {"A": "correct"}),
    (NEAR_ONE | {"places": 2}, {"A": [[1, 0], [0.62, 0.38]]}, {"A": "correct"}),
    (NEAR_ONE | {"places": 2}, {"A[1]": [1, 0]}, {"A": "correct"}),
    ({**TWO, "places": 2}, {"A": [["0.83", "0.17"]], "O": [["1.34", "2.3"]]}, {"A": "wrong", "O": "coarse"}),
    # Given decimals have a reach.
    (TABLE, {"S": [["4.4"]]}, {"S": "rounded"}),
    (TABLE, {"S": [["4.57"]]}, {"S": "rounded"}),
    (TABLE, {"S": [["4.3"]]}, {"S": "wrong"}),
    ({**TABLE, "inputs": "exact"}, {"S": [["4.4"]]}, {"S": "wrong"}),
    ({**TABLE, "Q": [["1/2"]], "K": [["9"]]}, {"S": [["4.4"]]}, {"S": "wrong"}),
    # Below 1e-9 of the largest value a number is 0.
    (HALVES, {"K": [["0.5", "-14.25"], ["2.2e-16", "-13.25"]]}, {"K": "correct"}),
    (HALVES, {"K": np.array([[0.5, -14.25], [-1e-9, -13.25]])}, {"K": "correct"}),
    (HALVES, {"K": np.array([[0.5, -14.25], [1e-6, -13.25]])}, {"K": "wrong"}),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "answers", "wanted"), CASES)
def test_written_numbers(problem: dict[str, Any], answers: dict[str, Any], wanted: dict[str, str]) -> None:
    """Every sentence of the rule, with answers on both sides of it."""
    assert verdicts(attncalc.check(attncalc.problem(**problem), answers)) == wanted


NAN_AGAIN = "NaN again: A is your first step with it."
NAN_FIRST = "A is your first step with NaN: 0/0, ∞/∞ or ∞ − ∞ gives it."


@pytest.mark.parametrize("nan", ["nan", "NaN", ".nan", float("nan")])
def test_nan_is_a_wrong_answer(nan: str | float) -> None:
    """It is no fault of the file, and the first step with it is said; later steps are judged without it."""
    answers = {"A": [[nan, 0.27]], "O": [[nan, 2.54]]}
    report = attncalc.check(attncalc.problem(**TWO), answers)
    assert [(step.verdict, step.wrong_cells, step.remarks) for step in report.steps] == [
        ("wrong", ((1, 1),), (NAN_FIRST,)),
        ("wrong", ((1, 1),), (NAN_AGAIN,)),
    ]
    assert not report.errors and "your A₁ = NaN" in str(report)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_arrays_with_nan(dtype: type) -> None:
    """The other numbers of the array are judged."""
    answers: dict[str, Any] = {
        "A": np.array([[np.nan, 0.26894142]], dtype=dtype),
        "O": np.full((1, 2), np.nan, dtype=dtype),
    }
    report = attncalc.check(attncalc.problem(**TWO), answers)
    assert [step.wrong_cells for step in report.steps] == [((1, 1),), ((1, 1), (1, 2))] and not report.errors


def compute(checker: Checker, format_: Format) -> dict[str, Floats]:
    """Attention in NumPy, each product, sum and quotient rounded to a format."""

    def cast(x: Floats) -> Floats:
        return round_to_format(x, format_)

    def multiply(left: Floats, right: Floats) -> Floats:
        total = np.zeros((len(left), right.shape[1]))
        for n in range(len(right)):
            total = cast(total + cast(np.multiply.outer(left[:, n], right[n])))
        return total

    q, k, v = (cast(checker.truth.floats[name]) for name in "QKV")
    scores = multiply(q, k.T)
    scaled = cast(scores / cast(np.sqrt(q.shape[1])))
    powers = cast(np.exp(cast(scaled - scaled.max(axis=1, keepdims=True))))
    total = powers[:, :1]
    for n in range(1, powers.shape[1]):
        total = cast(total + powers[:, n : n + 1])
    weights = cast(powers / total)
    return {"S": scores, "Z": scaled, "A": weights, "O": multiply(weights, v)}


def random_attention(rng: np.random.Generator) -> Checker:
    """Attention of several tokens, given by numbers of few decimals."""
    tokens, width, out = (int(rng.integers(2, 8)) for _ in range(3))
    given = {
        name: rng.normal(scale=1.5, size=(tokens, n)) for name, n in (("Q", width), ("K", width), ("V", out))
    }
    return Checker(attncalc.problem(**{name: np.round(x, 1).tolist() for name, x in given.items()}))


WAYS: dict[str, Callable[[Floats], Any]] = {
    "array": np.asarray,
    "float32": lambda x: x.astype(np.float32),
    "list": np.ndarray.tolist,
}


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("way", WAYS)
def test_numbers_are_judged_in_their_format(way: str, format_: Format) -> None:
    """What was computed in a format passes, however it is converted; a slip of a tenth does not."""
    rng = np.random.default_rng(8)
    for _ in range(6):
        checker = random_attention(rng)
        answers = compute(checker, format_)
        report = marked(checker, {name: WAYS[way](x) for name, x in answers.items()})
        assert {step.verdict for step in report.steps} <= {"correct", "rounded", "coarse"}, report
        wrong = answers["O"] + np.eye(*answers["O"].shape) * np.abs(answers["O"]).max() / 10
        (step,) = marked(checker, {"O": WAYS[way](round_to_format(wrong, format_))}).steps
        assert step.verdict == "wrong"


@pytest.mark.parametrize(
    ("numbers", "bits"),
    [
        ([0.62109375, 0.37890625], 8),
        ([0.6201171875, 0.3798828125], 11),
        ([0.62, 0.38], 24),
        ([0.5, 8, -13.25], 24),
    ],
)
def test_a_format_shows_in_the_bits(numbers: list[float], bits: int) -> None:
    """Numbers that were not computed in a short format, or are too simple to show it, count as single precision."""
    assert find_format(np.array(numbers)).bits == bits


def write(numbers: Floats, text: Callable[[float], str]) -> Any:
    """Numbers as nested lists of texts."""
    if numbers.ndim:
        return [write(row, text) for row in numbers]
    return "-inf" if np.isneginf(numbers) else text(float(numbers))


BEYOND_TEXT = "deepml-94-test"
"""It has weights of 1e−323, which are outside the numbers that are read."""
WRITINGS: dict[str, Callable[[float], str]] = {
    **{f"{n} places": f"{{:.{n}f}}".format for n in (2, 3, 4, 6)},
    "repr": repr,
    "np.round and repr": lambda x: repr(float(np.round(x, 3))),
    "0,123": lambda x: f"{x:.3f}".replace(".", ","),
}


@each("name", [name for name in NUMERIC if name != BEYOND_TEXT], quick=FEW)
def test_our_own_solution_however_it_is_written(name: str) -> None:
    """All steps are right, alone and together; at worst there are too few digits to tell."""
    checker = checker_of(name)
    floats = {step.name: checker.truth.floats[step.name] for step in checker.graph.steps}
    for way, text in () if checker.problem.design else WRITINGS.items():
        answers = {step: write(numbers, text) for step, numbers in floats.items()}
        # 1,097 alone may be a thousand.
        sure = {
            step: one for step, one in answers.items() if checker.truth.largest(step) < 999 or "," not in way
        }
        reports = [marked(checker, answers), *(marked(checker, {step: one}) for step, one in sure.items())]
        found = {(step.step, step.verdict) for report in reports for step in report.steps}
        assert {verdict for _, verdict in found} <= {"correct", "rounded", "coarse", "blank"}, (way, found)


@each("name", NUMERIC, quick=FEW)
def test_wrong_whole_numbers_never_pass(name: str) -> None:
    """Whole numbers for halves are wrong, however they are rounded; those for other numbers earn nothing."""
    checker = checker_of(name)
    for step in () if checker.problem.design else checker.graph.steps:
        numbers, yard = checker.truth.floats[step.name], checker.prepared[0].yardstick(step.name)
        for rounding in (np.rint, np.floor, np.ceil):
            answer = rounding(numbers)
            if np.allclose(answer, numbers, rtol=1e-6, atol=1e-9, equal_nan=True):
                continue
            report = marked(checker, {step.name: write(answer, lambda x: f"{x:.0f}")})
            (found,) = [one for one in report.steps if one.step == step.name]
            assert found.verdict in (("wrong",) if yard.short else ("wrong", "coarse", "rounded"))
