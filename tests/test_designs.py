"""Questions with many right answers: a design is right if it reaches its goal, else what it reaches is shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import attncalc
from attncalc.checking.classes import check_many
from attncalc.checking.levels import Level
from attncalc.checking.storing import to_data, to_report
from attncalc.document.steps import View
from attncalc.handouts.worksheet import worksheet
from attncalc.interface.marking import as_mapping
from tests.bundled import PROBLEMS, checker_of, sheet
from tests.running import printed, run
from tests.samples import SLOW

OUTER = "attention-exploration-e2"
VALUES = "(outer(u_b, u_b) - outer(u_c, u_c)) / beta^2"
REACHED = "c_limit[1] = u_b − u_c, c_limit[2] = u_b"
DESIGNS: list[tuple[dict[str, Any], float, str]] = [
    (
        {"W_V": VALUES, "W_K": "identity(4)", "W_Q": "(outer(u_d, u_a) + outer(u_c, u_d)) / beta^2"},
        1.0,
        REACHED,
    ),
    (
        {
            "W_V": [[0, 0, 0, 0], [0, 1, 0, 0], [0, 0, -1, 0], [0, 0, 0, 0]],
            "W_K": "1/beta^2*(outer(u_a, u_d) + outer(u_b, u_c))",
            "W_Q": "1/beta^2*(outer(u_a, u_a) + outer(u_b, u_d))",
        },
        1.0,
        REACHED,
    ),
    (
        {"W_V": VALUES, "W_Q": [[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, "5.0"], [5, 0, 0, 0]]},
        1.0,
        REACHED,
    ),
    (dict.fromkeys(("W_Q", "W_K", "W_V"), "identity(4)"), 0.0, "c_limit[1] = u_b + u_d, c_limit[2] = u_a"),
    (
        {"W_V": VALUES, "W_K": "identity(4)", "W_Q": "(outer(u_d, u_a) + outer(u_b, u_d)) / beta^2"},
        0.5,
        "c_limit[1] = u_b − u_c/2, c_limit[2] = u_b",
    ),
    (
        {"W_V": "(outer(u_b, u_b) + outer(u_c, u_c)) / beta^2", "W_Q": "identity(4)"},
        0.0,
        "c_limit[1] = u_b, c_limit[2] = 0",
    ),
]  # fmt: skip
"""Designs of (e) ii, the points they earn, and what they reach."""


def marked(name: str, told: dict[str, Any]) -> Any:
    """The report on answers to a bundled problem."""
    return checker_of(name).check(as_mapping(told), "answers")


@pytest.mark.parametrize(("design", "score", "reached"), DESIGNS)
def test_a_design_is_marked_by_what_it_reaches(design: dict[str, Any], score: float, reached: str) -> None:
    """Any that reaches the goal is right; else the goals that it reaches earn their points."""
    report = marked(OUTER, design)
    (step,) = report.steps
    assert (step.step, step.score, step.max_score, step.reached) == ("O_limit", score, 1.0, reached)
    assert report.verdict == ("correct" if score == 1 else "incorrect")
    assert report.mistakes == (() if score == 1 else ("goal-missed",))
    assert report.exit_code == (score < 1)


def test_what_is_left_out_is_the_files_own() -> None:
    """One of three matrices is enough to be marked; without any, nothing is designed."""
    assert marked(OUTER, {"W_V": VALUES}).verdict == "correct"
    for nothing in ({}, {"W_V": "_"}, {"W_Q": [["_"] * 4] * 4}):
        report = marked(OUTER, nothing)
        assert (report.verdict, report.score, report.max_score) == ("incomplete", 0.0, 1.0)
    assert checker_of(OUTER).check_key().verdict == "correct"


TOLD: list[tuple[str, dict[str, Any], str, str]] = [
    (OUTER, {"W_V": [[1, 0], [0, 1]]}, "incorrect", "W_V has the shape 2×2, and should have 4×4."),
    (OUTER, {"W_V": [[1, 2, 3, "_"]] * 4}, "unreadable", "W_V: has blanks: a design is told whole"),
    (OUTER, {"W_V": "outer(u_b, u_x)"}, "unreadable", "'u_x'"),
    (OUTER, {"W_V": {"file": "/etc/passwd"}}, "unreadable", "W_V: is not a matrix"),
    (OUTER, {"W_V": "exp(beta)*identity(4)"}, "unreadable", "with this design: cannot be decided"),
    (OUTER, {"W_X": "identity(4)"}, "unreadable", "there is no step 'W_X'"),
    (OUTER, {"w_v": VALUES}, "correct", REACHED),
    ("attention-exploration-b", {"Q": "20*(k_a + k_b)"}, "correct", "c_limit = "),
    ("attention-exploration-b", {"q": ["beta^2", "beta^2", "-1", "-1"]}, "correct", "c_limit = v_a/2 + v_b/2"),
    ("attention-exploration-b", {"Q": "2*(k_a + k_b)"}, "incorrect", "c_limit = "),
    ("attention-exploration-b", {"Q": "beta*k_a"}, "incorrect", "c_limit = v_a"),
    ("attention-exploration-d", {"Q_1": "beta*mu_b", "Q_2": "beta*mu_a"}, "correct", "c_limit = v_a/2 + v_b/2"),
    ("attention-exploration-d", {"Q_1": "beta*mu_b"}, "incorrect", "c_limit = v_b"),
    ("attention-exploration-d", dict.fromkeys(("q_1", "q_2"), "beta*(mu_a + mu_b)"), "correct", "c_limit = "),
]  # fmt: skip


@pytest.mark.parametrize(("name", "told", "verdict", "said"), TOLD)
def test_what_students_tell(name: str, told: dict[str, Any], verdict: str, said: str) -> None:
    """Numbers or letters, near enough or not, of a wrong shape, or not to be read."""
    report = marked(name, told)
    words = [*report.errors, *(word for step in report.steps for word in (step.reached, *step.remarks))]
    assert report.verdict == verdict, report
    assert any(said in word for word in words), words


def test_steps_besides_are_marked_as_they_follow_from_the_design() -> None:
    """What is told of other steps is right if it is what the student's own design gives; it brings no points."""
    swapped = {"W_V": "(outer(u_b, u_b) + outer(u_c, u_c)) / beta^2"}
    right = marked(OUTER, {**swapped, "V": ["u_b", "0*u_a", "u_b + u_c"]})
    wrong = marked(OUTER, {**swapped, "V": ["u_b", "0*u_a", "u_b - u_c"]})
    assert [(step.step, step.verdict, step.max_score) for step in right.steps] == [
        ("V", "correct", 0.0),
        ("O_limit", "wrong", 1.0),
    ]
    assert [step.verdict for step in wrong.steps] == ["wrong", "wrong"]
    assert wrong.first_wrong.step == "V" and right.max_score == wrong.max_score == 1.0


