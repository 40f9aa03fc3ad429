"""Tricks of every kind: nothing is earned but by cells that are right, and nothing breaks."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import attncalc
from attncalc.marking.checker import Checker
from tests.exercise.test_array_files import ARRAYS, Touch, npy, npz
from tests.features.classes.test_hostile_answers import bombs
from tests.helpers.guarded_runs import Attncalc, spelled, written
from tests.helpers.quick_and_slow import each
from tests.helpers.random_students import marked
from tests.helpers.simulation import Exercise, Habit, Head, Matrix, work

HEAD = Head(
    np.array([[1.0, 2], [0, 1], [2, -1]]),
    np.array([[1.0, 0], [2, 1], [-1, 1]]),
    np.array([[3.0, 1, -2], [0, 2, 5], [1, -4, 2]]),
)
DONE, _ = work(Exercise({}, (HEAD,)), Habit("O"))
S, A, O, V = DONE["S"], DONE["A"], DONE["O"], HEAD.values  # noqa: E741


def rows(matrix: Any) -> str:
    """A matrix as YAML has it."""
    return json.dumps(np.array(matrix).tolist())


def texts(matrix: Matrix, places: int = 3) -> str:
    """A matrix of decimals as a student writes it."""
    return "[" + ", ".join("[" + ", ".join(f"{x:.{places}f}" for x in row) + "]" for row in matrix) + "]"


def filled(cell: str) -> str:
    """The same in all cells of O."""
    return f"O: {json.dumps([[cell] * 3] * 3)}"


def one(cell: str) -> str:
    """One cell of O, quoted."""
    return f"O: [[{spelled(cell)}, _, _], [_, _, _], [_, _, _]]"


QKV = "".join(f"{name}: {rows(matrix)}\n" for name, matrix in zip("QKV", HEAD, strict=False))
EYE = np.eye(3)
PROBLEMS = {
    "plain": QKV,
    "copy": QKV.replace(rows(V), rows(EYE)),
    "causal": "S: [[1, 2], [0, 3]]\nmask: causal\n",
    "letters": "S: [[beta, 0]]\nsymbols: {beta: positive}\n",
    "marks": QKV + "marks: {S: 1, A: 1, O: 1}\n",
    "implied": QKV + "marks: {S: 1, A: 1, O: 2, implied: full}\n",
    "places": QKV + "places: 3\n",
    "normed": QKV + "block: [residual, {layer_norm: {eps: 0}}]\nX: [[1, 2, 0], [0, 1, 1], [3, 0, 1]]\n",
    "loss": "L: [[1, 0, 2], [0, 1, 1]]\ntargets: [1, 3]\n",
    "alibi": QKV + "position: {alibi: [1]}\nparts: [{part: a, show: [B]}]\n",
    "design": "attention-exploration-b",
}
"""Problem files; a single word is the name of a bundled one."""
RIGHT = f"O: {texts(O)}\n"
HOT = 100 * EYE
EVEN = np.full((3, 3), 1 / 3)
NEAR = np.array([[0.34, 0.33, 0.33]] * 3)
OTHER = A[::-1] * 0.7 + 0.1
LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{b}: &{b} [{', '.join(['*' + a] * 9)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)


@cache
def unfold_bombs() -> dict[str, str | bytes]:
    """Files that unfold to more than was asked for, by name."""
    return {name: data for name, data, _ in bombs()}


@dataclass(frozen=True)
class Cheat:
    """A file that is handed in, and the share of the points that its right cells are worth."""

    kind: str
    text: str | bytes | None
    """None for a bomb of this name."""
    most: float = 0.0
    problem: str = "plain"
    file: str = "a.yaml"


CELLS = {
    "name": ["d_k", "n", "O[1,1]", "O", "pi", "e", "dot([1 3], [3 -1])", "max(1, 2)", "x", "A[1,1]"],
    "code": ["__import__('os').getpid()", "open('MARKER','w').close()", "$(touch MARKER)", "`id`", "\\input{/etc/passwd}"],
    "bomb": ["9**9**9", "1e99999999", "1e-99999999", "9" * 5000, "1" + "0" * 402, "(10**9)!", "exp(exp(exp(exp(2))))",
             "(" * 4000 + "1" + ")" * 4000, "2^" * 4000 + "2", "1/3" + "+1/7" * 3000, "sin(10**100000)", "√" * 9000 + "2"],
    "word": ["true", "yes", "1j", "0x1F", "0o17", "1:30", "1_000", "5%%", "1e1.5", "--5", "1,2,3", "nan", "inf"],
    "sign": ["٠٫٥", "²", "Ⅷ", "½½", "1\u200b2", "\u202e21", "<b>1</b>", "<script>alert(1)</script>", "&#49;",
             "\x1b[31m1", "\x1b]0;owned\x07", "1\x00", "=1+1", "{{1}}", "${1}", "%s", "[bold]1[/]"],
}  # fmt: skip
"""What is written in one cell and earns nothing."""
TEXTS = {
    "constant": [filled(x) for x in ("0", "1", "-0", "0.5", "1e300", "-1e300", "1e-300", "1e999", "-inf", "inf", "nan", "0e0")]
    + ["O: ones(3, 3)", "O: 0.86", "O: [[1]]", filled("0.").replace("O", "A"), f"O: {texts(V.mean(axis=0)[None].repeat(3, 0))}",
       f"S: {rows(0 * S)}\nA: {rows(EVEN)}\nO: {rows(EVEN @ V)}"],
    "whole numbers": [f"O: {texts(O, 0)}", f"A: {texts(A, 0)}\nO: {texts(O, 0)}"],
    "one-hot": [f"A: {texts(NEAR, 2)}\nO: {texts(NEAR @ V, 2)}"],
    "unasked": [f"S: {rows(S)}", f"S: {rows(S)}\nA: {texts(A)}", f"S: {rows(S)}\nA: {texts(A)}\nO: _"],
    "copy": [f"V: {rows(EYE)}\nA: {texts(OTHER, 2)}\nO: {texts(OTHER, 2)}", f"A: {texts(100 * A, 1)}\nO: {texts(100 * O, 1)}"],
    "expression": [f"O: {spelled(x)}" for x in (
        "V", "A V", "A*V", "softmax(Q K^T / sqrt(2)) V", "Q*transpose(K)", "V/1", "identity(3)*V", "[1 2 0; 0 1 0; 2 0 1]ᵀ",
        "[1 2 0; 0 1 0; 2 0 1]*transpose([1 0 0; 0 1 0; 0 0 1])")]
    + ["O: {file: problem.yaml}", "O: {file: /etc/passwd}", "O: {file: ../key.npz}"],
    "marks": ["score: 1", "points: 1", "verdict: correct", "marks: {O: 0}", "max_score: 0", "scale: none", "places: 0",
              "answers: correct", f"places: 0\nO: {texts(O, 0)}"],
    "yaml": ["x: &x 1\nO: *x", "O: &O [*O]", "O: !!python/object/apply:os.system ['touch MARKER']", "O: !x 1", "<<: {O: 1}",
             "O: [[2020-13-45T99:99:99]]", "O: [[=]]", "O: 1\nO: 2", "? [a, b]\n: 1", "- O", "just text", "", "# nothing",
             "O: [[1, 2", "O:\n\t- 1", "%YAML 9.9\n---\nO: 1", "O: 1\n---\nO: 2", "{O: 1}: 2", "O: {a: {b: c}}", RIGHT + RIGHT],
    "blank": ["O:", "O: _", "O: ~", "O: []", "O: [[], [], []]", "O: ?", "student: 7", "{}", "answers:", "O: ''"],
    "bomb": ["O: " + "[" * 10_000 + "]" * 10_000, "O: " + "{a: " * 5000 + "1" + "}" * 5000, "\n" * 30_000 + "O: 1",
             "#" * 1_000_001, LAUGHS + "O: *i"],
}  # fmt: skip
"""Whole files that earn nothing."""
OTHER_PROBLEMS = [
    *(("causal", text) for text in ("A: [[0, 0], [0, 0]]", "A: [[1, 1], [1, 1]]")),
    *(("normed", text) for text in (f"N1: {rows(0 * V)}", f"Y: {rows(0 * V)}\nR1: {rows(0 * V)}\nN1: {rows(0 * V)}")),
    *(("loss", text) for text in ("loss: 0\nperplexity: 1", "loss: 0.\nperplexity: 1.")),
    *(("letters", f"A: [[{text}, _]]") for text in ("beta", "1", "e^beta", "e^x/(1+e^x)")),
    ("copy", f"O: {rows(EYE)}"),
    ("alibi", f"B: {rows(0 * S)}"),
    *(("design", text) for text in ("q: [[0, 0, 0, 0]]", "q: _", "q: nan", "q: [[1e300, 1e300, 1e300, 1e300]]",
                                    "O: v_a/2", "q: k_a", "q: [[1]]")),
]  # fmt: skip
"""The same for other problems."""
HARD = f"A: {rows(EYE)}\nO: {rows(V)}"
EARNING: list[tuple[str, str | bytes, float]] = [
    # Some cells are right by chance: entries of V, ones and zeros without digits.
    *(("constant", filled(cell), right / 9) for cell, right in (("0.", 1), ("1.", 3), ("2.", 1), ("1.e0", 3))),
    ("one-hot", HARD, 1 / 9), ("one-hot", f"S: {rows(HOT)}\n{HARD}", 1 / 9),
    ("one-hot", f"T: [[1], [1], [1]]\nE: {rows(EYE)}\n{HARD}", 1 / 9),
    ("one-hot", f"A: {texts(A, 0)}\nO: {texts(np.round(A) @ V, 2)}", 3 / 9),
    ("copy", f"O: {rows(V)}", 1 / 9), ("copy", f"O: {rows(V.T)}", 1 / 9),
    ("copy", f"Q: {rows(EYE[:, :2])}\nK: {rows(EYE[:, :2])}\nS: {rows(EYE)}\nO: {rows(V)}", 1 / 9),
    ("marks", f"problem: another\nO: {rows(V)}", 1 / 9),
    ("twice", f"O: {rows(V)}\noutput: {texts(O)}", 1 / 9), ("twice", f"{RIGHT}O[1]: [1, 1, 1]", 6 / 9),
    ("twice", f"O[1,1]: {O[0, 0]:.3f}\nO[1]: [9, 9, 9]\nO: {rows(V)}", 1 / 9),
    # A part is worth a part.
    ("part", f"O[1,1]: {O[0, 0]:.3f}", 1 / 9),
    # The names of students are theirs to choose.
    *(("student", f"student: {text}\n{RIGHT}", 1) for text in (
        *map(spelled, ("../../x", "\x1b]0;owned\x07", "=cmd|' /C calc'!A0", "<script>alert(1)</script>", "A" * 100_000,
                       "a\nb", "\u202egnp")), "[a, b]", "{a: b}", "&a [*a]")),
    ("format", RIGHT.encode("utf-16"), 1),
]  # fmt: skip
"""Files with the share of the points that their right cells are worth at most."""
OBJECT = np.dtype(object)
NUMBERS: list[tuple[Any, float]] = [
    (np.where(EYE == 1, 1e300, 0.0), 0), (np.full((3, 3), np.nan), 0), (np.full((3, 3), np.inf), 0), (np.zeros((3, 3)), 0),
    (np.where(EYE == 1, np.nan, O), 6 / 9), (np.ones((3, 3), bool), 0), (O.astype(complex), 0), (np.array(0.86), 0),
    (np.array(None), 0), (np.array([["1"] * 3] * 3), 0), (np.zeros((0, 3)), 0), (np.zeros((3, 3), "M8[D]"), 0),
    (np.zeros((3, 3), "f8,f8"), 0), (np.full((3, 3), 200, np.uint8), 0), (O[None, None, None], 1), (O.ravel(), 0),
    (O.T, 3 / 9), (O.astype(np.int8), 0), (np.full((3, 3), 2**63, np.uint64), 0), (np.full((3, 3), 5e-324), 0),
    (np.array([[Touch()] * 3] * 3, OBJECT), 0), (np.array([[10**400] * 3] * 3, OBJECT), 0),
]  # fmt: skip
"""Arrays and the share that their right cells are worth; the diagonal of a transposed matrix is right."""
MEMBERS = ["../O", "/O", "O/../O", "O\x1b[31m", "O" * 50, "", "O[9,9]", "O[1,1,1,1]"]
BOMBS = ["lying.npz", "crowded.npz", "zeros.npz", "cells.json", "deep.json", "keys.json", "unknown.yaml"]
JSON = [
    '{"O": NaN}', '{"O": Infinity}', '{"O": [[true, true, true]]}', '{"O": null}', '{"score": 1, "verdict": "correct"}',
    '{"steps": [{"name": "O", "value": "right"}]}', '{"steps": [{"name": "O", "score": 1}]}', '{"steps": "O"}', "[]", "1",
    '{"O": 1, "O": 2}', '{"O": {"file": "problem.yaml"}}', '"O"', "", '{"O": "' + "9" * 5000 + '"}', '{"O": 1' + "0" * 5000 + "}",
    '{"O": [[' + "1, " * 40_000 + "1]]}", '{"\\ud800": 1}', '{"O": "\\u0000"}', '{"steps": [[[[]]]]}', '{"design": 1, "steps": []}',
]  # fmt: skip
BYTES = [b"\x7fELF\x02", b"\x89PNG\r\n", b"PK\x03\x04", b"\xff\xfe", b"O: \xff", b"\x00" * 100]
NAMES = [
    "\x1b[31m.yaml",
    "a\nb.yaml",
    "\u202egnp.yaml",
    "=1+1.yaml",
    "a" * 200 + ".yaml",
    "é 中.yaml",
    "-o.yaml",
    "..yaml",
    "a.txt",
]
"""Names of files, which are right otherwise."""

CHEATS = [
    *(Cheat(kind, one(cell)) for kind, cells in CELLS.items() for cell in cells),
    *(Cheat(kind, text) for kind, some in TEXTS.items() for text in some),
    *(Cheat(problem, text, problem=problem) for problem, text in OTHER_PROBLEMS),
    *(Cheat(kind, text, most) for kind, text, most in EARNING),
    Cheat("one-hot", f"S: {rows(HOT)}\n{HARD}", 2 / 27, "marks"),
    Cheat("one-hot", f"S: {rows(HOT)}\nO: {rows(V)}", 1 / 12, "implied"),
    *(Cheat("array", npz(O=npy(array)), most, file="a.npz") for array, most in NUMBERS),
    *(
        Cheat("array file", data.replace(b"q.npy", b"O.npy"), file="a.npz")
        for name, data in ARRAYS
        if name == "x.npz"
    ),
    *(Cheat("array name", npz(**{name: npy(V)}), 1 / 9, file="a.npz") for name in MEMBERS),
    *(Cheat("bomb", None, file=name) for name in BOMBS),
    *(Cheat("json", text, file="a.json") for text in JSON),
    *(Cheat("format", data) for data in BYTES),
    Cheat("format", npy(O), file="a.npy"),
    Cheat("format", f"{RIGHT}open('MARKER', 'w')\n", file="a.py"),
    *(Cheat("file name", RIGHT, 1, file=name) for name in NAMES),
]


@pytest.fixture(scope="module")
def checker() -> Checker:
    """The checker of the plain problem."""
    matrices = {name: matrix.tolist() for name, matrix in zip("QKV", HEAD, strict=False)}
    return Checker(attncalc.problem(**matrices))


MOST_WORDS = 400
"""Letters of a sentence that is read."""


def test_there_are_cheats_of_every_kind() -> None:
    """At least seventy, of at least fifteen kinds."""
    assert len(CHEATS) >= 70
    assert len({cheat.kind for cheat in CHEATS}) >= 15


@each("cheat", CHEATS, quick=[cheat for cheat in CHEATS[::9] if cheat.text is not None])
def test_cheats_do_not_pay(run: Attncalc, cheat: Cheat) -> None:
    """No more is earned than the right cells are worth, and there is one clear sentence for what cannot be read."""
    problem = PROBLEMS[cheat.problem]
    if "\n" in problem:
        problem = str(written(run.folder / "problem.yaml", problem).name)
    written(run.folder / cheat.file, unfold_bombs()[cheat.file] if cheat.text is None else cheat.text)
    ran = run("check", problem, "-f", "json", "--", cheat.file)
    assert ran.code in (0, 1, 2)
    if not ran.out:
        assert_is_clear(ran.err.splitlines())
        return
    report = json.loads(ran.out)
    assert report["score"] <= cheat.most * report["max_score"] + 1e-9
    bad = any(step["verdict"] in ("wrong", "shape", "unreadable") for step in report["steps"])
    assert (ran.code == 0) == (not bad and not report["errors"])
    if report["verdict"] == "unreadable" or report["errors"]:
        assert_is_clear(report["errors"])


def assert_is_clear(sentences: list[str]) -> None:
    """Sentences that a person reads: short, on one line, and no word of Python."""
    assert sentences
    for sentence in sentences:
        assert re.match(r".*: \S.* \S", sentence), sentence
        assert len(sentence) < MOST_WORDS, sentence
        assert not re.search(r"could not be checked|Traceback|\w+Error\b|<class|object at 0x|\n", sentence), (
            sentence
        )


def test_a_number_does_not_stand_for_a_letter() -> None:
    """What depends on a letter is not answered by a number."""
    problem = attncalc.problem(S=[["beta", 0]], symbols={"beta": "positive"}, parts=[{"show": ["A[1,1]"]}])
    for told in ("0.8", "0.78", "4/5"):
        assert attncalc.check(problem, {"A[1,1]": told}).verdict == "incorrect"
    assert attncalc.check(problem, {"A[1,1]": "e^beta/(1+e^beta)"}).verdict == "correct"


@pytest.mark.parametrize("told", ["sqrt(0.)", "(0.0)^0.5", "+".join(["1"] * 5000)])
def test_cells_that_have_no_certain_value(checker: Checker, told: str) -> None:
    """One such cell spoils only itself."""
    report = marked(checker, {"O[1,1]": told, "S": S.tolist()})
    assert [step.verdict for step in report.steps] == ["correct", "unreadable"]


LINKS = ["key.json", "/etc/passwd", "link.yaml", "problem.yaml"]


@each("target", LINKS, quick=LINKS[:1])
def test_links_are_not_followed_in_a_folder(run: Attncalc, target: str) -> None:
    """A link to the key earns nothing and tells nothing."""
    written(run.folder / "problem.yaml", QKV)
    written(run.folder / "key.json", json.dumps({"O": O.round(4).tolist()}))
    (run.folder / "class").mkdir()
    written(run.folder / "class" / "honest.yaml", RIGHT)
    (run.folder / "class" / "link.yaml").symlink_to(
        target if target.startswith(("/", "link")) else f"../{target}"
    )
    ran = run("check", "problem.yaml", "class", "-f", "json", "--workers", "1")
    reports = {report["answers"]: report for report in json.loads(ran.out)}
    linked = next(report for name, report in reports.items() if name.endswith("link.yaml"))
    assert (ran.code, linked["verdict"], linked["score"]) == (2, "unread", 0)
    assert_is_clear(linked["errors"])
    assert "root:" not in ran.out + ran.err


PYTHON: list[tuple[Any, float]] = [
    ({"O": np.ma.masked_array(O, mask=True)}, 1), ({"O": (x for x in O)}, 0), ({"O": O.tolist}, 0), ({"O": object()}, 0),
    ({"O": {1: 2}}, 0), ({1: 2}, 0), ({"O": b"1"}, 0), ({"O": [[1, 2], [3]]}, 0), ({"O": 10**5000}, 0), ({None: None}, 0),
    ({"O": True}, 0), ({"O": np.bool_(True)}, 0), ({"O": np.array(0.0)}, 0), ({"O": float("nan")}, 0), ({"O": 1j}, 0),
    ({"O": [[[[[[1]]]]]]}, 0), ({"O": np.full((3, 3), np.inf, np.float16)}, 0), ({"O": [V, V, V]}, 0), ({"O": range(3)}, 0), ({}, 0),
]  # fmt: skip


@pytest.mark.parametrize(("answers", "most"), PYTHON)
def test_values_from_python(checker: Checker, answers: dict[Any, Any], most: float) -> None:
    """They are marked, or refused with a sentence."""
    with np.errstate(all="ignore"):
        try:
            report = marked(checker, answers)
        except attncalc.AttncalcError as error:
            assert_is_clear(str(error).splitlines())
        else:
            assert report.score <= most + 1e-9
