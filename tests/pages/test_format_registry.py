"""The registry of formats: a file is a format, for every command that has what it takes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import get_args

import click
import pytest

from attncalc.cli.options import PDF, PRINTED
from attncalc.core.errors import ProblemError
from attncalc.marking.report.feedback import feedback
from attncalc.marking.report.levels import Level
from attncalc.pages import DEFAULT_FORMAT, Format, FormatKind, formats_of
from tests.helpers.bundled import FEW, KEYED, NAMES, checker_of, key_report, solved
from tests.helpers.commands import EVERY_COMMAND, run
from tests.helpers.quick_and_slow import each
from tests.helpers.solutions import excerpt

NOTHING_TO_WRITE = ("nothing to draw", "has no steps", "free letters", "needs XlsxWriter")
"""What a format may refuse: a picture without weights, a script without numbers, a workbook without its library."""
HERE = "attncalc.pages."


@pytest.mark.parametrize("format_", formats_of("solutions").values(), ids=lambda f: f.name)
@each("name", NAMES, quick=FEW)
def test_every_solution_in_every_format(name: str, format_: Format) -> None:
    """Or refused in a sentence if there is nothing to write."""
    try:
        written = format_.render(excerpt(solved(name)))
    except ProblemError as error:
        written = next(words for words in NOTHING_TO_WRITE if words in str(error))
    assert written.strip()


@each("name", KEYED, quick=FEW)
def test_every_report_in_every_format(name: str) -> None:
    """The published keys, marked."""
    report = key_report(name)
    for format_ in formats_of("reports").values():
        assert format_.render([report]).strip()
        assert format_.is_single or format_.render([report, report]).strip()
    for format_ in formats_of("documents").values():
        told = feedback(report, checker_of(name).solution, Level.FULL, format_.is_pointed)
        assert format_.render(told).strip()


@pytest.mark.parametrize("flavor", formats_of("documents"))
def test_a_worksheet_as_every_page(flavor: str) -> None:
    """A sheet is a page like any other."""
    assert "Find" in run("solve", "problem-set-4-q3", "-f", "worksheet", "--flavor", flavor)


def test_data_is_json_whatever_numbers_it_holds() -> None:
    """−∞ and what is no number are not JSON."""
    inf = float("inf")
    written = formats_of("data")["json"].render({"a": (-inf, inf, inf - inf, 1.0), "b": ["é", None, True, 2]})
    assert json.loads(written) == {"a": ["-inf", "inf", None, 1.0], "b": ["é", None, True, 2]}


def test_the_usual_format_is_first() -> None:
    """Where none is asked for, it is text."""
    assert next(iter(formats_of("data", "documents"))) == DEFAULT_FORMAT


@pytest.mark.parametrize("name", EVERY_COMMAND)
def test_commands_offer_what_the_registry_has(name: str) -> None:
    """All pages, and all formats of one more kind at most, or one kind alone; no command has its own list."""
    (option,) = (param for param in EVERY_COMMAND[name].params if param.name == "format_")
    assert isinstance(option.type, click.Choice)
    offered = [list(formats_of("documents", kind)) for kind in get_args(FormatKind)]
    alone = [list(formats_of(kind)) for kind in get_args(FormatKind)]
    choices = list(option.type.choices)
    assert (PDF in choices) == (PRINTED in choices)
    assert [choice for choice in choices if choice != PDF] in offered + alone


def test_help_loads_no_format() -> None:
    """Names are known from the files' names."""
    program = (
        "import sys\nfrom attncalc.cli import cli\ntry: cli(['solve', '-h'])\nfinally: print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert HERE[:-1] in loaded and not [name for name in loaded if name.startswith((HERE, "numpy", "rich"))]
