"""Files as they are typed in a hurry: each is read as it is meant, or answered by the sentence that mends it.

A case is a file: what was typed, and then `# means` with the same written properly; or `# reads` with the sentences
on how it was read, or `# says` with those on why not, and `# write` with the file as they say to write it.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from pathlib import Path
from time import process_time

import pytest

from attncalc.core.errors import ProblemError
from attncalc.core.spellings import SYNONYMS, find_meant, fold
from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.keys.read_problem import read_problem
from attncalc.exercise.yaml.reader import read_yaml
from attncalc.exercise.yaml.tree import Scalar
from attncalc.exercise.yaml.try_repairs import MOST_REPAIRS
from tests.helpers.guarded_runs import Attncalc
from tests.helpers.quick_and_slow import SLOW, each

pytestmark = SLOW

FOLDER = Path(__file__).parent / "sloppy_files"
PROBLEM = "dot-product-3"
"""What the hurried answers are to."""
WRITTEN = re.compile(
    r"did you mean '(.+?)'\?|: write ([^'\" ].*?)(?=$|, or | for | where | if | and | below)"
)
"""What a sentence says to write, where it is a text."""


def cases(kind: str) -> list[Path]:
    """The files of one kind."""
    return sorted((FOLDER / kind).glob("*.yaml"))


def parts_of(case: Path) -> dict[str, str]:
    """What was typed, and what follows it under each heading."""
    first, *others = re.split(r"(?:^|(?<=\n))# (says|reads|write|means)\n", case.read_bytes().decode())
    return {"typed": first, **dict(zip(others[::2], others[1::2], strict=True))}


def find_written(sentences: str) -> list[str]:
    """The texts that sentences say to write."""
    return ["".join(found) for line in sentences.splitlines() for found in WRITTEN.findall(line)]


def test_there_are_enough() -> None:
    """Two hundred files of problems and sixty of answers."""
    assert len(cases("problems")) >= 200
    assert len(cases("answers")) >= 60


@pytest.mark.usefixtures("_loader")
@each("case", cases("problems"), quick=cases("problems")[::3])
def test_problems(run: Attncalc, case: Path) -> None:
    """A problem is solved as it is meant, or every fault is said at its place, and doing so mends it."""
    parts = parts_of(case)
    if "means" in parts:
        meant = run.solve(parts["means"])
        assert (meant.code, meant.err) == (0, "")
        assert run.solve(parts["typed"]) == meant
        return
    if "reads" in parts:
        meant = run.solve(parts["write"])
        assert (meant.code, meant.err) == (0, "")
        assert run.solve(parts["typed"]) == meant._replace(err=placed(parts["reads"]))
        return
    said = run.refuses(parts["typed"]).err
    assert said == placed(parts["says"])
    assert run.solve(parts["write"]).code == 0
    assert [text for text in find_written(said) if text not in parts["write"]] == []


def placed(sentences: str) -> str:
    """Sentences of a case as they are printed."""
    return "".join(f"problem.yaml:{line}\n" for line in sentences.splitlines())


@pytest.mark.usefixtures("_loader")
@each("case", cases("answers"), quick=cases("answers")[::3])
def test_answers(run: Attncalc, case: Path) -> None:
    """Answers are marked as they are meant, or what is not read is said at its place, and doing so mends it."""
    parts = parts_of(case)
    mended = check(run, parts.get("means") or parts["write"])
    assert mended["errors"] == mended.pop("notes") == []
    typed = check(run, parts["typed"])
    if "says" not in parts:
        assert typed.pop("notes") == [f"answers.yaml:{line}" for line in parts.get("reads", "").splitlines()]
        assert typed == mended
        return
    said = parts["says"].splitlines()
    assert typed["errors"] == [f"answers.yaml:{line}" for line in said]
    assert [text for text in find_written(parts["says"]) if text not in parts["write"]] == []


def check(run: Attncalc, text: str) -> dict[str, object]:
    """The report on answers with this text."""
    (run.folder / "answers.yaml").write_bytes(text.encode())
    ran = run("check", PROBLEM, "answers.yaml", "--format", "json")
    report: dict[str, object] = json.loads(ran.out)
    assert ran.code == 2 or report["steps"]
    return report


def test_nothing_wanted_is_misspelt() -> None:
    """Every word of the table is folded, and leads to a word that is wanted somewhere."""
    assert [word for word in SYNONYMS if fold(word) != word] == []
    for word, meant in SYNONYMS.items():
        assert find_meant(word.upper(), meant) in meant
        assert word not in meant


@pytest.mark.parametrize("key", KEYS)
def test_no_key_is_taken_for_another(key: str) -> None:
    """A key in other letters, or with other signs between, leads to itself."""
    for typed in (key.lower(), key.upper(), key.replace("_", ""), key.replace("_", "^")):
        assert find_meant(typed, KEYS) in (key, *SYNONYMS.get(fold(typed), ()))


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("Q:\n[[1. x]\n [0. 1.]]\nz: 1\n", ("2:6", "4:1")),
        ("Q:\n[[1. 0.]\n [x 1.]]\nz: 1\n", ("3:3", "4:1")),
        ("Q: [[1. 0.]\n    [1. x]]\nz: 1\n", ("2:9", "3:1")),
        ("Q: |\n  1 0\n  x 1\nz: 1\n", ("3:3", "4:1")),
        ("Q:\n  1 0\n  x 1\nz: 1\n", ("3:3", "4:1")),
        ("parts: [{part: a, show: S[1,2]}]\nQ: [[x]]\nz: 1\n", ("2:6", "3:1")),
        ("Q = [[1, x]];\nz = 1\n", ("1:10", "2:1")),
        ("Q =[[1, x]]\nz := 1\n", ("1:9", "2:1")),
        ("Q =\n  1 0\n  x 1\nz = 1\n", ("3:3", "4:1")),
        ("Q:\n| 1 | 0 |\n| 0 | x |\nz: 1\n", ("3:7", "4:1")),
        ("Q: ⎡ 1 0 ⎤\n   ⎣ x 1 ⎦\nz: 1\n", ("2:6", "3:1")),
        ("Q: [1 0\n    x 1]\nz: 1\n", ("2:5", "3:1")),
        ("Q:\u00a0[[1,\u00a0x]]\nz: 1\n", ("1:9", "2:1")),
        ('{"Q": [[1, x]], // first\n"z": 1}\n', ("1:12", "2:1")),
    ],
)
def test_places_in_what_is_pasted(run: Attncalc, text: str, places: tuple[str, str]) -> None:
    """What is read without a word keeps the places of its characters."""
    said = [line.split(": ")[0] for line in run.refuses(text).err.splitlines()]
    assert said == [f"problem.yaml:{place}" for place in places]


def matrices_of(text: str) -> str | None:
    """All matrices of a problem with this text; none if it is refused."""
    try:
        problem = read_problem(read_yaml(text.encode(), "f.yaml"), "f.yaml", ".")
    except ProblemError:
        return None
    return repr({key: given.tolist() for key, given in problem.settings.items() if hasattr(given, "tolist")})


@pytest.mark.parametrize(
    "text",
    [
        "Q: [[1, 0], [0, 1]]\nK: [[1, 2], [3, 1]]\nmask: causal\n",
        "Q:\n  - [1, 2]\n  - [0, -1]\nK: [[1, 2]]\n",
        "Q = [1 0; 0 1];\nK = [1 2; 3 1];\n",
        "Q:\n[[1. 0.]\n [0. 1.]]\nK:\n[[1. 2.]\n [3. 1.]]\n",
        "Q:\n| 1 | 0 |\n| 0 | 1 |\nK: ((1, 2), (3, 1))\n",
    ],
    ids=["brackets", "items", "script", "print", "table"],
)
def test_no_slip_of_one_sign_is_misread(text: str) -> None:
    """With one sign too few or too many a problem means the same, or it is refused."""
    meant = {matrices_of(text), None}
    for place, sign in enumerate(text):
        if sign in "[](),:=|\n":
            less, more = text[:place] + text[place + 1 :], text[:place] + sign + text[place:]
            assert matrices_of(less) in meant, less
            assert matrices_of(more) in meant, more


@pytest.mark.parametrize(
    "text",
    [
        "".join(f'note: "fine {n}"\n' for n in range(1000)) + "x: ]\n",
        "a: [" + ", " * 9000,
        'a: ["' + "\\" * 19_000,
        "a: {" + "S[1," * 4500,
        "".join(f"k{n}:1\n" for n in range(2000)),
    ],
    ids=["quoted", "commas", "backslashes", "references", "colons"],
)
def test_mending_ends(run: Attncalc, text: str) -> None:
    """However much could be mended, the search for it is bounded, and so is what is said."""
    assert len(run.refuses(text).err.splitlines()) <= MOST_REPAIRS


@pytest.mark.parametrize(
    ("encoding", "message"),
    [
        ("utf-8-sig", ""),
        ("utf-16", ""),
        ("utf-16-le", "1:17: is not UTF-8 text: save it as UTF-8"),
        ("latin-1", "1:9: is not UTF-8 text: save it as UTF-8"),
    ],
)
def test_encodings(run: Attncalc, encoding: str, message: str) -> None:
    """What an editor saves is read where it says how it is encoded, else it is said how to save it."""
    text = "title: Où\nQ: [[1, 0]]\nK: [[1, 0], [0, 1]]\n"
    ran = run.solve(text.encode(encoding))
    if message:
        assert (ran.code, ran.err) == (2, f"problem.yaml:{message}\n")
    else:
        assert ran == run.solve(text)


MANY, SECONDS = 30_000, 2
LONG = {
    "empty lines": "\n" * MANY,
    "blank lines": "   \n" * MANY,
    "lines of the old kind": "\r\n" * MANY,
    "comments": "# a\n" * MANY,
    "keys": "".join(f"k{n}: 1\n" for n in range(MANY // 2)),
    "a list": "tokens:\n" + "- a\n" * MANY,
    "a list in brackets": "tokens: [\n" + "a,\n" * MANY + "]\n",
    "a text": "note: |\n" + "  a\n" * MANY,
    "a line of spaces": " " * MANY + "\n",
    "a line of tabs": "\t" * (MANY // 2) + "\n",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
@pytest.mark.parametrize("first", ["{}", "Q: [[1, 0]]\n{}K: [[1, 0]]\n"])
def test_reading_takes_time_in_proportion(first: str, text: str) -> None:
    """Long files are read in a fraction of a second, and not in time that grows with the square."""
    start = process_time()
    with suppress(ProblemError):
        read_yaml(first.format(text).encode(), "f.yaml")
    assert process_time() - start < SECONDS


def test_valid_yaml_is_left_alone() -> None:
    """What YAML can read is read as it says, whatever it looks like."""
    root = read_yaml(b'note: "see S[1], \\"it\\" \\n and = all: of it"\nsource: "caf\\u00e9"\n', "f.yaml")
    assert [value.text for _, value in root.items if isinstance(value, Scalar)] == [
        'see S[1], "it" \n and = all: of it',
        "café",
    ]
