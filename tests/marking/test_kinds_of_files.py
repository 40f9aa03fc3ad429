"""Kinds of answers files: the same answers get the same report in every form."""

from __future__ import annotations

import io

import numpy as np
import pytest

from attncalc.core.record import replace
from attncalc.marking.report.report import Report
from tests.helpers.bundled import checker_of

PS4 = "problem-set-4-q3"


def saved(array: object) -> bytes:
    """An array as `np.save` writes it."""
    file = io.BytesIO()
    np.save(file, np.asarray(array), allow_pickle=True)
    return file.getvalue()


WEIGHTS = [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.62, 0.38, 0.0]]
TWINS: list[tuple[str, bytes, str]] = [
    ("A.npy", saved(WEIGHTS), f"A: {WEIGHTS}"),
    ("weights.npy", saved(WEIGHTS), f"A: {WEIGHTS}"),
    ("smithann_LATE_123_4567_A-2.npy", saved(WEIGHTS), f"A: {WEIGHTS}"),
]


def mark(name: str, data: bytes) -> Report:
    """The report on a file, as if it were called otherwise."""
    return replace(checker_of(PS4).check_content(name, data).light(), answers="")


@pytest.mark.parametrize(("name", "data", "twin"), TWINS)
def test_forms_and_their_twins(name: str, data: bytes, twin: str) -> None:
    """Answers in some form get the report of the same answers in YAML."""
    found = mark(name, data)
    assert found.errors == () and found == mark("answers.yaml", twin.encode())


@pytest.mark.parametrize("name", ["A.npy", "a.npz"])
def test_pickles_are_refused(name: str) -> None:
    """An array of objects would run code when it is loaded."""
    (error,) = mark(name, saved(np.array([print], dtype=object))).errors
    assert error.startswith(name)


def test_large_files_are_refused() -> None:
    """The content of a file is bounded, wherever it comes from."""
    (error,) = mark("a.yaml", b" " * 1_000_001).errors
    assert error == "a.yaml: is larger than 1,000,000 bytes"
