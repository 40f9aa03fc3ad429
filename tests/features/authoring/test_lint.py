"""`attncalc lint`: what an exercise cannot show, against every mistake made one by one; and all other findings."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import attncalc
from attncalc.cli import cli
from attncalc.core.terms import Entry, Product, Term, members
from attncalc.exercise.load import Source, load_source
from attncalc.exercise.solve.selection import integers
from attncalc.features.authoring.lint.batches import only_set
from attncalc.features.authoring.lint.findings import CODES, Finding, Lint
from attncalc.features.authoring.lint.lint import SENTENCES, lint
from attncalc.features.authoring.lint.numbers import Work
from attncalc.pages import formats_of
from tests.helpers.bundled import GRAPHS, NAMES, NUMERIC, STATED, checker_of
from tests.helpers.commands import run, run_fault
from tests.helpers.quick_and_slow import SLOW, each

pytestmark = SLOW

ASKING = [name for name in NUMERIC if "design" not in STATED[name]]
FEW = ["dot-product-3", "deepml-53a", "love-robotics", "deepml-94-example"]
OF_MARKER = ("hidden", "alike", "unnamed")
"""Findings on what the marker says of mistakes."""
IGNORED = [word for code in OF_MARKER for word in ("--ignore", code)]


def lint_text(text: str) -> Lint:
    """What is found in the text of a file."""
    return lint(Source(text, "problem.yaml", "."))


Q, K, V = "Q: [[1, 2], [3, 1]]", "K: [[2, 1], [1, 1], [0, 1]]", "V: [[1, 2, -2], [1, 1, 2], [0, 1, -1]]"
PLAIN = f"{Q}\n{K}\n{V}\nscale: 1/sqrt(d_k)"
"""An exercise that nothing is to be said against."""
CASES = {
    "": PLAIN,
    "unstated": f"{Q}\n{K}\n{V}",
    "unstated mask": f"{PLAIN}\nmask: causal",
    "unstated rope": "Q: [[1, 2, 1, 0], [3, 1, 0, 1]]\nK: [[2, 1, 0, 1], [1, 1, 3, 0]]\nscale: none\nposition: rope",
    "saturated": f"Q: [[9, 2], [3, 9]]\nK: [[9, 1], [1, 1], [0, 9]]\n{V}\nscale: none",
    "even": f"Q: [[1, 2], [0, 1]]\n{K}\n{V}\nscale: 1/sqrt(d_k)",
    "mask-idle": f"{PLAIN}\nmask: {{window: 5}}",
    "laborious": "X: [[2, 2, -2, 1], [2, 2, 1, 2], [1, -1, -1, 1], [-1, -2, 1, -1], [1, -2, -2, 1]]\n"
    "W_Q: [[2, -2, 1, 2], [1, -1, 2, 2], [1, -2, -2, -2], [2, -2, 2, 1]]\n"
    "W_K: [[-1, 1, -2, -1], [-1, -1, -1, 2], [-2, -2, 1, 2], [-2, 1, 1, -2]]\nscale: 1/4",
    "laborious digits": f"Q: [[1, 2.125], [3, 1]]\n{K}\n{V}\nscale: 1/sqrt(d_k)",
    "key-wrong scale-missing": f"{PLAIN}\nanswers:\n  A: [[0.67, 0.24, 0.09], [0.95, 0.05, 0.00]]",
    "key-wrong sign. S[2,1] has": f"{PLAIN}\nanswers:\n  S: [[-4, 3, 2], [-7, 4, 1]]",
    "key-impossible add": f"{PLAIN}\nanswers:\n  A: [[0.57, 0.28, 0.24], [0.88, 0.11, 0.01]]",
    "key-impossible order": f"{PLAIN}\nanswers:\n  A: [[0.28, 0.57, 0.15], [0.88, 0.11, 0.01]]",
    "key-impossible range": f"{PLAIN}\nanswers:\n  O: [[0.86, 1.58, -2.72], [0.99, 1.88, -1.56]]",
}
"""Files, and the finding that must be made in each, with a word of it or its mistake."""


@pytest.mark.parametrize("case", CASES)
def test_one_finding_each(case: str) -> None:
    """Each code is found where it belongs, and none of the others that look at the file itself."""
    code, _, word = case.partition(" ")
    found = [one for one in lint_text(CASES[case]).findings if one.code not in OF_MARKER]
    # What is impossible is wrong as well, and may have a reason.
    beside = {"key-wrong"} if code == "key-impossible" else set()
    assert {one.code for one in found} - beside == ({code} if code else set()), found
    assert any(word in one.message or word == one.mistake for one in found) or not code
    assert all(one.code in CODES and one.place.line for one in found)


def test_reasons_for_equal_weights() -> None:
    """Keys that are all alike, and goals that ask for it, are reasons."""
    assert not said("even", "Q: [[1, 2]]\nK: [[1, 0], [1, 0]]\nV: [[1], [2]]\nscale: none")
    goal = "design: Q\ngoal: {A: [[1/2, 1/2]]}"
    assert not said("even", f"Q: [[1, 1]]\nK: [[1, 0], [0, 1]]\nV: [[1], [2]]\nscale: none\n{goal}")
    assert said("even", "Q: [[1, 1]]\nK: [[1, 0], [0, 1]]\nV: [[1], [2]]\nscale: none")


def said(code: str, text: str) -> list[Finding]:
    """The findings of one code."""
    return [one for one in lint_text(text).findings if one.code == code]


def test_other_numbers_help_or_not() -> None:
    """A blind spot of the numbers is an accident, one of what is given is not."""
    weak = "X: [[1, 2], [3, 1], [0, 2]]\nW_Q: [[1, 2], [2, 1]]\nW_K: [[2, 1], [0, 1]]\nscale: none\nparts: [{show: Q}]"
    (found,) = said("hidden", weak)
    assert (found.mistake, found.kind, found.ask) == ("weights-transposed", "accidental", "")
    same = "Q: [[1, 2]]\nK: [[2, 1], [1, 3], [0, 1]]\nV: [[2, 1], [1, 3], [0, 1]]\nscale: none\nparts: [{show: O}]"
    assert {(one.mistake, one.kind) for one in said("hidden", same)} == {
        ("scores-values", "structural"),
        ("output-keys", "structural"),
    }


def test_only_what_is_needed_counts() -> None:
    """Who is asked for scores can make no mistake in the softmax; only asked rows are looked at."""
    found = lint_text(f"{PLAIN}\nparts: [{{show: S}}]")
    assert not [one for one in found.findings if "softmax" in one.mistake] and found.applicable < 15
    causal = "X: [[1, 2], [3, 1], [0, 2]]\nmask: {causal: upper-left}\nscale: none\nparts: [{show: 'A[3]'}]"
    assert "mask-missing" in {one.mistake for one in said("hidden", causal)}


@pytest.mark.parametrize("name", [name for name in NAMES if STATED[name].get("source") == "attncalc"])
def test_our_own_problems_are_clean(name: str) -> None:
    """Nothing is to be said against the exercises that come with the program, but what depends on the marker."""
    found = lint(load_source(name))
    assert {one.code for one in found.findings} <= {*OF_MARKER} and found.applicable >= found.seen > 0


README = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
TABLE = (Path(__file__).parent / "published.md").read_text("utf-8")
ROWS = {
    name.strip("` "): [cell.strip() for cell in cells]
    for name, *cells in (line.strip("|").split("|") for line in TABLE.splitlines() if line.startswith("| `"))
}
"""What lint finds in the published exercises besides mistakes that are hidden or look alike, by their names."""


@each("name", list(ROWS), quick=["love-robotics", "dot-product-3"])
def test_the_table_says_what_is_seen(name: str) -> None:
    """Row by row."""
    besides = dict.fromkeys(one.code for one in lint(load_source(name)).findings if one.code not in OF_MARKER)
    assert ROWS[name] == [", ".join(besides)]


def test_the_table_has_every_published_exercise() -> None:
    """All that ask for numbers and are not our own."""
    ours = {name for name in NAMES if STATED[name].get("source") == "attncalc"}
    assert {*ROWS} == {*ASKING, "attention-exploration-e1"} - ours
    wrong = sum("key-wrong" in besides for (besides,) in ROWS.values())
    assert f"Of {len(ROWS)} published exercises, {wrong} have a wrong key" in README


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ASKING])
def test_letters_designs_and_derivations(name: str) -> None:
    """They are looked through like any other, and nothing is held against them that they do not ask."""
    found = lint(load_source(name))
    assert found.seen <= found.applicable
    assert bool(found.applicable) == (name == "attention-exploration-e1")


@each("name", NUMERIC, quick=FEW)
def test_products_are_counted_as_by_hand(name: str) -> None:
    """Against every product of every cell written out."""
    graph, right = GRAPHS[name], checker_of(name).truth

    def by_hand(term: Term) -> int:
        inside = sum(map(by_hand, members(term)))
        if not isinstance(term, Product):
            return inside
        values = [right.floats[f.of][integers(f)] for f in term.factors if isinstance(f, Entry)]
        return inside + (len(term.factors) - 1) * all(np.all(np.asarray(value) != 0) for value in values)

    counts = Work(graph, [*graph.steps]).count(only_set(right.floats))
    for step in graph.steps:
        if len(step.shape) == 2 and counts[step.name].size <= 50:
            for at in np.ndindex(step.shape):
                assert counts[step.name][0][at] == by_hand(graph.cell(step, at)), (step.name, at)


def test_json() -> None:
    """The names of the contract; a list where several files are given."""
    found = json.loads(run("lint", "discussion-10-q1", "-f", "json", code=1))
    assert found["schema"] == "attncalc/lint/1"
    assert {"problem", "applicable", "seen", "apart", "findings"} < found.keys()
    hidden, *_, wrong = found["findings"]
    assert {"code", "mistake", "kind", "ask", "alike", "message"} < hidden.keys()
    assert all(set(one["alike"]) <= {*SENTENCES} for one in found["findings"])
    assert ("hidden", "weights-transposed", "structural") in [
        (one["code"], one["mistake"], one["kind"]) for one in found["findings"]
    ]
    assert (wrong["code"], wrong["mistake"]) == ("key-wrong", "sign-slip")
    assert len(json.loads(run("lint", "dot-product-3", "journey", "-f", "json", code=1))) == 2


def test_text() -> None:
    """A line a finding, then what the exercise sees."""
    *lines, summary = run("lint", "love-robotics", code=1).splitlines()
    found = lint(load_source("love-robotics"))
    assert lines == [
        f"love-robotics.yaml:{one.place.line}:{one.place.column}: {one.code} {one.message}"
        for one in found.findings
    ]
    assert summary == f"sees {found.seen} of {found.applicable} mistakes, tells {found.apart} apart"
    for one in found.findings:
        phrase = {
            "alike": r"(looks like|is taken for) [-a-z, ]+ in",
            "unnamed": "marked wrong, but not named, in",
        }
        assert re.search(phrase.get(one.code, ""), one.message)
        assert not {*one.alike} - {*SENTENCES} and bool(one.alike) == (one.code == "alike")


def test_github_annotations(tmp_path: Path) -> None:
    """A warning a finding; a file's name cannot begin another."""
    file = tmp_path / "a,b::c%.yaml"
    file.write_text("Q: [[1, 2], [3, 1]]\nK: [[2, 1], [1, 1], [0, 1]]\nV: [[1, 2], [1, 1], [0, 1]]\n")
    (line,) = run("lint", str(file), "-f", "github", *IGNORED, code=1).splitlines()
    assert line.startswith(
        f"::warning file={tmp_path}/a%2Cb%3A%3Ac%25.yaml,line=1,col=1,title=unstated::scale is"
    )


