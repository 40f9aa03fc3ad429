"""A question with many correct answers: in place of steps, it asks for a design that reaches a goal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncalc.features.designs.goals import GOAL_MISSED, check_graph
from attncalc.features.designs.goals import check_own_design as check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from attncalc.exercise.problem import Part
    from attncalc.exercise.solve.solution import Solution
    from attncalc.exercise.yaml.tree import Mapped
    from attncalc.marking.checker import Checker
    from attncalc.marking.report.report import Report
    from attncalc.worked.blocks import Answer, Block
    from attncalc.worked.worksheet import Sheet
    from attncalc.worked.writer.steps import Writer

__all__ = ["SENTENCES", "answer", "around", "ask", "check", "check_graph", "mark", "show", "to_data"]

SENTENCES = {GOAL_MISSED: "The design does not reach its goal."}

# A problem is read and solved more often than it is shown or marked: import the code for that only then.


def around(writer: Writer, part: Part | None) -> tuple[Iterable[Block], Iterable[Block]]:
    """The design before the steps that depend on it, and the goal after them."""
    from attncalc.features.designs import document

    return document.around(writer, part)


def answer(writer: Writer, part: Part | None) -> Answer | None:
    """The problem's own design as the answer of the part that asks for it."""
    from attncalc.features.designs import document

    return document.answer(writer, part)


def ask(sheet: Sheet, part: Part | None) -> Iterable[Block]:
    """What a worksheet asks for."""
    from attncalc.features.designs import document

    return document.ask(sheet, part)


def show(writer: Writer) -> Iterable[Block]:
    """The problem's own design."""
    from attncalc.features.designs import document

    return document.describe_design(writer)


def to_data(solution: Solution) -> dict[str, object]:
    """The problem's own design, and every goal, for other programs."""
    from attncalc.features.designs import document

    return document.to_data(solution)


def mark(checker: Checker, root: Mapped, name: str, is_key: bool) -> Report:
    """The report on a student's design, and on the other answers."""
    from attncalc.features.designs import report

    return report.mark(checker, root, name, is_key)
