"""`attncalc pack`: what other systems are handed, tried as they use it."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import numpy as np
import pytest

from attncalc.core.errors import ProblemError
from attncalc.core.fields import Array
from attncalc.exercise.load import Source
from attncalc.features.packs import pack_moodle as moodle
from attncalc.features.packs.assignment import Assignment
from attncalc.features.packs.prairielearn_question import Paper
from attncalc.marking.report.levels import Level
from tests.fuzzing.problems import write_problem
from tests.helpers.cloze import read_quiz
from tests.helpers.commands import run, run_fault
from tests.helpers.quick_and_slow import SLOW

pytestmark = SLOW

PROBLEM = "dot-product-3"
RIGHT = "O: [[0.86, 1.58, -0.72], [0.99, 1.88, -1.56]]\n"
WRONG = "O: [[0.91, 1.67, -0.95], [1.00, 1.95, -1.80]]\n"
"""Right, and what comes out without scaling."""

Content: TypeAlias = str | bytes | Array
"""A submitted file: text, bytes, or the output O as an array."""


def to_bytes(content: Content) -> bytes:
    """The bytes of a submitted file."""
    if isinstance(content, str):
        return content.encode()
    if isinstance(content, bytes):
        return content
    archive = io.BytesIO()
    np.savez_compressed(archive, O=content)
    return archive.getvalue()


class Gradescope:
    """A folder laid out as Gradescope does, with an autograder unpacked and set up in it."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self.root, archive = home / "autograder", home / "autograder.zip"
        (self.root / "source").mkdir(parents=True)
        run("pack", "gradescope", *arguments, "-o", str(archive))
        with zipfile.ZipFile(archive) as packed:
            for entry in packed.infolist():
                os.chmod(packed.extract(entry, self.root / "source"), entry.external_attr >> 16)
        shutil.copy(self.root / "source" / "run_autograder", self.root / "run_autograder")
        # A machine with Python alone: nothing leads to where this test stands.
        self.environment = {**os.environ, "AUTOGRADER": "."}
        self.environment.pop("PYTHONPATH", None)
        self.use(Path(sys.executable).parent)

    def use(self, programs: Path) -> None:
        """Takes Python from a folder of programs."""
        self.environment["PATH"] = f"{programs}:/usr/bin:/bin"

    def call(self, script: Path) -> None:
        """Runs a script as Gradescope does."""
        done = subprocess.run([script], cwd=self.root, env=self.environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, ""), done.stderr

    def mark(self, **files: Content) -> Any:
        """The results of a submission with these files, whose names have an ending instead of __."""
        shutil.rmtree(self.root / "submission", ignore_errors=True)
        for name, content in files.items():
            path = self.root / "submission" / name.replace("__", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(to_bytes(content))
        return self.results()

    def results(self) -> Any:
        """The results of the submission that is there."""
        shutil.rmtree(self.root / "results", ignore_errors=True)
        self.call(self.root / "run_autograder")
        found = json.loads((self.root / "results" / "results.json").read_text("utf-8"))
        assert {"score", "output", "tests"} <= found.keys()
        assert found["score"] == pytest.approx(sum(test["score"] for test in found["tests"]))
        assert all(test["max_score"] >= test["score"] for test in found["tests"])
        return found


@pytest.fixture(scope="module")
def gradescope(tmp_path_factory: pytest.TempPathFactory) -> Gradescope:
    """The autograder of an exercise with one point."""
    return Gradescope(tmp_path_factory.mktemp("gradescope"), PROBLEM)


def test_a_submission_to_gradescope(gradescope: Gradescope) -> None:
    """A right one has all points; one without scaling half, and the mistake is named."""
    found = gradescope.mark(
        answers__yaml=f"student: anna\n{RIGHT}", notes__txt="my notes", photo__jpg=b"\xff"
    )
    assert found["score"] == found["tests"][0]["max_score"] == 1
    assert found["extra_data"]["student"] == "anna"
    found = gradescope.mark(answers__json=WRONG)
    assert found["score"] == 0.5
    assert "not scaled" in found["tests"][0]["output"]


HOSTILE: dict[str, tuple[dict[str, Content], str]] = {
    "nothing": ({}, "holds no answers (.yaml"),
    "other files": ({"answers__txt": RIGHT, "answers__py": RIGHT}, "several answers files, and one is wanted"),
    "several": ({"a__yaml": RIGHT, "b__json": "{}"}, "several answers files, and one is wanted: a.yaml, b.json"),
    "cut": ({"a__yaml": "O: [[0.86, 1.58"}, "a.yaml:1:"),
    "binary": ({"a__yaml": b"\x00\xff\x80"}, "a.yaml"),
    "empty": ({"a__yaml": ""}, "a.yaml"),
    "another problem": ({"a__yaml": f"problem: rope\n{RIGHT}"}, "the answers are to 'rope'"),
    "code": ({"a__yaml": "O: !!python/object/apply:os.system ['touch owned']"}, "a.yaml"),
    "laughs": ({"a__yaml": "a: &a [1,1,1]\n" + "".join(
        f"{chr(n + 1)}: &{chr(n + 1)} [{','.join(['*' + chr(n)] * 9)}]\n" for n in range(97, 110)
    )}, "a.yaml"),
    "tower": ({"a__yaml": "O: 9**9**9**9"}, "a.yaml"),
    "zip bomb": ({"a__npz": np.zeros((3000, 3000))}, "a.npz"),
    "pickle": ({"a__npz": np.array([{"a": 1}], dtype=object)}, "a.npz"),
    "controls": ({"\x1b]0;owned\x07\u202e__yaml": b"\x00\xff\x80"}, "\\u001b]0;owned\\u0007\\u202e.yaml"),
}  # fmt: skip
"""Submissions without a point, and what is said of each."""
QUICK = ("controls",)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else SLOW) for name in HOSTILE]
)
def test_a_hostile_submission_has_no_points(name: str, gradescope: Gradescope) -> None:
    """And a sentence that says why; nothing of it is run, and no control character is in the results."""
    files, said = HOSTILE[name]
    found = gradescope.mark(**files)
    assert found["score"] == 0
    assert sum(test["max_score"] for test in found["tests"]) == 1
    assert said in found["output"]
    assert not [*gradescope.root.rglob("owned")]
    assert found["output"].replace("\n", "").isprintable()


