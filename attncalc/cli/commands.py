"""The commands: read, call, print.  Everything heavy is imported inside them, so that --help is quick."""

from __future__ import annotations

import contextlib
import io
import sys
from typing import TYPE_CHECKING, NoReturn

import click

from attncalc.checking.levels import Level
from attncalc.cli.options import ProblemName, TopicName, writes
from attncalc.cli.streams import ClosedStream, complain, leave

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from attncalc.cli.output import Printer
    from attncalc.document.blocks import Block
    from attncalc.solution.solution import Solution, SolvedStep


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="attncalc", message="%(prog)s %(version)s")
def cli() -> None:
    """Work through attention exercises: every step, exactly or numerically.

    FILE is a problem file, '-' for standard input, or the name of a bundled problem.
    """


@cli.command()
@click.argument("file", type=ProblemName())
@click.option("--exact/--numeric", default=None, help="How to compute; by default the file decides.")
@click.option(
    "--detail", type=click.Choice(["brief", "steps", "cells"]), default="cells", show_default=True,
    help="Results only, with laws, or with the worked line of every entry.",
)  # fmt: skip
@click.option("--step", "steps", multiple=True, metavar="NAME", help="Only this step, in full.")
@click.option("--row", type=click.IntRange(1), metavar="N", help="Only the row of query N.")
@click.option(
    "--cell", "cells", multiple=True, metavar="CELL",
    help='Where one entry comes from, such as "S[3,1]".',
)  # fmt: skip
@click.option("--head", type=click.IntRange(1), metavar="N", help="Only this head.")
@click.option("--places", type=click.IntRange(0, 100), metavar="N", help="Decimals shown.")
@click.option("--digits", type=click.IntRange(1, 100), metavar="N", help="Significant digits shown.")
@writes("pages", "solutions")
def solve(
    output: Printer,
    file: str,
    exact: bool | None,
    detail: str,
    steps: tuple[str, ...],
    row: int | None,
    cells: tuple[str, ...],
    head: int | None,
    places: int | None,
    digits: int | None,
) -> None:
    """Print the worked solution of a problem."""
    from attncalc.cli.selection import check_row_and_head, find_references
    from attncalc.document.rounding import Rounding
    from attncalc.document.steps import View, rounding_of
    from attncalc.formats.shared.excerpt import Excerpt
    from attncalc.handouts.worked import document
    from attncalc.loading.load import load
    from attncalc.solution.solve import solve as solved

    solution = solved(load(file), {None: None, True: "exact", False: "numeric"}[exact])
    references = find_references(solution, steps, cells, row)
    check_row_and_head(solution, row, head)
    asked = places is not None or digits is not None
    rounding = Rounding(places, digits) if asked else rounding_of(solution.problem)
    view = View(detail, rounding, references, row, head, output.format.is_pointed)
    output.write(pages=lambda: document(solution, view), solutions=lambda: Excerpt(solution, view))


@cli.command()
@click.argument("file", type=ProblemName())
@click.argument("answers", nargs=-1, type=click.Path())
@click.option(
    "--feedback", "level", type=click.Choice([*map(str, Level)]), default=str(Level.MISTAKE),
    show_default=True, help="How much is told; only full shows the right values.",
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
    help="Also write one report a file into FOLDER.",
)  # fmt: skip
@click.option(
    "--resume", metavar="FILE", type=click.Path(dir_okay=False),
    help="Keep every report in FILE (.jsonl) as it is made, and go on where it stopped.",
)  # fmt: skip
@writes("pages", "reports")
def check(
    output: Printer,
    file: str,
    answers: tuple[str, ...],
    level: str,
    workers: int | None,
    time_limit: float,
    folder: str | None,
    resume: str | None,
) -> None:
    """Mark answers to a problem: where they went wrong, and why.

    ANSWERS are files (.yaml, .json or .npz) or folders of them; without any, the key in FILE is checked.
    """
    from attncalc.cli.marking import Marking
    from attncalc.cli.selection import find_answers
    from attncalc.loading.load import load

    marking = Marking(file, load(file), find_answers(answers), workers, time_limit, Level(level), resume)
    if folder is not None:
        for name, report, document in marking.each(output.format.is_pointed):
            output.write_into(folder, name, pages=document, reports=[report])
    output.write(
        pages=lambda: marking.to_document(output.format.is_pointed),
        reports=marking.to_reports,
    )
    click.get_current_context().exit(marking.exit_code)


