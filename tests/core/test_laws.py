"""Laws over all operations: they hold for every problem that the strategies can make."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

import attncalc
from attncalc.core.errors import ProblemError
from attncalc.core.fields import Numeric
from attncalc.core.fields.algebra import decimal, to_expressions, to_sympy
from attncalc.core.fields.exact import Exact
from attncalc.core.graph.graph import numbers_of
from attncalc.core.notations.unicode import Ascii, Code, Notation, write
from attncalc.core.readings.value import evaluate
from attncalc.exercise.numbers.texts import parse_number
from attncalc.exercise.solve.selection import all_cells
from tests.helpers import bundled
from tests.helpers.bundled import FEW, ONE_SEQUENCE
from tests.helpers.counting_numbers import Counted, counts
from tests.helpers.quick_and_slow import each
from tests.helpers.solutions import same_steps, solve_keys
from tests.helpers.strategies import matrices, problems


@given(problems())
def test_exact_is_numeric(keys: dict[str, Any]) -> None:
    """Both fields read the same rule."""
    same_steps(solve_keys("exact", **keys), solve_keys("numeric", **keys))


@given(problems())
def test_the_worked_line_of_a_cell_is_its_value(keys: dict[str, Any]) -> None:
    """The rule at integers, evaluated alone, gives the entry of the whole matrix."""
    solution = solve_keys("exact", **keys)
    for step in solution.steps:
        for at in all_cells(step.shape):
            alone = evaluate(step.cell(at), solution.trace.values, Exact())[()]
            assert alone == step.numbers[at], (step.name, at)


@given(problems())
def test_cost_is_what_a_counting_number_counts(keys: dict[str, Any]) -> None:
    """The cost read off the rule is the number of operations that are carried out."""
    solution = solve_keys("numeric", **keys)
    for step in solution.steps:
        operands = {name: Counted.array(solution.trace.values[name]) for name in step.inputs}
        operands |= {name: solution.trace.values[name] for name in solution.graph.sizes}
        with counts() as counted:
            for at in all_cells(step.shape):
                Counted.evaluate(step.cell(at), operands)
        assert step.cost == counted.cost, step.name


@given(problems())
def test_rows_of_weights_sum_to_one(keys: dict[str, Any]) -> None:
    """Every row of a softmax adds up to exactly 1, a hidden one to 0."""
    for step in solve_keys("exact", **keys).steps:
        if step.step.role == "A":
            for row in step.numbers:
                assert sum(row) in (0, 1)


@given(problems(masked=False), st.integers(-5, 5))
def test_softmax_ignores_a_shift(keys: dict[str, Any], shift: int) -> None:
    """A bias that is the same for all keys changes nothing."""
    plain = solve_keys("exact", **keys)
    weights = next(step for step in plain.steps if step.step.role == "A")
    shifted = solve_keys("exact", **{**keys, "mask": {"add": np.full(weights.shape, shift)}})
    assert (weights.numbers == shifted[weights.name].numbers).all()


@given(st.data())
def test_permuting_keys_with_values_changes_nothing(data: st.DataObject) -> None:
    """Attention is over a set of keys."""
    q, k, v = (data.draw(matrices(rows, 2)) for rows in (2, 3, 3))
    order = data.draw(st.permutations(range(3)))
    before = solve_keys("exact", Q=q, K=k, V=v)
    after = solve_keys("exact", Q=q, K=[k[n] for n in order], V=[v[n] for n in order])
    assert (before["O"].numbers == after["O"].numbers).all()


@given(st.data())
def test_hiding_a_key_is_deleting_it(data: st.DataObject) -> None:
    """What a mask hides might as well not be there."""
    q, k, v = (data.draw(matrices(rows, 2)) for rows in (2, 3, 3))
    gone = data.draw(st.integers(0, 2))
    hidden = solve_keys("exact", Q=q, K=k, V=v, mask={"hide": [[int(n == gone) for n in range(3)]]})
    deleted = solve_keys("exact", Q=q, K=k[:gone] + k[gone + 1 :], V=v[:gone] + v[gone + 1 :])
    assert (hidden["O"].numbers == deleted["O"].numbers).all()


@given(st.data())
def test_output_is_linear_in_the_values(data: st.DataObject) -> None:
    """O(V + W) = O(V) + O(W)"""
    q, k = (data.draw(matrices(2, 2)) for _ in range(2))
    v, w = (data.draw(matrices(2, 1)) for _ in range(2))
    both = [[f"({a}) + ({b})"] for (a,), (b,) in zip(v, w, strict=True)]
    parts = [solve_keys("exact", Q=q, K=k, V=values)["O"].numbers for values in (v, w, both)]
    assert (parts[0] + parts[1] == parts[2]).all()


@given(problems())
def test_printed_results_read_back(keys: dict[str, Any]) -> None:
    """Every exact entry, in every notation, is read as the number that it is."""
    field = Exact()
    for step in solve_keys("exact", **keys).steps:
        for number in step.numbers.ravel():
            if isinstance(number, float):
                continue
            for notation in (Code(), Ascii(), Notation()):
                text = write(field.term(number), notation)
                assert evaluate(parse_number(text), {}, field)[()] == number, text


@given(problems())
def test_expressions_made_together_are_those_made_alone(keys: dict[str, Any]) -> None:
    """What SymPy is handed at once is what it makes of each number, in the same order."""
    for step in solve_keys("exact", **keys).steps:
        assert step.exact is not None
        for number, together in zip(step.numbers.ravel(), step.exact.ravel(), strict=True):
            alone = to_sympy(number)
            assert together == alone and str(together) == str(alone)


@given(
    st.lists(st.lists(st.fractions(-9, 9, max_denominator=9), min_size=2, max_size=2), min_size=1, max_size=3)
)
def test_python_numbers_are_taken_as_they_are(rows: list[list[Fraction]]) -> None:
    """Fractions from Python reach the exact field unchanged."""
    assert solve_keys("exact", Q=rows, K=[[1, 0]], scale="none")["S"].exact[:, 0].tolist() == [  # type: ignore[index]
        row[0] for row in rows
    ]


@given(st.data())
def test_one_head_is_plain_attention(data: st.DataObject) -> None:
    """heads: 1 changes nothing, and neither does numbering the only head."""
    x, w = data.draw(matrices(3, 2)), data.draw(matrices(2, 2))
    plain = solve_keys("exact", X=x, W_Q=w)
    for keys in ({"X": x, "W_Q": w, "heads": 1}, {"X": x, "W_Q_1": w}):
        assert (solve_keys("exact", **keys)["O"].numbers == plain["O"].numbers).all()


@given(st.data(), st.sampled_from([1, 2]))
def test_decoding_with_a_cache_is_causal_attention(data: st.DataObject, heads: int) -> None:
    """Token by token, with the keys and values so far, gives the rows of the full computation."""
    q, k, v = (data.draw(matrices(3, 2 * heads)) for _ in range(3))
    output = "O" if heads == 1 else "H"
    whole = solve_keys("exact", Q=q, K=k, V=v, mask="causal", heads=heads)[output].numbers
    for n in range(1, 3):
        cached = {"past_K": k[:n], "past_V": v[:n], "mask": "causal", "heads": heads}
        last = solve_keys("exact", **{"Q": q[n:], "K": k[n:], "V": v[n:], **cached})[output].numbers
        assert (last == whole[n:]).all()


@given(st.data())
def test_each_head_may_have_another_mask(data: st.DataObject) -> None:
    """A mask with an axis for the heads is one mask a head; one with a single head is for all."""
    q, k, v = (np.array(data.draw(matrices(2, 4)), dtype=object) for _ in range(3))
    keep = np.array([[[[1, 0], [1, 1]], [[1, 1], [0, 1]]]])
    for mask in (keep, keep[:, :1]):
        both = solve_keys("exact", Q=q, K=k, V=v, heads=2, mask={"keep": mask})
        for head in (0, 1):
            part = slice(2 * head, 2 * head + 2)
            own = {
                "Q": q[:, part],
                "K": k[:, part],
                "V": v[:, part],
                "mask": {"keep": mask[0, head % mask.shape[1]]},
            }
            assert (both[f"O_{head + 1}"].numbers == solve_keys("exact", **own)["O"].numbers).all()


@given(st.data())
def test_grouped_heads_are_repeated_keys(data: st.DataObject) -> None:
    """Sharing a key head is having it twice."""
    q, k, v = data.draw(matrices(2, 4)), data.draw(matrices(3, 2)), data.draw(matrices(3, 2))
    grouped = solve_keys("exact", Q=q, K=k, V=v, heads=2, kv_heads=1)
    repeated = solve_keys("exact", Q=q, K=[r + r for r in k], V=[r + r for r in v], heads=2)
    assert (grouped["H"].numbers == repeated["H"].numbers).all()


@given(st.data())
def test_splitting_and_joining_is_the_identity(data: st.DataObject) -> None:
    """Where every query sees only itself, the heads joined again are the values."""
    x = data.draw(matrices(3, 4))
    keep = [[int(i == j) for j in range(3)] for i in range(3)]
    solution = solve_keys("exact", X=x, heads=2, mask={"keep": keep})
    assert (solution["H"].numbers == solution["V"].numbers).all()


MORE = [
    {"position": "rope"},
    {"position": {"rope": "half", "offset": 2}},
    {"position": "sinusoidal"},
    {"position": "alibi", "heads": 2},
    {"softcap": "2"},
    {"score": "general", "W_a": [[1, 2, 0, 1]] * 4},
    {"score": "additive", "W_1": [[1, 0]] * 4, "W_2": [[0, 1]] * 4, "v_a": [1, "1/2"]},
    {"score": {"concat": ["k", "q"]}, "W_a": [["1/4", 0]] * 8, "v_a": [1, "1/2"]},
    {"block": ["residual", {"layer_norm": {"eps": 0}}, "rms_norm"]},
    {
        "block": [
            {"feed_forward": {"W_1": [[1, -1]] * 4, "W_2": [[1, 0, 2, 1]] * 2, "activation": "gelu_tanh"}}
        ]
    },
]


@pytest.mark.parametrize("keys", MORE)
def test_beyond_exponentials(keys: dict[str, Any]) -> None:
    """Where SymPy takes over, exact is numeric too, and every worked line is its cell's value."""
    whole = {"X": [[1, 0, 2, 1], [0, 1, 1, 0]], **keys}
    numeric = solve_keys("numeric", **whole)
    same_steps(solve_keys("exact", **whole), numeric, 1e-11)
    for step in numeric.steps:
        for at in all_cells(step.shape):
            alone = evaluate(step.cell(at), numeric.trace.values, Numeric())
            np.testing.assert_allclose(alone, step.value[at], rtol=1e-11, atol=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "tanh(1)",
        "sin(1)^2 + cos(1)^2 - 1 + 1/10^30",
        "exp(tanh(1)) - exp(tanh(1) + 1/10^40)",
        "pi^2/exp(sin(1)^2)",
    ],
)
def test_decimals_of_expressions(text: str) -> None:
    """However much cancels in what SymPy holds, all digits are right."""
    number = evaluate(parse_number(text), {}, Exact())[()]
    assert abs(decimal(number, 20) / Decimal(str(sympy.N(number, 20))) - 1) < Decimal("1e-18")


