"""What a person sees, word for word; read before it is committed (`pytest --snapshot-update`)."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from attncalc.core.graph.references import Reference
from attncalc.worked.blocks import Document, Equation, Equations, Law
from attncalc.worked.document import document
from attncalc.worked.view import View
from tests.helpers.bundled import FEW, NAMES, solved, worked
from tests.helpers.quick_and_slow import each
from tests.helpers.solutions import printed


@each("name", NAMES, quick=FEW)
def test_solution(name: str, golden: SnapshotAssertion) -> None:
    """The whole solution, as it goes through a pipe."""
    assert printed(worked(name)) == golden


@each("name", NAMES, quick=FEW)
def test_no_line_is_too_long(name: str) -> None:
    """Laws and worked lines have at most 200 characters, in a pipe too; matrices have their own width."""
    lines = [block for block in worked(name).blocks if isinstance(block, Law | Equation | Equations)]
    assert max(map(len, printed(Document(tuple(lines))).splitlines()), default=0) <= 200


@pytest.mark.parametrize("width", [40, 80, 120])
def test_width(width: int, golden: SnapshotAssertion) -> None:
    """The same solution on terminals of different widths."""
    assert printed(worked("dot-product-3"), width) == golden


def test_ascii(golden: SnapshotAssertion) -> None:
    """A terminal that has nothing but ASCII."""
    assert printed(worked("exact-causal"), 80, ascii_only=True) == golden


@pytest.mark.parametrize("detail", ["brief", "steps"])
def test_detail(detail: str, golden: SnapshotAssertion) -> None:
    """Results only, and with laws."""
    assert printed(document(solved("dot-product-3"), View(detail)), 80) == golden


def test_cell(golden: SnapshotAssertion) -> None:
    """One entry with all that it comes from."""
    view = View(references=(Reference("A", (3, 1)),))
    assert printed(document(solved("problem-set-4-q3"), view), 80) == golden


def test_row(golden: SnapshotAssertion) -> None:
    """One query's row of every step."""
    assert printed(document(solved("four-words"), View(row=3)), 80) == golden
