"""What a notebook shows of problems, solutions, steps and reports; with nbconvert it is run and exported."""

from __future__ import annotations

import json
import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

import attncalc
from attncalc.api.notebook import Notebook, brings_assets
from attncalc.pages.documents.html import render_assets
from attncalc.worked.blocks import Displays, Equations, Heading, Paragraph
from tests.helpers.browser import NEEDS_BROWSER, Browser, browser

__all__ = ["browser"]


class Frame(HTMLParser):
    """The page inside a frame."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.page, self.rights = "", ""
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.tags.append(tag)
        if tag == "iframe":
            self.page, self.rights = found["srcdoc"] or "", found["sandbox"] or ""


def shown() -> dict[str, Notebook]:
    """A solution, a step and a report; the title would leave its frame if it could."""
    problem = attncalc.problem(Q=[[1, 2]], K=[[1, 0], [0, 1]], V=[[1, 2], [3, 4]], title='"></iframe><b>x')
    solution = attncalc.solve(problem)
    report = attncalc.check(problem, {"S": [[1, 3]]})
    return {"problem": problem, "solution": solution, "step": solution["A"], "report": report}


@pytest.mark.parametrize("kind", ["problem", "solution", "step", "report"])
def test_a_page_in_a_frame(kind: str) -> None:
    """The whole page is inside the frame, and may run no script but in there."""
    frame = Frame(shown()[kind]._repr_html_())
    assert frame.page.startswith("<!doctype html>") and frame.page.rstrip().endswith("</html>")
    assert frame.rights == "allow-scripts" and set(frame.tags) <= {"script", "iframe"}


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        ("problem", "Given"),
        ("solution", "Output"),
        ("step", "Attention weights"),
        ("report", "something else is wrong"),
    ],
)
def test_markdown_and_latex(kind: str, word: str) -> None:
    """The same document in both."""
    thing = shown()[kind]
    assert word in thing._repr_markdown_() and word in thing._repr_latex_()


def test_a_step_shows_only_itself() -> None:
    """The worked lines of A, nothing of O."""
    printed = shown()["step"]._repr_markdown_()
    assert "A_{1}" in printed and "Output" not in printed


def test_a_step_starts_with_its_matrix() -> None:
    """Before what it does and how."""
    kinds = [type(block) for block in shown()["step"].to_document(pointed=True).blocks]
    assert kinds[:3] == [Heading, Displays, Paragraph] and Equations not in kinds[:3]


class Shell:
    """As much of a notebook's kernel as is asked: the cell that is run, and how often one was."""

    def __init__(self) -> None:
        self.execution_count, self.cell = 0, ""

    def get_parent(self) -> dict[str, dict[str, str]]:
        """The request that is answered."""
        return {"metadata": {"cellId": self.cell} if self.cell else {}}

    def run(self, cell: str) -> bool:
        """Whether something shown in a cell that is run brings style and script."""
        self.execution_count, self.cell = self.execution_count + 1, cell
        return brings_assets()


@pytest.mark.parametrize(
    ("cells", "brought"),
    [("", [True]), ("abc", [True, False, False]), ("abab", [True, False, True, False])],
)
def test_style_and_script_come_once(monkeypatch: pytest.MonkeyPatch, cells: str, brought: list[bool]) -> None:
    """With the first cell, each time it is run, and no more than once in it."""
    shell = Shell()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    assert [shell.run(cell) for cell in cells or [""]] == brought
    assert not brings_assets()


NOTEBOOK = {
    "nbformat": 4, "nbformat_minor": 5, "metadata": {},
    "cells": [
        {"cell_type": "code", "id": f"cell-{n}", "source": source, "metadata": {}, "outputs": [], "execution_count": None}
        for n, source in enumerate((
            "import attncalc; problem = attncalc.load('dot-product-3'); problem",
            "solution = attncalc.solve(problem); solution['A']",
            "solution",
            "attncalc.check(problem, {'S': [[4, 3, 2], [7, 4, 2]]})",
        ))
    ],
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.skipif(
    find_spec("nbconvert") is None or find_spec("ipykernel") is None, reason="needs nbconvert and ipykernel"
)
def test_executed_and_exported(tmp_path: Path) -> None:
    """A notebook that is run has a frame in every cell, and style and script once."""
    (tmp_path / "told.ipynb").write_text(json.dumps(NOTEBOOK), "utf-8")
    command = [sys.executable, "-m", "nbconvert", "--execute", "--to", "html", "told.ipynb"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    page = (tmp_path / "told.html").read_text("utf-8")
    assert page.count('<iframe class="attncalc"') == 4
    assert page.count("attncalcNotebook = listen") == 1


@pytest.mark.slow
@NEEDS_BROWSER
def test_a_frame_is_as_high_as_its_page(browser: Browser, tmp_path: Path) -> None:
    """Nothing is scrolled in a frame; the working stands below what is pointed at."""
    path = tmp_path / "notebook.html"
    frames = "".join(thing._repr_html_().rpartition("</script>")[2] for thing in shown().values())
    path.write_text(f"<!doctype html><title>notebook</title>{render_assets()}{frames}", "utf-8")
    browser.view(path)
    for number in range(len(shown())):
        browser.send("/frame", {"id": number})
        browser.wait("return Math.abs(document.body.getBoundingClientRect().height - innerHeight) < 2")
        assert browser.run("return document.documentElement.scrollHeight <= innerHeight + 1")
        browser.send("/frame", {"id": None})
    assert not [entry for entry in browser.log("browser") if entry["level"] == "SEVERE"]