def test_decimals_of_infinities() -> None:
    """A limit may be infinite."""
    assert [decimal(sign * sympy.oo, 5) for sign in (1, -1)] == [Decimal("inf"), Decimal("-inf")]


@each("name", ONE_SEQUENCE, quick=FEW)
def test_every_bundled_worked_line(name: str) -> None:
    """So it is in every bundled problem."""
    solution = bundled.solved(name, "numeric")
    for step in solution.steps:
        for at in all_cells(step.shape):
            alone = evaluate(step.cell(at), solution.trace.values, Numeric())
            np.testing.assert_allclose(alone, step.value[at], rtol=1e-11, atol=1e-12, err_msg=step.name)


@each("name", bundled.WORKED, quick=FEW)
def test_exact_results_read_back(name: str) -> None:
    """What Python prints of an exact result can be given in a problem, and is the same numbers."""
    solution = bundled.solved(name)
    for step in solution.steps:
        if step.exact is not None:
            keys = {"S": str(step.exact), "symbols": solution.problem.symbols or None}
            problem = attncalc.problem(**{key: value for key, value in keys.items() if value})
            found = to_expressions(numbers_of(problem.settings["S"], solution.trace.field))
            assert found.shape == step.shape, step.name
            assert all(map(is_same, found.flat, step.exact.flat)), step.name


