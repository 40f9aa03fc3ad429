"""The main path of marking: read, follow, excuse rounding, explain, score, report."""

from __future__ import annotations

import numpy as np

from attncalc.core.record import replace
from attncalc.exercise.yaml.tree import Mapped
from attncalc.marking.answers.answer import gather
from attncalc.marking.answers.files import Answers
from attncalc.marking.follow.walk import follow
from attncalc.marking.limits import TookTooLong
from attncalc.marking.prepared import Prepared
from attncalc.marking.report.points import credit_as_judged, find_credits
from attncalc.marking.report.report import Report
from attncalc.marking.report.steps import report_steps, to_report
from attncalc.marking.verdicts import OverallVerdict, StepVerdict
from attncalc.marking.why.explain import explain, without_time
from attncalc.marking.why.paths import find_path


def mark(prepared: Prepared, answers: Answers) -> Report:
    """Mark answers: the main path."""
    # A hidden key is −∞ on both sides: −∞ − −∞ needs no warning.
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        answered = gather(answers.entries, prepared.graph.steps, prepared.yardstick)
        plain = follow(prepared.truth, answered, prepared.excuse)
        try:
            walk, matches = find_path(prepared.doctor, answered, plain, prepared.excuse)
            explained = explain(prepared, walk, matches)
            credits = find_credits(prepared, answered, walk, explained)
            steps = report_steps(prepared, answered, walk, explained, credits)
        except TookTooLong:
            explained = without_time(plain)
            credits = credit_as_judged(prepared, plain, explained)
            steps = report_steps(prepared, answered, plain, explained, credits)
    return to_report(prepared, answers, answered, steps)


def mark_as_best_read(prepared: Prepared, root: Mapped, name: str) -> Report:
    """Mark answers, read as they fit best: tokens may be columns, and a step may stand for its limit."""
    read = prepared.reader.read
    report = mark(prepared, read(root, name))
    if limits := find_limits(prepared, report):
        report = max(report, mark(prepared, read(root, name, limits=limits)), key=count_correct)
    if not prepared.reader.columns or (report.verdict is OverallVerdict.CORRECT and not report.is_flawed):
        return report
    return max(report, mark(prepared, read(root, name, turned=True)), key=count_passed)


def find_limits(prepared: Prepared, report: Report) -> dict[str, str]:
    """The limits, not answered themselves, of the answered steps that are not correct."""
    answered = {step.step: step for step in report.steps if step.verdict is not StepVerdict.BLANK}
    others = (name for name, step in answered.items() if step.verdict is not StepVerdict.CORRECT)
    limits = {name: replace(prepared.graph.labels[name], limit=True).name for name in others}
    unanswered = prepared.graph.shapes.keys() - answered.keys()
    return {name: limit for name, limit in limits.items() if limit in unanswered}


def count_correct(report: Report) -> tuple[int, int, int]:
    """The number of wrong steps, as a negative number, of correct ones, and of asked ones answered."""
    steps = report.steps
    correct = sum(step.verdict is StepVerdict.CORRECT for step in steps)
    asked = sum(step.max_score > 0 and step.verdict is not StepVerdict.BLANK for step in steps)
    return -sum(step.is_bad for step in steps), correct, asked


def count_passed(report: Report) -> tuple[int, int]:
    """The number of steps with nothing wrong, and of those among them that have enough digits to tell."""
    steps = report.steps
    return sum(not step.is_bad for step in steps), sum(step.verdict.passes for step in steps)
