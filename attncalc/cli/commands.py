"""The commands: read, call, print.  Everything heavy is imported inside them, so that --help is quick."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from attncalc.cli.options import ProblemName, TopicName, output_options, page_options
from attncalc.cli.streams import ClosedStream, complain, leave, print_lines, show, shows_glyphs, write
from attncalc.formats import PAGES, Page

DATA = ("json", "svg", "numpy", "torch")
"""The formats that take the steps of a solution, not a document."""

if TYPE_CHECKING:
    from attncalc.formats.pages.text import Line
    from attncalc.graph.references import Reference
    from attncalc.solution.solution import Solution


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
@page_options
@output_options("text", *PAGES, *DATA, "worksheet")
def solve(
    file: str,
    exact: bool | None,
    detail: str,
    steps: tuple[str, ...],
    row: int | None,
    cells: tuple[str, ...],
    head: int | None,
    places: int | None,
    digits: int | None,
    standalone: bool,
    flavor: str | None,
    format_: str,
    output: str | None,
    ascii_only: bool,
    no_color: bool,
) -> None:
    """Print the worked solution of a problem."""
    from attncalc.loading.load import load
    from attncalc.solution.solve import solve as solved

    mode = None if exact is None else "exact" if exact else "numeric"
    solution = solved(load(file), mode)
    references = referenced(solution, steps, cells, row, head)
    if format_ in DATA:
        write(data(solution, references, row, head, format_), output)
        return
    from attncalc.document.rounding import Rounding
    from attncalc.document.steps import View, rounding_of
    from attncalc.handouts.worked import document

    asked = places is not None or digits is not None
    rounding = Rounding(places, digits) if asked else rounding_of(solution.problem)
    view = View(detail, rounding, references, row, head, pointed=format_ == "html")
    page = Page(standalone, flavor or "")
    if format_ == "worksheet":
        from attncalc.handouts.worksheet import worksheet

        sheet = worksheet(solution, view)
        show(sheet, "latex" if flavor == "latex" or standalone else "markdown", output, page=page)
        return
    show(document(solution, view), format_, output, ascii_only, no_color, page)


def data(
    solution: Solution, references: tuple[Reference, ...], row: int | None, head: int | None, format_: str
) -> str:
    """The steps asked for, all of them by default, in a format for other programs."""
    from attncalc.errors import fault

    if row is not None:
        raise fault(f"{format_} has no single rows: leave out --row")
    named = {reference.step for reference in references}
    wanted = (step for step in solution.steps if not named or step.name in named)
    chosen = tuple(step for step in wanted if head is None or step.step.label.belongs_to(head))
    written: str = import_module(f"attncalc.formats.solutions.{format_}").render(solution, chosen)
    return written


def referenced(
    solution: Solution, steps: tuple[str, ...], cells: tuple[str, ...], row: int | None, head: int | None
) -> tuple[Reference, ...]:
    """What --step, --row and --cell point at; all of it, and --head, must be there."""
    from attncalc.errors import fault, quoted
    from attncalc.graph.graph import check_reference
    from attncalc.graph.references import Reference, parse_reference

    found = []
    for text in (*steps, *cells):
        reference = parse_reference(text)
        if reference is None or (text in cells and len(reference.at) < 2):
            form = "S[3,1]" if text in cells else "S"
            raise fault(f"{quoted(text)} is not written like {form}")
        reference = solution.resolved(reference)
        if row is not None and not reference.at:
            reference = Reference(reference.step, (row,))
        check_reference(solution.graph, reference)
        found.append(reference)
    queries = solution.graph.sizes.get("n_q", 0)
    if row is not None and row > queries:
        raise fault(f"row {row} is outside the {queries} queries")
    heads = solution.graph.sizes.get("heads", 1)
    if head is not None and head > heads:
        raise fault(f"there is no head {head}: the problem has {heads}")
    return tuple(found)


@cli.command()
@click.argument("file", type=ProblemName())
@click.argument("answers", nargs=-1, type=click.Path())
@click.option(
    "--feedback", type=click.Choice(["verdict", "step", "cells", "mistake", "full"]), default="mistake",
    show_default=True, help="How much is told; only full shows the right values.",
)  # fmt: skip
@click.option(
    "--workers", type=click.IntRange(1, 64), help="Processes that mark a class.  [default: by cores]"
)
@click.option(
    "--time-limit", type=click.FloatRange(0.1), default=10.0, show_default=True, metavar="SECONDS",
    help="For each file of a class.",
)  # fmt: skip
@output_options("text", "json", "html", "csv", "gradescope", "prairielearn")
def check(
    file: str,
    answers: tuple[str, ...],
    feedback: str,
    workers: int | None,
    time_limit: float,
    format_: str,
    output: str | None,
    ascii_only: bool,
    no_color: bool,
) -> None:
    """Mark answers to a problem: where they went wrong, and why.

    ANSWERS are files (.yaml, .json or .npz) or folders of them; without any, the key in FILE is checked.
    """
    from attncalc.checking.checker import Checker
    from attncalc.loading.load import load

    problem = load(file)
    files = answer_files(answers)
    if len(files) > 1 and file != "-":
        reports = marked_class(file, files, workers, time_limit)
    else:
        checker = Checker(problem)
        reports = [checker.check_file(name) for name in files] if files else [checker.check_key()]
    if format_ not in ("text", *PAGES):
        write(import_module(f"attncalc.formats.reports.{format_}").render(reports, feedback), output)
    elif len(reports) > 1:
        from attncalc.checking.summary import summary

        show(summary(problem.title or file, reports, feedback), format_, output, ascii_only, no_color)
    else:
        from attncalc.checking.feedback import feedback as told

        show(told(checker, reports[0], feedback, format_ == "html"), format_, output, ascii_only, no_color)
    click.get_current_context().exit(max(report.exit_code for report in reports))


def answer_files(names: tuple[str, ...]) -> list[str]:
    """The files named, and those in folders named."""
    found: list[str] = []
    for name in names:
        if os.path.isdir(name):
            inside = sorted(os.listdir(name))
            found += [os.path.join(name, n) for n in inside if n.endswith((".yaml", ".yml", ".json", ".npz"))]
        else:
            found.append(name)
    if names and not found:
        from attncalc.errors import Place, fault

        raise fault("holds no answers (.yaml, .json or .npz)", Place(names[0]))
    return found


def marked_class(file: str, files: list[str], workers: int | None, seconds: float) -> list[Any]:
    """The reports on many files, with a progress bar where someone is watching."""
    from attncalc.checking.classes import Plan, mark

    plan = Plan(file, files, workers or min(os.cpu_count() or 1, 1 + len(files) // 100), seconds)
    if not sys.stderr.isatty():
        return mark(plan, lambda: None)
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("marking", total=len(files))
        return mark(plan, lambda: progress.advance(task))


def glance(word: str, file: str, format_: str, output: str | None, ascii_only: bool, no_color: bool) -> None:
    """Prints the shapes or the cost of a problem's steps."""
    from attncalc.document.blocks import Document
    from attncalc.document.overview import WORDS
    from attncalc.errors import fault
    from attncalc.loading.load import load
    from attncalc.solution.solve import solve as solved

    problem = load(file)
    solution = solved(problem, None if problem.symbols else "numeric")
    if not solution.steps:
        raise fault("has no steps, only derivations: solve shows them", problem.place("parts"))
    if format_ != "json":
        show(Document(tuple(WORDS[word](solution))), format_, output, ascii_only, no_color)
        return
    import json

    values = {
        step.name: list(step.shape) if word == "shapes" else step.cost.counts() for step in solution.steps
    }
    write(json.dumps(values, indent=1), output)


