"""`attncalc pack moodle`: Cloze questions, read back by the documented syntax alone."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from attncalc.mistakes.base import Mistake
from tests.helpers.bundled import FEW, ONE_SEQUENCE, PROBLEMS, checker_of
from tests.helpers.cloze import Blank, Question, Tags, all_feedback, read_quiz, words_of
from tests.helpers.commands import run, run_fault
from tests.helpers.quick_and_slow import each
from tests.helpers.single_mistakes import Student

PROBLEM = "dot-product-3"


def pack(folder: Path, *arguments: str) -> list[Question]:
    """The questions that an exercise is packed as."""
    file = folder / "questions.xml"
    run("pack", "moodle", *arguments, "-o", str(file))
    return read_quiz(file.read_bytes())


def pack_text(folder: Path, text: str, *options: str) -> Question:
    """The question of a problem file."""
    problem = folder / "problem.yaml"
    problem.write_text(text)
    (question,) = pack(folder, str(problem), *options)
    return question


def typed(handed: str) -> list[str]:
    """What a student types of what they hand in."""
    return [word if word == "-inf" else f"{Decimal(word):f}" for word in handed.split()]


def unit_of(blank: Blank) -> Decimal:
    """The unit of the last place that is asked."""
    return 2 * Decimal(blank.alternatives[0].answer.partition(":")[2])


def words_for(mistake: Mistake, student: Student) -> set[str]:
    """All that may be said of a mistake in an exercise."""
    ways = [way for step in student.graph.steps for way in mistake.variations(step, student.graph)]
    return {mistake.sentence, *(way.message for way in ways if way.message)}


@each("name", ONE_SEQUENCE, quick=[name for name in FEW if name in ONE_SEQUENCE][:2])
def test_what_is_right_and_what_is_wrong(name: str, tmp_path: Path) -> None:
    """Correct numbers are inside every tolerance; a mistake that shows is outside, and its feedback names it."""
    (question,) = pack(tmp_path, name)
    student = Student(checker_of(name))
    right = typed(student.write(student.right.floats))
    if len(right) != len(question.blanks):
        pytest.skip("something is asked twice")
    for blank, number in zip(question.blanks, right, strict=True):
        assert blank.mark(number).share == 1
    named = 0
    for mistake, handed in student.hand_ins():
        if not handed or "(" in handed:
            continue
        for blank, number, truth in zip(question.blanks, typed(handed), right, strict=True):
            if number != truth and number != "-inf" and blank.is_numerical:
                found = blank.mark(number)
                assert found.share == 0
                said = words_of(found.feedback)
                assert (
                    not said or mistake.behind or any(words in said for words in words_for(mistake, student))
                )
                named += bool(said)
                assert not said or abs(Decimal(number) - Decimal(truth)) > 2 * unit_of(blank)
    assert named


def blanks_of(folder: Path, keys: str, *options: str) -> tuple[Blank, ...]:
    """The blanks of a small exercise with other keys."""
    text = "Q: [[1, 2], [3, 1]]\nK: [[2, 1], [1, 1]]\nV: [[1, 2], [3, -1]]\n" + keys
    return pack_text(folder, text, *options).blanks


def test_points_of_a_step_are_shared_by_its_cells(tmp_path: Path) -> None:
    """Six points for two cells of S, one and a half for four of O: eight times as much for each."""
    keys = 'parts: [{part: a, show: ["S[1]"]}, {part: b, show: O}]\nmarks: {S: 6, O: 3/2}'
    assert [blank.weight for blank in blanks_of(tmp_path, keys)] == [8, 8, 1, 1, 1, 1]
    keys = 'parts: [{part: a, show: ["S[1]"]}, {part: b, show: O}]'
    assert [blank.weight for blank in blanks_of(tmp_path, keys)] == [2, 2, 1, 1, 1, 1]


def test_the_decimals_that_are_asked(tmp_path: Path) -> None:
    """Half a unit of the last one is allowed; whole numbers must be equal."""
    whole, share = (blanks_of(tmp_path, f"marks: {{{step}: 1}}\nplaces: 3")[0] for step in "SA")
    assert [whole.mark(number).share for number in ("4", "4.0", "4.001", "3.9999")] == [1, 1, 0, 0]
    exact = float(np.exp(4 / np.sqrt(2)) / (np.exp(4 / np.sqrt(2)) + np.exp(3 / np.sqrt(2))))
    near = [exact, round(exact, 3), round(exact, 3) + 0.0004, round(exact, 3) + 0.0011, round(exact, 1)]
    assert [share.mark(str(number)).share for number in near] == [1, 1, 1, 0, 0]


def test_a_number_between_two_is_rounded_to_either(tmp_path: Path) -> None:
    """1/8 to two decimals."""
    (blank, _) = pack_text(tmp_path, "S: [[0, 0]]\nV: [[1/4, 1], [0, 2.5]]\nplaces: 2").blanks
    assert [blank.mark(number).share for number in ("0.12", "0.13", "0.125", "0.11", "0.14")] == [
        1,
        1,
        1,
        0,
        0,
    ]


def test_hidden_scores_are_typed_in_words(tmp_path: Path) -> None:
    """−∞ is no number to Moodle."""
    keys = "mask: causal\nparts: [{part: a, show: M}]"
    blanks = blanks_of(tmp_path, keys)
    assert "(to 2 decimals; keep more until the end; -inf for −∞)" in (tmp_path / "questions.xml").read_text(
        "utf-8"
    )
    assert [blank.is_numerical for blank in blanks] == [True, False, True, True]
    assert [blanks[1].mark(word).share for word in ("-inf", "-∞", "−∞", "0", "-1000")] == [1, 1, 1, 0, 0]


def test_levels_of_feedback(tmp_path: Path) -> None:
    """Nothing below `mistake`; the right value at `full` alone, for whatever is not known."""
    told = {
        level: pack(tmp_path, PROBLEM, "--feedback", level)[0].blanks[0]
        for level in ("cells", "mistake", "full")
    }
    assert [told[level].mark("0.91").feedback.partition(":")[0] for level in told] == [
        "", "A mistake that gives this value", "A mistake that gives this value",
    ]  # fmt: skip
    assert "The scores were not scaled." in told["mistake"].mark("0.91").feedback
    assert [told[level].mark("77").feedback for level in told] == ["", "", "The right value is 0.86."]


NASTY = "]]> {1:NUMERICAL:=1} {#1} <script>alert(1)</script> \"quoted\" 'it' \\( x \\) $y$ ~ # = } & &lt; \\[ {{params.x}}"


def test_words_are_inert(tmp_path: Path) -> None:
    """Text from a problem makes no markup, no blank, no formula and no end of a section."""
    keys = {
        "title": NASTY, "source": NASTY, "tokens": [NASTY, "}"], "names": {"O": "C"},
        "Q": [[1, 2], [3, 1]], "K": [[2, 1], [1, 1]], "V": [[1, 2], [3, -1]],
        "parts": [{"part": "a", "ask": NASTY, "show": "O"}],
    }  # fmt: skip
    question = pack_text(tmp_path, json.dumps(keys), "--feedback", "full")
    assert len(question.blanks) == 4
    read = Tags(question.page)
    assert read.tags <= {"p", "em", "h4", "h5", "table", "tr", "th", "td", "span"}
    assert NASTY in "".join(read.words)
    assert "<script" not in question.page and "{1:" not in question.page and "{#" not in question.page
    for feedback in all_feedback(question.blanks):
        assert not Tags(feedback).tags


def test_control_characters_are_no_xml(tmp_path: Path) -> None:
    """They are shown as escapes."""
    question = pack_text(
        tmp_path, 'title: "a\\x1b\\u202e\\uFFFEb"\nQ: [[1, 2]]\nK: [[2, 1], [1, 1]]\nV: [[1], [2]]\n'
    )
    assert question.name == "a\\u001b\\u202e\ufffdb"


def test_huge_and_tiny_numbers(tmp_path: Path) -> None:
    """Digits beyond the sixth are not judged, and no number has an exponent."""
    blanks = pack_text(tmp_path, "S: [[0, 0]]\nV: [[1234567.891, 1e-9], [1234567.892, 3e-9]]").blanks
    assert [blanks[0].mark(number).share for number in ("1234570", "1234567.89", "1234580")] == [1, 1, 0]
    assert blanks[1].mark("0").share == 1
    assert "e" not in blanks[0].alternatives[0].answer.lower()


def test_a_class_of_variants(tmp_path: Path) -> None:
    """A question each, in a category to draw from."""
    run("vary", PROBLEM, "--count", "2", "-o", str(tmp_path / "class"))
    questions = pack(tmp_path, str(tmp_path / "class"))
    title = PROBLEMS[PROBLEM].title
    assert [one.name for one in questions] == [f"{title} 001", f"{title} 002"]
    assert f"<text>$course$/top/{title}</text>" in (tmp_path / "questions.xml").read_text()
    one, two = (question.blanks[0].alternatives[0].answer for question in questions)
    assert one != two
    (same,) = pack(tmp_path, PROBLEM, "--seed", "0")
    assert same.blanks == questions[0].blanks


def test_what_is_given_is_on_the_page(tmp_path: Path) -> None:
    """Matrices, the question and the decimals; never a result."""
    (question,) = pack(tmp_path, PROBLEM)
    page = words_of(question.page)
    assert r"Q = \begin{bmatrix} 1 & 2 \\ 3 & 1 \end{bmatrix}" in page
    assert "Compute the context matrix" in page and "(to 2 decimals; keep more until the end)" in page
    assert "0.86" not in page


REFUSED = {
    "attention-exploration-b": "has letters: a blank takes numbers only",
    "discussion-10-q2": "asks for derivations only",
    "d2l-valid-lens": "is a batch: blanks stand in rows and columns only",
    "attention-exploration-e1": "has letters",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_moodle_cannot_take(name: str, tmp_path: Path) -> None:
    """Refused with its place, and nothing is written."""
    said = run_fault("pack", "moodle", name, "-o", str(tmp_path / "never"))
    assert REFUSED[name] in said and f"{name}.yaml:" in said
    assert not [*tmp_path.iterdir()]
