"""Answers to five course worksheets in the letters of the sheets: every one is read, and marked as it should be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from attncalc.exercise.bundled import find_bundled
from tests.helpers.commands import run

DISCUSSION = """q_1: [2, 3, -5]
q_2: [-1, 0, LAST]
q_3: [1, -2, 8]
k_1: [-6, 0, 1]
k_2: [0, 0, 1]
k_3: [4, 0, -3]
v_1: [16, 27]
v_2: [-8, 0]
v_3: [8, -18]
z_31: 2
z_32: 8
z_33: -20
a_31: 0.00247
a_32: 0.99753
a_33: 6.90e-13
o_3: [-7.94, 0.067]
"""
ANSWERS = [
    ("discussion-10-q1", DISCUSSION.replace("LAST", "-2"), "correct"),
    # The slip of the published key.
    ("discussion-10-q1", DISCUSSION.replace("LAST", "2"), "incorrect"),
    ("dot-product-1", "alpha_1: 0.88\nalpha_2: 0.12\nalpha_3: 0.00\nc: [1.00, 2.00, 2.76]", "correct"),
    ("dot-product-1", "a_1: 0.88\na_2: 0.12\na_3: 0.00\nc: [1.00, 2.00, 2.76]", "correct"),
    ("dot-product-3", "C: [[0.86, 1.58, -0.72], [0.99, 1.88, -1.56]]", "correct"),
    ("attention-exploration-b", "q: 30*(k_a + k_b)", "correct"),
    ("attention-exploration-e1", "c_2: u_a", "correct"),
    (
        "attention-exploration-e2",
        "V: (u_b u_b^T - u_c u_c^T)/beta^2\nK: I\nQ: (u_d u_a^T + u_c u_d^T)/beta^2",
        "correct",
    ),
]


@pytest.mark.parametrize(("name", "told", "verdict"), ANSWERS)
def test_answers_in_the_letters_of_a_sheet(name: str, told: str, verdict: str, tmp_path: Path) -> None:
    """Nothing in them is refused."""
    file = tmp_path / "answers.yaml"
    file.write_text(told)
    report = json.loads(run("check", name, str(file), "-f", "json", code=int(verdict == "incorrect")))
    assert (report["verdict"], report["errors"]) == (verdict, [])


def test_answers_in_the_letters_of_code(tmp_path: Path) -> None:
    """A sheet whose code calls the scaled scores M and the weights S gives the raw scores another name."""
    own = "names: {S: QK, Z: M, A: S, O: C}"
    text = Path(find_bundled("dot-product-3")).read_text("utf-8").replace("names: {O: C}", own)
    (tmp_path / "sheet.yaml").write_text(text, "utf-8")
    told = "M: [[2.83, 2.12, 1.41], [4.95, 2.83, 0.71]]\nS: [[0.58, 0.28, 0.14], [0.88, 0.11, 0.01]]\n"
    (tmp_path / "answers.yaml").write_text(f"{told}C: [[0.86, 1.58, -0.72], [0.99, 1.88, -1.56]]")
    report = json.loads(
        run("check", str(tmp_path / "sheet.yaml"), str(tmp_path / "answers.yaml"), "-f", "json")
    )
    assert own in text
    assert (report["verdict"], report["errors"]) == ("correct", [])
    assert [(step["step"], step["verdict"]) for step in report["steps"]] == [
        ("Z", "correct"), ("A", "correct"), ("O", "correct"),
    ]  # fmt: skip


def test_designs_are_asked_for_in_the_letters_of_a_sheet() -> None:
    """As `solve` calls them."""
    assert "\nq: [[_, _, _, _]]" in run("answers", "attention-exploration-b")
    assert "\nK: [[_, _, _, _]," in run("answers", "attention-exploration-e2")
