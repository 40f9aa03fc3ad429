"""Verdicts and levels of feedback: what each may show and must not show, in every format."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import attncalc
from attncalc.api.check import as_mapping
from attncalc.cli.printer import Printer
from attncalc.features.classes.session_several import Several
from attncalc.features.classes.submissions import submission_of
from attncalc.marking.checker import Checker
from attncalc.marking.follow.judge import Mark
from attncalc.marking.report.feedback import feedback
from attncalc.marking.report.levels import Level, Order, disclose
from attncalc.marking.report.report import Report, Reports
from attncalc.marking.verdicts import OverallVerdict, StepVerdict
from attncalc.pages import FRAGMENT, formats_of
from tests.helpers.bundled import PROBLEMS, checker_of
from tests.helpers.commands import run
from tests.helpers.quick_and_slow import SLOW

pytestmark = SLOW

PROBLEM = "dot-product-3"
WRONG = "S: [[4, 3, 2], [7, 4, 1]]\nA: [[0.67, 0.24, 0.09], [0.95, 0.05, 0.00]]\nO: [[0.91, 1.67, -0.95], [1.00, 1.95, -1.80]]\n"
"""The scores are not scaled in A, and O follows."""
TRIVIAL = "A: [[0.5, 0.5, 0.5], [0.5, 0.5, 0.5]]\nO: [[1, 2, -0.5], [1, 2, -0.5]]\n"
"""All weights are equal, so that O follows for nothing."""

# Verdicts


def test_the_words_of_the_contract() -> None:
    """As they stand there, and from the lightest step to the gravest."""
    assert [*map(str, StepVerdict)] == [
        "blank", "correct", "rounded", "follows", "coarse", "unreadable", "wrong", "shape",
    ]  # fmt: skip
    assert [*map(str, OverallVerdict)] == ["correct", "incorrect", "incomplete", "unreadable", "unread"]
    assert [*map(str, Level)] == ["verdict", "step", "cells", "mistake", "full"]


@pytest.mark.parametrize("word", [*StepVerdict, *OverallVerdict, *Level], ids=repr)
def test_a_word_is_its_text(word: StepVerdict | OverallVerdict | Level) -> None:
    """Compared, formatted, written as JSON, sent to another process, and found by it."""
    text = word.value
    assert word == text and f"{word}" == text and f"{word:>12}" == f"{text:>12}"
    assert json.loads(json.dumps({word: word})) == {text: text}
    assert pickle.loads(pickle.dumps(word)) is word and type(word)(text) is word


@pytest.mark.parametrize("verdict", [*StepVerdict, *OverallVerdict], ids=repr)
def test_every_verdict_has_its_words_and_signs(verdict: StepVerdict | OverallVerdict) -> None:
    """One letter each in Unicode and in ASCII."""
    sign = verdict.sign
    assert verdict.words and len(sign.glyph) == len(sign.ascii) == 1 and sign.ascii.isascii() and sign.colour


def test_marks_are_the_gravity_of_verdicts() -> None:
    """Every cell's mark leads back to the verdict of its name; an unanswered cell is blank."""
    marks = {name: mark for name, mark in vars(Mark).items() if name.isupper()}
    assert {name: StepVerdict.of_gravity(mark).name for name, mark in marks.items()} == {
        **{name: name for name in marks},
        "UNANSWERED": "BLANK",
    }
    assert marks.keys() ^ StepVerdict.__members__.keys() == {"UNANSWERED", "SHAPE"}
    assert [v.name for v in StepVerdict if v.passes] == ["CORRECT", "ROUNDED", "FOLLOWS"]


def test_each_level_includes_those_before_it() -> None:
    """Each one tells itself, and not the next."""
    told = [[level.includes(other) for other in Level] for level in Level]
    assert told == [[other <= level for other in range(5)] for level in range(5)]


# Levels


def squeezed(text: str) -> str:
    """Text without blanks, and without what markup puts before signs."""
    return re.sub(r"[\s\\]", "", text)


MARKERS = {
    Level.STEP: 'givenyour|firstwrong:A|"follows"|,A,',
    Level.CELLS: r'wrongin|"wrong_cells":\[\[1,1\]',
    Level.MISTAKE: "scale-missing|notscaled",
    Level.FULL: "0.8816|0.88164",
}
"""What tells of each level, in any format."""
LACKS = {"csv": (Level.CELLS, Level.FULL)}
"""A line a file has no place for these."""
FORMATS = formats_of("documents", "reports")


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    """A file of wrong answers."""
    file = tmp_path / "answers.yaml"
    file.write_text(WRONG)
    return file


def found_in_formats(level: Level, *answers: Path) -> Iterator[tuple[str, set[Level]]]:
    """In every format, the levels of feedback found in the report on files."""
    reports: Reports | None = None
    for name, format_ in FORMATS.items():
        if format_.is_single and len(answers) > 1:
            continue
        marking = Several(
            "-", PROBLEMS[PROBLEM], [], Printer(format_, FRAGMENT, None), level, 10.0,
            [submission_of(str(file)) for file in answers], Order.FILE, None, None, None, None, format_,
        )  # fmt: skip
        # They are the same for every format.
        reports = vars(marking)["reports"] = reports or marking.reports
        told = marking.to_document() if format_.kind == "documents" else marking.to_reports()
        shown = squeezed(format_.render(told))
        yield name, {other for other, marker in MARKERS.items() if re.search(marker, shown)}


@pytest.mark.parametrize("level", Level)
def test_what_each_level_shows(level: Level, answers: Path) -> None:
    """All that it tells, as far as the format has a place for it, and nothing that only a later one tells."""
    for name, told in found_in_formats(level, answers):
        assert told == {other for other in MARKERS if level.includes(other)} - {*LACKS.get(name, ())}, name