def is_same(x: sympy.Expr, y: sympy.Expr) -> bool:
    """Whether two expressions are equal, or have no letters and the same digits."""
    return x == y or bool(not x.free_symbols and decimal(x, 15) == decimal(y, 15))


LOWER = np.tri(3, dtype=int)
MASKS: list[Any] = [
    {"causal": "upper-left"}, {"causal": "lower-right"}, {"keep": LOWER}, {"keep": LOWER == 1}, {"hide": 1 - LOWER},
    {"add": np.where(LOWER, 0, -np.inf)}, {"add": [[0, "-inf", "-inf"], [0, 0, "-inf"], [0, 0, 0]]}, {"window": [2, 0]},
    ["causal", {"lengths": [3]}], ["causal", {"keep": [[1, 1, 1]]}], [{"causal": "upper-left"}, {"window": 3}],
]  # fmt: skip


@pytest.mark.parametrize("mask", MASKS)
def test_a_mask_may_be_written_in_every_way(mask: Any) -> None:
    """Words, windows, lengths, zeros and ones, and what is added up: the same mask."""
    keys = {"X": [[1, 0], [2, 1], [0, 1]], "softcap": "none"}
    assert (
        solve_keys("exact", **{**keys, "mask": mask})["O"].numbers
        == solve_keys("exact", **{**keys, "mask": "causal"})["O"].numbers
    ).all()


