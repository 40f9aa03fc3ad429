"""Submissions of a class as learning platforms export them: in folders, zipped, and nested."""

from __future__ import annotations

import io
import json
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

NAMES = ("Amy Jones", "Bob Brown", "María García-López", "李 小龙", "Jürgen Groß", "Anne Marie van der Berg")
"""Names with accents, of several words, and in another script."""
ROWS = {"A": [[0.58, 0.28, 0.14], [0.88, 0.11, 0.01]], "O": [[0.86, 1.58, -0.72], [0.99, 1.88, -1.56]]}


class Student(NamedTuple):
    """A student, the name and content of their file, and whether it can be read."""

    name: str
    id: int
    file: str
    data: bytes
    is_read: bool = True


def npz(rows: Mapping[str, object]) -> bytes:
    """The bytes of an .npz file."""
    written = io.BytesIO()
    arrays: dict[str, Any] = {name: np.array(values) for name, values in rows.items()}
    np.savez(written, **arrays)
    return written.getvalue()


def npy(rows: object) -> bytes:
    """The bytes of an .npy file."""
    written = io.BytesIO()
    np.save(written, np.array(rows))
    return written.getvalue()


def lines(sign: str) -> bytes:
    """The answers as lines of a name, a sign and a list."""
    return "".join(f"{name}{sign}{json.dumps(values)}\n" for name, values in ROWS.items()).encode()


def notebook(source: str) -> bytes:
    """The bytes of a notebook of one cell."""
    return json.dumps({"cells": [{"cell_type": "code", "source": source, "outputs": []}]}).encode()


def table() -> bytes:
    """The answers as a table, with names in the first column."""
    rows = (
        f"{name if not n else ''},{','.join(map(str, row))}\n"
        for name, values in ROWS.items()
        for n, row in enumerate(values)
    )
    return "".join(rows).encode()


FORMS: tuple[tuple[str, bytes, bool], ...] = (
    ("answers.yaml", lines(": "), True),
    ("answers.yml", b"answers:\n  O: " + json.dumps(ROWS["O"]).encode(), True),
    ("Answers.YAML", lines(" = "), True),
    ("hw 3 (final).yaml", lines(": "), True),
    ("answers.json", json.dumps(ROWS).encode(), True),
    ("dump.npz", npz(ROWS), True),
    ("O.npy", npy(ROWS["O"]), True),
    ("answers", lines(": "), True),
    ("answers.txt", b"My answers\n\n" + lines(" = "), True),
    ("hw3.md", b"# Homework 3\n\n```\n" + lines(" = ") + b"```\n", True),
    ("hw3.ipynb", notebook(lines(" = ").decode()), True),
    ("hw3.py", b"import numpy as np\n" + lines(" = "), True),
    ("answers.csv", table(), True),
    ("photo.jpg", b"\xff\xd8\xff\xe0" + bytes(100), False),
    ("scan.pdf", b"%PDF-1.5\n\x00", False),
    ("answers.docx", b"PK\x03\x04 no zip", False),
    ("empty.yaml", b"", False),
    ("broken.json", b"\x00\x01", False),
    ("latin1.yaml", "# Größe\n".encode("latin-1") + lines(": "), True),
    ("essay.yaml", b"I did it with my brother.", False),
)
"""Twenty forms: the name of a file, its content, and whether answers can be read from it."""


def make_class(count: int = 60) -> list[Student]:
    """Some students, each with another name and one of the forms."""
    return [
        Student(
            f"{NAMES[n % len(NAMES)]} {chr(97 + n // 26)}{chr(97 + n % 26)}", 4000 + n, *FORMS[n % len(FORMS)]
        )
        for n in range(count)
    ]


def joined(name: str) -> str:
    """A name as Canvas writes it: last name first, in small letters, without spaces."""
    *first, last = name.lower().split()
    return "".join((last, *first))


def canvas(students: list[Student]) -> Iterator[tuple[str, bytes]]:
    """Files with name, lateness, the ids of student and submission, and the name of the file."""
    for n, one in enumerate(students):
        late = "LATE_" if n % 7 == 3 else ""
        yield f"{joined(one.name)}_{late}{one.id}_{7890000 + n}_{one.file}", one.data


def moodle(students: list[Student]) -> Iterator[tuple[str, bytes]]:
    """A folder for each student."""
    for one in students:
        yield f"{one.name}_{one.id}_assignsubmission_file_/{one.file}", one.data


def gradescope(students: list[Student]) -> Iterator[tuple[str, bytes]]:
    """A folder for each submission, and a file that says whose it is."""
    said = []
    for one in students:
        said.append(f"submission_{one.id}:\n  :submitters:\n  - :name: {one.name}\n    :sid: '{one.id}'\n")
        yield f"assignment_12_export/submission_{one.id}/{one.file}", one.data
    yield "assignment_12_export/submission_metadata.yml", "".join(said).encode()


def blackboard(students: list[Student]) -> Iterator[tuple[str, bytes]]:
    """Files with the name of the homework, the user and the time; and a note for each."""
    for n, one in enumerate(students):
        stem = f"Homework 3_u{one.id}_attempt_2024-03-01-12-{n // 60:02}-{n % 60:02}"
        yield f"{stem}_{one.file}", one.data
        yield f"{stem}.txt", f"Name: {one.name} (u{one.id})\nAssignment: Homework 3\n".encode()


def plain(students: list[Student]) -> Iterator[tuple[str, bytes]]:
    """A folder for each student, named after them."""
    for one in students:
        yield f"class/{one.name}/{one.file}", one.data


LAYOUTS: dict[str, Callable[[list[Student]], Iterator[tuple[str, bytes]]]] = {
    "canvas": canvas, "moodle": moodle, "gradescope": gradescope, "blackboard": blackboard, "plain": plain,
}  # fmt: skip


def write_folder(path: Path, files: Iterator[tuple[str, bytes]]) -> Path:
    """Write files into a folder."""
    for name, data in files:
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(data)
    return path


def write_zip(path: Path, files: Iterator[tuple[str, bytes]]) -> Path:
    """Write files into a zip archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return path


def write_tar(path: Path, files: Iterator[tuple[str, bytes]]) -> Path:
    """Write files into a packed tar archive."""
    with tarfile.open(path, "w:gz") as archive:
        for name, data in files:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def zipped(data: list[tuple[str, bytes]]) -> bytes:
    """The bytes of a zip archive."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in data:
            archive.writestr(name, content)
    return written.getvalue()


def write_nested(path: Path, files: Iterator[tuple[str, bytes]]) -> Path:
    """Write a zip archive in which each file is in an archive that its student packed."""
    pairs = []
    for name, data in files:
        inner = name.rsplit("/", 1)[-1]
        is_note = inner == "submission_metadata.yml" or re.fullmatch(".*_attempt_[0-9-]+[.]txt", inner)
        pairs.append((name, data) if is_note else (f"{name}.zip", zipped([(inner, data)])))
    return write_zip(path, iter(pairs))


CONTAINERS: dict[str, Callable[[Path, Iterator[tuple[str, bytes]]], Path]] = {
    "class": write_folder, "class.zip": write_zip, "class.tar.gz": write_tar, "nested.zip": write_nested,
}  # fmt: skip
