"""Why scores are divided by √d_k: mean and variance of a dot product of random vectors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from attncalc.document import Block, Equation, Equations, Paragraph
from attncalc.fields import algebra
from attncalc.solution import Solution
from attncalc.terms import Entry
from attncalc.topics.base import Topic

DRAWS, SEED = 100_000, 0
USUAL_WIDTH = 16


def moments(mean: Any, variance: Any, width: Any) -> dict[str, Any]:
    """Everything the derivation says, each from what is said before it."""
    product = mean * mean
    square = variance + mean * mean
    of_square = square * square
    spread = algebra.expanded(of_square - product * product)
    return {
        "E[q_i k_i]": product,
        "E[q k]": algebra.expanded(width * product),
        "E[q_i^2]": square,
        "E[(q_i k_i)^2]": of_square,
        "Var(q_i k_i)": spread,
        "Var(q k)": width * spread,
    }


REASONS = {
    "E[q_i k_i]": "The components are independent, so the mean of a product is the product of the means.",
    "E[q k]": "The mean of a sum is the sum of the means, and there are D_k equal terms.",
    "E[q_i^2]": "By the definition of the variance, E[x^2] = Var(x) + E[x]^2.",
    "E[(q_i k_i)^2]": "Again by independence.",
    "Var(q_i k_i)": "The definition of the variance once more.",
    "Var(q k)": "The terms are independent, so their variances add up.",
}


def explain(solution: Solution | None) -> Iterator[Block]:
    """The derivation in letters, for the standard normal case, and by simulation."""
    mu, sigma, width = (algebra.letter(name) for name in ("mu", "sigma", "D_k"))
    yield Paragraph(
        "Let q and k be vectors of D_k independent components with mean mu and standard deviation sigma."
    )
    general = moments(mu, sigma**2, width)
    for name, value in general.items():
        yield Paragraph(REASONS[name])
        yield Equations((equation(name, value),))
    standard = moments(algebra.number(0), algebra.number(1), width)
    yield Paragraph("With mean 0 and standard deviation 1:")
    yield Equations((equation("E[q k]", standard["E[q k]"]), equation("Var(q k)", standard["Var(q k)"])))
    s = algebra.letter("s")
    yield Paragraph("A factor divides the variance by its square. For a variance of 1:")
    root = algebra.positive_root(standard["Var(q k)"] / s**2 - 1, s)
    yield Equations((equation("Var(q k / s)", standard["Var(q k)"] / s**2), equation("s", root)))
    yield from simulated(solution.graph.sizes.get("d_k", USUAL_WIDTH) if solution else USUAL_WIDTH)


def equation(name: str, value: Any) -> Equation:
    """name = value"""
    return Equation(Entry(name), (("=", algebra.term(value)),))


def simulated(width: int) -> Iterator[Block]:
    """The variance before and after scaling, counted out."""
    q, k = np.random.default_rng(SEED).standard_normal((2, DRAWS, width))
    scores = (q * k).sum(axis=1)
    yield Paragraph(
        f"By simulation, {DRAWS:,} draws of width {width}: the variance is {scores.var():.3f}, "
        f"and {(scores / np.sqrt(width)).var():.3f} after dividing by the root of {width}."
    )


topic = Topic("Why scores are divided by the root of d_k", explain)
