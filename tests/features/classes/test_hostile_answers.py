"""Answers that strangers hand in: every one is marked or gets its reason, and none harms the others."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import struct
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attncalc.core.errors import inert
from attncalc.marking.report.words import verdict_text
from attncalc.worked.prose import to_words
from tests.cli.test_hostile_inputs import CODE, DOCUMENTS, EXHAUSTION, PRODUCTS, SYNTAX
from tests.exercise.test_array_files import ARRAYS, npy, npz
from tests.helpers.bundled import checker_of
from tests.helpers.guarded_runs import (
    GUARD,
    MEGABYTES,
    TEXTS,
    Attncalc,
    checked,
    environment,
    spelled,
    tree,
    written,
)
from tests.helpers.quick_and_slow import SLOW, each
from tests.helpers.solutions import verdicts

PROBLEM = "dot-product-3"
RIGHT = "O: [[0.86, 1.58, -0.72], [0.99, 1.88, -1.56]]\n"
ALLOWED = ["-inf", "nan", ".nan", "~", "null", "", " ", "_", "?", "5%", "$1", "sqrt 2"]
"""What is no number in a problem: a student may leave a cell blank, write NaN, and put a sign beside a number."""
CELLS = [cell for cell in [*CODE, *EXHAUSTION, *SYNTAX, *PRODUCTS[1:2]] if cell not in ALLOWED]


def with_cell(cell: str) -> str:
    """Right answers but for one cell."""
    return f"S: [[4, 3, 2], [{spelled(cell)}, 4, 1]]\n{RIGHT}"


@each("cell", CELLS, quick=CELLS[::3])
def test_an_unreadable_cell_spoils_only_its_step(run: Attncalc, cell: str) -> None:
    """Its place is said, and everything else is marked."""
    written(run.folder / "a.yaml", with_cell(cell))
    ran = run("check", PROBLEM, "a.yaml", "-f", "json")
    report = json.loads(ran.out)
    assert (ran.code, ran.err) == (1, "")
    assert {step["step"]: step["verdict"] for step in report["steps"]} == {"S": "unreadable", "O": "correct"}
    (error,) = report["errors"]
    assert re.match(r"a\.yaml:1:(1[89]|[2-9][0-9]|[0-9]{3,}): \S", error), error
    assert len(error) < 300


@pytest.mark.parametrize(
    ("cell", "verdict", "said"),
    [("4", "unreadable", "cannot be read"), ("5", "wrong", "wrong in S[2,2]")],
)
def test_a_step_is_as_wrong_as_its_cells(cell: str, verdict: str, said: str, tmp_path: Path) -> None:
    """A wrong cell is graver than one that cannot be read, which is not missing."""
    file = written(tmp_path / "a.yaml", with_cell("1x").replace("4, 1]", f"{cell}, 1]"))
    step, *_ = checker_of(PROBLEM).check_file(str(file)).steps
    assert (step.verdict, to_words(verdict_text(step))) == (verdict, said)


def test_a_word_among_numbers_of_json(tmp_path: Path) -> None:
    """It spoils only its step, as in YAML."""
    told = {"S": [[4, True, None], [7, 4, 1]], "O": json.loads(RIGHT.removeprefix("O: "))}
    report = checker_of(PROBLEM).check_file(str(written(tmp_path / "a.json", json.dumps(told))))
    assert verdicts(report) == {"S": "unreadable", "O": "correct"}


BLANKS = ["_", "~", "null", "", " ", "?"]


@pytest.mark.parametrize("cell", BLANKS)
def test_a_blank_is_neither_right_nor_wrong(cell: str, tmp_path: Path) -> None:
    """However it is written, and of a whole step as well."""
    for text, verdict in (with_cell(cell), "correct"), (f"S: {spelled(cell)}\n{RIGHT}", "blank"):
        told = f"student: {spelled(cell)}\n{text}"
        report = checker_of(PROBLEM).check_file(str(written(tmp_path / "a.yaml", told)))
        assert not report.student.strip()
        assert verdicts(report) == {"S": verdict, "O": "correct"}


EXTREME = [1e300, -1e300, 1e308, 5e-324, -np.inf, 0.0]


@pytest.mark.parametrize("number", EXTREME)
def test_arrays_of_extreme_numbers(number: float, tmp_path: Path) -> None:
    """They are wrong, without a word from NumPy, alone and among right ones."""
    checker = checker_of(PROBLEM)
    for share in (1, 0.4):
        where = {
            step.name: np.random.default_rng(7).random(step.shape) < share for step in checker.graph.steps
        }
        told: dict[str, Any] = {
            name: np.where(at, number, checker.solution[name].value) for name, at in where.items()
        }
        np.savez(tmp_path / "a.npz", **told)
        assert checker.check_file(str(tmp_path / "a.npz")).verdict == "incorrect"


# A folder with everything.

SECRET = "hunter2"
MODULES = [
    "struct",
    "pickle",
    "socket",
    "attncalc",
    "numpy",
    "yaml",
    "json",
    "signal",
    "queue",
    "typing",
    "resource",
]
NAMES = [
    b"\xff.yaml",
    b"\x1b]0;owned\x07.yaml",
    b"a\nb.yaml",
    "\u202egnp.yaml".encode(),
    b"\ttab.yaml",
    b"=1+1.yaml",
]
MUCH = "1," * 490_000


def lying(size: int) -> bytes:
    """An archive that unpacks to `size` bytes, and says that they are a hundred."""
    data = bytearray(npz(O=npy(np.zeros(size // 8))))
    true = struct.pack("<L", size + 128)
    assert data.count(true) == 2
    return bytes(data.replace(true, struct.pack("<L", 100)))


def crowded(count: int) -> bytes:
    """An archive with the given number of members."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for n in range(count):
            archive.writestr(f"{n}.npy", b"")
    return file.getvalue()