@pytest.mark.parametrize("settings", [{}, {"softcap": 5}, {"softcap": "1/2", "scale": "1/3"}, {"sink": 1}])
@pytest.mark.parametrize("mode", ["exact", "numeric"])
def test_scores_of_minus_infinity_hide_keys(settings: dict[str, Any], mode: str) -> None:
    """A key whose given score is −∞ has weight 0, and the others have the weights they have without it."""
    hidden, without = (
        attncalc.solve(attncalc.problem(S=scores, V=values, **settings), mode)
        for scores, values in (
            ([[0, "-inf", 2]], [[1], [2], [3]]),
            ([[0, 2]], [[1], [3]]),
        )
    )
    left, right = without["A"].value[0]
    np.testing.assert_allclose(hidden["A"].value, [[left, 0, right]], rtol=1e-14)
    np.testing.assert_allclose(hidden["O"].value, without["O"].value, rtol=1e-14)


INNER: list[tuple[dict[str, Any], str]] = [
    ({"X": [[1, 2]], "O": [[1, 0]], "block": ["layer_norm", "rms_norm"]}, "mu1 var1 N1 ms2 N2"),
    (
        {"X": [[1, 2]], "O": [[1, 0]], "block": [{"feed_forward": {"W_1": [[1], [1]], "W_2": [[1, 2]]}}, "residual", "layer_norm"]},
        "U1 G1 F1 R1 mu1 var1 N1",
    ),
    ({"Q": [[1, 0]], "K": [[1, 2]], "position": "rope", "scale": "none"}, "theta Q_R K_R S E T A"),
    ({"Q": [[1, 0]], "K": [[1, 2], [0, 1]], "position": "rope", "scale": "none"}, "theta Q_R theta_K K_R S E T A"),
    (
        {"Q_1": [[1, 0]], "Q_2": [[0, 1]], "K": [[1, 2]], "position": "rope", "scale": "none"},
        "theta Q_R_1 K_R S_1 E_1 T_1 A_1 Q_R_2 S_2 E_2 T_2 A_2",
    ),
    ({"Q": [[1, 0]], "K": [[1, 2]], "position": "alibi", "scale": "none"}, "S B M E T A"),
    (
        {"Q_1": [[1]], "Q_2": [[0]], "K": [[1], [2]], "position": "alibi", "mask": "causal", "scale": "none"},
        "S_1 B_1 M_1 E_1 T_1 A_1 S_2 B_2 M_2 E_2 T_2 A_2",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "names"), INNER)
def test_steps_inside_steps_have_their_names(keys: dict[str, Any], names: str) -> None:
    """Means and variances, hidden layers, angles and biases, as the contract calls them."""
    assert [step.name for step in solve_keys("exact", **keys).steps] == names.split()


SHARED = [
    ("encoder-layer", "mu1", {"mul": 0, "add": 6, "div": 2, "exp": 0}),
    ("encoder-layer", "var1", {"mul": 8, "add": 14, "div": 2, "exp": 0}),
    ("encoder-layer", "N1", {"mul": 0, "add": 8, "div": 8, "exp": 0}),
    ("encoder-layer", "U1", {"mul": 16, "add": 16, "div": 0, "exp": 0}),
    ("encoder-layer", "F1", {"mul": 16, "add": 8, "div": 0, "exp": 0}),
    ("rnnsearch", "S", {"mul": 22, "add": 17, "div": 0, "exp": 0}),
]