def test_feedback_tells_what_is_reached_and_keeps_the_files_design(tmp_path: Path) -> None:
    """Up to `mistake` nobody sees the design of the file; `full` shows it."""
    file = tmp_path / "a.yaml"
    file.write_text("W_Q: identity(4)\nW_V: identity(4)\nW_K: identity(4)\n")
    told = {level: run("check", OUTER, str(file), "--feedback", str(level), code=1) for level in Level}
    own = "W_Q = (u_c u_dᵀ + u_d u_aᵀ) / β^2"
    assert [own in text for text in told.values()] == [level == Level.FULL for level in Level]
    reached = "Your design gives c_limit[1] = u_b + u_d, and should give u_b − u_c."
    assert [reached in text for text in told.values()] == [level.tells(Level.MISTAKE) for level in Level]


@SLOW
def test_a_class(tmp_path: Path) -> None:
    """Designs are marked by workers too, counted by their code, and kept."""
    files = []
    for number, (design, _, _) in enumerate(DESIGNS):
        files.append(str(tmp_path / f"{number}.json"))
        Path(files[-1]).write_text(json.dumps(design))
    reports = list(check_many(PROBLEMS[OUTER], files, workers=1))
    assert [report.score for report in reports] == [score for _, score, _ in DESIGNS]
    kept = [to_report(json.loads(json.dumps(to_data(report)))) for report in reports]
    assert [step.reached for report in kept for step in report.steps] == [reached for *_, reached in DESIGNS]
    table = run("check", OUTER, str(tmp_path), "-f", "csv", code=1)
    assert table.count("goal-missed") == 3
    assert "The design does not reach its goal." in run("check", OUTER, str(tmp_path), code=1)


def test_json() -> None:
    """Programs read the design, the goals, and what is reached."""
    solved = json.loads(run("solve", OUTER, "-f", "json"))
    assert list(solved["design"]) == ["W_Q", "W_K", "W_V"]
    assert solved["design"]["W_Q"][3] == ["1", "0", "0", "0"]
    first, second = solved["goal"]
    assert first["wanted"] == first["value"] == ["0", "beta", "-beta", "0"] and first["reached"]
    assert (second["step"], second["at"]) == ("O_limit", [2])
    assert "design" not in json.loads(run("solve", "dot-product-3", "-f", "json"))


