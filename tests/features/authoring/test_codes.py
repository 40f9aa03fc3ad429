"""Codes on sheets: with the problem they make the same sheet and the same key again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from attncalc.exercise.load import load_source
from attncalc.features.authoring.code_variant import remake
from attncalc.features.authoring.vary.codes import Code, read_code
from attncalc.features.authoring.vary.vary import Variation
from tests.helpers.commands import run, run_fault
from tests.helpers.quick_and_slow import each, sizes

PROBLEM = "dot-product-3"


@each("format_", ["markdown", "html", "typst"], quick=["markdown"])
def test_sheets_and_keys_are_made_again(format_: str, tmp_path: Path) -> None:
    """From nothing but the code on the sheet and the problem, the same bytes as `vary` wrote."""
    run(
        "vary",
        PROBLEM,
        "--count",
        "2",
        "--seed",
        "7",
        "--sheets",
        "--keys",
        "-f",
        format_,
        "-o",
        str(tmp_path),
    )
    for sheet in tmp_path.glob("*-sheet.*"):
        written = sheet.read_text("utf-8")
        found = re.search(r"Code ([0-9A-F]{4}-7-\d+-\d{3})", written.replace("\\", ""))
        assert found
        key = next(tmp_path.glob(sheet.name.replace("sheet", "key"))).read_text("utf-8")
        assert run("key", found[1], PROBLEM, "-f", format_) == key
        assert run("key", found[1].lower(), PROBLEM, "--sheet", "-f", format_).lower() == written.lower()


@sizes(count=(5, 25))
def test_every_variant_is_made_again(count: int) -> None:
    """Also those that differ from the first draw, because another student had its numbers."""
    source = load_source(PROBLEM)
    made = [*Variation(source, 3).make_all([f"{n:02}" for n in range(count)])]
    assert [remake(source, variant.code).text for variant in made] == [
        variant.source.text for variant in made
    ]


def test_answers_are_checked_by_a_code(tmp_path: Path) -> None:
    """Against the student's own numbers, not those of the problem."""
    run("vary", PROBLEM, "--count", "1", "--sheets", "-f", "text", "-o", str(tmp_path))
    code = re.findall(r"Code (\S+)", (tmp_path / "001-sheet.txt").read_text("utf-8"))[0]
    answers = tmp_path / "answers.yaml"
    own = yaml.safe_load((tmp_path / "001.yaml").read_text("utf-8"))["answers"]
    answers.write_text(yaml.safe_dump({key: str(value) for key, value in own.items()}))
    run("check", PROBLEM, str(answers), "--code", code)
    run("check", PROBLEM, str(answers), code=1)


@pytest.mark.parametrize(
    ("code", "said"),
    [("8F3C", "is not a code: copy it from the sheet"), ("0000-0-0-001", "is not a code of this problem")],
)
def test_a_wrong_code_is_one_sentence(code: str, said: str) -> None:
    """Whether it is mistyped or that of another problem."""
    assert said in run_fault("key", code, PROBLEM)
    assert said in run_fault("check", PROBLEM, "--code", code)


def test_a_code_is_that_of_one_problem() -> None:
    """Seed, draw and id come back; any other text of the problem is another problem."""
    code = Code(12, 3, "ada@x.org-1")
    assert read_code(code.write("a"), "a") == code
    with pytest.raises(Exception, match="not a code of this problem"):
        read_code(code.write("a"), "b")
