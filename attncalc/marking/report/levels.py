"""How much of a report is shown, at each level of feedback, and in what order reports are."""

from __future__ import annotations

from collections.abc import Callable

from attncalc.core.record import replace
from attncalc.exercise.solve.solution import Solution
from attncalc.marking.report.report import FirstWrong, Report
from attncalc.marking.report.words import headline
from attncalc.marking.verdicts import Word


class Level(Word):
    """A level of feedback; it includes all levels before it."""

    VERDICT = "verdict"
    """The verdict and the points."""
    STEP = "step"
    """The verdicts and points of the steps."""
    CELLS = "cells"
    """Which cells are wrong."""
    MISTAKE = "mistake"
    """Why: mistakes and remarks."""
    FULL = "full"
    """The correct values."""

    def includes(self, other: Level) -> bool:
        """Whether this level includes another."""
        return LEVELS.index(self) >= LEVELS.index(other)


LEVELS = tuple(Level)
"""All levels, the first of which shows least."""


class Order(Word):
    """The order of a class."""

    FILE = "file"
    """By the names of files."""
    STUDENT = "student"
    POINTS = "points"
    """The fewest first."""
    STEP = "step"
    """The earliest wrong one first."""
    MISTAKE = "mistake"


ADDED: dict[Level, dict[str, object]] = {
    Level.CELLS: {"wrong_cells": (), "judged": None},
    Level.MISTAKE: {
        "diagnoses": (),
        "remarks": (),
        "rounding": "",
        "reached": "",
        "mistaken": None,
    },
    Level.FULL: {"carried": None},
}
"""The fields that each level adds to a step, with their empty values."""


def show(report: Report, level: Level, solve: Callable[[], Solution]) -> Report:
    """A report reduced to a level, with the correct values if the level includes them."""
    found = disclose(report, level)
    return with_correct_values(found, solve()) if found.steps and level.includes(Level.FULL) else found


def disclose(report: Report, level: Level) -> Report:
    """A report reduced to a level, without the correct values."""
    if not level.includes(Level.STEP):
        return replace(report, steps=(), first_wrong=None, words=headline(report))
    first = report.first_wrong
    if first and not level.includes(Level.CELLS):
        first = FirstWrong(first.step, ())
    hidden = {
        name: nothing
        for added, fields in ADDED.items()
        if not level.includes(added)
        for name, nothing in fields.items()
    }
    return replace(report, steps=tuple(replace(step, **hidden) for step in report.steps), first_wrong=first)


def with_correct_values(report: Report, solution: Solution) -> Report:
    """The report with the correct values of all steps that are not right; a design has none."""
    if solution.problem.design:
        return report
    steps = (
        step if step.verdict.is_right else replace(step, expected=solution[step.step])
        for step in report.steps
    )
    return replace(report, steps=tuple(steps))
