"""A design on a worksheet: what to find, what it must reach, and room for it."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.terms.formulas import Equal, Name
from attncalc.exercise.problem import Part
from attncalc.features.designs.document import is_place, name_goal, say_numbers
from attncalc.features.designs.goals import find_reached
from attncalc.worked.blocks import Block, Displays, Paragraph, Room
from attncalc.worked.worksheet import MOST_LINES, Sheet, blanked, enumerate_names


def ask(sheet: Sheet, part: Part | None) -> Iterator[Block]:
    """What to find, what it must reach, the laws on the way there, and room for it: in its place."""
    if not is_place(part, sheet.solution):
        return
    writer, names = sheet.writer, sheet.solution.problem.design
    found = find_reached(sheet.solution)
    goals = (Equal(name_goal(writer, each), say_numbers(writer, each.wanted)) for each in found)
    if part is None or not part.ask:
        designs = enumerate_names([Name(writer.symbol(name)) for name in names])
        yield Paragraph(("Find ", *designs, " such that ", *enumerate_names(list(goals)), "."))
    yield from sheet.laws_of({each.reference.step for each in found})
    yield Room(MOST_LINES)
    yield Displays(tuple(blanked(writer.display(name, fold=False)) for name in names))
