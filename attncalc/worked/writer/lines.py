"""Worked lines: the rule of an entry in names, then in numbers, then its value."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from attncalc.core.fields import Array, Real
from attncalc.core.notations.unicode import Ascii, Notation, write
from attncalc.core.readings.value import evaluate
from attncalc.core.record import record, replace
from attncalc.core.terms import (
    ONE,
    ONLY,
    Apply,
    Constant,
    Entry,
    Greatest,
    Index,
    Sum,
    Term,
    Total,
    Valued,
    count_leaves,
    letters_of,
    map_members,
    members,
    varies,
)
from attncalc.core.terms.formulas import Beside, Maths, Name, Place, Plus, Stacked, Words
from attncalc.core.terms.functions import FUNCTIONS
from attncalc.core.terms.renaming import rewrite_names
from attncalc.exercise.solve.selection import At, integers
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.worked.blocks import Equation, Relation
from attncalc.worked.grids import is_literal
from attncalc.worked.rounding import Rounding, count_characters
from attncalc.worked.writer.matrices import Matrices

Sides: TypeAlias = list[tuple[Relation, Term]]

INDENT = "  "
LONGEST_SIDE = 72
LONGEST_WORKED = 200
FEW_LEAVES = 8
"""A rule with at most this number of entries fits into a line, so it is not measured."""
LARGEST_VECTOR, LONGEST_SUM = 6, 100
"""The most entries of a vector in a sum of vectors, and the longest such sum."""


@record
class WrittenLine:
    """A worked line, and the text of each side: it was written to be measured."""

    equation: Equation
    texts: tuple[str, ...]


class Lines(Matrices):
    """Writes worked lines for the entries of one solution."""

    has_rounded = False
    """Whether rounded numbers stand in a line."""

    def __init__(self, solution: Solution, rounding: Rounding) -> None:
        super().__init__(solution, rounding)
        self.left_out: set[tuple[str, At]] = set()
        """The cells whose exact forms are not in their lines."""

    # One worked line

    def line(self, step: SolvedStep, at: At) -> Equation:
        """A cell's worked line, as full as it fits: names, then numbers, then the result."""
        return self.write_line(step, at).equation

    def write_line(self, step: SolvedStep, at: At) -> WrittenLine:
        """A cell's worked line, with its text."""
        return fit(self.cell_name(step, at), self.versions(step, at))

    def versions(self, step: SolvedStep, at: At) -> Iterator[Sides]:
        """Yield the sides of a cell's line, shorter each time: sums not written out, then no rule."""
        if self.can_be_written_out(step, at):
            whole = self.cell(step, at)
            if is_short(whole):
                yield self.sides(whole, whole, step, at)
            yield self.sides(self.cell(step, at, expand=False), whole, step, at)
        short = self.cell(step, at, expand=False)
        yield self.sides(short, short, step, at)
        yield self.sides(short, None, step, at)
        yield self.sides(None, None, step, at)
        yield [self.ending(step, at)]

    def row_line(self, step: SolvedStep, row: int) -> Equation | None:
        """Return a row of the output as a sum of weights times value vectors; None if that is too long."""
        weights, values = (self.solution.trace.values[name] for name in step.inputs)
        if max(values.shape) > LARGEST_VECTOR:
            return None
        shares, vectors = self.numbers(weights[row]), [self.numbers(value) for value in values]
        total = self.numbers(step.numbers[row])
        if shares is None or total is None or None in vectors:
            return None
        v = self.symbol(step.inputs[1])
        shown = [Stacked(vector, round=True) for vector in vectors if vector]
        weight = step.inputs[0]
        query: tuple[Index, ...] = (row,) if len(step.numbers) > 1 else (ONLY,)
        pairs = [
            (self.rename_entry(Entry(weight, (*query, j))), Entry(v.lower(), (j,))) for j in range(len(shown))
        ]
        named = Plus(tuple(Beside(pair, dotted=True) for pair in pairs))
        numbers = Plus(tuple(Beside(pair, dotted=True) for pair in zip(shares, shown, strict=True)))
        if len(write(numbers, Ascii())) > LONGEST_SUM:
            return None
        is_exact = self.are_exact(weights[row], shares) and all(
            self.are_exact(value, vector) for value, vector in zip(values, vectors, strict=True) if vector
        )
        sides: list[tuple[Relation, Maths]] = [
            ("=", named),
            ("=" if is_exact else "≈", numbers),
            ("=" if self.are_exact(step.numbers[row], total) else "≈", Stacked(total, round=True)),
        ]
        return Equation(self.row_name(step, (row,)), tuple(sides))

    def vector_line(self, step: SolvedStep, row: At) -> Equation | None:
        """Return a row as a vector, q₁ = (2, 3, −5); None if a number of it is too long."""
        found = self.numbers(step.numbers[row])
        if found is None:
            return None
        relation: Relation = "=" if self.are_exact(step.numbers[row], found) else "≈"
        return Equation(self.row_name(step, row), ((relation, Stacked(found, round=True)),))

    def row_name(self, step: SolvedStep, row: At) -> Maths:
        """Return the name of a row as a vector: q₁, or c if there is only one."""
        if step.shape[:-1] == (1,):
            return Name(step.symbol.lower() if self.is_in_columns else step.symbol)
        if self.is_in_columns and len(row) == 1:
            return Entry(step.symbol.lower(), row)
        return Place(step.symbol, tuple(n + 1 for n in row), whole=False)

    def projection_line(self, step: SolvedStep, row: int) -> Equation | None:
        """Return a projected vector: q₁ = W_Qᵀ x₁ = (2, 3, −5)."""
        ending = self.vector_line(step, (row,))
        op = self.solution.trace.ops[step.name]
        formula = op.formula(*(Name(self.symbol(name)) for name in step.step.inputs))
        if ending is None or formula is None or step.shape[-1] > LARGEST_VECTOR:
            return None
        index: Index = row if len(step.numbers) > 1 else ONLY
        below = f"_{step.step.kind.letter_pair[0]}"

        def put(name: Any) -> Maths:
            is_row = isinstance(name, Name) and name.name.endswith(below)
            return Entry(name.name.removesuffix(below), (index,)) if is_row else name

        return Equation(ending.left, (("=", rewrite_names(formula, put)), *ending.sides))

    def limit_lines(self, step: SolvedStep, row: At) -> list[Equation]:
        """Return how the weights of one query are found in the limit; empty if that is not so simple."""
        numbers, field = self.solution.trace.values, self.solution.trace.field
        scores, *others = step.step.inputs
        keys = range(step.shape[-1])
        winners = [j for j in keys if step.numbers[(*row, j)] != 0]
        if others or not winners or any(isinstance(x, float) for x in numbers[scores][row]):
            return []

        def behind(j: int) -> Term:
            return Entry(scores, (*row, winners[0])) - Entry(scores, (*row, j))

        gaps = {j: evaluate(behind(j), numbers, field)[()] for j in keys}
        shown = {j: self.shown.exact(gap, LONGEST_SIDE) for j, gap in gaps.items()}
        limits = {j: evaluate(Apply("lim", behind(j)), numbers, field)[()] for j in keys if j not in winners}
        is_simple = all(gaps[j] == 0 for j in winners) and all(x == float("inf") for x in limits.values())
        if not is_simple or None in shown.values():
            return []
        query: tuple[Index, ...] = row if step.step.axes[0] is not ONLY else (*row[:-1], ONLY)
        bare = replace(step.step.label, limit=False).to_course_name(self.solution.problem.names)

        def score(j: int) -> Term:
            return Entry(self.symbol(scores), (*query, j))

        def tends(j: int) -> list[str | Maths]:
            return [Entry(bare, (*query, j)), " → ", field.term(step.numbers[(*row, j)])]

        found = [
            Equation(score(winners[0]) - score(j), (("=", Words((gap, " → ∞, so ", *tends(j)))),))
            for j, gap in shown.items()
            if j not in winners and gap is not None
        ]
        shares = [part for j in winners for part in (", ", *tends(j))][1:]
        first, *equal = winners
        left = score(first) if equal else Sum(tuple(Entry(bare, (*query, j)) for j in keys))
        last = score(equal.pop()) if equal else ONE
        sides: list[tuple[Relation, Maths]] = [("=", score(j)) for j in equal]
        return [*found, Equation(left, (*sides, ("=", Words((last, ", so ", *shares)))))]

    def numbers(self, row: Array) -> tuple[Term, ...] | None:
        """Return numbers as terms for a line; None if one of them is too long."""
        terms = [self.shown.round_entry(x) for x in row]
        return tuple(term for term in terms if term is not None) if None not in terms else None

    def are_exact(self, row: Array, shown: tuple[Term, ...]) -> bool:
        """Whether the terms shown equal the numbers exactly."""
        return all(self.shown.is_exact(x, term) for x, term in zip(row, shown, strict=True))

    def rule(self, step: SolvedStep, at: At) -> Term:
        """Return the rule of a cell, with its sums written out unless that is too long."""
        if self.can_be_written_out(step, at) and is_short(written := self.cell(step, at)):
            return written
        return self.cell(step, at, expand=False)

    def can_be_written_out(self, step: SolvedStep, at: At) -> bool:
        """Whether the rule of a cell has few enough entries to be written without Σ."""
        return count_leaves(step.piece(at).rule) <= LONGEST_WORKED

    def sides(self, named: Term | None, worked: Term | None, step: SolvedStep, at: At) -> Sides:
        """Return the sides of a line: the rule in names and in numbers, if given, and its value."""
        exact, ending = self.shown.exact(step.numbers[at], LONGEST_SIDE), self.ending(step, at)
        names: Sides = [("=", self.rename_term(named))] if named is not None else []
        written: Sides = [("=", exact)] if exact is not None else []
        endings = [ending]
        if written and ending[0] == "=" and not self.shown.rounding.is_asked:
            # A fraction is not written twice.
            endings = []
        in_full, values = self.working(worked, at) if worked is not None else ([], [])
        # A plain number comes after its working; an exact form that decimals do not need stands below.
        if is_literal(exact) or all(relation == "=" for relation, _ in (*in_full, *values)):
            return [*names, *in_full, *values, *written, *endings]
        if in_full and in_full[0][0] == "=":
            return [*names, *in_full, *written, *values, *endings]
        if in_full and exact is not None:
            self.left_out.add((step.name, at))
            return [*names, *in_full, *values, *endings]
        return [*names, *written, *in_full, *values, *endings]

    def working(self, rule: Term, at: At) -> tuple[Sides, Sides]:
        """Return a rule with numbers in place of names, then with functions such as exp evaluated."""
        numbers = self.with_numbers(rule, at, self.shown.entry)
        in_full: Sides = []
        if numbers is not None:
            in_full = [("=", numbers), ("=", self.evaluate_limits(numbers))]
        elif (rounded := self.with_numbers(rule, at, self.shown.round_entry)) is not None:
            in_full = [("≈", rounded)]
            self.has_rounded = True
        if not in_full or not any(takes_looked_up(part) and varies(part) for part in members(rule)):
            return in_full, []
        exact = self.with_numbers(rule, at, self.shown.entry, is_looked_up)
        if numbers is not None and exact is not None and not takes_looked_up(exact):
            return in_full, [("=", exact)]
        rounded = self.with_numbers(rule, at, self.shown.round_entry, is_looked_up)
        return in_full, [("≈", rounded)] if rounded is not None else []

    def ending(self, step: SolvedStep, at: At) -> tuple[Relation, Term]:
        """Return the last side of a line: the value as a decimal."""
        decimal = self.shown.decimal(step.numbers[at])
        is_exact = self.shown.is_exact(step.numbers[at], decimal) and self.certainty.holds(step.name, at)
        return "=" if is_exact else "≈", decimal

    def with_numbers(
        self,
        rule: Term,
        at: At,
        shown: Callable[[Real], Term | None],
        is_valued: Callable[[Apply], bool] = lambda _: False,
    ) -> Term | None:
        """A rule with numbers in place of its names; None if one of them cannot be shown so.

        Sums that are not written out, and functions for which `is_valued` holds, become their values.
        """
        missing = False

        def put(term: Term) -> Term:
            nonlocal missing
            if isinstance(term, Greatest | Total) or (isinstance(term, Apply) and is_valued(term)):
                found = shown(evaluate(term, self.solution.trace.values, self.shown.field)[()])
                missing = missing or found is None
                return found or term
            if not isinstance(term, Entry):
                return map_members(term, put)
            if letters_of(term) or term.of not in self.solution.trace.values:
                return self.rename_term(term)
            is_certain = shown != self.shown.entry or self.certainty.holds(term.of, self.place(term, at))
            number = shown(self.entry_value(term, at)) if is_certain else None
            missing = missing or number is None
            return Valued(self.rename_entry(term), number) if number else term

        written = put(rule)
        return None if missing else written

    def evaluate_limits(self, term: Term) -> Term:
        """Return a term of numbers with its limits evaluated."""
        if isinstance(term, Apply) and term.function == "lim":
            return self.shown.field.term(evaluate(term, {}, self.shown.field)[()])
        return map_members(term, self.evaluate_limits)

    def cell(self, step: SolvedStep, at: At, expand: bool = True) -> Term:
        """Return the rule of a cell with batch indices, as it applies to these numbers."""
        term = self.in_batch(step.cell(at, expand), at)
        return self.as_taken(term) if has_unwritten(step.piece(at).rule) else term

    def as_taken(self, term: Term) -> Term:
        """Return a term with 0 for the −∞ of a hidden key, and 1 for a total of 0."""
        if not isinstance(term, Apply) or FUNCTIONS[term.function].is_written or letters_of(term):
            return map_members(term, self.as_taken)
        values, field = self.solution.trace.values, self.shown.field
        before, after = (evaluate(part, values, field)[()] for part in (term.term, term))
        return term if before == after else Constant(int(after))

    def in_batch(self, term: Term, at: At) -> Term:
        """Return a term with the batch of a cell in front of its indices, if its matrices have one."""
        if len(at) == 2:
            return term
        if not isinstance(term, Entry):
            return map_members(term, lambda member: self.in_batch(member, at))
        lead = len(self.solution.graph.shapes.get(term.of, ())) - len(term.at) if term.at else 0
        return Entry(term.of, at[len(at) - 2 - lead : len(at) - 2] + term.at) if lead else term

    def entry_value(self, entry: Entry, at: At) -> Real:
        """Return the value of an entry in the batch of the cell."""
        return self.solution.trace.values[entry.of][self.place(entry, at)]

    def place(self, entry: Entry, at: At) -> At:
        """Return the indices of an entry in the batch of the cell."""
        lead = self.solution.trace.values[entry.of].ndim - len(entry.at)
        return at[len(at) - 2 - lead : len(at) - 2] + integers(entry)

    def cell_name(self, step: SolvedStep, at: At) -> Term:
        """Return the left side of a cell's line; the single row or column of a vector has no index."""
        pairs = zip(at[-2:], step.step.axes, strict=True)
        place = (index if axis.letter else ONLY for index, axis in pairs)
        return self.rename_term(Entry(step.name, (*at[:-2], *place)))


