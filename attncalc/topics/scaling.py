"""Why scores are divided by √d_k: mean and variance of a dot product of random vectors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncalc.document.blocks import Block, Equation, Equations, Note, Paragraph
from attncalc.errors import fault
from attncalc.fields import Real, algebra
from attncalc.fields.exact import Exact
from attncalc.fields.writing import exact_term
from attncalc.graph.graph import number_of
from attncalc.solution.solution import Solution
from attncalc.terms import Term
from attncalc.terms.formulas import Call, Maths, Name, Raised, Text, sentence
from attncalc.topics.base import Topic, equal

DRAWS, SEED = 100_000, 0
USUAL_WIDTH, LARGEST_DRAWN = 16, 1_000_000


def mean_of(x: Maths) -> Call:
    """E[x]"""
    return Call("E", x, square=True)


def variance_of(x: Maths) -> Call:
    """Var(x)"""
    return Call("Var", x)


PRODUCT, DOT = Name("q_i") @ Name("k_i"), Name("q").T @ Name("k")
MEAN, VARIANCE = mean_of(DOT), variance_of(DOT)


def moments(mean: Real, variance: Real, width: Real) -> dict[Maths, Real]:
    """Everything the derivation says, each from what is said before it."""
    product = mean * mean
    square = variance + mean * mean
    of_square = square * square
    spread = algebra.expanded(of_square - product * product)
    return {
        mean_of(PRODUCT): product,
        MEAN: algebra.expanded(width * product),
        mean_of(Raised(Name("q_i"), 2)): square,
        mean_of(Raised(PRODUCT, 2)): of_square,
        variance_of(PRODUCT): spread,
        VARIANCE: width * spread,
    }


REASONS: tuple[Text, ...] = (
    "The components are independent, so the mean of a product is the product of the means.",
    sentence("The mean of a sum is the sum of the means, and there are {} equal terms.", Name("D_k")),
    sentence(
        "By the definition of the variance, the mean of a square is the variance plus the square of "
        "the mean; the same holds for {}.",
        Name("k_i"),
    ),
    "Squares of independent numbers are independent too.",
    "The variance is the mean of the square less the square of the mean.",
    "The terms are independent, so their variances add up.",
)
"""Why each of these is so."""


def explain(solution: Solution | None) -> Iterator[Block]:
    """The derivation in letters, for one mean and deviation, and by simulation."""
    mu, sigma, width = (algebra.letter(name) for name in ("mu", "sigma", "D_k"))
    yield Paragraph(
        sentence(
            "Let q and k be vectors of {} independent components with mean μ and standard deviation σ. "
            "Their dot product is the sum of the {} products {} {}.",
            *map(Name, ("D_k", "D_k", "q_i", "k_i")),
        )
    )
    for reason, (left, value) in zip(REASONS, moments(mu, sigma**2, width).items(), strict=True):
        yield Paragraph(reason)
        yield Equations((equation(left, value),))
    mean, deviation = given(solution, "mu", 0), given(solution, "sigma", 1)
    if not deviation.is_positive:
        raise fault("sigma must be positive")
    special = moments(mean, deviation * deviation, width)
    yield Paragraph("With the numbers")
    yield Equations((equation("mu", mean), equation("sigma", deviation)))
    yield Paragraph("this is")
    yield Equations(tuple(equation(name, special[name]) for name in (MEAN, VARIANCE)))
    yield from find_factor(special[MEAN], special[VARIANCE])
    size = solution.graph.sizes.get("d_k", USUAL_WIDTH) if solution else USUAL_WIDTH
    if not mean.free_symbols | deviation.free_symbols and max(abs(mean), deviation) < LARGEST_DRAWN:
        yield from simulated(float(mean), float(deviation), size)


def given(solution: Solution | None, name: str, usual: int) -> Real:
    """What a problem defines under a name, exactly, else the usual number."""
    term = solution.problem.let.get(name) if solution else None
    if not isinstance(term, Term) or solution is None:
        return algebra.integer(usual)
    return algebra.to_sympy(number_of(term, Exact(solution.problem.symbols)))


def find_factor(mean: Real, variance: Real) -> Iterator[Block]:
    """The factor that brings the variance to 1."""
    s = algebra.letter("s")
    yield Paragraph(
        "Dividing by s divides the mean by s, and the variance by the square of s. For a variance of 1:"
    )
    root = algebra.positive_root(variance / s**2 - 1, s)
    yield Equations(
        (
            equation(mean_of(DOT / Name("s")), mean / s),
            equation(variance_of(DOT / Name("s")), variance / s**2),
            equation("s", root),
        )
    )
    yield Paragraph(
        "Without it the scores grow with the width: a softmax of large scores puts almost all weight on one "
        "key, where its slopes are almost 0."
    )


def equation(left: str | Maths, value: Real) -> Equation:
    """left = value"""
    return equal(left, exact_term(value))


def simulated(mean: float, deviation: float, width: int) -> Iterator[Block]:
    """Mean and variance before and after scaling, counted out."""
    q, k = np.random.default_rng(SEED).normal(mean, deviation, (2, DRAWS, width))
    scores = (q * k).sum(axis=1)
    law = moments(mean, deviation**2, width)
    after = (scores / np.sqrt(float(law[VARIANCE]))).var()
    yield Note(
        f"By simulation, {DRAWS:,} draws of width {width}: mean {scores.mean():.3f} (the law says "
        f"{float(law[MEAN]):g}), variance {scores.var():.3f} ({float(law[VARIANCE]):g}), "
        f"and {after:.3f} after dividing by s."
    )


topic = Topic("Why scores are divided by the root of d_k", explain)