@SLOW
def test_nothing_of_a_submission_is_imported_or_followed(gradescope: Gradescope) -> None:
    """Modules beside the answers are none of ours, links lead nowhere, and what a Mac adds is no answer."""
    spy = "open('owned', 'w')\nraise SystemExit(7)\n"
    modules = {f"{name}__py": spy for name in ("struct", "attncalc", "numpy", "sitecustomize", "pickle")}
    answers: dict[str, Content] = {"folder/answers__yaml": RIGHT, "folder/._answers__yaml": b"\x00"}
    found = gradescope.mark(**answers, **modules)
    assert found["score"] == 1
    gradescope.mark()
    (gradescope.root / "submission" / "a.yaml").symlink_to(
        gradescope.root / "source/problem/dot-product-3.yaml"
    )
    assert "holds no answers (.yaml" in gradescope.results()["output"]


@SLOW
def test_levels_of_feedback_on_gradescope(tmp_path: Path) -> None:
    """As much as the level says, with the marks of the exercise."""
    problem = tmp_path / "marked.yaml"
    problem.write_text("{Q: [[1, 2]], K: [[1, 1], [0, 1]], V: [[3], [1]], marks: {S: 2, O: 3}}")
    wrong = "S: [[3, 2]]\nO: [[9.87]]\n"
    told = {}
    for level in (Level.VERDICT, Level.FULL):
        grader = Gradescope(tmp_path / str(level), str(problem), "--feedback", str(level))
        told[level] = grader.mark(a__yml=wrong)
    assert [told[level]["score"] for level in told] == [2, 2]
    assert [(test["name"], test["max_score"]) for test in told[Level.VERDICT]["tests"]] == [("all", 5)]
    assert "The right values: [[2.33952]]" in told[Level.FULL]["tests"][-1]["output"]


