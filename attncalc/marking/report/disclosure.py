"""What a level of feedback tells of a report: the same report with less in it, for every format alike."""

from __future__ import annotations

from collections.abc import Callable

from attncalc.core.record import replace
from attncalc.exercise.solve.solution import Solution
from attncalc.marking.report.levels import Level
from attncalc.marking.report.report import FirstWrong, Report

ADDED: dict[Level, dict[str, object]] = {
    Level.CELLS: {"wrong_cells": (), "judged": None},
    Level.MISTAKE: {"diagnoses": (), "remarks": (), "rounding": "", "reached": "", "mistaken": None},
    Level.FULL: {"carried": None},
}
"""What each level adds to a step, as it is where nothing is told."""


def tell(report: Report, level: Level, solve: Callable[[], Solution]) -> Report:
    """A report as far as a level tells it, with the right values where it tells these."""
    found = disclose(report, level)
    return with_right_values(found, solve()) if found.steps and level.tells(Level.FULL) else found


def disclose(report: Report, level: Level) -> Report:
    """A report as far as a level tells it; the right values are not part of it yet."""
    if not level.tells(Level.STEP):
        return replace(report, steps=(), first_wrong=None)
    first = report.first_wrong
    if first and not level.tells(Level.CELLS):
        first = FirstWrong(first.step, ())
    hidden = {
        name: nothing
        for added, fields in ADDED.items()
        if not level.tells(added)
        for name, nothing in fields.items()
    }
    return replace(report, steps=tuple(replace(step, **hidden) for step in report.steps), first_wrong=first)


def with_right_values(report: Report, solution: Solution) -> Report:
    """The report with the right values of all steps that are not right as they stand; a design has none."""
    if solution.problem.design:
        return report
    steps = (
        step if step.verdict.is_right else replace(step, right=solution[step.step]) for step in report.steps
    )
    return replace(report, steps=tuple(steps))
