"""Why scores are divided by √d_k: mean and variance of a dot product of random vectors."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from attncalc.core.errors import fault
from attncalc.core.fields import Real, find_field
from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.fields.writing import exact_term
from attncalc.core.graph.graph import number_of
from attncalc.core.terms import ONE, ZERO, Apply, Constant, Entry, Term
from attncalc.core.terms.formulas import Beside, Call, Equal, Maths, Name, Raised, Text, sentence
from attncalc.exercise.solve.solution import Solution
from attncalc.features.topics.base import Topic, equal
from attncalc.worked.blocks import Block, Equation, Equations, Paragraph

DRAWS, SEED = 100_000, 0
USUAL_WIDTH, LARGEST_DRAWN = 16, 1_000_000


def mean_of(x: Maths) -> Call:
    """E[x]"""
    return Call("E", x, square=True)


def variance_of(x: Maths) -> Call:
    """Var(x)"""
    return Call("Var", x)


WIDTH = Name("d_k")
PRODUCT, DOT = Name("q_i") @ Name("k_i"), Name("q").T @ Name("k")
MEAN, VARIANCE = mean_of(DOT), variance_of(DOT)


def moments(mean: Real, variance: Real, width: Real) -> dict[Maths, Real]:
    """The results of the derivation, in order, each computed from those before."""
    product = mean * mean
    square = variance + mean * mean
    of_square = square * square
    spread = algebra.expand(of_square - product * product)
    return {
        mean_of(PRODUCT): product,
        MEAN: algebra.expand(width * product),
        mean_of(Raised(Name("q_i"), 2)): square,
        mean_of(Raised(PRODUCT, 2)): of_square,
        variance_of(PRODUCT): spread,
        VARIANCE: width * spread,
    }


REASONS: tuple[Text, ...] = (
    "The components are independent, so the mean of a product is the product of the means.",
    sentence("The mean of a sum is the sum of the means, and there are {} equal terms.", WIDTH),
    sentence(
        "By the definition of the variance, the mean of a square is the variance plus the square of "
        "the mean; the same holds for {}.",
        Name("k_i"),
    ),
    "Squares of independent numbers are independent too.",
    "The variance is the mean of the square less the square of the mean.",
    "The terms are independent, so their variances add up.",
)
"""The reason for each result of `moments`."""
BETWEEN: dict[Maths, tuple[Maths, ...]] = {
    mean_of(PRODUCT): (Beside((mean_of(Name("q_i")), mean_of(Name("k_i"))), dotted=True),)
}
"""What stands between a result and its value."""
OF_MEAN = 2
"""The number of results up to the mean."""


def explain(solution: Solution | None) -> Iterator[Block]:
    """The answer, the derivation in letters, for one mean and deviation, and by simulation."""
    root = Apply("sqrt", Entry(WIDTH.name))
    yield Paragraph(
        sentence(
            "Scores are divided by {}, the root of the width of queries and keys, because the variance of a "
            "dot product of {} terms grows with the width. Without the factor the scores of wide "
            "vectors are large, their softmax puts almost all weight on one key, and there its slopes are "
            "almost 0: the gradient vanishes.",
            *(root, WIDTH),
        )
    )
    yield from explain_mean(solution)
    yield from explain_variance(solution)
    yield from explain_factor(solution)


def lines() -> list[Block]:
    """The derivation in letters: a reason and a line in turn."""
    mu, sigma, width = (algebra.letter(name) for name in ("mu", "sigma", WIDTH.name))
    said = zip(REASONS, moments(mu, sigma**2, width).items(), strict=True)
    return [
        block
        for reason, (left, value) in said
        for block in (Paragraph(reason), Equations((equal(left, *BETWEEN.get(left, ()), exact_term(value)),)))
    ]


def explain_mean(solution: Solution | None) -> Iterator[Block]:  # noqa: ARG001  the same for every problem
    """What q, k and their dot product are, and its mean."""
    yield Paragraph(
        sentence(
            "Let {} and {} be independent vectors of {} independent components with mean {} and standard "
            "deviation {}. Their dot product is the sum of the {} products {}.",
            *map(Name, ("q", "k")),
            WIDTH,
            *map(Name, ("mu", "sigma")),
            WIDTH,
            Name("q_i") @ Name("k_i"),
        )
    )
    yield from lines()[: 2 * OF_MEAN]


def explain_variance(solution: Solution | None) -> Iterator[Block]:
    """The variance in letters, and both for one mean and deviation."""
    yield from lines()[2 * OF_MEAN :]
    mean, deviation = find_distribution(solution)
    special = moments(mean, deviation * deviation, algebra.letter(WIDTH.name))
    yield Paragraph(sentence("For {} and {}:", equals("mu", mean), equals("sigma", deviation)))
    yield Equations(tuple(equation(name, special[name]) for name in (MEAN, VARIANCE)))


def explain_factor(solution: Solution | None) -> Iterator[Block]:
    """The factor that brings the variance to 1, and a simulation."""
    mean, deviation = find_distribution(solution)
    special = moments(mean, deviation * deviation, algebra.letter(WIDTH.name))
    yield from find_factor(special[MEAN], special[VARIANCE])
    size = solution.graph.sizes.get("d_k", USUAL_WIDTH) if solution else USUAL_WIDTH
    if not mean.free_symbols | deviation.free_symbols and max(abs(mean), deviation) < LARGEST_DRAWN:
        yield from simulate(float(mean), float(deviation), size)


def find_distribution(solution: Solution | None) -> tuple[Real, Real]:
    """The mean and the deviation that a problem defines, else those of the standard normal distribution."""
    mean, deviation = find_number(solution, "mu", 0), find_number(solution, "sigma", 1)
    if not deviation.is_positive:
        raise fault("sigma must be positive")
    return mean, deviation


def find_number(solution: Solution | None, name: str, usual: int) -> Real:
    """The exact value that a problem defines under a name, else the usual number."""
    term = solution.problem.let.get(name) if solution else None
    if not isinstance(term, Term) or solution is None:
        return algebra.integer(usual)
    return algebra.to_sympy(number_of(term, find_field("exact", solution.problem.symbols)))


def find_factor(mean: Real, variance: Real) -> Iterator[Block]:
    """The factor that brings the variance to 1."""
    s = algebra.letter("s")
    yield Paragraph("Dividing by s divides the mean by s, and the variance by the square of s:")
    root = algebra.positive_root(variance / s**2 - 1, s)
    yield Equations(
        (
            equation(mean_of(DOT / Name("s")), mean / s),
            equation(variance_of(DOT / Name("s")), variance / s**2),
        )
    )
    always = "The mean is 0 whatever s is. For" if mean == 0 else "For"
    yield Paragraph(f"{always} a variance of 1, with s positive:")
    yield Equations((equal(exact_term(variance / s**2), ONE), equation("s", root)))


def equals(name: str, value: Real) -> Equal:
    """μ = value, in a sentence."""
    return Equal(Name(name), exact_term(value))


def equation(left: str | Maths, value: Real) -> Equation:
    """left = value"""
    return equal(left, exact_term(value))


def simulate(mean: float, deviation: float, width: int) -> Iterator[Block]:
    """Mean and variance before and after scaling, from a simulation."""
    q, k = np.random.default_rng(SEED).normal(mean, deviation, (2, DRAWS, width))
    scores = (q * k).sum(axis=1)
    law = moments(mean, deviation**2, width)
    after = (scores / np.sqrt(float(law[VARIANCE]))).var()
    yield Paragraph(
        sentence(
            f"By simulation, {DRAWS:,} draws with {{}}: mean {scores.mean():.3f} (the law says "
            f"{float(law[MEAN]):g}), variance {scores.var():.3f} ({float(law[VARIANCE]):g}), "
            f"and {after:.3f} after dividing by s.",
            Equal(WIDTH, Constant(width)),
        )
    )


topic = Topic(
    "Why scores are divided by the root of d_k",
    explain,
    answer=sentence(
        "{} brings the variance of the scores back to 1, whatever the width; without it the softmax of wide "
        "vectors saturates and its gradient vanishes.",
        Apply("sqrt", Entry(WIDTH.name)),
    ),
    sections={
        "mean": Topic(
            "The mean of a dot product",
            explain_mean,
            answer=(Equal(MEAN, WIDTH @ Raised(Name("mu"), 2)), "."),
        ),
        "variance": Topic(
            "The variance of a dot product",
            explain_variance,
            answer=sentence(
                "{} for {} and {}.",
                Equal(VARIANCE, WIDTH),
                Equal(Name("mu"), ZERO),
                Equal(Name("sigma"), ONE),
            ),
        ),
        "factor": Topic(
            "The factor that brings the variance to 1",
            explain_factor,
            answer=(Equal(Name("s"), Apply("sqrt", Entry(WIDTH.name))), "."),
        ),
    },
)
