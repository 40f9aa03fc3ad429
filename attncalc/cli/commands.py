"""The commands: read, call, print.  Everything heavy is imported inside them, so that --help is quick."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.options import ProblemName, TopicName, writes
from attncalc.cli.streams import patience
from attncalc.marking.report.levels import Level, Order

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from attncalc.cli.output import Printer
    from attncalc.exercise.solve.solution import Solution, SolvedStep
    from attncalc.worked.blocks import Block, Document


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="attncalc", message="%(prog)s %(version)s")
def cli() -> None:
    """Work through attention exercises: every step, exactly or numerically.

    FILE is a problem file, '-' for standard input, or the name of a bundled problem.

    \b
    Two examples to type:
      attncalc solve dot-product-3
      echo "{Q: [[1, 2]], K: [[1, 0], [0, 1]], V: [[3], [4]]}" | attncalc solve -
    """


@cli.command()
@click.argument("file", type=ProblemName())
@click.option("--exact/--numeric", default=None, help="How to compute; by default the file decides.")
@click.option(
    "--detail", type=click.Choice(["brief", "key", "steps", "cells"]), default="cells", show_default=True,
    help="brief: results; key: one worked entry per step, to post; steps: laws; cells: every entry worked.  "
    "A brief worksheet has no laws.",
)  # fmt: skip
@click.option("--part", "parts", multiple=True, metavar="LABEL", help="Only this part of the exercise.")
@click.option("--step", "steps", multiple=True, metavar="NAME", help="Only this step, in full.")
@click.option("--row", type=click.IntRange(1), metavar="N", help="Only the row of query N.")
@click.option(
    "--cell", "cells", multiple=True, metavar="CELL",
    help='Where one entry comes from, such as "S[3,1]".',
)  # fmt: skip
@click.option("--head", type=click.IntRange(1), metavar="N", help="Only this head.")
@click.option("--places", type=click.IntRange(0, 100), metavar="N", help="Decimals shown.")
@click.option("--digits", type=click.IntRange(1, 100), metavar="N", help="Significant digits shown.")
@writes("documents", "solutions")
def solve(
    output: Printer,
    file: str,
    exact: bool | None,
    detail: str,
    parts: tuple[str, ...],
    steps: tuple[str, ...],
    row: int | None,
    cells: tuple[str, ...],
    head: int | None,
    places: int | None,
    digits: int | None,
) -> None:
    """Print the worked solution of a problem."""
    from attncalc.cli.selection import check_row_and_head, find_parts, find_references
    from attncalc.exercise.load import load
    from attncalc.exercise.solve.solve import solve as solved
    from attncalc.pages import USUAL
    from attncalc.pages.excerpt import Excerpt
    from attncalc.worked.document import document
    from attncalc.worked.rounding import Rounding
    from attncalc.worked.view import View, rounding_of

    with patience():
        solution = solved(load(file), {None: None, True: "exact", False: "numeric"}[exact])
    references = find_references(solution, steps, cells, row)
    check_row_and_head(solution, row, head)
    asked = places is not None or digits is not None
    rounding = Rounding(places, digits) if asked else rounding_of(solution.problem)
    labels = find_parts(solution.problem, parts)
    view = View(
        detail, rounding, references, labels, row, head,
        pointed=output.format.is_pointed, is_typed=output.format.name == USUAL,
    )  # fmt: skip

    def page() -> Document:
        if not view.pointed:
            return document(solution, view)
        from attncalc.pages.documents.html.interactive import interactive

        return interactive(solution, view)

    output.write(documents=page, solutions=lambda: Excerpt(solution, view))


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
    help="Also write one report per answers file into FOLDER.",
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
@writes("documents", "reports")
def check(
    output: Printer,
    file: str,
    answers: tuple[str, ...],
    level: str,
    workers: int | None,
    time_limit: float,
    folder: str | None,
    order: str,
    resume: str | None,
    dask: str | None,
) -> None:
    """Mark answers to a problem: where they went wrong, and why.

    ANSWERS are files (.yaml, .json or .npz) or folders of them; without any, the key in FILE is checked.
    FILE may be a folder of variants, as `attncalc vary` writes them: each student has their own.
    """
    from attncalc.cli.selection import refuse_overwriting
    from attncalc.core.errors import fault
    from attncalc.exercise.load import load
    from attncalc.features.classes.find_answers import find_answers, find_problem
    from attncalc.features.classes.session import Marking

    files = find_answers(answers)
    refuse_overwriting([file, *files], [output.file, resume], folder)
    if output.format.is_single and len(files) > 1 and folder is None:
        raise fault(f"{output.format.name} holds one student: --each FOLDER writes a file for each")
    first, variants = find_problem(file, bool(files))
    marking = Marking(
        file, load(first), files, output, Level(level), seconds=time_limit, workers=workers, dask=dask,
        resume=resume, folder=folder, order=Order(order), variants=variants,
    )  # fmt: skip
    shown = output.as_text() if folder and output.format.is_single else output
    shown.write(documents=marking.to_document, reports=marking.to_reports)
    click.get_current_context().exit(marking.exit_code)


@cli.command()
@click.argument("file", type=ProblemName())
@click.option("--all", "everything", is_flag=True, help="Ask for every step, also those in between.")
@click.option("--seed", type=click.IntRange(0), metavar="N", help="The same exercise with other numbers.")
@writes("documents", aside=True)
def practice(output: Printer, file: str, everything: bool, seed: int | None) -> None:
    """Work through a problem: one step after the other, with hints.

    -o FILE keeps the answers (.yaml) after every line, and goes on from what it holds.
    """
    from attncalc.cli.selection import refuse_overwriting
    from attncalc.core.errors import fault
    from attncalc.features.practice.terminal import start_practice

    if file == "-":
        raise fault("answers are typed: the problem cannot come from standard input, too")
    refuse_overwriting([file], [output.file], None)
    with patience():
        dialogue = start_practice(output, file, everything, seed)
    click.get_current_context().exit(dialogue.hold())


def glance(
    output: Printer,
    file: str,
    blocks: Callable[[Solution], Iterable[Block]],
    datum: Callable[[SolvedStep], object],
    data: Callable[[Solution], object] | None = None,
) -> None:
    """Writes what can be said of a problem's steps without their numbers."""
    from attncalc.core.errors import fault
    from attncalc.exercise.load import load
    from attncalc.exercise.solve.solve import solve as solved
    from attncalc.worked.blocks import Document

    problem = load(file)
    # Whether a design reaches its goal is known only in the problem's own mode.
    solution = solved(problem, None if problem.symbols or problem.design else "numeric")
    if not solution.steps:
        raise fault("has no steps, only derivations: solve shows them", problem.place("parts"))
    output.write(
        documents=lambda: Document(tuple(blocks(solution)), title=problem.title or problem.called),
        data=lambda: data(solution) if data else {step.name: datum(step) for step in solution.steps},
    )