@pytest.mark.parametrize(("name", "step", "counted"), SHARED)
def test_what_cells_share_is_worked_once(name: str, step: str, counted: dict[str, int]) -> None:
    """A row's mean, a hidden layer, a projected query: counted by hand."""
    assert attncalc.solve(attncalc.load(name), "numeric")[step].cost.counts() == counted


def test_biases_add_up_however_they_are_given() -> None:
    """A bias from an array is not rounded beside another one, nor beside one by distance."""
    keys = {"Q": [[1, 0], [0, 1]], "K": [[1, 2], [0, 1]], "V": [[1], [2]]}
    bias = [[0.5, -0.25], [0.75, 0.125]]
    for more in ({"position": "alibi"}, {}):
        both = ([{"add": kind}, {"add": [[1, 0], [0, 2]]}] for kind in (np.array(bias), bias))
        one, other = (solve_keys("exact", **{**keys, "mask": mask, **more})["M"].value for mask in both)
        np.testing.assert_allclose(np.array(one, float), np.array(other, float))


GROUPED = {"Q": ["[[1, 0], [0, 1]]", "[[2, 0], [1, 1]]", "[[0, 1], [1, 2]]", "[[1, 1], [1, 0]]"]}


@pytest.mark.parametrize("role", ["", "W_"])
def test_grouped_heads_however_they_are_written(role: str) -> None:
    """Four heads of queries with two of keys and values, numbered, are those that repeat each twice."""
    keys = {f"{role}Q_{n}": text for n, text in enumerate(GROUPED["Q"], start=1)}
    shared = {"K": ("[[1, 2], [0, 1]]", "[[0, 1], [3, 1]]"), "V": ("[[1, 0], [2, 1]]", "[[4, 1], [0, 1]]")}
    tokens = {"X": [[1, 2], [0, 1]]} if role else {}
    few = {f"{role}{name}_{n}": text for name, two in shared.items() for n, text in enumerate(two, start=1)}
    many = {f"{role}{name}_{n}": two[(n - 1) // 2] for name, two in shared.items() for n in range(1, 5)}
    caches = {f"past_{name}_{n}": [[n, 1]] for name in "KV" for n in (1, 2)}
    for more in (
        {},
        {"kv_heads": 2},
        {f"b_{name}_{n}": [n, 1] for name in "KV" for n in (1, 2)} if role else caches,
    ):
        repeat = {re.sub(r"\d$", str(n), key): x for key, x in more.items() if key != "kv_heads"
                  for n in (2 * int(key[-1]) - 1, 2 * int(key[-1]))}  # fmt: skip
        grouped, repeated = (
            solve_keys("exact", **{**keys, **tokens, **found})["H"].value
            for found in (few | more, many | repeat)
        )
        np.testing.assert_allclose(np.array(grouped, float), np.array(repeated, float))


FOUR = {f"Q_{n}": [[n]] for n in range(1, 5)}
TWO = {f"{name}_{n}": [[n]] for name in "KV" for n in (1, 2)}


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ({**FOUR, **TWO, "K_3": [[1]], "V_3": [[1]]}, "K_3: 4 heads cannot share 3 of K evenly"),
        ({**FOUR, "K_1": [[1]], "K_3": [[1]], "V": [[1]]}, "K_1: K_2 is missing"),
        ({"Q_1": [[1]], "Q_3": [[1]], "K": [[1]]}, "Q_1: Q_2 is missing"),
        ({"Q_1": [[1]], "K_1": [[1]], "K_2": [[1]]}, "Q_1: Q_2 is missing"),
        ({**FOUR, **TWO, "kv_heads": 1}, "kv_heads: kv_heads is 1, but K is numbered up to 2"),
        ({**FOUR, **TWO, "kv_heads": 4}, "K_1: K_3 is missing"),
        ({**FOUR, **TWO, "V_3": [[1]], "V_4": [[1]]}, "V_4: K is numbered up to 2 and V up to 4"),
        ({**FOUR, **TWO, "past_K_1": [[1]], "past_V_1": [[1]]}, "K is numbered up to 2 and past_K up to 1"),
        ({"X": [[1, 2]], "kv_heads": 2}, "kv_heads: 1 head cannot share 2 key heads evenly"),
    ],
)
def test_groups_that_do_not_come_out_even(keys: dict[str, Any], why: str) -> None:
    """Each with one sentence at its place."""
    with pytest.raises(ProblemError, match=re.escape(why)):
        solve_keys("exact", **keys)
