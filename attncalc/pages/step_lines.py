"""A step of a report as a few lines of text, as graders show them."""

from __future__ import annotations

from attncalc.marking.report.report import StepReport
from attncalc.marking.report.words import reasons, verdict_text
from attncalc.pages.numbers import results_line
from attncalc.worked.prose import to_words


def explain_step(step: StepReport) -> str:
    """A step's verdict, its reasons and the correct values, if the report has them."""
    right = [f"The right values: {results_line(step.expected)}"] if step.expected else []
    return "\n".join([*map(to_words, (verdict_text(step), *reasons(step))), *right])