@pytest.mark.parametrize("level", Level)
def test_what_each_level_hides_of_a_class(level: Level, answers: Path) -> None:
    """The same holds for many files."""
    for name, told in found_in_formats(level, answers, answers):
        assert all(map(level.includes, told)), name


def checked(text: str, level: Level, folder: Path) -> Any:
    """What JSON says of answers at a level."""
    (folder / "a.yaml").write_text(text)
    return json.loads(
        run("check", PROBLEM, str(folder / "a.yaml"), "-f", "json", "--feedback", str(level), code=1)
    )


def test_json_has_all_keys_at_every_level(tmp_path: Path) -> None:
    """Unanswered steps are empty; the expected values are another key, for steps that are not right."""
    found = {level: checked(WRONG, level, tmp_path) for level in Level}
    assert len({tuple(report) for report in found.values()}) == 1
    assert {(report["verdict"], report["score"]) for report in found.values()} == {("incorrect", 0.5)}
    assert [report["first_wrong"] and report["first_wrong"]["step"] for report in found.values()] == [
        None,
        *"AAAA",
    ]
    assert [len(report["steps"]) for report in found.values()] == [0, 3, 3, 3, 3]
    assert "right" not in {key for step in found[Level.MISTAKE]["steps"] for key in step}
    s, a, o = found[Level.FULL]["steps"]
    assert "right" not in s
    assert a["right"]["value"][0][0] == pytest.approx(0.5760, abs=5e-5)
    assert o["right"]["exact"] is not None and [v for v in StepVerdict if v == o["verdict"]] == [
        StepVerdict.FOLLOWS
    ]


def test_that_no_credit_is_carried_belongs_to_the_verdict(tmp_path: Path) -> None:
    """It is said wherever verdicts of steps are."""
    (tmp_path / "a.yaml").write_text(TRIVIAL)
    report = checker_of(PROBLEM).check_file(str(tmp_path / "a.yaml"))
    for level in Level:
        said = FORMATS["json"].render([disclose(report, level)])
        assert ("no credit is carried" in said) == level.includes(Level.STEP)


def test_a_level_changes_no_exit_code(tmp_path: Path) -> None:
    """An unreadable cell exits with 1, an unreadable file with 2, at every level; only the first can be graded."""
    for text, code in (("O: [[x?, 1.58, -0.72], [0.99, 1.88, -1.56]]", 1), ("a: &a [*a]", 2)):
        (tmp_path / "a.yaml").write_text(text)
        for level in Level:
            arguments = (
                "check",
                PROBLEM,
                str(tmp_path / "a.yaml"),
                "-f",
                "prairielearn",
                "--feedback",
                str(level),
            )
            assert json.loads(run(*arguments, code=code))["gradable"] == (code == 1)


def test_a_report_can_be_shown_alone() -> None:
    """It holds the solution it is about; and it can be sent from process to process."""
    report = attncalc.check(attncalc.load(PROBLEM), {"A": [[0.67, 0.24, 0.09], [0.95, 0.05, 0.00]]})
    assert not [value for value in vars(report).values() if isinstance(value, Checker)]
    assert report.is_flawed and report.steps[0].verdict == "wrong" and "not scaled" in str(report)
    checker = Checker(attncalc.load(PROBLEM))
    light = checker.check_key().light()
    assert pickle.loads(pickle.dumps(light)) == light
    assert isinstance(disclose(light, Level.CELLS), Report)


def test_letters_in_reports() -> None:
    """A problem with letters is shown with its letters."""
    shown = str(attncalc.check(attncalc.load("attention-exploration-b"), {"O": [[0, 3, 0]]}))
    assert "points" in shown


SAID = re.compile(r'data-k="(\w):(\d),(\d)" class="wrong" data-said="([^"]*)"')


def test_remarks_on_a_wrong_cell(tmp_path: Path) -> None:
    """From `mistake` on what the named mistake gives; from `full` on the right way, by the student's own numbers."""
    file = tmp_path / "ann.yaml"
    file.write_text("S: [[4, 3, 2], [7, 4, 3]]\nA: [[0.67, 0.24, 0.09], [0.94, 0.05, 0.02]]\n", "utf-8")
    said = {}
    for level in Level:
        page = run("check", PROBLEM, str(file), "--feedback", str(level), "-f", "html", code=1)
        said[level] = {(step, int(i), int(j)): words for step, i, j, words in SAID.findall(page)}
    assert not said[Level.VERDICT] and not said[Level.STEP] and not said[Level.CELLS]
    assert said[Level.MISTAKE].keys() == {("A", i, j) for i in range(2) for j in range(3)}
    assert said[Level.MISTAKE]["A", 1, 2] == "This gives 0.0171 here."
    assert said[Level.FULL]["S", 1, 2] == "With your numbers, the right method gives 1."
    assert said[Level.FULL]["A", 1, 2] == (
        "This gives 0.0171 here. With your numbers, the right method gives 0.0501. With the right numbers, it gives 0.0127."
    )


def test_a_line_is_true_of_own_numbers() -> None:
    """A line with the student's wrong numbers ends with the value that they give."""
    told = {"A": [[0.5, 0.3, 0.2], [0.9, 0.1, 0]], "C": [[1, 2, 3], [0.9, 1.9, -1.6]]}
    report = Checker(PROBLEMS[PROBLEM]).check(as_mapping(told), "answers")
    page = formats_of("documents")["text"].render(feedback(report, checker_of(PROBLEM).solution, Level.FULL))
    assert "0.5·1 + 0.3·1 + 0.2·0 = 0.8\n" in page