@cli.command()
@click.argument("file", type=ProblemName())
@output_options("text", "json", *PAGES)
def shapes(file: str, format_: str, output: str | None, ascii_only: bool, no_color: bool) -> None:
    """Print the shapes of all steps, and count the parameters."""
    glance("shapes", file, format_, output, ascii_only, no_color)


@cli.command()
@click.argument("file", type=ProblemName())
@output_options("text", "json", *PAGES)
def cost(file: str, format_: str, output: str | None, ascii_only: bool, no_color: bool) -> None:
    """Count the operations that each step takes by hand."""
    glance("cost", file, format_, output, ascii_only, no_color)


@cli.command()
@click.argument("files", type=ProblemName(), nargs=-1, required=True)
@output_options("text", "json", *PAGES)
def sample(
    files: tuple[str, ...], format_: str, output: str | None, ascii_only: bool, no_color: bool
) -> None:
    """Draw the random inputs of a problem, and show how weights and outputs spread.

    Of several FILES, such as one head and two, the outputs are also shown side by side.
    """
    from attncalc.document.spread import spread
    from attncalc.loading.load import load
    from attncalc.solution.sampling import sampled

    problems = [load(file) for file in files]
    if format_ != "json":
        show(spread(problems), format_, output, ascii_only, no_color)
        return
    import json

    found = [
        {
            label.name: {"mean": values.mean(axis=0).tolist(), "std": values.std(axis=0).tolist()}
            for label, values in sampled(problem).items()
        }
        for problem in problems
    ]
    write(json.dumps(found[0] if len(found) == 1 else found, indent=1), output)


