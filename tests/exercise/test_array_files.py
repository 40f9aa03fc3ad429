"""Array files, and references to files: plain tables of real numbers inside the problem's folder, or nothing."""

from __future__ import annotations

import io
import os
import pickle
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.helpers.guarded_runs import Attncalc, short, spawn, written
from tests.helpers.quick_and_slow import each


class Touch:
    """Writes a file when it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch MARKER",)


def npy(values: Any, dtype: Any = None) -> bytes:
    """The bytes of an .npy file."""
    file = io.BytesIO()
    np.save(file, np.array(values, dtype=dtype), allow_pickle=True)
    return file.getvalue()


def headed(header: str, data: bytes = bytes(8)) -> bytes:
    """An .npy file whose header says what it likes."""
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header) + 1) + header.encode() + b"\n" + data


def claim(shape: str, dtype: str = "'<f8'", data: bytes = bytes(8)) -> bytes:
    """An .npy file that claims a shape."""
    return headed(f"{{'descr': {dtype}, 'fortran_order': False, 'shape': {shape}, }}", data)


def npz(**members: bytes) -> bytes:
    """The bytes of an .npz file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return file.getvalue()


ONE = npy([[1.0]])
LYING = npz(q=ONE).replace(struct.pack("<L", len(ONE)), struct.pack("<L", 2**32 - 2))
ARRAYS: list[tuple[str, bytes]] = [
    ("x.npy", npy([[Touch()]], object)), ("x.npz", npz(q=npy([[Touch()]], object))),
    ("x.npy", pickle.dumps(Touch())), ("x.npz", pickle.dumps(Touch())), ("x.npz", LYING),
    ("x.npy", claim("(1000000, 1000000)")), ("x.npz", npz(q=claim("(1000000, 1000000)"))),
    ("x.npy", claim("(9**9**9, 1)")), ("x.npy", claim("(-1, -1)")), ("x.npy", claim("(-1,)")),
    ("x.npy", claim("(0, 1000000000000000000000000000000)")), ("x.npy", claim("(1.0, 1)")),
    ("x.npy", claim("__import__('os').system('touch MARKER')")), ("x.npy", claim("(1, 1)", "'O'")),
    ("x.npy", claim("(1, 1)", "'<f8, <f8'")), ("x.npy", headed("[" * 5000)), ("x.npy", headed("x" * 60_000)),
    ("x.npy", b"\x93NUMPY\x01\x00\xff\xff{"), ("x.npy", b"\x93NUMPY\x09\x00\x00\x00"), ("x.npy", b"\x93NUMPY"),
    ("x.npy", b""), ("x.npz", b""), ("x.npz", b"PK\x03\x04 broken"), ("x.npz", npz(q=ONE)[:-30]),
    ("x.npz", npz(q=ONE.replace(b"NUMPY", b"NUMPX"))), ("x.npz", npz(q=b"")), ("x.npz", npz()),
    ("x.npz", npz(q=ONE, k=ONE)), ("x.npz", npz(q=ONE, k=ONE).replace(b"k.npy", b"q.npy")),
    ("x.npy", npz(q=ONE)), ("x.npz", ONE), ("x.npy", npy([[1 + 2j]])),
    ("x.npy", npy([["1"]])), ("x.npy", npy([[b"1"]])), ("x.npy", npy([["2020-01-01"]], "M8[D]")),
    ("x.npy", npy([(1, 2)], "i8,i8")), ("x.npy", npy([[np.nan]])), ("x.npy", npy([[np.inf]])),
    ("x.npy", npy([[-np.inf]])), ("x.npy", npy(1.0)), ("x.npy", npy([])), ("x.npy", npy([[]])),
    ("x.npy", npy([[[[[1]]]]])), ("x.npy", npy([[1, 2]])), ("x.txt", b"1\n"), ("x", b"1\n"),
    ("x.csv", b""), ("x.csv", b"\n\n"), ("x.csv", b"1,2\n3\n"), ("x.csv", b"nan\n"), ("x.csv", b"inf\n"),
    ("x.csv", b"-inf\n"), ("x.csv", b"1e999\n"), ("x.csv", b"9**9**9\n"), ("x.csv", b"=cmd|' /C calc'!A0\n"),
    ("x.csv", b"open('MARKER')\n"), ("x.csv", b"\xff1"), ("x.csv", b"1\x00\n"), ("x.csv", b"1" * 200_000),
    ("x.csv", b'"' + b"1\n" * 200_000), ("x.csv", b"q\n1\n"), ("x.csv", b"1;2\n"), ("x.csv", b"1,\n"),
]  # fmt: skip
GOOD_ARRAYS = [
    ("x.npy", "", npy([[2]])), ("x.npy", "", npy([2.0], np.float16)), ("x.npz", "", npz(q=npy([[2]]))),
    ("x.npz", ", key: q", npz(q=npy([[2]]), k=ONE)), ("x.csv", "", b"\xef\xbb\xbf2\r\n"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data"), ARRAYS, ids=short)
def test_array_files_are_refused(run: Attncalc, name: str, data: bytes) -> None:
    """An array file that is not a plain table of real numbers is refused before it costs anything."""
    written(run.folder / name, data)
    ran = run.solve(f"Q: {{file: {name}}}\nK: [[1]]\n")
    assert (ran.code, ran.out) == (2, "")
    assert re.match(r"(problem\.yaml|x\.csv):[1-9][0-9]*:[1-9][0-9]*: \S", ran.err), ran.err
    assert len(ran.err) < 1000


@pytest.mark.parametrize(("name", "key", "data"), GOOD_ARRAYS, ids=short)
def test_array_files_are_read(run: Attncalc, name: str, key: str, data: bytes) -> None:
    """The harmless neighbours of those files are read."""
    written(run.folder / name, data)
    assert run.exact(f"Q: {{file: {name}{key}}}\nK: [[1]]\n").tolist() == [[2]]


REFERENCES = [
    "../../../../etc/passwd", "../outside.npy", "inside/../../outside.npy", "/etc/passwd", "/dev/zero",
    "file:///etc/passwd", "http://127.0.0.1:1/x", "http://127.0.0.1:1/x.npy", "problem.yaml", "-", "~/x.npy",
    "$HOME/x.npy", ".", "inside", "link.npy", "loop.npy", "pipe.npy", "folder.npy", "missing.npy", '"a\\0b.npy"',
    "a" * 5000 + ".npy", "[x.npy]", "{file: x.npy}", '""', "x.npy, key: q", "x.npz, key: r", "x.npz, key: [q]",
    "x.npy, other: q",
]  # fmt: skip


@pytest.mark.parametrize("name", REFERENCES, ids=short)
def test_references_stay_inside(run: Attncalc, name: str) -> None:
    """A reference leads to a regular array file in the problem's folder, or is refused with its place."""
    written(run.folder / "outside.npy", ONE)
    run.folder = run.folder / "work"
    (run.folder / "inside").mkdir(parents=True)
    (run.folder / "folder.npy").mkdir()
    (run.folder / "link.npy").symlink_to("../outside.npy")
    (run.folder / "loop.npy").symlink_to("loop.npy")
    written(run.folder / "x.npy", ONE)
    written(run.folder / "x.npz", npz(q=ONE))
    os.mkfifo(run.folder / "pipe.npy")
    run.patch.chdir(run.folder)
    ran = run.refuses(f"K: [[1]]\nQ: {{file: {name}}}\n", "^problem.yaml:2:")
    assert "root:" not in ran.err
    assert len(ran.err) < 1000


COSTLY: list[tuple[str, Callable[[], bytes]]] = [
    ("x.npz", lambda: npz(q=claim("(1, 10000000)", data=bytes(80_000_000)))),
    ("x.csv", lambda: (b"1," * 999 + b"1\n") * 2500),
]


@each(("name", "data"), COSTLY, quick=COSTLY[:1])
def test_costly_array_files_are_refused(name: str, data: Callable[[], bytes], tmp_path: Path) -> None:
    """A file that unfolds to a thousand times its size, or is too long to read, is refused at once."""
    written(tmp_path / name, data())
    written(tmp_path / "problem.yaml", f"Q: {{file: {name}}}\nK: {{file: {name}}}\n")
    ran = spawn("solve problem.yaml", tmp_path)
    assert (ran.code, ran.out) == (2, "")