@cli.command()
@click.argument("file", type=ProblemName())
@writes("documents", "data")
def shapes(output: Printer, file: str) -> None:
    """Print the shapes of all steps, and count the parameters."""
    from attncalc.worked import overview

    glance(output, file, overview.shapes, lambda step: step.shape)


@cli.command()
@click.argument("file", type=ProblemName())
@click.option(
    "--decode", type=click.IntRange(1, 10**6), metavar="N",
    help="Count the tokens of the problem at once, then N more, one by one with a cache.",
)  # fmt: skip
@writes("documents", "data")
def cost(output: Printer, file: str, decode: int | None) -> None:
    """Count the operations that each step takes by hand."""
    from attncalc.features.decoding import document as caching
    from attncalc.worked import overview

    if decode is None:
        glance(output, file, overview.cost, lambda step: step.cost.counts())
        return
    glance(
        output, file, lambda solution: caching.decoding(solution, decode), lambda step: step.cost.counts(),
        lambda solution: caching.decoding_data(solution, decode),
    )  # fmt: skip


@cli.command()
@click.argument("files", type=ProblemName(), nargs=-1, required=True)
@writes("documents", "data")
def sample(output: Printer, files: tuple[str, ...]) -> None:
    """Draw the random inputs of a problem, and show how weights and outputs spread.

    Of several FILES, such as one head and two, the outputs are also shown side by side.
    """
    from attncalc.exercise.load import load
    from attncalc.features.sampling.document import spread
    from attncalc.features.sampling.draw import mean_and_deviation
    from attncalc.pages.numbers import one_or_all

    problems = [load(file) for file in files]
    output.write(
        documents=lambda: spread(problems),
        data=lambda: one_or_all([mean_and_deviation(problem) for problem in problems]),
    )


@cli.command()
@click.argument("topic", type=TopicName(), required=False)
@click.argument("file", type=ProblemName(), required=False)
@click.option("--tile", type=click.IntRange(1), metavar="N", help="flash: how many keys are taken at a time.")
@writes("documents")
def explain(output: Printer, topic: str | None, file: str | None, **options: object) -> None:
    """Derive a topic step by step, and show it on a problem; without a TOPIC, list them."""
    from attncalc.core.errors import fault, nearest, quoted
    from attncalc.exercise.load import load
    from attncalc.exercise.solve.solve import solve as solved
    from attncalc.features.topics import TOPICS, topic_named, topic_names
    from attncalc.worked.blocks import Document, Heading, Table

    if topic is None:
        rows = tuple((name, topic_named(name).title) for name in topic_names())
        output.write(documents=lambda: Document((Table(("topic", "tells"), rows),), title="Topics"))
        return
    if topic not in topic_names():
        hint = nearest(topic, topic_names()) or f"; the topics are {', '.join(TOPICS)}"
        raise fault(f"there is no topic {quoted(topic)}{hint}")
    chosen = topic_named(topic)
    said = {name: value for name, value in options.items() if value is not None}
    for name in said.keys() - {*chosen.options}:
        raise fault(f"--{name} has no meaning for {topic}")
    with patience():
        solution = solved(load(file)) if file else None
    output.write(documents=lambda: Document((Heading(chosen.title, 1), *chosen.explain(solution, **said))))


@cli.command("list")
@click.argument("word", required=False)
@writes("documents", "data")
def list_(output: Printer, word: str | None) -> None:
    """List the bundled problems by sheet, or those that have WORD in their name, title, source or keys."""
    from attncalc.core.errors import fault, quoted
    from attncalc.exercise.bundled import bundled_names
    from attncalc.exercise.load import load
    from attncalc.worked.contents import contents, is_about

    problems = [(name, load(name)) for name in bundled_names()]
    found = [(name, problem) for name, problem in problems if is_about(name, problem, word or "")]
    if not found:
        raise fault(f"no bundled problem has {quoted(word or '')} in its name, title, source or keys")
    output.write(
        documents=lambda: contents(found),
        data=lambda: [
            {"name": name, "title": problem.title, "source": problem.source} for name, problem in found
        ],
    )