def test_a_sheet_leaves_the_design_to_the_student() -> None:
    """Blanks in its place, and its numbers nowhere."""
    for name in ("attention-exploration-b", "attention-exploration-d", OUTER):
        text = printed(sheet(name))
        given, _, asked = text.partition(f"({PROBLEMS[name].parts[0].label})")
        for design in PROBLEMS[name].design:
            assert f"{design} = " not in given and f"{design} = " in asked
        assert "_" in asked and "Every design" not in text


@pytest.mark.parametrize("parts", [{}, {"parts": [{"part": "a", "show": "A"}]}, {"parts": [{"show": "S"}]}])
def test_a_design_is_shown_with_the_part_that_asks_for_it(parts: dict[str, Any]) -> None:
    """Or by itself, where no part does; the sheet asks for it in its place."""
    solution = attncalc.solve(attncalc.problem(**PLAIN, **parts, design="Q", goal={"S": [[2, 0]]}))
    key = str(solution)
    assert key.count("Every design that reaches the goal is right.") == 1
    assert key.count("The design reaches its goal.") == 1 and "Scores S" in key
    asked = printed(worksheet(solution, View()))
    assert asked.count("Find Q such that S = (2, 0).") == 1 and "Q = [ _  _ ]" in asked


PLAIN: dict[str, Any] = {"Q": [[1, 0]], "K": [[2, 0], [0, 1]], "scale": "none"}
FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"design": "Q"}, "design: needs goal: a design is found to reach a goal"),
    ({"goal": {"S": [[2, 0]]}}, "goal: needs design: a design is found to reach a goal"),
    ({"within": "0.1"}, "within: needs goal"),
    ({"design": "Q_1", "goal": {"S": [[2, 0]]}}, "'Q_1' is not given, so it cannot be designed; given are Q, K"),
    ({"design": "W_Q", "goal": {"S": [[2, 0]]}}, "'W_Q' is not given, so it cannot be designed; given are Q, K"),
    ({"design": [], "goal": {"S": [[2, 0]]}}, "design: must name what is to be found, [W_Q, W_K]"),
    ({"design": "Q", "goal": [1]}, "goal: must map steps to what they must reach"),
    ({"design": "Q", "goal": {}}, "goal: names nothing to reach"),
    ({"design": "Q", "goal": {"S[": [2, 0]}}, "'S[' does not name a step"),
    ({"design": "Q", "goal": {"O": [2, 0]}}, "there is no step 'O'"),
    ({"design": "Q", "goal": {"S[2]": [2, 0]}}, "S[2] is outside S, which is 1×2"),
    ({"design": "Q", "goal": {"S": [2, 0, 1]}}, "S and what it must reach differ in shape: 1×2 and 1×3"),
    ({"design": "Q", "goal": {"S[1,1]": [2, 0]}}, "S[1, 1] and what it must reach differ in shape: 1×1 and 1×2"),
    ({"design": "Q", "goal": {"S": [2, 0]}, "within": "0"}, "within: must be a positive number"),
    ({"design": "Q", "goal": {"S": [2, 0]}, "within": "x"}, "within"),
    ({"design": "Q", "goal": {"S": [0, 1]}}, "the file's own design does not reach S: it gives 2, 0"),
]  # fmt: skip


@pytest.mark.parametrize(("keys", "message"), FAULTS)
def test_faults(keys: dict[str, Any], message: str) -> None:
    """What cannot be a design question is refused, also where answers are marked."""
    for use in (attncalc.solve, lambda problem: attncalc.check(problem, {})):
        with pytest.raises(attncalc.ProblemError, match=re.escape(message)):
            use(attncalc.problem(**PLAIN, **keys))


def test_a_fault_has_its_place(tmp_path: Path) -> None:
    """The line of the goal that is not reached."""
    file = tmp_path / "p.yaml"
    file.write_text('Q: [[1, 0]]\nK: [[2, 0], [0, 1]]\nscale: none\ndesign: Q\ngoal:\n  "S[1]": [0, 1]\n')
    with pytest.raises(
        attncalc.ProblemError, match=r"p\.yaml:6:3: the file's own design does not reach S\[1\]"
    ):
        attncalc.solve(attncalc.load(file))


def test_near_enough() -> None:
    """Floats and exact numbers alike; a row is reached only as a whole."""
    near = attncalc.problem(**PLAIN, design="Q", goal={"A[1]": [1, 0]}, within="0.2")
    for told, verdict in (([[1, 0]], "correct"), ([["0.5", 0]], "incorrect"), ([[4, "0.5"]], "correct")):
        assert attncalc.check(near, {"Q": told}).verdict == verdict
    report = attncalc.check(near, {"Q": [["0.5", 0]]})
    assert report.steps[0].reached == "A[1] = (0.7311, 0.2689)"
    assert report.steps[0].wrong_cells == ((1, 1), (1, 2))
