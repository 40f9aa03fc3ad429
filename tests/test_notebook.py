"""What a notebook shows of solutions, steps and reports."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import attncalc
from attncalc.interface.notebook import Notebook


class Frame(HTMLParser):
    """The page inside a frame."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.page, self.rights = "", ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        assert tag == "iframe"
        self.page, self.rights = found["srcdoc"] or "", found["sandbox"] or ""


def shown() -> dict[str, Notebook]:
    """A solution, a step and a report; the title would leave its frame if it could."""
    problem = attncalc.problem(Q=[[1, 2]], K=[[1, 0], [0, 1]], V=[[1, 2], [3, 4]], title='"></iframe><b>x')
    solution = attncalc.solve(problem)
    report = attncalc.check(problem, {"S": [[1, 3]]})
    return {"solution": solution, "step": solution["A"], "report": report}


@pytest.mark.parametrize("kind", ["solution", "step", "report"])
def test_a_page_of_its_own(kind: str) -> None:
    """The whole page is inside the frame, and may run no script but in there."""
    frame = Frame(shown()[kind]._repr_html_())
    assert frame.page.startswith("<!doctype html>") and frame.page.rstrip().endswith("</html>")
    assert frame.rights == "allow-scripts"


@pytest.mark.parametrize(
    ("kind", "word"), [("solution", "Output"), ("step", "Attention weights"), ("report", "Not right yet")]
)
def test_markdown_and_latex(kind: str, word: str) -> None:
    """The same document in both."""
    thing = shown()[kind]
    assert word in thing._repr_markdown_() and word in thing._repr_latex_()


def test_a_step_shows_only_itself() -> None:
    """The worked lines of A, nothing of O."""
    printed = shown()["step"]._repr_markdown_()
    assert "A_{11}" in printed and "Output" not in printed