def bombs() -> Iterator[tuple[str, str | bytes, str]]:
    """Files that unfold to more than anybody asked for, each with the reason it gets."""
    yield "lying.npz", lying(1 << 27), "not a readable"
    yield "crowded.npz", crowded(60_000), "holds more than 1,000 arrays"
    yield "zeros.npz", npz(O=npy(np.zeros(1 << 24))), "too many bytes"
    yield "cells.json", f'{{"O": [{MUCH}1]}}', "holds more than 50,000 values"
    yield "deep.json", f'{{"O": {"[" * 900}1{"]" * 900}}}', "is nested more than 20 levels deep"
    yield "keys.json", json.dumps(dict.fromkeys(map(str, range(60_000)), 1)), "holds more than 50,000 values"
    yield "unknown.json", json.dumps(dict.fromkeys(map(str, range(20_000)), 1)), "more than 100 keys"
    yield "unknown.yaml", "".join(f"k{n}: 1\n" for n in range(20_000)), "more than 100 keys"
    yield "long.yaml", "#" * 1_000_001, "larger than 1,000,000 bytes"


def hostile_files() -> Iterator[tuple[str, str | bytes, str]]:
    """Every kind of file that is not simply marked: its name, what is in it, and the reason it gets."""
    for n, cell in enumerate(CELLS):
        yield f"cell-{n:03}.yaml", with_cell(cell), r"\.yaml:1:[0-9]+: "
    for n, (text, _) in enumerate(DOCUMENTS):
        yield f"document-{n:03}.yaml", text, r"\.yaml:[0-9]+:[0-9]+: "
    for n, (name, data) in enumerate(ARRAYS):
        if name == "x.npz" and data != npz():
            yield f"array-{n:03}.npz", data, r"\.npz: "
    yield from bombs()


def fill(folder: Path) -> dict[str, str]:
    """Fills a folder; gives the reasons by name, empty for those who are honest."""
    found = {}
    for n in range(20):
        name = f"{'aez'[n % 3]}-honest-{n:02}.yaml"
        written(folder / name, f"student: honest {n}\n{RIGHT}")
        found[name] = ""
    for n, (text, _) in enumerate(TEXTS):
        written(folder / f"student-{n:02}.yaml", f"student: {spelled(f'{n}{text}')}\n{RIGHT}")
        found[f"student-{n:02}.yaml"] = ""
    for odd in NAMES:
        path = Path(os.fsdecode(os.fsencode(folder) + b"/" + odd))
        written(path, RIGHT)
        found[path.name] = ""
    for name, data, reason in hostile_files():
        written(folder / name, data)
        found[name] = reason
    for module in MODULES:
        written(folder / f"{module}.py", "open('MARKER', 'w')")
        found[f"{module}.py"] = "nothing in it is executed"
    written(folder.parent / "key.json", f'{{"student": "{SECRET}", "O": "{SECRET}"}}')
    for name, target in (
        ("link.json", "../key.json"),
        ("loop.yaml", "loop.yaml"),
        ("passwd.yaml", "/etc/passwd"),
    ):
        (folder / name).symlink_to(target)
        found[name] = "is a link, which is not followed"
    (folder / "folder.yaml").mkdir()
    os.mkfifo(folder / "pipe.json")
    return {**found, "folder.yaml": "is an empty folder", "pipe.json": "is not a regular file"}


MEASURED = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
sys.stderr.write(f"{resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024}")
sys.exit(code)
"""
"""Runs a command; its last word is how many megabytes the largest of its processes took."""
WORKERS = 2


@SLOW
def test_a_folder_with_everything(tmp_path: Path) -> None:
    """All honest files are marked, each other one has its reason; nothing is executed, leaked or left behind."""
    folder = tmp_path / "class"
    folder.mkdir()
    reasons = fill(folder)
    before = tree(folder)
    shown, said = {}, set()
    # As it is installed: `python -m` would look for the package in the folder itself.
    script = written(tmp_path / "script", "from attncalc.cli import main\nmain()\n")
    for format_ in ("csv", "json", "html", "text", "latex"):
        arguments = f"check {PROBLEM} . -f {format_} --workers {WORKERS} --resume ../kept.jsonl".split()
        done = subprocess.run(
            [sys.executable, "-I", "-c", MEASURED, sys.executable, str(script), *arguments],
            cwd=folder, env=environment({}), stdin=subprocess.DEVNULL, capture_output=True, timeout=GUARD,
        )  # fmt: skip
        told, size = done.stderr.decode().rsplit("\n", 1)
        said.add(told)
        assert int(size) * (1 + WORKERS) < MEGABYTES
        shown[format_] = checked(done.returncode, done.stdout.replace(b"\r\n", b"\n"), b"")
    rows = list(csv.DictReader(io.StringIO(shown["csv"].out)))
    found = {os.path.basename(row["answers"].rstrip("/")): row for row in rows}
    assert len(found) == len(rows) == len(reasons)
    unread = sum(row["verdict"] == "unread" for row in rows)
    (told,) = said
    assert told.startswith(f"{unread} of {len(rows)} files could not be read: ")
    for name, reason in reasons.items():
        row = found[inert(name)]
        assert bool(row["errors"]) == bool(reason), row
        assert re.search(reason, row["errors"]), row
        assert "could not be checked" not in row["errors"], row
        assert reason or row["verdict"] == "correct", row
    assert {ran.code for ran in shown.values()} == {2}
    assert tree(folder) == before
    for ran in shown.values():
        assert SECRET not in ran.out and "root:" not in ran.out
    kept = (tmp_path / "kept.jsonl").read_text()
    assert SECRET not in kept and "root:" not in kept
