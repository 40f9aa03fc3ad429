"""`attncalc pack prairielearn`: a question folder, called as PrairieLearn calls it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from copy import deepcopy
from html.parser import HTMLParser
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from tests.helpers.bundled import FEW, ONE_SEQUENCE
from tests.helpers.cloze import Tags
from tests.helpers.commands import run, run_fault
from tests.helpers.quick_and_slow import SLOW

pytestmark = SLOW

Data = dict[str, Any]
PROBLEM = "problem-set-4-q3"
MORE = ["rnnsearch", "deepml-53a", "exact-causal", "udacity-attention-basics", "deepml-94-example"]
TRIED = [name for name in (*FEW, *MORE) if name in ONE_SEQUENCE]
UUID_4 = r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"


class Inputs(HTMLParser):
    """The input elements of a template, with their attributes."""

    def __init__(self, template: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(template)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag.startswith("pl-") and tag.endswith("-input"):
            self.found.append((tag, {name: value or "" for name, value in attrs}))


class PrairieLearn:
    """Calls the functions of a question in turn, with the elements before them, as its documentation says.

    An element of a matrix reads the cells name1, name2, … as floats, blanks as 0 where they are allowed, and
    grades them by a tolerance; one of a text takes any.
    """

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.folder = folder / "question"
        run("pack", "prairielearn", *arguments, "-o", str(self.folder))
        self.info = json.loads((self.folder / "info.json").read_text("utf-8"))
        self.template = (self.folder / "question.html").read_text("utf-8")
        self.inputs = Inputs(self.template).found
        self.server = self.load_server()

    def load_server(self) -> ModuleType:
        """server.py, from its file."""
        spec = spec_from_file_location("server", self.folder / "server.py")
        assert spec is not None and spec.loader is not None
        server = module_from_spec(spec)
        spec.loader.exec_module(server)
        return server

    def generate(self, seed: int = 12345) -> Data:
        """A variant: all keys are there, and all values are JSON."""
        empty: Data = {
            name: {} for name in ("params", "correct_answers", "submitted_answers", "raw_submitted_answers",
                                  "format_errors", "partial_scores", "feedback")
        }  # fmt: skip
        options = {"question_path": str(self.folder)}
        data: Data = {**empty, "score": 0.0, "variant_seed": seed, "options": options}
        self.server.generate(data)
        return stored(data)

    def submit(self, variant: Data, raw: dict[str, str]) -> Data:
        """A submission, parsed, and graded if it is valid."""
        data = stored({**variant, "raw_submitted_answers": raw, "submitted_answers": dict(raw)})
        for tag, attributes in self.inputs:
            if tag == "pl-matrix-component-input":
                parse_matrix(attributes, data)
        self.server.parse(data)
        if not data["format_errors"]:
            data["partial_scores"] = {"graded by an element": {"score": 0.0, "weight": 1}}
            self.server.grade(data)
        return stored(data)

    def test(self, variant: Data, kind: str) -> tuple[Data, Data]:
        """What a test submission is expected to get, and what it gets."""
        data = stored({**variant, "test_type": kind, "gradable": True})
        before = deepcopy(data)
        self.server.test(data)
        changed = {key for key in data if data[key] != before[key]}
        assert changed <= {"raw_submitted_answers", "format_errors", "partial_scores", "score"}
        return data, self.submit(variant, data["raw_submitted_answers"])


def stored(data: Data) -> Data:
    """The dictionary after PrairieLearn has kept it as JSON."""
    found: Data = json.loads(json.dumps(data, allow_nan=False))
    return found


def parse_matrix(attributes: dict[str, str], data: Data) -> None:
    """What the element of a matrix makes of its cells."""
    name = attributes["answers-name"]
    right = data["correct_answers"][name]
    assert right["_type"] == "ndarray"
    shape = np.array(right["_value"], dtype=right["_dtype"]).shape
    assert len(shape) == 2
    cells = [f"{name}{number}" for number in range(1, shape[0] * shape[1] + 1)]
    for cell in cells:
        text = data["submitted_answers"].get(cell, "").strip() or ("0" if "allow-blank" in attributes else "")
        try:
            data["submitted_answers"][cell] = float(text)
        except ValueError:
            data["format_errors"] |= {cell: "not a number", name: "not a matrix"}
    if name not in data["format_errors"]:
        numbers = np.array([data["submitted_answers"][cell] for cell in cells]).reshape(shape)
        kept = {"_type": "ndarray", "_value": numbers.tolist(), "_dtype": str(numbers.dtype)}
        data["submitted_answers"][name] = kept


@pytest.mark.parametrize("name", TRIED)
def test_a_question_tests_itself(name: str, tmp_path: Path) -> None:
    """As PrairieLearn tests it: right, wrong and invalid submissions get what is expected of them."""
    question = PrairieLearn(tmp_path, name)
    variant = question.generate()
    scores = []
    for kind in ("correct", "incorrect", "invalid"):
        expected, found = question.test(variant, kind)
        assert {*expected["format_errors"]} == {*found["format_errors"]}
        if kind != "invalid":
            assert found["partial_scores"] == expected["partial_scores"]
            scores.append(found["score"])
            weights = [(part["score"], part["weight"]) for part in found["partial_scores"].values()]
            mean = sum(score * weight for score, weight in weights) / sum(weight for _, weight in weights)
            assert found["score"] == expected["score"] == pytest.approx(mean)
    assert scores[0] == 1 and scores[1] < 0.5
    names = [attributes["answers-name"] for _, attributes in question.inputs]
    assert len({*names}) == len(names)


@pytest.fixture(scope="module")
def question(tmp_path_factory: pytest.TempPathFactory) -> PrairieLearn:
    """A question with six matrices."""
    return PrairieLearn(tmp_path_factory.mktemp("prairielearn"), PROBLEM)


def test_the_files_of_a_question(question: PrairieLearn, tmp_path: Path) -> None:
    """What PrairieLearn wants to know; the same again when it is packed again."""
    info = question.info
    assert re.fullmatch(UUID_4, info["uuid"])
    assert info["type"] == "v3" and info["title"] == "Self-attention with half-integer weights"
    assert info["topic"] and info["tags"] and not info["showCorrectAnswer"] and not info["singleVariant"]
    assert [tag for tag, _ in question.inputs] == ["pl-matrix-component-input"] * 6
    again = PrairieLearn(tmp_path, PROBLEM, "--feedback", "full")
    assert again.info == {**info, "showCorrectAnswer": True}


@SLOW
def test_every_student_has_other_numbers(question: PrairieLearn) -> None:
    """By the seed of their variant, and always the same by that."""
    one, same, two = (question.generate(seed)["correct_answers"] for seed in (1, 1, 2))
    assert one == same != two


def test_follow_through(question: PrairieLearn) -> None:
    """A wrong score takes its own cell only; what follows from it has its points, and it is said so."""
    variant = question.generate()
    raw = question.test(variant, "correct")[0]["raw_submitted_answers"]
    scores, values = (np.array(variant["correct_answers"][name]["_value"]) for name in ("S_", "V_"))
    scores[0, 0] += 1
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    for name, matrix in (("S_", scores), ("A_", weights), ("O_", weights @ values)):
        raw |= {f"{name}{n}": f"{x:.4f}" for n, x in enumerate(matrix.ravel(), 1)}
    found = question.submit(variant, raw)
    assert [part["score"] for part in found["partial_scores"].values()] == [
        1,
        1,
        1,
        pytest.approx(8 / 9),
        1,
        1,
    ]
    assert found["partial_scores"]["S_"]["feedback"]["S_1"] == "incorrect"
    assert [*found["partial_scores"]["S_"]["feedback"].values()].count("correct") == 8
    lines = "\n".join(found["feedback"]["lines"])
    assert "S: wrong in S[1,1]" in lines and "A: right, given your S, which is wrong" in lines


def test_blanks_are_not_wrong_and_earn_nothing(question: PrairieLearn) -> None:
    """A student who has done half of it has half of the points, though the element takes a blank for 0."""
    variant = question.generate()
    raw = question.test(variant, "correct")[0]["raw_submitted_answers"]
    raw |= {name: "" for name in raw if name[0] in "SAO"}
    found = question.submit(variant, raw)
    assert found["score"] == 0.5
    assert "Nothing is wrong, but something is missing." in found["feedback"]["lines"][0]


def test_digits_are_read_as_they_are_typed(question: PrairieLearn) -> None:
    """0.9 for 0.936 is right to one digit, 0.90 is wrong: a float would not tell them apart."""
    variant = question.generate()
    raw = question.test(variant, "correct")[0]["raw_submitted_answers"]
    right = variant["correct_answers"]["A_"]["_value"][0][0]
    marks = []
    for text in (f"{right:.1f}", f"{right:.1f}0"):
        found = question.submit(variant, {**raw, "A_1": text})
        marks.append(found["partial_scores"]["A_"]["feedback"]["A_1"])
    assert marks == ["correct", "incorrect"]


def test_numbers_as_elements_have_read_them(question: PrairieLearn) -> None:
    """Where what was typed is not kept, an array, or a number for each cell, is read."""
    variant = question.generate()
    typed = question.test(variant, "correct")[0]["raw_submitted_answers"]
    names = [attributes["answers-name"] for _, attributes in question.inputs]
    arrays = {name: variant["correct_answers"][name] for name in names}
    for submitted in (arrays, {name: float(text) for name, text in typed.items()}):
        data = {**variant, "submitted_answers": submitted, "raw_submitted_answers": {}, "format_errors": {}}
        question.server.parse(data)
        question.server.grade(data)
        assert (data["score"], data["format_errors"]) == (1, {})


TOLD = {
    "verdict": (0, False, False, False), "step": (6, False, False, False), "cells": (6, True, False, False),
    "mistake": (6, True, True, False), "full": (6, True, True, True),
}  # fmt: skip
"""Partial scores, which cells are wrong, why, and right values."""


@pytest.mark.parametrize(
    "level", [pytest.param(level, marks=() if level == "mistake" else SLOW) for level in TOLD]
)
def test_levels_of_feedback(level: str, tmp_path: Path) -> None:
    """As much as the level says, and the same score."""
    question = PrairieLearn(tmp_path, PROBLEM, "--feedback", level)
    variant = question.generate()
    raw = question.test(variant, "correct")[0]["raw_submitted_answers"]
    scores = np.array(variant["correct_answers"]["S_"]["_value"])
    weights = np.exp(scores) / np.exp(scores).sum(axis=0)
    raw |= {f"A_{n}": f"{x:.3f}" for n, x in enumerate(weights.ravel(), 1)}
    found = question.submit(variant, raw)
    lines = "\n".join(found["feedback"]["lines"])
    partial = found["partial_scores"]
    told = "feedback" in partial.get("A_", {}), "column" in lines, "The right values: " in lines
    assert (len(partial), *told) == TOLD[level]
    assert 0 < found["score"] < 1
    assert question.info["showCorrectAnswer"] == (level == "full")


def test_hidden_scores_are_typed(tmp_path: Path) -> None:
    """A matrix with −∞ in it is a table of texts, which take numbers and -inf, and nothing else."""
    problem = tmp_path / "masked.yaml"
    problem.write_text(
        "{Q: [[1, 2], [3, 1]], K: [[2, 1], [1, 1]], V: [[1], [3]], mask: causal,"
        ' parts: [{part: a, show: [M, "A[2]", "O[1,1]"]}], vary: [V]}'
    )
    question = PrairieLearn(tmp_path, str(problem))
    tags = [(tag, attributes["answers-name"]) for tag, attributes in question.inputs]
    assert tags[:4] == [("pl-string-input", f"M_{n}") for n in range(1, 5)]
    assert [name for _, name in tags[4:]] == ["A_row_2_", "O_cell_1_1_"]
    variant = question.generate()
    raw = question.test(variant, "correct")[0]["raw_submitted_answers"]
    assert raw["M_2"] == "-inf" and raw["A_row_2_1"] and raw["O_cell_1_1_1"]
    assert question.submit(variant, {**raw, "M_2": "−∞"})["score"] == 1
    assert question.submit(variant, {**raw, "M_2": "0"})["partial_scores"]["M_"]["score"] == 0.75
    for text in ("open('x')", "[1 2; 3 4]", "9**9**9", "S", "1 2"):
        assert {*question.submit(variant, {**raw, "M_2": text})["format_errors"]} == {"M_2", "M_"}, text
    assert not (tmp_path / "x").exists()


def test_words_are_inert(tmp_path: Path) -> None:
    """Text from a problem makes no markup, no variable of the template and no program."""
    nasty = "\"\"\" + open('x') <script>alert(1)</script> {{{params.problem}}} {{/feedback}} \\( $y$ ' %s {0}"
    keys = {
        "title": nasty, "source": nasty, "tokens": [nasty, "}}"], "Q": [[1, 2], [3, 1]], "K": [[2, 1], [1, 1]],
        "V": [[1, 2], [3, -1]], "parts": [{"part": nasty[:9], "ask": nasty, "show": "O"}],
    }  # fmt: skip
    problem = tmp_path / 'it\'s "one" {x}.yaml'
    problem.write_text(json.dumps(keys))
    question = PrairieLearn(tmp_path, str(problem))
    assert question.info["title"] == nasty
    variant = question.generate()
    for name, words in variant["params"].items():
        if name != "problem":
            assert Tags(words).tags <= {"p", "em", "h4", "h5", "span"}
            assert "{{" not in re.sub(r"\\\(.*?\\\)|\\\[.*?\\\]", "", words)
    assert question.test(variant, "correct")[1]["score"] == 1


def test_one_that_cannot_be_varied(tmp_path: Path) -> None:
    """Everybody has the same numbers, which is said to PrairieLearn; with --seed it is refused."""
    problem = tmp_path / "fixed.yaml"
    problem.write_text("{Q: [[0]], K: [[0], [0]], V: [[0], [0]], vary: [V]}")
    question = PrairieLearn(tmp_path, str(problem))
    assert question.info["singleVariant"]
    assert question.generate(1)["correct_answers"] == question.generate(2)["correct_answers"]
    assert run_fault("pack", "prairielearn", str(problem), "--seed", "1", "-o", str(tmp_path / "never"))


@pytest.mark.parametrize(("name", "said"), [
    ("attention-exploration-b", "has letters"), ("discussion-10-q2", "derivations only"), ("d2l-valid-lens", "is a batch"),
])  # fmt: skip
def test_what_prairielearn_cannot_take(name: str, said: str, tmp_path: Path) -> None:
    """Refused with its place, and nothing is written."""
    assert said in run_fault("pack", "prairielearn", name, "-o", str(tmp_path / "never"))
    assert not [*tmp_path.iterdir()]


@SLOW
def test_the_server_needs_no_command_line(question: PrairieLearn) -> None:
    """What PrairieLearn runs imports neither click nor rich, which it need not have."""
    program = f"import sys; sys.path.insert(0, {str(question.folder)!r}); import server; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not {"click", "rich"} & {*done.stdout.split()}