def glance(
    output: Printer,
    file: str,
    blocks: Callable[[Solution], Iterable[Block]],
    datum: Callable[[SolvedStep], object],
) -> None:
    """Writes what can be said of a problem's steps without their numbers."""
    from attncalc.document.blocks import Document
    from attncalc.errors import fault
    from attncalc.loading.load import load
    from attncalc.solution.solve import solve as solved

    problem = load(file)
    solution = solved(problem, None if problem.symbols else "numeric")
    if not solution.steps:
        raise fault("has no steps, only derivations: solve shows them", problem.place("parts"))
    output.write(
        pages=lambda: Document(tuple(blocks(solution))),
        data=lambda: {step.name: datum(step) for step in solution.steps},
    )


@cli.command()
@click.argument("file", type=ProblemName())
@writes("pages", "data")
def shapes(output: Printer, file: str) -> None:
    """Print the shapes of all steps, and count the parameters."""
    from attncalc.document import overview

    glance(output, file, overview.shapes, lambda step: step.shape)


@cli.command()
@click.argument("file", type=ProblemName())
@writes("pages", "data")
def cost(output: Printer, file: str) -> None:
    """Count the operations that each step takes by hand."""
    from attncalc.document import overview

    glance(output, file, overview.cost, lambda step: step.cost.counts())


@cli.command()
@click.argument("files", type=ProblemName(), nargs=-1, required=True)
@writes("pages", "data")
def sample(output: Printer, files: tuple[str, ...]) -> None:
    """Draw the random inputs of a problem, and show how weights and outputs spread.

    Of several FILES, such as one head and two, the outputs are also shown side by side.
    """
    from attncalc.document.spread import spread
    from attncalc.formats.shared.numbers import one_or_all
    from attncalc.loading.load import load
    from attncalc.solution.sampling import mean_and_deviation

    problems = [load(file) for file in files]
    output.write(
        pages=lambda: spread(problems),
        data=lambda: one_or_all([mean_and_deviation(problem) for problem in problems]),
    )


@cli.command()
@click.argument("topic", type=TopicName(), required=False)
@click.argument("file", type=ProblemName(), required=False)
@writes("pages")
def explain(output: Printer, topic: str | None, file: str | None) -> None:
    """Derive a topic step by step, and show it on a problem; without a TOPIC, list them."""
    from attncalc.document.blocks import Document, Heading, Table
    from attncalc.errors import fault, nearest, quoted
    from attncalc.loading.load import load
    from attncalc.solution.solve import solve as solved
    from attncalc.topics import TOPICS, topic_named

    if topic is None:
        rows = tuple((name, topic_named(name).title) for name in TOPICS)
        output.write(pages=lambda: Document((Table(("topic", "tells"), rows),)))
        return
    if topic not in TOPICS:
        hint = nearest(topic, TOPICS) or f"; the topics are {', '.join(TOPICS)}"
        raise fault(f"there is no topic {quoted(topic)}{hint}")
    solution = solved(load(file)) if file else None
    chosen = topic_named(topic)
    output.write(pages=lambda: Document((Heading(chosen.title, 1), *chosen.explain(solution))))


@cli.command("list")
@writes("pages", "data")
def list_(output: Printer) -> None:
    """List the bundled problems."""
    from attncalc.document.blocks import Document, Listing
    from attncalc.loading.load import bundled_names, load

    problems = [(name, load(name)) for name in bundled_names()]
    listing = Listing(tuple((name, problem.title, problem.source) for name, problem in problems))
    output.write(
        pages=lambda: Document((listing,)),
        data=lambda: [
            {"name": name, "title": problem.title, "source": problem.source} for name, problem in problems
        ],
    )


def main() -> NoReturn:
    """Runs a command; every failure is a sentence on standard error and an exit code."""
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(ClosedStream()))
    try:
        code = cli.main(prog_name="attncalc", standalone_mode=False) or 0
        sys.stdout.flush()
    except click.ClickException as error:
        with contextlib.suppress(OSError, AttributeError):
            error.show()
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        code = 130
    except OSError as error:
        code = complain(f"the output cannot be written: {(error.strerror or str(error)).lower()}")
    except Exception as error:
        from attncalc.errors import AttncalcError, inert

        known = isinstance(error, AttncalcError)
        fault = f"attncalc has a fault of its own: {type(error).__name__}: {inert(str(error))}"
        code = complain(str(error) if known else fault)
    leave(code)
