"""The author's commands: exercises written, looked through and varied."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from attncalc.cli.commands import cli
from attncalc.cli.options import ProblemName, writes
from attncalc.cli.streams import complain, patience
from attncalc.marking.report.levels import Level

if TYPE_CHECKING:
    from attncalc.cli.output import Printer
    from attncalc.core.errors import Fault
    from attncalc.features.authoring.lint.findings import Lint


@cli.command()
@click.argument("file", type=ProblemName())
@writes("files")
def answers(output: Printer, file: str) -> None:
    """Print the answers file of a problem, to be filled in."""
    from attncalc.exercise.load import load
    from attncalc.exercise.solve.solve import solve
    from attncalc.marking.answers.blank_file import write_answers

    with patience():
        solution = solve(load(file))
    output.write(files=lambda: write_answers(solution))


@cli.command()
@click.argument("files", type=ProblemName(), nargs=-1, required=True)
@click.option(
    "--ignore", "ignored", multiple=True, metavar="CODE", help="Leave findings of this code out; repeatable."
)
@writes("findings")
def lint(output: Printer, files: tuple[str, ...], ignored: tuple[str, ...]) -> None:
    """Look problems through: which mistakes they cannot show, and what else an author may mend."""
    from attncalc.core.errors import AttncalcError, fault, nearest, quoted
    from attncalc.exercise.load import load_source
    from attncalc.features.authoring.lint.findings import CODES, ignore
    from attncalc.features.authoring.lint.lint import lint as linted

    for code in ignored:
        if code not in CODES:
            hint = nearest(code, CODES) or f"; the codes are {', '.join(CODES)}"
            raise fault(f"there is no finding {quoted(code)}{hint}")
    found: list[Lint] = []
    faults: list[Fault] = []
    with patience():
        for file in files:
            try:
                found.append(ignore(linted(load_source(file)), ignored))
            except AttncalcError as error:
                faults.extend(error.faults)
    output.write(findings=lambda: found)
    if faults:
        raise AttncalcError(*faults)
    click.get_current_context().exit(int(any(one.findings for one in found)))


@cli.command()
@click.option("--tokens", type=click.IntRange(2, 4), default=3, show_default=True, help="Rows of X.")
@click.option(
    "--width", type=click.IntRange(1, 3), default=2, show_default=True, help="d_k and d_v of one head."
)
@click.option("--d-model", type=click.IntRange(2, 4), default=3, show_default=True, help="Columns of X.")
@click.option("--heads", type=click.IntRange(1, 2), default=1, show_default=True)
@click.option("--mask", type=click.Choice(["none", "causal"]), default="none", show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Other numbers.")
@writes("files")
def new(output: Printer, tokens: int, width: int, d_model: int, heads: int, mask: str, seed: int) -> None:
    """Print a new exercise with small numbers that show every mistake."""
    from attncalc.features.authoring.new import Plan, write_new

    output.write(files=lambda: write_new(Plan(tokens, width, d_model, heads, mask, seed)))


@cli.command()
@click.argument("file", type=ProblemName())
@click.option("--count", type=click.IntRange(1, 9999), metavar="N", help="Make N variants: 001, 002, ...")
@click.option("--roster", type=click.Path(), metavar="FILE", help="Make one for each line of FILE.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Other numbers.")
@click.option("--sheets", is_flag=True, help="Write the worksheets beside them, in the format of -f.")
@click.option("--keys", is_flag=True, help="Write the solutions beside them, in the format of -f.")
@writes("documents")
def vary(
    output: Printer, file: str, count: int | None, roster: str | None, seed: int, sheets: bool, keys: bool
) -> None:
    """Write variants of a problem into the folder -o: other numbers for every student, as good a test."""
    from attncalc.exercise.load import load_source
    from attncalc.features.authoring.vary.write import find_ids, write_variants

    with patience():
        written = write_variants(output, load_source(file), find_ids(count, roster), seed, sheets, keys)
    complain(
        f"{written} variants in {output.file}; attncalc check {output.file} ANSWERS marks each student's own"
    )


@cli.command()
@writes("packs")
@click.argument("file", type=ProblemName())
@click.option(
    "--feedback", "level", type=click.Choice([*map(str, Level)]), default=str(Level.MISTAKE),
    show_default=True, help="How much students are told; only full shows the right values.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), metavar="N", help="The same exercise with other numbers.")
def pack(output: Printer, file: str, level: str, seed: int | None) -> None:
    """Pack an exercise for another system, to be marked there.

    \b
    gradescope    a zip file to upload as the autograder
    prairielearn  a folder for the questions of a course, which needs attncalc in its serverFilesCourse
    moodle        Cloze questions to import (Moodle XML)

    FILE may be a folder of variants, as `attncalc vary` writes them.  Gradescope finds each student's own by
    the `student` of their answers; Moodle has a question for each, in a category to draw from at random.
    With --seed everybody has the same other numbers; PrairieLearn draws others for every student anyway.
    """
    from attncalc.features.packs.assignment import assemble
    from attncalc.features.packs.write import write_pack

    with patience():
        write_pack(output, assemble(file, Level(level), seed), file)


@cli.command()
@click.argument("what", type=click.Choice(["keys", "steps", "mistakes", "habits", "functions", "formats"]))
@click.argument("word", required=False)
@writes("documents", "data")
def reference(output: Printer, what: str, word: str | None) -> None:
    """Print what there is: every key of a problem file, every step, mistake, habit, function or format."""
    from attncalc.features.authoring.reference import find_items
    from attncalc.worked.blocks import Document, Heading, Listing

    items = find_items(what, word)
    blocks = [
        block
        for item in items
        for block in (
            Heading(item.name, 3),
            Listing(tuple((head, fact) for head, fact in item.facts.items() if fact)),
        )
    ]
    output.write(
        documents=lambda: Document(
            (Heading(f"All {what}" if word is None else what.capitalize(), 1), *blocks)
        ),
        data=lambda: [{"name": item.name, **item.facts} for item in items],
    )


@cli.command()
@writes("data")
def schema(output: Printer) -> None:
    """Print a JSON Schema of problem files, for editors that complete and check while one types."""
    from attncalc.features.authoring.schema import make_schema

    output.write(data=make_schema)