@SLOW
def test_variants_on_gradescope(tmp_path: Path) -> None:
    """Each student's answers against their own problem, or everybody's against that of a seed."""
    run("vary", PROBLEM, "--count", "2", "-o", str(tmp_path / "class"))
    key = (tmp_path / "class" / "002.yaml").read_text().partition("answers:")[2]
    grader = Gradescope(tmp_path / "own", str(tmp_path / "class"))
    assert grader.mark(answers__yaml=f"student: 002\nanswers:{key}")["score"] == 1
    assert grader.mark(answers__yaml=f"student: 001\nanswers:{key}")["score"] < 1
    assert (
        "there is no variant for '003'" in grader.mark(answers__yaml=f"student: 003\nanswers:{key}")["output"]
    )
    run("vary", PROBLEM, "--count", "1", "--seed", "5", "-o", str(tmp_path / "five"))
    key = (tmp_path / "five" / "001.yaml").read_text().partition("answers:")[2]
    grader = Gradescope(tmp_path / "same", PROBLEM, "--seed", "5")
    assert grader.mark(answers__yaml=f"problem: {PROBLEM}\nanswers:{key}")["score"] == 1


@SLOW
def test_an_autograder_from_an_empty_machine(tmp_path: Path) -> None:
    """Python and pip are enough: both scripts run, and nothing of this checkout is used."""
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "-d", str(tmp_path), "click"]
    if subprocess.run(download, capture_output=True, check=False).returncode:
        pytest.skip("needs the network: pip cannot download packages")
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "python"], check=True)
    grader = Gradescope(tmp_path, PROBLEM)
    grader.use(tmp_path / "python" / "bin")
    grader.environment["PIP_DISABLE_PIP_VERSION_CHECK"] = "1"
    grader.call(grader.root / "source" / "setup.sh")
    assert grader.mark(answers__yaml=RIGHT)["score"] == 1
    assert grader.mark(answers__npz=np.zeros((2, 3)))["score"] == 0
    assert grader.mark(answers__yaml=HOSTILE["laughs"][0]["a__yaml"])["score"] == 0


@SLOW
def test_arrays_and_odd_names_go_along(tmp_path: Path) -> None:
    """What a problem refers to is packed beside it, whatever either is called."""
    (tmp_path / "data").mkdir()
    np.savez(tmp_path / "data" / "it's.npz", q=np.array([[1.0, 2.0], [3.0, 1.0]]))
    text = 'Q: {file: "data/it\'s.npz", key: q}\nK: [[2, 1], [1, 1], [0, 1]]\nV: [[1, 2, -2], [1, 1, 2], [0, 1, -1]]\n'
    problem = tmp_path / "run_autograder"
    problem.write_text(text)
    grader = Gradescope(tmp_path / "home", str(problem))
    assert grader.mark(answers__yaml=f"problem: run_autograder\n{RIGHT}")["score"] == 1
    folder = grader.root / "submission"
    os.rename(os.fsencode(folder / "answers.yaml"), os.fsencode(folder) + b"/\xff\xfe.yaml")
    found = grader.results()
    assert (found["score"], found["extra_data"]["answers"]) == (1, "\\udcff\\udcfe.yaml")


def test_an_autograder_is_the_same_whenever_it_is_packed(tmp_path: Path) -> None:
    """Byte for byte."""
    first, second = tmp_path / "1.zip", tmp_path / "2.zip"
    for file in (first, second):
        run("pack", "gradescope", PROBLEM, "-o", str(file))
    assert first.read_bytes() == second.read_bytes()


def refused(*arguments: str) -> str:
    """Why an exercise is not packed."""
    return run_fault("pack", *arguments, "-o", "never-written")


def test_what_is_not_packed(tmp_path: Path) -> None:
    """Each in a sentence."""
    assert "asks for derivations only" in refused("gradescope", "discussion-10-q2")
    assert "name what to write: -o OUT" in run_fault("pack", "gradescope", PROBLEM)
    run("vary", PROBLEM, "--count", "1", "-o", str(tmp_path))
    assert "leave out --seed" in refused("gradescope", str(tmp_path), "--seed", "1")


@SLOW
@pytest.mark.parametrize("number", range(12))
def test_random_problems_are_packed_or_refused(number: int) -> None:
    """Where both have blanks, they have the same; all that is right earns all points in both."""
    source = Source(write_problem(Random(number)), "problem.yaml", ".")
    try:
        (question,) = read_quiz(str(moodle.pack(Assignment(source))["questions.xml"]).encode())
    except ProblemError:
        return
    paper = Paper(source)
    typed = paper.fill_in(is_right=True)
    report = paper.check(typed)
    assert report.score == pytest.approx(report.max_score)
    assert all(
        blank.mark(text).share == 1 for blank, text in zip(question.blanks, typed.values(), strict=True)
    )
    wrong = paper.check(paper.fill_in(is_right=False))
    assert wrong.score < report.score
