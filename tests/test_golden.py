"""What a person sees, word for word; read before it is committed (`pytest --snapshot-update`)."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

import attncalc
from attncalc.document.steps import View
from attncalc.formats import Page
from attncalc.formats.pages import text
from attncalc.graph.references import Reference
from attncalc.handouts.worked import document
from attncalc.loading.load import bundled_names


class TextFile(SingleFileSnapshotExtension):
    """One golden text file a case."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Golden files that a person can read."""
    return snapshot.use_extension(TextFile)


def printed(name: str, view: View, width: int | None = None, ascii_only: bool = False) -> str:
    """The solution of a bundled problem as it is printed."""
    solution = attncalc.solve(attncalc.load(name))
    return text.render(document(solution, view), Page(width=width, ascii=ascii_only)) + "\n"


@pytest.mark.parametrize("name", bundled_names())
def test_solution(name: str, golden: SnapshotAssertion) -> None:
    """The whole solution, as it goes through a pipe."""
    assert printed(name, View()) == golden


@pytest.mark.parametrize("width", [40, 80, 120])
def test_width(width: int, golden: SnapshotAssertion) -> None:
    """The same solution on terminals of different widths."""
    assert printed("dot-product-3", View(), width) == golden


def test_ascii(golden: SnapshotAssertion) -> None:
    """A terminal that has nothing but ASCII."""
    assert printed("exact-causal", View(), 80, ascii_only=True) == golden


@pytest.mark.parametrize("detail", ["brief", "steps"])
def test_detail(detail: str, golden: SnapshotAssertion) -> None:
    """Results only, and with laws."""
    assert printed("dot-product-3", View(detail), 80) == golden


def test_cell(golden: SnapshotAssertion) -> None:
    """One entry with all that it comes from."""
    view = View(references=(Reference("A", (3, 1)),))
    assert printed("problem-set-4-q3", view, 80) == golden


def test_row(golden: SnapshotAssertion) -> None:
    """One query's row of every step."""
    assert printed("four-words", View(row=3), 80) == golden
