"""Graders: Mark answers to a problem: where they went wrong, and why."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from attncalc.cli.files_and_streams import complain, load_problem, load_problem_source
from attncalc.cli.options import ProblemName, writes
from attncalc.marking.report.levels import Level, Order
from attncalc.pages import formats_of

if TYPE_CHECKING:
    from attncalc.cli.printer import Printer
    from attncalc.exercise.problem import Problem

ARCHIVES = (".zip", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz")
"""The endings of archives of answers."""


@click.command()
@click.argument("file", type=ProblemName())
@click.argument("answers", nargs=-1, type=click.Path())
@click.option(
    "--feedback", "level", type=click.Choice([*map(str, Level)]), default=str(Level.MISTAKE),
    show_default=True, help="How much a report says; only full shows the correct values.",
)  # fmt: skip
@click.option(
    "--workers", type=click.IntRange(1, 64), help="Processes that mark a class.  [default: by cores]"
)
@click.option(
    "--time-limit", type=click.FloatRange(0.1), default=10.0, show_default=True, metavar="SECONDS",
    help="For each file of a class.",
)  # fmt: skip
@click.option(
    "--each", "folder", metavar="FOLDER", type=click.Path(file_okay=False),
    help="Also write one report per answers file into FOLDER.",
)  # fmt: skip
@click.option(
    "--each-format", type=click.Choice([*formats_of("documents", "reports")]), metavar="FORMAT",
    help="The format of these reports: html, text, markdown or another of -f.  [default: html]",
)  # fmt: skip
@click.option(
    "--roster", metavar="FILE", type=click.Path(dir_okay=False),
    help="The list of the class (.csv with a heading such as Name or ID): joins names, says who is missing.",
)  # fmt: skip
@click.option(
    "--gradebook", type=click.Choice([*formats_of("gradebooks")]),
    help="Write the points as a table that this system imports.",
)  # fmt: skip
@click.option(
    "--sort", "order", type=click.Choice([*map(str, Order)]), default=str(Order.FILE), show_default=True,
    help="The order of a class: by file, student, fewest points, earliest wrong step, or mistake.",
)  # fmt: skip
@click.option(
    "--resume", metavar="FILE", type=click.Path(dir_okay=False),
    help="Save every report to FILE (.jsonl) as it is made, and skip those that it holds.",
)  # fmt: skip
@click.option("--dask", metavar="ADDRESS", help="Mark a class on the dask cluster with this scheduler.")
@click.option("--code", metavar="CODE", help="The code on a sheet of `vary`: FILE is what was varied.")
@writes("documents", "reports")
def command(
    output: Printer,
    file: str,
    answers: tuple[str, ...],
    level: str,
    workers: int | None,
    time_limit: float,
    folder: str | None,
    each_format: str | None,
    roster: str | None,
    gradebook: str | None,
    order: str,
    resume: str | None,
    dask: str | None,
    code: str | None,
) -> None:
    """Mark answers to a problem: where they went wrong, and why.

    ANSWERS are files (YAML, JSON, CSV, spreadsheets, NumPy arrays, notebooks, Python or text), folders, or
    .zip and .tar archives, as Canvas, Moodle, Gradescope and Blackboard export them; without any, the key in
    FILE is checked.
    FILE may be a folder of variants, as `attncalc vary` writes them: each student has their own.
    """
    from attncalc.cli.marking import Marking
    from attncalc.cli.selection import follow_links, refuse_overwriting
    from attncalc.core.errors import fault
    from attncalc.core.families import load_member, names_in
    from attncalc.core.record import replace

    marking: Marking
    if gradebook:
        output = replace(output, format=formats_of("gradebooks")[gradebook])
    has_several = any(os.path.isdir(name) or name.lower().endswith(ARCHIVES) for name in (file, *answers))
    if has_several or len(answers) > 1 or any((folder, resume, roster, gradebook)):
        if code:
            raise fault("--code is for the answers of one student: name one file")
        if "several" not in names_in("sessions"):
            raise fault("this program marks one answers file: what marks a class is not installed")
        marking = load_member("sessions", "several").start(
            file, answers, output, Level(level), time_limit, Order(order), workers, dask, resume, folder,
            each_format, roster,
        )  # fmt: skip
    else:
        refuse_overwriting([file, *answers], [output.file], None)
        problem = load_problem(file) if code is None else remake(file, code)
        marking = Marking(file, problem, [*map(follow_links, answers)], output, Level(level), time_limit)
    shown = output.as_text() if folder and output.format.is_single else output
    shown.write(documents=marking.to_document, reports=marking.to_reports, gradebooks=marking.to_gradebook)
    if marking.last_words:
        complain(marking.last_words)
    click.get_current_context().exit(marking.exit_code)


def remake(file: str, code: str) -> Problem:
    """The variant of a problem that a code names."""
    from attncalc.core.errors import fault
    from attncalc.core.families import load_member, names_in

    if "variant" not in names_in("codes"):
        raise fault("this program reads no codes: what makes variants is not installed")
    problem: Problem = load_member("codes", "variant").remake(load_problem_source(file), code).problem
    return problem
