"""Classes in which each student has a variant of the problem."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

from attncalc.marking.prepared import Prepared
from tests.helpers.commands import run


def test_solutions_of_variants_are_found_without_preparing_to_mark(tmp_path: Path) -> None:
    """The page on a class prepares nothing for its students: only workers mark."""
    problems, answers = tmp_path / "problems", tmp_path / "answers"
    for folder in (problems, answers):
        folder.mkdir()
    for n in range(3):
        (problems / f"s{n}.yaml").write_text(f"Q: [[1]]\nK: [[1], [1]]\nV: [[{n}], [{n + 2}]]\n")
        (answers / f"s{n}.yaml").write_text("O: [[1]]\n")
    with patch("attncalc.marking.checker.Prepared", wraps=Prepared) as prepared:
        run("check", str(problems), str(answers), "--workers", "1", "-f", "html", code=1)
    assert prepared.call_count < 3
