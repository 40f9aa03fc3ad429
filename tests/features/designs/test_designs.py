"""Questions with many right answers: a design is right if it reaches its goal, else what it reaches is shown."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.core.graph.graph import numbers_of
from attncalc.core.notations.latex import Latex
from attncalc.core.notations.unicode import Ascii, Notation, write
from attncalc.core.terms import Entry
from attncalc.exercise.numbers.texts import parse
from attncalc.features.classes.mark_class import check_many
from attncalc.features.classes.resume_file import to_data, to_report
from attncalc.features.designs.goals import distances
from attncalc.marking.report.levels import Level
from attncalc.worked.blocks import Equations
from attncalc.worked.view import View
from attncalc.worked.worksheet import worksheet
from attncalc.worked.writer.steps import Writer
from tests.helpers.bundled import PROBLEMS, checker_of, sheet
from tests.helpers.commands import run
from tests.helpers.quick_and_slow import SLOW, each
from tests.helpers.random_students import marked
from tests.helpers.solutions import printed

pytestmark = SLOW

OUTER, QUERY, HEADS = "attention-exploration-e2", "attention-exploration-b", "attention-exploration-d"
VALUES = "(outer(u_b, u_b) - outer(u_c, u_c)) / beta^2"
QUERIES = "(u_c u_dᵀ + u_d u_aᵀ) / β^2"
REACHED = "lim c₁ = u_b − u_c, lim c₂ = u_b"
AVERAGE = "lim c = v_a/2 + v_b/2"


def outer(queries: Any = QUERIES, keys: Any = "I", values: Any = VALUES) -> dict[str, Any]:
    """Answers to (e) ii."""
    return {"W_Q": queries, "W_K": keys, "W_V": values}


ZERO = [0, 0, 0, 0]
NOISY = [ZERO, [0, "0.9999999999999998", 0, 0], [0, 0, -1, "6e-17"], ZERO]
DESIGNS: list[tuple[dict[str, Any], float, str]] = [
    (outer("(outer(u_d, u_a) + outer(u_c, u_d)) / beta^2", "identity(4)"), 1.0, REACHED),
    (
        outer(
            "1/beta^2*(outer(u_a, u_a) + outer(u_b, u_d))",
            "1/beta^2*(outer(u_a, u_d) + outer(u_b, u_c))",
            [ZERO, [0, 1, 0, 0], [0, 0, -1, 0], ZERO],
        ),
        1.0,
        REACHED,
    ),
    (outer([ZERO, ZERO, [0, 0, 0, "5.0"], [5, 0, 0, 0]]), 1.0, REACHED),
    (outer("7/3 (u_c u_d^T + u_d u_a^T)/beta^2"), 1.0, REACHED),
    (outer("I", "(u_d u_c^\\top + u_a u_d^{T})/β²"), 1.0, REACHED),
    (outer("β(u_c u_dᵀ + u_d u_aᵀ)", "β^3 I"), 1.0, REACHED),
    (outer("(u_c u_dᵀ + u_d u_aᵀ)/β", "I/β"), 1.0, REACHED),
    (outer("(u_a u_dᵀ + u_b u_aᵀ)/β^2", "(u_a u_cᵀ + u_b u_dᵀ)/β^2"), 1.0, REACHED),
    (outer(keys="2 I - u_b u_bᵀ/β^2", values="u_b u_bᵀ/β^2 - u_c u_cᵀ/β^2 + 0*I"), 1.0, REACHED),
    (outer([ZERO, ZERO, [0, 0, 0, 1000], [1000, 0, 0, 0]]), 1.0, REACHED),
    (outer("1000(u_c u_dᵀ + u_d u_aᵀ)/β^4"), 1.0, "with β = 10^30, c₁ ≈ u_b − u_c, c₂ ≈ u_b"),
    (
        outer(values=NOISY),
        1.0,
        "lim c₁ ≈ u_b − u_c, lim c₂ ≈ u_b "
        "(V[3,4] is so small beside other entries that it is taken for 0.)",
    ),
    (dict.fromkeys(("W_Q", "W_K", "W_V"), "identity(4)"), 0.0, "lim c₁ = u_b + u_d, lim c₂ = u_a"),
    (outer("(u_d u_aᵀ + u_b u_dᵀ) / β^2"), 0.5, "lim c₁ = u_b − u_c/2, lim c₂ = u_b"),
    (outer("I", values="(u_b u_bᵀ + u_c u_cᵀ) / β^2"), 0.0, "lim c₁ = u_b, lim c₂ = 0"),
    (outer("transpose((u_c u_dᵀ + u_d u_aᵀ) / β^2)"), 0.0, "lim c₁ = 0, c₂ = 2·u_b/3 − u_c/3"),
    (outer("0*I"), 0.0, "c₁ = 2·u_b/3 − u_c/3, c₂ = 2·u_b/3 − u_c/3"),
    (outer("-(u_c u_dᵀ + u_d u_aᵀ)"), 0.0, "lim c₁ = u_b/2, lim c₂ = u_b/2 − u_c/2"),
    (outer(values="u_b u_bᵀ - u_c u_cᵀ"), 0.0, "lim c₁ = (0, β^3, −β^3, 0), lim c₂ = β^2·u_b"),
    (outer(values="0.99 I"), 0.0, "lim c₁ = (99/100)·(u_b + u_c), lim c₂ = (99/100)·(u_b + u_d)"),
    (outer("exp(beta) I"), 0.0, "with β = 100, c₁ ≈ (0, 100.0000, 0, 0), c₂ ≈ (0, 0, 0, 0)"),
]  # fmt: skip
"""Designs of (e) ii, the points they earn, and what they reach."""


@pytest.mark.parametrize(("design", "score", "reached"), DESIGNS)
def test_a_design_is_marked_by_what_it_reaches(design: dict[str, Any], score: float, reached: str) -> None:
    """Any that reaches the goal is right; else the goals that it reaches earn their points."""
    report = marked(checker_of(OUTER), design)
    (step,) = report.steps
    assert (step.step, step.score, step.max_score, step.reached) == ("O_limit", score, 1.0, reached)
    assert report.verdict == ("correct" if score == 1 else "incorrect")
    assert report.mistakes == (() if score == 1 else ("goal-missed",))
    assert report.exit_code == (score < 1)


FRAGMENTS: list[tuple[str, dict[str, Any], str]] = [
    (OUTER, {}, "Q, K and V are missing"),
    (OUTER, {"W_Q": [["_"] * 4] * 4, "W_V": "_"}, "Q, K and V are missing"),
    (OUTER, {"O_limit[1]": "u_b - u_c", "O_limit[2]": "u_b"}, "Q, K and V are missing"),
    (QUERY, {"c_limit": "1/2*(v_a + v_b)"}, "q is missing"),
]


@pytest.mark.parametrize(("name", "told", "said"), FRAGMENTS)
def test_a_fragment_earns_nothing(name: str, told: dict[str, Any], said: str) -> None:
    """Who answers no design has designed nothing."""
    report = marked(checker_of(name), told)
    assert (report.verdict, report.score, report.max_score) == ("incomplete", 0.0, 1.0)
    assert report.exit_code == 0 and not report.errors
    assert [step.waiting for step in report.steps] == [said]


@pytest.mark.parametrize(
    ("name", "told", "verdict", "said"),
    [
        (OUTER, {"W_K": "I"}, "correct", f"{REACHED}, with Q and V of the exercise's own design"),
        (HEADS, {"Q_1": "beta*mu_a"}, "correct", f"{AVERAGE}, with q_2 of the exercise's own design"),
        (HEADS, {"Q_1": "beta*mu_b"}, "incorrect", "lim c = v_b, with q_2 of the exercise's own design"),
    ],
)
def test_a_design_left_out_is_the_files_own(name: str, told: dict[str, Any], verdict: str, said: str) -> None:
    """It is not demanded, and the report says so."""
    report = marked(checker_of(name), told)
    assert (report.verdict, report.steps[-1].reached) == (verdict, said)


def test_a_wrong_output_beside_a_good_design_is_said() -> None:
    """The design has its points, exactly or nearly reached; the output is wrong."""
    for query in ("beta*(k_a + k_b)", "1000*(k_a + k_b)", "30(k_a + k_b)"):
        for output, is_wrong in (("v_a", True), ("(v_a + v_b)/2", False)):
            report = marked(checker_of(QUERY), {"q": query, "c_limit": output})
            assert (report.verdict, report.score, report.is_flawed) == ("correct", 1, is_wrong), report


def test_the_key_is_marked_by_the_files_own_design() -> None:
    """Which reaches its goal, or there would be no problem."""
    assert checker_of(OUTER).check_key().verdict == "correct"


NOT_WHOLE = "is one number where a matrix is wanted; of two vectors, u v is a number and u vᵀ a matrix"
TOLD: list[tuple[str, dict[str, Any], str, str]] = [
    (OUTER, {"W_V": [[1, 0], [0, 1]]}, "incorrect", "V has the shape 2×2, and should have 4×4."),
    (OUTER, outer("u_c"), "incorrect", "Q has the shape 1×4, and should have 4×4."),
    (OUTER, {"W_V": [[1, 2, 3, "_"]] * 4}, "unreadable", "W_V: has blanks: a design is answered whole"),
    (OUTER, {"W_V": "outer(u_b, u_x)"}, "unreadable", "'u_x'"),
    (OUTER, outer("u_c u_d"), "unreadable", f"W_Q: {NOT_WHOLE}"),
    (OUTER, {**outer(), "w_q": "I"}, "unreadable", "w_q: is given twice"),
    (OUTER, {"W_V": {"file": "/etc/passwd"}}, "unreadable", "W_V: is not a matrix"),
    (OUTER, outer("exp(beta^2)*I"), "unreadable", "with this design: cannot be decided"),
    (OUTER, {"W_X": "identity(4)"}, "unreadable", "there is no step 'W_X'"),
    (QUERY, {"q": "t*(k_a + k_b)"}, "unreadable", "'t' is not known; what is known here is beta, v_a"),
    (QUERY, {"q": "beta*v_a*(k_a + k_b)"}, "unreadable", "the sign of v_a is not known"),
    (QUERY, {"q": "(k_a + k_b)/0"}, "unreadable", "divides by zero"),
    (QUERY, {"q": "1e400*k_a"}, "unreadable", "is outside 10^±308"),
    (QUERY, {"q": ["beta^2", "beta^2", "-1", "-1"]}, "correct", AVERAGE),
    (QUERY, {"q": [["beta"], ["beta"], [0], [0]]}, "correct", AVERAGE),
    (QUERY, {"q": "1000*(k_a + k_b)", "alpha_limit": ["1/2", "1/2", 0, 0], "c_limit": "(v_a + v_b)/2"}, "correct", "c ≈"),
    (QUERY, {"q": "beta*(k_a + k_b)", "c_limit": "v_a"}, "correct", AVERAGE),
    (QUERY, {"q": "beta*(k_a + k_b)", "alpha": ["1/2", "1/2", 0, 0], "c": "(v_a + v_b)/2"}, "correct", AVERAGE),
    (QUERY, {"q": "beta*(k_a + k_b)", "alpha": ["1/2", "1/2", 0, 0], "c": "v_a"}, "correct", AVERAGE),
    (OUTER, {**outer(), "c[1]": "u_b - u_c", "c[2]": "u_b"}, "correct", REACHED),
    (OUTER, outer("(u_d u_cᵀ + u_a u_dᵀ)/β^2"), "incorrect", "With all its matrices transposed, it would reach the goal."),
    (QUERY, {"q": "-beta*(k_c + k_d)"}, "correct", AVERAGE),
    (QUERY, {"q": "beta*(k_a + k_b) + 7*10^-13*beta*k_c"}, "correct", "q[1,3] is so small"),
    (QUERY, {"q": "beta*k_a + (1 + 7*10^-13)*beta*k_b"}, "incorrect", "lim c = v_b"),
    (QUERY, {"q": "30(k_a + k_b)"}, "correct", "c ≈ v_a/2 + v_b/2"),
    (QUERY, {"q": "1000*(k_a + k_b)"}, "correct", "c ≈ v_a/2 + v_b/2"),
    (QUERY, {"q": "10^300*(k_a + k_b)"}, "correct", "c ≈ v_a/2 + v_b/2"),
    (
        QUERY,
        {"q": "6*(k_a + k_b)"},
        "correct",
        "c ≈ 0.4988·v_a + 0.4988·v_b + 0.00124·v_c + 0.00124·v_d, the goal within 0.01",
    ),
    (QUERY, {"Q": "2*(k_a + k_b)"}, "incorrect", "c ≈ 0.4404·v_a + 0.4404·v_b + 0.0596·v_c + 0.0596·v_d"),
    (QUERY, {"Q": "0*k_a"}, "incorrect", "c = v_a/4 + v_b/4 + v_c/4 + v_d/4"),
    (QUERY, {"Q": "beta*k_a"}, "incorrect", "lim c = v_a"),
    (QUERY, {"Q": "-beta*(k_a + k_b)"}, "incorrect", "lim c = v_c/2 + v_d/2"),
    (QUERY, {"q": "10^6/beta*(k_a + k_b)"}, "incorrect", "with β = 10^30, c ≈ 0.2500·v_a"),
    (QUERY, {"q": "(beta + 1/beta)*(k_a + k_b)"}, "correct", "with β = 10^30, c ≈ v_a/2 + v_b/2"),
    (QUERY, {"q": "exp(beta)*(k_a + k_b)"}, "correct", "with β = 100, c ≈ v_a/2 + v_b/2"),
    (QUERY, {"q": "ln(beta)*(k_a + k_b)"}, "correct", "with β = 1000, c ≈ 0.4995·v_a + 0.4995·v_b"),
    (QUERY, {"q": "v_a*(k_a + k_b)"}, "incorrect", "c = (v_a·e^v_a + v_b·e^v_a + v_c + v_d)/(2e^v_a + 2)"),
    (HEADS, dict.fromkeys(("q_1", "q_2"), "beta*(mu_a + mu_b)"), "correct", AVERAGE),
    (HEADS, {"q_1": "50*mu_a", "q_2": "beta*mu_b"}, "correct", "lim c ≈ v_a/2 + v_b/2"),
    (HEADS, {"q_1": "mu_a", "q_2": "mu_b"}, "incorrect", "c ≈ 0.3940·v_a + 0.3940·v_b + 0.2119·v_c"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "told", "verdict", "said"), TOLD)
def test_what_students_tell(name: str, told: dict[str, Any], verdict: str, said: str) -> None:
    """Numbers or letters, near enough or not, of a wrong shape, or not to be read."""
    report = marked(checker_of(name), told)
    words = [*report.errors, *(word for step in report.steps for word in (step.reached, *step.remarks))]
    assert report.verdict == verdict, report
    assert any(said in word for word in words), words


NAMED: list[tuple[str, str]] = [
    (QUERY, "q = β·(k_a + k_b)"),
    (QUERY, "q = beta(k_a+k_b)"),
    (QUERY, "q = \\beta (k_{a} + k_{b})"),
    (QUERY, "q: [beta, beta, 0, 0]"),
    (QUERY, "Q: beta*(k_a + k_b)"),
    (QUERY, "Q₁ = β·(k_a + k_b)"),
    (QUERY, "q[1]: beta k_a + beta k_b"),
    ("attention-exploration-c", "q = β (μ_a + µ_b)"),
    (HEADS, "q_1 = β·μ_a\nq_2 = β·μ_b"),
    (HEADS, "q₁: β \\mu_b\nq₂: β \\mu_{a}"),
    (HEADS, "(Q_1)₁ = beta*mu_a\nQ_2[1] = beta*mu_b"),
    (OUTER, f"W_Q = {QUERIES}\nW_K = I\nW_V = (u_b u_bᵀ − u_c u_cᵀ) / β^2"),
    (OUTER, f"Q: {QUERIES}\nK: I\nV: (u_b u_b.T - u_c u_c.T) / beta**2"),
    (OUTER, f"W_{{Q}}: {QUERIES}\nw_k: identity(4)\nWV: {VALUES}"),
]  # fmt: skip
"""Right designs as they are printed, and as people type them."""


@pytest.mark.parametrize(("name", "typed"), NAMED)
def test_designs_are_read_as_they_are_written(name: str, typed: str, tmp_path: Path) -> None:
    """By the names of the exercise, of the page and of the file."""
    file = tmp_path / "a.yaml"
    file.write_text(typed + "\n")
    report = checker_of(name).check_file(str(file))
    assert (report.verdict, report.errors) == ("correct", ())


FACTORS = (
    "1",
    "-1",
    "2",
    "1/2",
    "-5/3",
    "beta",
    "-1/beta",
    "3/beta^2",
    "beta/3",
    "beta + 1",
    "sqrt(2)",
    "e^beta",
)
SUMS = ("outer(u_a, u_b)", "outer(u_c, u_c) - outer(u_a, u_b)", "outer(u_a, u_d) + outer(u_d, u_d)")


@pytest.mark.parametrize("notation", [Notation(), Ascii(), Latex()], ids=lambda one: type(one).__name__)
@each("factor", FACTORS, quick=FACTORS[::4])
def test_what_is_printed_can_be_read(factor: str, notation: Notation) -> None:
    """A design in terms of named vectors is read back as what it was, in every notation."""
    let = {
        name: [f"{'beta' if n == m else 0}" for m in range(4)]
        for n, name in enumerate(("u_a", "u_b", "u_c", "u_d"))
    }
    for designed in (
        *(f"({factor})*({one})" for one in SUMS),
        f"[({factor})*(u_a + u_c)]",
        f"[u_a - ({factor})*u_b]",
    ):
        solution = attncalc.solve(
            attncalc.problem(symbols={"beta": "positive"}, let=let, Q=designed, K="identity(4)", scale="none")
        )
        writer = Writer(solution, View())
        (block,) = [*writer.in_outer_products("Q"), *writer.in_one_row("Q")]
        assert isinstance(block, Equations)
        ((_, said),) = block.lines[0].sides
        read = parse(write(said, notation), {"beta": Entry("beta"), **solution.problem.let})
        assert isinstance(read, np.ndarray)
        found = numbers_of(np.atleast_2d(read), solution.trace.field)
        assert not distances(solution, found, solution.trace.values["Q"]).any()


def test_steps_besides_are_marked_as_they_follow_from_the_design() -> None:
    """Other answered steps are right if the student's own design gives them; they earn no points."""
    swapped = outer(values="(outer(u_b, u_b) + outer(u_c, u_c)) / beta^2")
    right = marked(checker_of(OUTER), {**swapped, "V": ["u_b", "0*u_a", "u_b + u_c"]})
    wrong = marked(checker_of(OUTER), {**swapped, "V": ["u_b", "0*u_a", "u_b - u_c"]})
    assert [(step.step, step.verdict, step.max_score) for step in right.steps] == [
        ("V", "correct", 0.0),
        ("O_limit", "wrong", 1.0),
    ]
    assert [step.verdict for step in wrong.steps] == ["wrong", "wrong"]
    assert wrong.first_wrong and wrong.first_wrong.step == "V" and right.max_score == wrong.max_score == 1.0


