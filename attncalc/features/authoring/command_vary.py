"""Teachers: Write variants of a problem: other numbers for every student."""

from __future__ import annotations

import os
from collections import Counter

import click

from attncalc.cli.files_and_streams import complain, load_problem_source, patience, write_out
from attncalc.cli.options import ProblemName, writes
from attncalc.cli.printer import Printer
from attncalc.cli.selection import refuse_overwriting
from attncalc.core.errors import Fault, Place, ProblemError, fault, quote, reason
from attncalc.exercise.bundled import ENDING
from attncalc.exercise.load import Source
from attncalc.features.authoring.vary.codes import with_code
from attncalc.features.authoring.vary.pages import excerpt_of, key_of, sheet_of
from attncalc.features.authoring.vary.vary import Variation
from attncalc.marking.roster import name_of_file, read_roster
from attncalc.pages import formats_of

MOST_IDS = 9999


def find_ids(count: int | None, roster: str | None) -> list[str]:
    """001, 002, … or the students of a roster."""
    if (count is None) == (roster is None):
        raise fault("say how many with --count, or for whom with --roster")
    if count is not None:
        return [f"{number:03}" for number in range(1, count + 1)]
    assert roster is not None
    return ids_in(roster)


def ids_in(file: str) -> list[str]:
    """The ids of the students in a roster, else their names, as names of files; raises if one is repeated."""
    persons = read_roster(file).persons
    if len(persons) > MOST_IDS:
        raise fault(f"must hold from 1 to {MOST_IDS} students", Place(file))
    found = [name_of_file(person.id or person.name or person.email) for person in persons]
    # File names are case-insensitive on some systems.
    repeated = [name for name, count in Counter(map(str.casefold, found)).items() if count > 1 or not name]
    if repeated:
        raise ProblemError(*(Fault(f"{quote(name)} would name two files", Place(file)) for name in repeated))
    return found


def write_variants(
    output: Printer, source: Source, ids: list[str], seed: int, sheets: bool, keys: bool
) -> int:
    """Make all variants before writing any, and return their number."""
    folder = output.file
    if folder is None:
        raise fault("name a folder to write them into: -o FOLDER")
    refuse_overwriting([source.name], [], folder)
    made = [*Variation(source, seed).make_all(ids)]
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise fault(f"cannot be made: {reason(error)}", Place(folder)) from None
    for variant in made:
        write_out([variant.source.text], os.path.join(folder, f"{variant.id}{ENDING}"))
        for is_written, name, page in ((sheets, "sheet", sheet_of), (keys, "key", key_of)):
            if not is_written:
                continue
            if output.format.kind == "sheets":
                excerpt = excerpt_of(variant.source, variant.id, variant.code)
                solved = output.in_format(formats_of("solutions")[output.format.name])
                taker = output if name == "sheet" else solved
                taker.write_into(folder, f"{variant.id}-{name}", sheets=excerpt, solutions=excerpt)
            else:
                shown = with_code(page(variant.source, output.format.is_pointed), variant.code)
                output.write_into(folder, f"{variant.id}-{name}", documents=shown)
    return len(made)


@click.command()
@click.argument("file", type=ProblemName())
@click.option("--count", type=click.IntRange(1, 9999), metavar="N", help="Make N variants: 001, 002, ...")
@click.option("--roster", type=click.Path(), metavar="FILE", help="Make one for each student in FILE.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Other numbers.")
@click.option("--sheets", is_flag=True, help="Write the worksheets beside them, in the format of -f.")
@click.option("--keys", is_flag=True, help="Write the solutions beside them, in the format of -f.")
@writes("documents", "sheets", to="FOLDER")
def command(
    output: Printer, file: str, count: int | None, roster: str | None, seed: int, sheets: bool, keys: bool
) -> None:
    """Write variants of a problem into the folder -o: other numbers for every student, as good a test."""
    with patience():
        written = write_variants(
            output, load_problem_source(file), find_ids(count, roster), seed, sheets, keys
        )
    complain(
        f"{written} variants in {output.file}; attncalc check {output.file} ANSWERS marks each student's own"
    )