def test_exit_codes(tmp_path: Path) -> None:
    """0 nothing found, 1 findings, 2 a file cannot be read, and the others are still looked through."""
    clean, broken = tmp_path / "clean.yaml", tmp_path / "broken.yaml"
    clean.write_text(run("new"))
    broken.write_text("Q: [[1, x]]")
    summary = run("lint", str(clean))
    assert re.fullmatch(r"sees (\d+) of \1 mistakes, tells \1 apart\n", summary)
    assert run("lint", "dot-product-3", "--ignore", "unstated", *IGNORED).endswith("apart\n")
    both = CliRunner().invoke(cli, ["lint", str(broken), str(clean)])
    assert summary.strip() in both.stdout and "broken.yaml:1:9: 'x'" in str(both.exception)
    assert "did you mean 'hidden'" in run_fault("lint", str(clean), "--ignore", "hiden")


def test_sizes_beyond_work_by_hand_are_refused() -> None:
    """A large problem is answered by a sentence, not by a long wait."""
    rows = [[(i * j) % 5 - 2 for j in range(4)] for i in range(80)]
    with pytest.raises(attncalc.ProblemError, match=r"too large to work by hand: .* at most 20,000"):
        lint_text(f"X: {rows}\nmode: numeric\n")


def test_every_format_takes_findings() -> None:
    """With and without findings."""
    for format_ in formats_of("findings").values():
        assert format_.render([lint(load_source("love-robotics"))])
        assert isinstance(format_.render([]), str)


def test_python_objects_have_no_lines() -> None:
    """The bundled problems are all that is linted; a problem made in Python solves as ever."""
    assert attncalc.problem(Q=[[1]], K=[[1]], vary=["Q"]).vary == {"Q": None}
