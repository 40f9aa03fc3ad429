"""How formulas are written in every notation, and what of a sentence is mathematics."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction

import pytest

from attncalc.core.notations.code import Arrays
from attncalc.core.notations.latex import Latex, MathJax
from attncalc.core.notations.mathml import MathML, OneLine
from attncalc.core.notations.typst import Typst
from attncalc.core.notations.unicode import Ascii, Code, Notation, write
from attncalc.core.terms import Apply, Constant, Entry, Negative, Power, Quotient, Sum, Term, Valued
from attncalc.core.terms.formulas import (
    Beside,
    Call,
    Equal,
    Indexed,
    Maths,
    Minus,
    Name,
    Over,
    Place,
    Plus,
    Raised,
    Shape,
    Stacked,
    SumOf,
    Times,
    Typed,
    Words,
)
from attncalc.pages.solutions.numpy import NUMPY
from attncalc.pages.solutions.torch import TORCH
from attncalc.worked.prose import pieces

Q, K, S, V = map(Name, "QKSV")
EXP = Apply("exp", Entry("β"))
FORMULAS: list[tuple[Maths, str, str, str]] = [
    (Q @ K.T, "Q Kᵀ", "Q K^T", r"Q K^{\top}"),
    (Name("Q_1") @ Name("K_R_1").T, "Q_1 K_R_1ᵀ", "Q_1 K_R_1^T", r"Q_1 K_{R,1}{}^{\top}"),
    (K.T.T, "K", "K", "K"),
    (Q @ Name("W_a") @ K.T, "Q W_a Kᵀ", "Q W_a K^T", r"Q W_a K^{\top}"),
    (S / Apply("sqrt", Entry("d_k")), "S / √d_k", "S / sqrt(d_k)", r"S / \sqrt{d_k}"),
    (Times(S, Constant(2)), "S · 2", "S * 2", r"S \cdot 2"),
    (Call("exp", Name("M") + Minus(Name("max"))), "exp(M − max)", "exp(M - max)", r"\exp(M - \max)"),
    (Name("v_a") @ Call("tanh", Stacked((Q, K), below=True) @ Name("W_a")), "v_a tanh([Q; K] W_a)", "v_a tanh([Q; K] W_a)", r"v_a \tanh([Q; K] W_a)"),
    (SumOf("j", Name("a_ij") @ Name("v_j")), "Σ_j a_ij v_j", "sum_j a_ij v_j", r"\sum_j a_{ij} v_j"),
    (Name("alpha_ij") @ V, "α_ij V", "alpha_ij V", r"\alpha_{ij} V"),
    (Call("relu", Name("N1") @ Name("W_1_F1") + Name("b_1")), "relu(N1 W_1_F1 + b_1)", "relu(N1 W_1_F1 + b_1)", r"\mathrm{relu}(\mathrm{N1} W_{1,\mathrm{F1}} + b_1)"),
    (Q @ Stacked((Name("past_K"), K), below=True).T, "Q [past_K; K]ᵀ", "Q [past_K; K]^T", r"Q [\mathrm{past}_ K; K]^{\top}"),
    (Plus((Name("O_1"), Name("O_2"))) / Constant(2), "(O_1 + O_2) / 2", "(O_1 + O_2) / 2", "(O_1 + O_2) / 2"),
    (Stacked((Name("O_1"), Name("O_2"))), "[O_1, O_2]", "[O_1, O_2]", "[O_1, O_2]"),
    (Words(("columns 1 to 2 of ", Q)), "columns 1 to 2 of Q", "columns 1 to 2 of Q", r"\text{columns 1 to 2 of }Q"),
    (Beside((Entry("n_q"), Entry("n_k"), Plus((Entry("d_k"), Minus(Constant(1)))))), "n_q n_k (d_k − 1)", "n_q n_k (d_k - 1)", "n_q n_k (d_k - 1)"),
    (Call("E", Raised(Name("q_i") @ Name("k_i"), 2), square=True), "E[(q_i k_i)^2]", "E[(q_i k_i)^2]", r"\mathrm{E}[(q_i k_i)^{2}]"),
    (Call("Var", Q / Name("s")), "Var(Q / s)", "Var(Q / s)", r"\mathrm{Var}(Q / s)"),
    (Indexed(Q @ K.T, "ij"), "(Q Kᵀ)_ij", "(Q K^T)_ij", r"(Q K^{\top})_ {ij}"),
    (Place("A_1", (3,), whole=False), "A_1[3]", "A_1[3]", r"(A_1)_ {3,:}"),
    (Place("S", (3, 1)), "S[3,1]", "S[3,1]", "S_{31}"),
    (Place("S", (3, 12)), "S[3,12]", "S[3,12]", "S_{3,12}"),
    (Shape((3, 2)), "3×2", "3x2", r"3 \times 2"),
    (Equal(S, Q @ K.T), "S = Q Kᵀ", "S = Q K^T", r"S = Q K^{\top}"),
    (Stacked((Entry("B"), Entry("T")), round=True), "(B, T)", "(B, T)", "(B, T)"),
    (Constant(Fraction(2, 3)), "2/3", "2/3", r"\frac{2}{3}"),
    (Constant(Fraction(-2, 3)), "−2/3", "-2/3", r"-\frac{2}{3}"),
    (Minus(Q @ V), "−Q V", "-Q V", "-Q V"),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "unicode", "ascii_", "latex"), FORMULAS)
def test_formula(formula: Maths, unicode: str, ascii_: str, latex: str) -> None:
    """A formula on a terminal, in ASCII and in LaTeX."""
    assert write(formula, Notation()) == unicode
    assert write(formula, Ascii()) == ascii_
    assert write(formula, Latex()) == latex


MARKUP: list[tuple[Maths, str]] = [
    (Q @ K.T, '<mi>Q</mi><mspace width=".2em"/><msup><mi>K</mi><mrow><mi mathvariant="normal">T</mi></mrow></msup>'),
    (S / Apply("sqrt", Entry("d_k")), "<mi>S</mi><mo>/</mo><msqrt><mrow><msub><mi>d</mi><mi>k</mi></msub></mrow></msqrt>"),
    (Call("exp", Name("M") + Minus(Name("max"))), '<mi>exp</mi><mrow><mo stretchy="false">(</mo><mi>M</mi><mo>−</mo><mi>max</mi><mo stretchy="false">)</mo></mrow>'),
    (SumOf("j", Name("a_ij")), "<munder><mo>∑</mo><mi>j</mi></munder><msub><mi>a</mi><mrow><mi>i</mi><mi>j</mi></mrow></msub>"),
    (Name("W_Q_1"), "<msub><mi>W</mi><mrow><mi>Q</mi><mo>,</mo><mn>1</mn></mrow></msub>"),
    (Name("alpha"), "<mi>α</mi>"),
    (Constant(Fraction(2, 3)), "<mfrac><mn>2</mn><mn>3</mn></mfrac>"),
    (Name("R1") + Name("<b>"), "<mrow><mi>R</mi><mn>1</mn></mrow><mo>+</mo><mi>&lt;b&gt;</mi>"),
    (Words(("columns of ", Q)), "<mtext>columns of\xa0</mtext><mi>Q</mi>"),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "markup"), MARKUP)
def test_markup(formula: Maths, markup: str) -> None:
    """A formula in a browser."""
    assert write(formula, MathML()) == markup


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("W_Q times x", [Name("W_Q"), " times ", Name("x")]),
        ("row 3 of S, S[3,1]", ["row 3 of ", Name("S"), ", ", Place("S", (3, 1))]),
        ("W = u_a u_b^T", [Equal(Name("W"), Name("u_a") @ Name("u_b").T)]),
        ("rows of Q Kᵀ", ["rows of ", Q @ K.T]),
        ("A key, e.g. the cat's, as in part (c) i", ["A key, e.g. the cat's, as in part (c) i"]),
        ("the square x^2", ["the square ", Raised(Name("x"), 2)]),
        ("for e^−∞ = 0", ["for ", Equal(Apply("exp", Negative(Constant(float("inf")))), Constant(0))]),
        ("Q Kᵀ/√d_k", [Q @ K.T / Apply("sqrt", Entry("d_k"))]),
        ("softmax(QKᵀ/√d) V", [Call("softmax", Q @ K.T / Apply("sqrt", Entry("d"))) @ V]),
        (
            "is e^β/(2e^β + n), in the limit",
            ["is ", Over(EXP, Plus((Beside((Constant(2), EXP)), Name("n")))), ", in the limit"],
        ),
        (
            "the query q = β(μ_a + μ_b).",
            ["the query ", Equal(Name("q"), Name("β") @ Plus((Name("μ_a"), Name("μ_b")))), "."],
        ),
        (
            "covariance αI, 10^−6",
            ["covariance ", Name("α") @ Name("I"), ", ", Power(Constant(10), Negative(Constant(6)))],
        ),
        ("(v_a + v_b)/2 and/or 1/2", [Plus((Name("v_a"), Name("v_b"))) / Constant(2), " and/or 1/2"]),
        (
            "a β is a, token i of A V",
            ["a ", Name("β"), " is a, token ", Name("i"), " of ", Name("A"), " ", V],
        ),
        ("((((((e^", ["((((((e^"]),
        ("the mean of qᵀk, √2", ["the mean of ", Name("q").T @ Name("k"), ", ", Apply("sqrt", Constant(2))]),
        ("−∞, not S[1]2", [Constant(float("-inf")), ", not ", Name("S"), "[1]2"]),
        ("cafe\u0301, e^−∞3", ["café, ", Name("e"), "^−∞3"]),
        ("to 2β^2", ["to ", Beside((Constant(2), Raised(Name("β"), 2)))]),
        ("mu_a and d_model", [Name("mu_a"), " and ", Name("d_model")]),
        ("split_heads, a file", ["split_heads, a file"]),
        ("anna_1.yaml", ["anna_1.yaml"]),
        ("given", ["given"]),
        ("", []),
        (
            ("the entry ", Entry("S", (0, 1)), " of S_1"),
            ["the entry ", Entry("S", (0, 1)), " of S_1"],
        ),
    ],
)
def test_mathematics_in_a_sentence(text: str | tuple[str | Maths, ...], found: list[str | Maths]) -> None:
    """Names, places and powers are found in written text; data is not changed."""
    read = list(pieces(text))
    assert [part.of if isinstance(part, Typed) else part for part in read] == found
    assert all(write(part, Notation()) in text for part in read if isinstance(part, Typed))


ENTRY = Entry("S", (0, 0))
INFINITE = Constant(float("-inf"))
NEGATIVES: list[Term] = [
    Constant(-2),
    INFINITE,
    Constant(Decimal("-0.5")),
    Constant(Fraction(-1, 2)),
    Negative(Constant(2)),
]
SIGNED: list[Term] = [
    x
    for bare in NEGATIVES
    for x in (bare, Valued(ENTRY, bare), Negative(bare), Negative(Valued(ENTRY, bare)))
]
SHAPES = {"X": (2, 3)}
EVERY = [
    Typst(), Notation(), Ascii(), Code(), Latex(), Latex(slashed=True), MathJax(), MathML(), OneLine(), Arrays(NUMPY, SHAPES), Arrays(TORCH, SHAPES),
]  # fmt: skip


@pytest.mark.parametrize("notation", EVERY, ids=lambda notation: type(notation).__name__)
@pytest.mark.parametrize("x", SIGNED, ids=repr)
def test_no_sign_stands_before_a_sign(notation: Notation, x: Term) -> None:
    """e^−(−∞), never e^−−∞; nor is a sign next to another in a sum, a product, a quotient or a function."""
    one = Constant(1)
    for term in (
        Apply("exp", x),
        Negative(x),
        one + x,
        one - x,
        one * x,
        one / x,
        Power(one, x),
        Apply("tanh", x),
    ):
        signs = re.sub(r"<[^>]*>|[{}\s]|np|torch|math|\.", "", write(term, notation))
        assert not re.search(r"[-−+][-−+]|[·*/][-−]", signs), signs


@pytest.mark.parametrize("notation", EVERY, ids=lambda notation: type(notation).__name__)
def test_a_number_that_stands_for_an_entry_is_written_as_a_number(notation: Notation) -> None:
    """Wherever it stands, and whatever is looked at to choose the signs beside it."""
    for x in NUMBERS:
        valued = Valued(ENTRY, x)
        for form in FORMS:
            assert write(form(valued), notation) == write(form(x), notation)


ROOT = Apply("sqrt", Constant(3))
NUMBERS: list[Term] = [
    *NEGATIVES, Constant(1), Constant(2), ROOT, Negative(ROOT), Constant(1) / Constant(2), Constant(Decimal("1E-9")),
]  # fmt: skip
FORMS: list[Callable[[Term], Term]] = [
    lambda x: x,
    lambda x: Constant(2) * x,
    lambda x: x * Apply("sqrt", Constant(2)),
    lambda x: Sum((Constant(1), x, Negative(x))),
    lambda x: Sum((x, Constant(1))),
    lambda x: Quotient(x, x),
    lambda x: Apply("exp", x),
    lambda x: Apply("exp", Negative(x)),
    lambda x: Apply("sqrt", x),
    lambda x: Apply("tanh", x),
    lambda x: Power(x, x),
]
