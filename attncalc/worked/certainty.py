"""Which floats are exact: e^(−1229) is not 0, though its float is, and 1 + e^(−800) is not 1."""

from __future__ import annotations

from math import isinf, prod

from attncalc.core.readings.value import evaluate
from attncalc.core.terms import Apply, Entry, Greatest, Product, Quotient, Term, Total, members
from attncalc.exercise.solve.selection import At, integers
from attncalc.exercise.solve.solution import Solution

PLAIN = ("relu", "sqrt")
"""Functions whose value is what it looks like."""
MOST_ENTRIES = 2000
"""The entries of a solution up to which each of them is looked at; of more, or in batches, steps are."""


class Certainty:
    """Tells whether an entry may be called equal to what a float shows; exact numbers always may."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.is_exact = solution.trace.field.name == "exact"
        self.is_small = sum(prod(step.shape) for step in solution.steps) <= MOST_ENTRIES
        self.known: dict[tuple[str, At], bool] = {}
        self.plain: dict[str, bool] = {}

    def holds(self, name: str, at: At) -> bool:
        """Whether an entry equals its float, up to digits that are not shown."""
        if self.is_exact or self.is_plain(name):
            return True
        if not self.is_small or len(at) > 2:
            return False
        if (name, at) not in self.known:
            self.known[name, at] = self.is_certain(self.solution[name].cell(at), at)
        return self.known[name, at]

    def is_plain(self, name: str) -> bool:
        """Whether nothing that a step goes back to is too small or too close to its limit for a float."""
        if name not in self.solution:
            return True
        if name not in self.plain:
            step = self.solution[name]
            rules = all(is_plain_term(piece.rule) for piece in step.pieces)
            self.plain[name] = rules and all(map(self.is_plain, step.inputs))
        return self.plain[name]

    def is_certain(self, term: Term, at: At) -> bool:
        """Whether a term equals its float."""
        match term:
            case Entry(of, place):
                return not place or of not in self.solution or self.holds(of, (*at[:-2], *integers(term)))
            case Apply(function, inner) if function not in PLAIN:
                value = float(evaluate(inner, self.solution.trace.values, self.solution.trace.field)[()])
                return isinf(value) or value == 0
            case Total() | Greatest():
                return False
            case Product() | Quotient() if self.is_nothing(term, at):
                return True
        return all(self.is_certain(part, at) for part in members(term))

    def is_nothing(self, term: Product | Quotient, at: At) -> bool:
        """Whether a product or a quotient is 0 for certain, whatever else is in it."""
        first = term.factors[0] if isinstance(term, Product) else term.over
        value = evaluate(first, self.solution.trace.values, self.solution.trace.field)[()]
        return float(value) == 0 and self.is_certain(first, at)


def is_plain_term(term: Term) -> bool:
    """Whether no function in a term can come too close to a limit."""
    if isinstance(term, Apply) and term.function not in PLAIN:
        return False
    return all(map(is_plain_term, members(term)))