def test_steps_of_no_design_are_not_judged() -> None:
    """They may be right for a design that is not answered; they are not compared with the file's own."""
    for told in ({"V": ["u_b", "0*u_a", "u_b"]}, {"V": ["u_b", "0*u_a", "u_b - u_c"]}):
        report = marked(checker_of(OUTER), told)
        assert [(step.step, step.verdict, step.wrong_cells) for step in report.steps] == [
            ("V", "blank", ()),
            ("O_limit", "blank", ()),
        ]
        assert report.verdict == "incomplete" and "not judged" in report.steps[0].waiting


def test_feedback_says_what_is_reached_and_hides_the_files_design(tmp_path: Path) -> None:
    """Up to `mistake` the design of the file is not shown; `full` shows it."""
    file = tmp_path / "a.yaml"
    file.write_text("W_Q: identity(4)\nW_V: identity(4)\nW_K: identity(4)\n")
    told = {level: run("check", OUTER, str(file), "--feedback", str(level), code=1) for level in Level}
    own = "Q = (u_c u_dᵀ + u_d u_aᵀ) / β^2"
    assert [own in text for text in told.values()] == [level == Level.FULL for level in Level]
    reached = "Your design gives lim c₁ = u_b + u_d, and should give u_b − u_c."
    assert [reached in text for text in told.values()] == [level.includes(Level.MISTAKE) for level in Level]


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
    assert table.count("goal-missed") == sum(score < 1 for _, score, _ in DESIGNS)
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
    for name, designs in ((QUERY, ["q"]), (HEADS, ["q_1", "q_2"]), (OUTER, ["Q", "K", "V"])):
        text = printed(sheet(name))
        given, _, asked = text.partition(f"\n({PROBLEMS[name].parts[0].label})")
        for design in designs:
            assert f"{design} = " not in given and f"{design} = " in asked
        assert "_" in asked and "many right answers" not in text


