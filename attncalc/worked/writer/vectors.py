"""Matrices as combinations of the vectors that a problem names."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.fields import Array
from attncalc.core.terms import Entry, Term
from attncalc.core.terms.formulas import Name
from attncalc.exercise.solve.selection import At
from attncalc.exercise.solve.solution import SolvedStep
from attncalc.worked.blocks import Block, Equation, Equations
from attncalc.worked.writer.lines import Lines


class Vectors(Lines):
    """Writes exact rows and matrices in terms of named vectors."""

    @property
    def has_names(self) -> bool:
        """Whether the problem names vectors and its numbers are exact."""
        return bool(self.solution.problem.let) and self.shown.field.name == "exact"

    def in_named_vectors(self, name: str, cells: set[At] | None = None) -> Iterator[Block]:
        """The rows of a matrix in terms of the vectors that the problem names: O₂ = u_a, or o₂ in columns."""
        kind = self.solution.graph.kinds.get(name)
        is_of_vectors = kind is not None and kind.letter_pair[1] != "j"
        said = self.in_names(self.solution.trace.values[name]) if is_of_vectors else {}
        rows = {at: term for at, term in said.items() if cells is None or (*at, 0) in cells}
        symbol = self.symbol(name).lower() if self.is_in_columns else self.symbol(name)
        lines = (Equation(Entry(symbol, at), (("=", term),)) for at, term in rows.items())
        if rows:
            yield Equations(tuple(lines))

    def vector_line(self, step: SolvedStep, row: At) -> Equation | None:
        """A row in terms of the vectors that the problem names, else in numbers."""
        numbers = step.numbers[row]
        said = self.in_names(numbers[None]).get((0,))
        return Equation(self.row_name(step, row), (("=", said),)) if said else super().vector_line(step, row)

    def in_one_row(self, name: str) -> Iterator[Block]:
        """A matrix of one row in terms of the vectors that the problem names: q = u_a."""
        rows = self.solution.trace.values[name]
        said = self.in_names(rows).get((0,)) if rows.shape[:-1] == (1,) else None
        if said is not None:
            yield Equations((Equation(Name(self.symbol(name)), (("=", said),)),))

    def in_names(self, rows: Array) -> dict[At, Term]:
        """Return the rows of a matrix in terms of the vectors that the problem names, by their indices."""
        if not self.has_names:
            return {}
        from attncalc.worked.writer.naming import name_rows

        return name_rows(self.solution, rows)

    def in_outer_products(self, name: str) -> Iterator[Block]:
        """A square matrix in terms of the vectors that the problem names: W = u_a u_bᵀ."""
        if not self.has_names:
            return
        from attncalc.worked.writer.naming import as_outer_products

        found = as_outer_products(self.solution, self.solution.trace.values[name])
        if found is not None:
            yield Equations((Equation(Name(self.symbol(name)), (("=", found),)),))