def is_looked_up(term: Apply) -> bool:
    """Whether a term is a function of entries that needs a table or a calculator."""
    return FUNCTIONS[term.function].is_looked_up and varies(term)


def takes_looked_up(term: Term) -> bool:
    """Whether a function that needs a table or a calculator is part of a term."""
    is_one = isinstance(term, Apply) and FUNCTIONS[term.function].is_looked_up
    return is_one or any(map(takes_looked_up, members(term)))


def has_unwritten(term: Term) -> bool:
    """Whether a term has a function that is applied but never written."""
    is_one = isinstance(term, Apply) and not FUNCTIONS[term.function].is_written
    return is_one or any(map(has_unwritten, members(term)))


def is_short(rule: Term) -> bool:
    """Whether a rule in names fits on a line."""
    return count_leaves(rule) <= FEW_LEAVES or count_characters(rule) <= LONGEST_WORKED


def fit(left: Term, versions: Iterable[Sides]) -> WrittenLine:
    """The first version of an equation that fits on a line, else the last."""
    notation = Notation()
    room = LONGEST_WORKED - len(INDENT) - len(write(left, notation))
    found = WrittenLine(Equation(left, ()), ())
    for sides in versions:
        found = without_repeats(left, sides, notation)
        if sum(len(text) + len(" = ") for text in found.texts) <= room:
            break
    return found


def without_repeats(left: Term, sides: Sides, notation: Notation) -> WrittenLine:
    """An equation, none of whose sides reads like the one before it."""
    texts = [write(term, notation) for _, term in sides]
    kept = [n for n, text in enumerate(texts) if n == 0 or text != texts[n - 1]]
    return WrittenLine(Equation(left, tuple(sides[n] for n in kept)), tuple(texts[n] for n in kept))
