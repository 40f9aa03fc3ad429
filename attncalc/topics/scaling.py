"""Why scores are divided by √d_k: mean and variance of a dot product of random vectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from attncalc.document.blocks import Block, Equation, Equations, Note, Paragraph
from attncalc.errors import fault
from attncalc.fields import algebra
from attncalc.fields.exact import Exact, exact_term
from attncalc.graph.graph import number_of
from attncalc.solution.solution import Solution
from attncalc.terms import Term
from attncalc.topics.base import Topic, equal

DRAWS, SEED = 100_000, 0
USUAL_WIDTH, LARGEST_DRAWN = 16, 1_000_000


def moments(mean: Any, variance: Any, width: Any) -> dict[str, Any]:
    """Everything the derivation says, each from what is said before it."""
    product = mean * mean
    square = variance + mean * mean
    of_square = square * square
    spread = algebra.expanded(of_square - product * product)
    return {
        "E[q_i k_i]": product,
        "E[q^T k]": algebra.expanded(width * product),
        "E[q_i^2]": square,
        "E[(q_i k_i)^2]": of_square,
        "Var(q_i k_i)": spread,
        "Var(q^T k)": width * spread,
    }


REASONS = {
    "E[q_i k_i]": "The components are independent, so the mean of a product is the product of the means.",
    "E[q^T k]": "The mean of a sum is the sum of the means, and there are D_k equal terms.",
    "E[q_i^2]": "By the definition of the variance, the mean of a square is the variance plus the square of "
    "the mean; the same holds for k_i.",
    "E[(q_i k_i)^2]": "Squares of independent numbers are independent too.",
    "Var(q_i k_i)": "The variance is the mean of the square less the square of the mean.",
    "Var(q^T k)": "The terms are independent, so their variances add up.",
}


def explain(solution: Solution | None) -> Iterator[Block]:
    """The derivation in letters, for one mean and deviation, and by simulation."""
    mu, sigma, width = (algebra.letter(name) for name in ("mu", "sigma", "D_k"))
    yield Paragraph(
        "Let q and k be vectors of D_k independent components with mean μ and standard deviation σ. "
        "Their dot product is the sum of the D_k products q_i k_i."
    )
    for name, value in moments(mu, sigma**2, width).items():
        yield Paragraph(REASONS[name])
        yield Equations((equation(name, value),))
    mean, deviation = given(solution, "mu", 0), given(solution, "sigma", 1)
    if not deviation.is_positive:
        raise fault("sigma must be positive")
    special = moments(mean, deviation * deviation, width)
    yield Paragraph("With the numbers")
    yield Equations((equation("mu", mean), equation("sigma", deviation)))
    yield Paragraph("this is")
    yield Equations(tuple(equation(name, special[name]) for name in ("E[q^T k]", "Var(q^T k)")))
    yield from scaled(special["E[q^T k]"], special["Var(q^T k)"])
    size = solution.graph.sizes.get("d_k", USUAL_WIDTH) if solution else USUAL_WIDTH
    if not mean.free_symbols | deviation.free_symbols and max(abs(mean), deviation) < LARGEST_DRAWN:
        yield from simulated(float(mean), float(deviation), size)


def given(solution: Solution | None, name: str, usual: int) -> Any:
    """What a problem defines under a name, exactly, else the usual number."""
    term = solution.problem.let.get(name) if solution else None
    if not isinstance(term, Term) or solution is None:
        return algebra.number(usual)
    return algebra.to_sympy(number_of(term, Exact(solution.problem.symbols)))


def scaled(mean: Any, variance: Any) -> Iterator[Block]:
    """The factor that brings the variance to 1."""
    s = algebra.letter("s")
    yield Paragraph(
        "Dividing by s divides the mean by s, and the variance by the square of s. For a variance of 1:"
    )
    root = algebra.positive_root(variance / s**2 - 1, s)
    yield Equations(
        (
            equation("E[q^T k / s]", mean / s),
            equation("Var(q^T k / s)", variance / s**2),
            equation("s", root),
        )
    )
    yield Paragraph(
        "Without it the scores grow with the width: a softmax of large scores puts almost all weight on one "
        "key, where its slopes are almost 0."
    )


def equation(name: str, value: Any) -> Equation:
    """name = value"""
    return equal(name, exact_term(value))


def simulated(mean: float, deviation: float, width: int) -> Iterator[Block]:
    """Mean and variance before and after scaling, counted out."""
    q, k = np.random.default_rng(SEED).normal(mean, deviation, (2, DRAWS, width))
    scores = (q * k).sum(axis=1)
    law = moments(mean, deviation**2, width)
    after = (scores / np.sqrt(float(law["Var(q^T k)"]))).var()
    yield Note(
        f"By simulation, {DRAWS:,} draws of width {width}: mean {scores.mean():.3f} (the law says "
        f"{float(law['E[q^T k]']):g}), variance {scores.var():.3f} ({float(law['Var(q^T k)']):g}), "
        f"and {after:.3f} after dividing by s."
    )


topic = Topic("Why scores are divided by the root of d_k", explain)