@cli.command()
@click.argument("topic", type=TopicName(), required=False)
@click.argument("file", type=ProblemName(), required=False)
@page_options
@output_options("text", *PAGES)
def explain(
    topic: str | None,
    file: str | None,
    standalone: bool,
    flavor: str | None,
    format_: str,
    output: str | None,
    ascii_only: bool,
    no_color: bool,
) -> None:
    """Derive a topic step by step, and show it on a problem; without a TOPIC, list them."""
    from attncalc.document.blocks import Document, Heading, Table
    from attncalc.errors import fault, nearest, quoted
    from attncalc.loading.load import load
    from attncalc.solution.solve import solve as solved
    from attncalc.topics import TOPICS, topic_named

    if topic is None:
        rows = tuple((name, topic_named(name).title) for name in TOPICS)
        show(Document((Table(("topic", "tells"), rows),)), format_, output, ascii_only, no_color)
        return
    if topic not in TOPICS:
        hint = nearest(topic, TOPICS) or f"; the topics are {', '.join(TOPICS)}"
        raise fault(f"there is no topic {quoted(topic)}{hint}")
    solution = solved(load(file)) if file else None
    chosen = topic_named(topic)
    told = Document((Heading(chosen.title, 1), *chosen.explain(solution)))
    show(told, format_, output, ascii_only, no_color, Page(standalone, flavor or ""))


@cli.command("list")
@output_options("text", "json")
def list_(format_: str, output: str | None, ascii_only: bool, no_color: bool) -> None:
    """List the bundled problems."""
    from attncalc.loading.load import bundled_names, load

    rows = [(name, load(name)) for name in bundled_names()]
    if format_ == "json":
        import json

        found = [{"name": name, "title": p.title, "source": p.source} for name, p in rows]
        write(json.dumps(found, ensure_ascii=False, indent=1), output)
        return
    width = max(len(name) for name, _ in rows)
    lines: list[Line] = []
    for name, problem in rows:
        lines.append([(name.ljust(width), "bold"), ("  " + problem.title, "")])
        lines.append([(" " * (width + 2) + problem.source, "dim")])
    print_lines(lines, output, ascii_only or not shows_glyphs(output), no_color)


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
        from attncalc.errors import AttncalcError

        if not isinstance(error, AttncalcError):
            raise
        code = complain(str(error))
    leave(code)