@pytest.mark.parametrize("parts", [{}, {"parts": [{"part": "a", "show": "A"}]}, {"parts": [{"show": "S"}]}])
def test_a_design_is_shown_with_the_part_that_asks_for_it(parts: dict[str, Any]) -> None:
    """Or alone, if no part does; the sheet asks for it in its place."""
    solution = attncalc.solve(attncalc.problem(**PLAIN, **parts, design="Q", goal={"S": [[2, 0]]}))
    key = str(solution)
    assert key.count("There are many right answers. We choose Q as follows:") == 1
    assert key.count("So S = (2, 0), as wanted.") == 1 and "Scores S" in key
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
    ({"design": "Q", "goal": {"S[1,1]": [2, 0]}}, "S[1,1] and what it must reach differ in shape: 1×1 and 1×2"),
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


def test_a_number_in_place_of_the_letter() -> None:
    """For a goal in a limit, 0.01 is near enough, also if the file does not say so; else it is not."""
    letters: dict[str, Any] = {"symbols": {"beta": "positive"}, "limit": "beta -> oo"}
    goal = {"A_limit[1]": [1, 0]}
    problem = attncalc.problem(**{**PLAIN, "Q": [["beta", 0]]}, **letters, design="Q", goal=goal)
    for told, verdict in ((["beta", 0], "correct"), ([3, 0], "correct"), ([2, 0], "incorrect")):
        assert attncalc.check(problem, {"Q": told}).verdict == verdict
    report = attncalc.check(problem, {"Q": [3, 0]})
    assert report.steps[0].reached == "A ≈ (0.9975, 0.00247), the goal within 0.01"
    own = attncalc.problem(**{**PLAIN, "Q": [[10, 0]]}, **letters, design="Q", goal=goal)
    assert ", as wanted, up to 0.01." in str(attncalc.solve(own))


def test_near_enough() -> None:
    """Floats and exact numbers alike; a row is reached only as a whole."""
    near = attncalc.problem(**PLAIN, design="Q", goal={"A[1]": [1, 0]}, within="0.2")
    for told, verdict in (([[1, 0]], "correct"), ([["0.5", 0]], "incorrect"), ([[4, "0.5"]], "correct")):
        assert attncalc.check(near, {"Q": told}).verdict == verdict
    report = attncalc.check(near, {"Q": [["0.5", 0]]})
    assert report.steps[0].reached == "A ≈ (0.7311, 0.2689)"
    assert report.steps[0].wrong_cells == ((1, 1), (1, 2))


def test_small_numbers_that_are_meant_count() -> None:
    """What is small beside another entry, but no noise of floats, is part of a design."""
    designed = {"Q": [["1e4", "-1e5"]], "K": [["123456", "0"], ["0", "-1e-5"]]}
    goal = {"S": [["1234560000", "1"]]}
    problem = attncalc.problem(**designed, scale="none", design=["K", "Q"], goal=goal)
    assert attncalc.check(problem, designed).verdict == "correct"
    assert attncalc.check(problem, {**designed, "K": [["123456", "0"], ["0", "0"]]}).verdict == "incorrect"
