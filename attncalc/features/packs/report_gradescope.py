"""A report as the results.json of a Gradescope autograder.

`mark_submission` is what the autograder calls.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice

from attncalc.core.errors import inert
from attncalc.exercise.load import load
from attncalc.exercise.problem import Problem
from attncalc.features.classes.mark_class import check_many
from attncalc.features.classes.variants import find_variants
from attncalc.marking.answers.files import MAIN, ending_of, is_answers, no_answers
from attncalc.marking.checker import Checker
from attncalc.marking.report.levels import Level, show
from attncalc.marking.report.report import Report, Reports, StepReport, unread
from attncalc.marking.report.words import headline, reasons, say_credit, verdict_text
from attncalc.pages import Page
from attncalc.pages.data import json
from attncalc.pages.step_results import results_line
from attncalc.worked.prose import to_words

SINGLE = True
ENDING = "json"
MOST_FILES = 10_000
"""The most files of a submission that are examined."""
MOST_NAMED_FILES = 5


def render(reports: Reports, page: Page) -> str:
    """The result of one submission."""
    (report,) = reports
    return json.render(result(report), page)


def result(report: Report) -> dict[str, object]:
    """One submission."""
    return {
        "score": report.score,
        "output": "\n".join([headline(report), *report.errors]),
        "output_format": "text",
        "extra_data": {
            "answers": report.answers,
            "student": report.student,
            "mistakes": report.mistakes,
        },
        "tests": [*map(test, report.steps), *untold(report)],
    }


def untold(report: Report) -> Iterator[dict[str, object]]:
    """The points without a step, so that the maximum is the same for all submissions."""
    if not report.steps:
        yield {"name": "all", "score": report.score, "max_score": report.max_score}
    elif report.unanswered > 0:
        yield {"name": "not answered", "score": 0.0, "max_score": report.unanswered}


def test(step: StepReport) -> dict[str, object]:
    """One step."""
    return {
        "name": step.symbol,
        "score": step.score,
        "max_score": step.max_score,
        "status": "passed" if step.verdict.passes and step.score >= step.max_score else "failed",
        "output": explain_step(step),
        "output_format": "text",
    }


def explain_step(step: StepReport) -> str:
    """A step's verdict, its reasons and the correct values, if the report has them."""
    right = [f"The right values: {results_line(step.expected)}"] if step.expected else []
    said = (verdict_text(step), *reasons(step), *([say_credit(step)] if step.credit else []))
    return "\n".join([*map(to_words, said), *right])


def mark_submission(root: str, problem: str, level: str) -> None:
    """Mark a submission in Gradescope's folder layout, against a problem or a folder of variants."""
    path = os.path.join(root, "source", problem)
    is_class = os.path.isdir(path)
    first = load(next(iter(find_variants(path).values())) if is_class else path)
    report = mark(os.path.join(root, "submission"), first, path if is_class else None)
    told = show(report, Level(level), lambda: Checker(load(report.problem)).solution)
    written = render([told], Page())
    results = os.path.join(root, "results")
    os.makedirs(results, exist_ok=True)
    with open(os.path.join(results, "results.json"), "w", encoding="utf-8") as file:
        file.write(written)


def mark(folder: str, problem: Problem, variants: str | None) -> Report:
    """The report on the only answers file of a submission, marked in an isolated process."""
    # Reports name files as the student knows them.
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    found = find_answers()
    # Notes and scripts beside the answers are not the answers.
    names = [name for name in found if ending_of(name) in MAIN] or found
    if len(names) == 1:
        (report,) = check_many(problem, names, workers=1, variants=variants)
        return report
    shown = ", ".join(map(inert, sorted(names)[:MOST_NAMED_FILES]))
    many = f"This submission holds several answers files, and one is wanted: {shown}."
    said = many if names else f"This submission {no_answers()}."
    return unread(problem.name, "", Checker(problem).most, [said])


def find_answers() -> list[str]:
    """The answers files below the working directory, without links and hidden files."""
    every = (
        os.path.relpath(os.path.join(folder, name))
        for folder, _, names in os.walk(os.curdir)
        for name in names
        if not is_hidden(folder) and not name.startswith(".")
    )
    ours = (name for name in islice(every, MOST_FILES) if is_answers(name))
    return [name for name in ours if os.path.isfile(name) and not os.path.islink(name)]


def is_hidden(folder: str) -> bool:
    """Whether a folder is hidden, or used by a system."""
    return any(part.startswith((".", "__")) for part in os.path.normpath(folder).split(os.sep) if part != ".")
