"""The registry of formats: a file is a format, for every command that has what it takes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import get_args

import click
import pytest

import attncalc
from attncalc.checking.checker import Checker
from attncalc.checking.feedback import feedback
from attncalc.checking.levels import Level
from attncalc.cli import cli
from attncalc.document.steps import View
from attncalc.errors import ProblemError
from attncalc.formats import USUAL, Format, Kind, Page, formats_of
from attncalc.formats.shared.excerpt import Excerpt
from attncalc.handouts.worked import document
from attncalc.loading.load import bundled_names
from tests.bundled import KEYED
from tests.running import run

PACKAGE = Path(attncalc.__file__).parent
LOOKS = [Page(), Page(standalone=True, flavor="github", width=30, ascii=True, colour=True)]
"""As it is, and all that a format may be asked for."""
NOTHING_TO_WRITE = ("nothing to draw", "has no steps", "free letters")
"""What a format may refuse: a picture without weights, a script without numbers."""
HERE = "attncalc.formats."


@cache
def excerpt(name: str) -> Excerpt:
    """A bundled problem, solved."""
    return Excerpt(attncalc.solve(attncalc.load(name)))


@pytest.mark.parametrize("format_", formats_of("pages").values(), ids=lambda f: f.name)
@pytest.mark.parametrize("name", bundled_names())
def test_every_solution_as_every_page(name: str, format_: Format) -> None:
    """However the page is to look."""
    solution = excerpt(name).solution
    written = document(solution, View(pointed=format_.is_pointed))
    assert all(format_.render(written, page).strip() for page in LOOKS)


@pytest.mark.parametrize("format_", formats_of("solutions").values(), ids=lambda f: f.name)
@pytest.mark.parametrize("name", bundled_names())
def test_every_solution_in_every_format(name: str, format_: Format) -> None:
    """Or refused in a sentence where there is nothing to write."""
    try:
        written = format_.render(excerpt(name))
    except ProblemError as error:
        written = next(words for words in NOTHING_TO_WRITE if words in str(error))
    assert written.strip()


@pytest.mark.parametrize("name", KEYED)
def test_every_report_in_every_format(name: str) -> None:
    """The published keys, marked."""
    checker = Checker(attncalc.load(name))
    report = checker.check_key()
    for format_ in formats_of("reports").values():
        assert format_.render([report]).strip() and format_.render([report, report]).strip()
    for format_ in formats_of("pages").values():
        assert format_.render(feedback(report, checker.solution, Level.FULL, format_.is_pointed)).strip()


@pytest.mark.parametrize("flavor", formats_of("pages"))
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
    assert next(iter(formats_of("data", "pages"))) == USUAL


@pytest.mark.parametrize("name", cli.commands)
def test_commands_offer_what_the_registry_has(name: str) -> None:
    """All pages, and all formats of one more kind at most; no command has a list of its own."""
    (option,) = (param for param in cli.commands[name].params if param.name == "format_")
    assert isinstance(option.type, click.Choice)
    assert list(option.type.choices) in [list(formats_of("pages", kind)) for kind in get_args(Kind)]


def test_help_loads_no_format() -> None:
    """Names are known from the files' names."""
    program = (
        "import sys\nfrom attncalc.cli import cli\ntry: cli(['solve', '-h'])\nfinally: print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stdout.splitlines()[-1].split()
    assert HERE[:-1] in loaded and not [name for name in loaded if name.startswith((HERE, "numpy", "rich"))]


PAGE = '''"""A document as a list of what its blocks are."""


def render(document, page):
    """One word a block."""
    return " ".join(type(block).__name__ for block in document.blocks)
'''
WITH_A_PAGE = [
    "solve dot-product-3 -f outline", "solve dot-product-3 -f worksheet --flavor outline", "check dot-product-3 -f outline",
    "shapes dot-product-3 -f outline", "cost dot-product-3 -f outline", "sample attention-exploration-c -f outline",
    "explain scores -f outline", "list -f outline",
]  # fmt: skip


def test_a_page_format_is_one_file(tmp_path: Path) -> None:
    """Added to a copy of the package, it works in all commands."""
    shutil.copytree(PACKAGE, tmp_path / "attncalc", ignore=shutil.ignore_patterns("__pycache__"))
    problems = PACKAGE / "problems" if (PACKAGE / "problems").is_dir() else PACKAGE.parent / "problems"
    shutil.copytree(problems, tmp_path / "problems")
    (tmp_path / "attncalc/formats/pages/outline.py").write_text(PAGE)
    program = f"from attncalc.cli import cli\nfor line in {WITH_A_PAGE}: cli.main(line.split(), standalone_mode=False)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, stdout=-1, text=True, check=True
    )
    first = [line.split()[0] for line in done.stdout.splitlines()]
    assert first == ["Heading"] * (len(WITH_A_PAGE) - 1) + ["Listing"]
