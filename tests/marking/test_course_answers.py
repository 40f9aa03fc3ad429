"""Answers to five course worksheets in the letters of the sheets: every one is read, and marked as it should be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

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


def test_designs_are_asked_for_in_the_letters_of_a_sheet() -> None:
    """As `solve` calls them."""
    assert "\nq: [[_, _, _, _]]" in run("answers", "attention-exploration-b")
    assert "\nK: [[_, _, _, _]," in run("answers", "attention-exploration-e2")
