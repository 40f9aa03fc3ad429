"""What a class hands in: every export of every platform, in folders and archives, each file marked or with a reason."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import struct
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from attncalc.core.errors import AttncalcError
from attncalc.core.notations.columns import width_of
from attncalc.features.classes import archives
from attncalc.features.classes.find_submissions import find_submissions
from attncalc.features.classes.opener import Opener
from attncalc.features.classes.submissions import Submission
from tests.helpers.commands import run
from tests.helpers.exports import (
    CONTAINERS,
    FORMS,
    LAYOUTS,
    ROWS,
    Student,
    canvas,
    lines,
    make_class,
    npy,
    write_folder,
    write_tar,
    write_zip,
    zipped,
)
from tests.helpers.quick_and_slow import each

PROBLEM = "dot-product-3"
RIGHT = lines(": ")
WRONG = b"O: [[1, 2, 3], [4, 5, 6]]\n"
SOME = [
    ("canvas", "class"),
    ("moodle", "class.zip"),
    ("gradescope", "class.tar.gz"),
    ("blackboard", "nested.zip"),
]


def table(text: str) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(text)))


def write_roster(path: Path, students: list[Student], *more: str) -> Path:
    """A roster as Canvas exports its gradebook."""
    rows = ["Student,ID,SIS User ID,SIS Login ID,Section,Homework 3 (77)", "    Points Possible,,,,,10"]
    for one in students:
        *first, last = one.name.split()
        rows.append(f'"{last}, {" ".join(first)}",{one.id},x{one.id},u{one.id},S1,')
    path.write_text("\n".join([*rows, *more]))
    return path


@each(("layout", "container"), [(a, b) for a in LAYOUTS for b in CONTAINERS], quick=SOME)
def test_every_file_of_a_class_is_a_row(layout: str, container: str, tmp_path: Path) -> None:
    """All readable files are marked, the others have a reason, and all students are named by the roster."""
    students = make_class(len(FORMS) if (layout, container) in SOME else 60)
    answers = CONTAINERS[container](tmp_path / container, LAYOUTS[layout](students))
    roster = write_roster(tmp_path / "roster.csv", students, '"Gone, Zoe",1,,,S1,')
    grades, feedback = tmp_path / "grades.csv", tmp_path / "feedback"
    line = (
        "check",
        PROBLEM,
        str(answers),
        "--roster",
        str(roster),
        "-o",
        str(grades),
        "--each",
        str(feedback),
    )
    run(*line, code=2)
    rows = table(grades.read_text())
    found = {row["student"]: row for row in rows}
    assert len(found) == len(rows) == len(students) + 1
    for one in students:
        row = found[one.name]
        assert (row["verdict"], row["score"]) == (("correct", "1") if one.is_read else ("unread", "0")), row
        assert bool(row["errors"]) is not one.is_read
        assert row["id"] == str(one.id)
    assert (found["Zoe Gone"]["verdict"], found["Zoe Gone"]["notes"]) == ("incomplete", "did not hand in")
    late = [row["late"] == "late" for row in rows if row["answers"]]
    assert any(late) is (layout == "canvas")
    assert len(list(feedback.glob("*.html"))) == len(students)
    assert (feedback / "Amy-Jones-aa-4000.html").exists()


@pytest.mark.parametrize("layout", ["canvas", "moodle", "gradescope", "blackboard"])
def test_names_of_exports_without_a_roster(layout: str, tmp_path: Path) -> None:
    """The name and the id of the student stand in the export."""
    (one,) = find_submissions(str(write_zip(tmp_path / "c.zip", LAYOUTS[layout](make_class(1)))), Opener())
    said = (one.identity.name, one.identity.ids[0])
    expected = {"canvas": ("aaamyjones", "4000"), "blackboard": ("Amy Jones aa", "u4000")}
    assert said == expected.get(layout, ("Amy Jones aa", "4000"))


def submissions(path: Path, files: dict[str, bytes]) -> list[Submission]:
    """The submissions of a folder with some files."""
    return find_submissions(str(write_folder(path, iter(files.items()))), Opener())


def test_the_newest_file_of_a_student_counts(tmp_path: Path) -> None:
    """If it can be read: the next one counts otherwise, and all are named."""
    folder = write_folder(tmp_path / "class", iter({
        "Amy/old.yaml": WRONG, "Amy/new.yaml": RIGHT, "Amy/newest.yaml": b"\x00", "Amy/photo.jpg": b"", "Bob/a.yaml": WRONG,
    }.items()))  # fmt: skip
    for age, name in enumerate(("newest", "new", "old")):
        os.utime(folder / f"Amy/{name}.yaml", (10**9 - age, 10**9 - age))
    amy, bob = table(run("check", PROBLEM, str(folder), "-f", "csv", code=1))
    assert (Path(amy["answers"]).name, amy["verdict"]) == ("new.yaml", "correct")
    assert amy["notes"] == "also handed in: newest.yaml, old.yaml, photo.jpg"
    assert bob["verdict"] == "incorrect"


A, O = npy(ROWS["A"]), npy(ROWS["O"])  # noqa: E741
WRONG_O = npy([[1, 2, 3], [4, 5, 6]])
ARRAYS = {
    # The files, the newest first; and for each report what was read, and how many steps are right.
    "a folder of one student": ({"Amy/A.npy": A, "Amy/O.npy": O}, {"Amy/A.npy + O.npy": 2}),
    "two students": ({"Amy/A.npy": A, "Amy/O.npy": O, "Bob/O.npy": O}, {"Amy/A.npy + O.npy": 2, "Bob/O.npy": 1}),
    "a platform": (
        {"jonesamy_12_901_A.npy": A, "jonesamy_12_900_O.npy": O, "brownbob_13_902_O.npy": O},
        {"jonesamy_12_901_A.npy + jonesamy_12_900_O.npy": 2, "brownbob_13_902_O.npy": 1},
    ),
    "a later try": (
        {"jonesamy_12_902_A.npy": A, "jonesamy_12_901_O-1.npy": O, "jonesamy_12_900_O.npy": WRONG_O},
        {"jonesamy_12_902_A.npy + jonesamy_12_901_O-1.npy": 2},
    ),
    "one is damaged": ({"Amy/A.npy": A[:60], "Amy/O.npy": O, "Bob/O.npy": O}, {"Amy/O.npy": 1, "Bob/O.npy": 1}),
    "more than a student's files": ({f"Amy/{step}.npy": O if step == "O" else A for step in "QKVSZEAO"}, None),
}  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), ARRAYS.values(), ids=ARRAYS)
@pytest.mark.parametrize("container", ["class", "class.zip"])
def test_arrays_of_one_student_are_read_together(
    files: dict[str, bytes], expected: dict[str, int] | None, container: str, tmp_path: Path
) -> None:
    """Each is named after its step; of two for the same step the newest counts."""
    answers = CONTAINERS[container](tmp_path / container, iter(files.items()))
    if container == "class":
        for name in files:
            os.utime(answers / name, (10**9, 10**9))
    told = json.loads(run("check", PROBLEM, str(answers), "-f", "json", code=int(expected is None)))
    found = {
        os.path.relpath(report["answers"], answers): sum(
            step["verdict"] in ("correct", "rounded") for step in report["steps"]
        )
        for report in (told if isinstance(told, list) else [told])
    }
    assert len(found) == 1 if expected is None else found == expected


def test_later_tries_in_canvas_have_larger_numbers(tmp_path: Path) -> None:
    """The files of one student are one submission, whatever their order."""
    files = {
        "jonesamy_12_900_a.yaml": WRONG,
        "jonesamy_LATE_12_1000_a-1.yaml": RIGHT,
        "brownbob_13_950_a.yaml": RIGHT,
    }
    bob, amy = submissions(tmp_path / "class", files)
    assert [Path(one.name).name for one in amy.tries] == [
        "jonesamy_LATE_12_1000_a-1.yaml",
        "jonesamy_12_900_a.yaml",
    ]
    assert (amy.identity.is_late, bob.identity.is_late) == (True, False)


def test_a_folder_of_a_class_inside_a_class(tmp_path: Path) -> None:
    """A folder with many answers is no student's: nothing is lost."""
    files = {f"section {n % 2}/s{n}.yaml": RIGHT for n in range(20)}
    assert len(submissions(tmp_path / "class", files)) == 20


def test_a_group_of_gradescope_is_a_row_for_each_member(tmp_path: Path) -> None:
    """They have the same points."""
    said = b"submission_1:\n  :submitters:\n  - :name: Amy Jones\n    :sid: '1'\n  - :name: \"Bob \\\"B\\\"\"\n    :sid: '2'\n"
    files = {"submission_1/a.yaml": RIGHT, "submission_metadata.yml": said}
    folder = write_folder(tmp_path / "export", iter(files.items()))
    rows = table(run("check", PROBLEM, str(folder), "-f", "csv"))
    assert [(row["student"], row["id"], row["score"]) for row in rows] == [
        ("Amy Jones", "1", "1"),
        ('Bob "B"', "2", "1"),
    ]


def test_two_students_who_claim_one_name(tmp_path: Path) -> None:
    """Both are kept, both say so, and the gradebook gets no points."""
    files = {
        "a.yaml": b"student: Amy Jones\n" + RIGHT,
        "b.yaml": b"student: jones, amy\n" + WRONG,
        "c.yaml": b"student: Eve",
    }
    folder = write_folder(tmp_path / "class", iter(files.items()))
    (tmp_path / "roster.csv").write_text("Name\nAmy Jones\n")
    line = ("check", PROBLEM, str(folder), "--roster", str(tmp_path / "roster.csv"))
    first, second, third = table(run(*line, "-f", "csv", code=1))
    assert "is claimed by" in first["errors"] and "is claimed by" in second["errors"]
    assert third["notes"] == "not on the roster"
    amy, eve = table(run(*line, "--gradebook", "moodle", code=1))
    assert (amy["Grade"], eve["Grade"]) == ("", "0")


# Gradebooks.


def test_a_gradebook_for_canvas(tmp_path: Path) -> None:
    """Its columns, the row with the points, the ids of the roster, and its heading of the assignment."""
    students = make_class(7)
    problem = tmp_path / "hw.yaml"
    problem.write_text(
        "title: Homework 3\nQ: [[1, 0]]\nK: [[1, 0], [0, 1]]\nV: [[3], [4]]\nscale: none\nmarks: {S: 10}\n"
    )
    students = [one._replace(data=b"S: [[1, 0]]") for one in students]
    answers = write_zip(tmp_path / "class.zip", canvas(students))
    roster = write_roster(tmp_path / "roster.csv", students, '"Gone, Zoe",1,x1,u1,S1,')
    book = tmp_path / "book.csv"
    run(
        "check",
        str(problem),
        str(answers),
        "--roster",
        str(roster),
        "--gradebook",
        "canvas",
        "-o",
        str(book),
        code=2,
    )
    written = list(csv.reader(io.StringIO(book.read_text())))
    assert written[:3] == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Homework 3 (77)"],
        ["    Points Possible", "", "", "", "", "10"],
        ["aa, Amy Jones", "4000", "x4000", "u4000", "S1", "10"],
    ]
    assert written[-1] == ["Gone, Zoe", "1", "x1", "u1", "S1", "0"]


def test_a_gradebook_for_moodle(tmp_path: Path) -> None:
    """The grading worksheet, filled in: with it as roster, or from the names of the folders alone."""
    students = make_class(2)
    answers = write_zip(tmp_path / "class.zip", LAYOUTS["moodle"](students))
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(
        "Identifier,Full name,Email address,Status,Grade,Maximum Grade,Grade can be changed,"
        "Last modified (submission),Last modified (grade),Feedback comments\n"
        + "".join(f"Participant {s.id},{s.name},{s.id}@x.org,Submitted,,10.00,Yes,-,-,\n" for s in students)
    )
    for roster, email in (("--roster", str(sheet)), "4000@x.org"), ((), ""):
        rows = table(run("check", PROBLEM, str(answers), *roster, "--gradebook", "moodle"))
        assert [*rows[0]] == sheet.read_text().splitlines()[0].split(",")
        first = rows[0]
        assert (first["Identifier"], first["Full name"]) == ("Participant 4000", "Amy Jones aa")
        assert (first["Email address"], first["Grade"]) == (email, "1")


# The terminal.


def test_columns_never_shift_on_a_terminal() -> None:
    """Whatever the names: all words start in the same column."""
    from attncalc.core.terms.formulas import Text
    from attncalc.pages import Page
    from attncalc.pages.documents import text
    from attncalc.worked.blocks import SIGNS, Document, Member, Roster

    names = ["x", "a" * 60, "李小龙" * 12, "e\u0301" * 70, "jonesamy_LATE_123_7890_answers.yaml", "👩‍🎓" * 9]
    said: Text = "Words."
    members = tuple(Member(SIGNS["wrong"], name, "", (SIGNS["wrong"], None), "8/10", said) for name in names)
    for width in (60, 80, 120):
        shown = text.render(Document((Roster(("S", "A"), members),)), Page(width=width))
        rows = [line for line in shown.splitlines() if "Words." in line]
        assert len(rows) == len(names)
        assert len({width_of(line.split("Words.")[0]) for line in rows}) == 1
        assert all(width_of(line) <= width for line in rows)


# Archives of strangers.


def member_reasons(path: Path) -> dict[str, str]:
    """The files found in an archive, and why they are not read, if so."""
    return {one.parts[-1]: one.reason for s in find_submissions(str(path), Opener()) for one in s.tries}


def test_hostile_members_of_a_zip_archive(tmp_path: Path) -> None:
    """Each is a row with its reason, and the honest ones are marked."""
    path = tmp_path / "c.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("honest.yaml", RIGHT)
        link = zipfile.ZipInfo("link.yaml")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/passwd")
        archive.writestr("../up.yaml", RIGHT)
        archive.writestr("/root.yaml", RIGHT)
        archive.writestr("a/" * 30 + "deep.yaml", RIGHT)
        archive.writestr("bomb.yaml", bytes(50_000_000))
        archive.writestr("big.yaml", os.urandom(1_100_000))
        archive.writestr("deep.zip", zipped([("deeper.zip", zipped([("x.yaml", RIGHT)]))]))
    found = member_reasons(path)
    assert found["honest.yaml"] == ""
    assert found["link.yaml"] == "is a link, which is not followed"
    assert found["up.yaml"] == found["root.yaml"] == "has a name that leaves the archive, and is not read"
    assert found["deep.yaml"] == "is more than 20 folders deep"
    assert found["bomb.yaml"] == "unpacks to more than 200 times its size"
    assert found["deeper.zip"] == "is an archive in an archive in an archive"
    rows = table(run("check", PROBLEM, str(path), "-f", "csv", code=2))
    verdicts = {Path(row["answers"]).name: row for row in rows}
    assert verdicts["honest.yaml"]["verdict"] == "correct"
    assert verdicts["big.yaml"]["errors"].endswith("is larger than 1,000,000 bytes")
    assert sum(row["verdict"] == "unread" for row in rows) == len(rows) - 1


def test_an_encrypted_member(tmp_path: Path) -> None:
    """It says that it is encrypted."""
    path = write_zip(tmp_path / "c.zip", iter([("a.yaml", RIGHT), ("b.yaml", RIGHT)]))
    data = bytearray(path.read_bytes())
    for mark, offset in (b"PK\1\2", 8), (b"PK\3\4", 6):
        data[data.index(mark) + offset] |= 1
    path.write_bytes(bytes(data))
    assert member_reasons(path) == {"a.yaml": "is encrypted", "b.yaml": ""}


def test_a_member_that_lies_about_its_size(tmp_path: Path) -> None:
    """It is damaged, and no other is affected."""
    path = write_zip(tmp_path / "c.zip", iter([("a.yaml", RIGHT), ("b.yaml", RIGHT)]))
    data = bytearray(path.read_bytes())
    struct.pack_into("<L", data, data.index(b"PK\1\2") + 24, 3)
    path.write_bytes(bytes(data))
    rows = table(run("check", PROBLEM, str(path), "-f", "csv", code=2))
    assert [row["verdict"] for row in rows] == ["unread", "correct"]


def test_hostile_members_of_a_tar_archive(tmp_path: Path) -> None:
    """Links and devices are rows; nothing outside is read."""
    path = tmp_path / "c.tar"
    with tarfile.open(path, "w") as archive:
        for name, kind in {
            "link.yaml": tarfile.SYMTYPE,
            "hard.yaml": tarfile.LNKTYPE,
            "pipe.yaml": tarfile.FIFOTYPE,
        }.items():
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        for name in ("../up.yaml", "honest.yaml"):
            info = tarfile.TarInfo(name)
            info.size = len(RIGHT)
            archive.addfile(info, io.BytesIO(RIGHT))
    link = "is a link, which is not followed"
    assert member_reasons(path) == {
        "link.yaml": link, "hard.yaml": link, "pipe.yaml": "is not a regular file",
        "up.yaml": "has a name that leaves the archive, and is not read", "honest.yaml": "",
    }  # fmt: skip


def broken_archives() -> Iterator[tuple[str, bytes]]:
    """Archives that are cut off, or none at all."""
    whole = zipped([("a.yaml", RIGHT)])
    for cut in (0, 1, 30, len(whole) - 30, len(whole) - 5):
        yield "c.zip", whole[:cut]
    for name in ("c.zip", "c.tar", "c.tar.gz", "c.tar.xz", "c.tar.bz2", "c.tgz"):
        yield name, b"no archive at all " * 100


@pytest.mark.parametrize(("name", "data"), list(broken_archives()))
def test_a_broken_archive_is_one_sentence(name: str, data: bytes, tmp_path: Path) -> None:
    """Alone it is an error; among other files it is a row."""
    (tmp_path / name).write_bytes(data)
    with pytest.raises(AttncalcError, match=f"{name}: is damaged, or no archive of this kind"):
        find_submissions(str(tmp_path / name), Opener())
    (tmp_path / "a.yaml").write_bytes(RIGHT)
    found = {Path(one.name).name: one.tries[0].reason for one in find_submissions(str(tmp_path), Opener())}
    assert found == {"a.yaml": "", name: "is damaged, or no archive of this kind"}


def test_a_bomb_in_a_packed_tar_archive(tmp_path: Path) -> None:
    """It is noticed before much is unpacked."""
    path = write_tar(tmp_path / "c.tar.gz", iter([("bomb.yaml", bytes(60_000_000))]))
    with pytest.raises(AttncalcError, match="unpacks to more than 200 times its size"):
        find_submissions(str(path), Opener())


def test_too_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An archive with more is refused as a whole."""
    monkeypatch.setattr(archives, "MOST_MEMBERS", 5)
    for write in (write_zip, write_tar):
        path = write(
            tmp_path / f"c{'.zip' if write is write_zip else '.tar.gz'}",
            iter([(f"{n}", b"") for n in range(6)]),
        )
        with pytest.raises(AttncalcError, match="holds more than 100,000 files"):
            find_submissions(str(path), Opener())


def test_a_class_in_an_archive_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """A member that has changed is marked again, the others are not."""
    record = tmp_path / "kept.jsonl"
    line = ("check", PROBLEM, str(tmp_path / "c.zip"), "-f", "csv", "--resume", str(record))
    write_zip(tmp_path / "c.zip", iter([("a.yaml", RIGHT), ("b.yaml", RIGHT)]))
    first = run(*line)
    kept = record.read_text()
    assert run(*line) == first and record.read_text() == kept
    write_zip(tmp_path / "c.zip", iter([("a.yaml", RIGHT), ("b.yaml", WRONG)]))
    assert [row["verdict"] for row in table(run(*line, code=1))] == ["correct", "incorrect"]


def test_answers_are_the_same_in_a_folder_and_in_archives(tmp_path: Path) -> None:
    """All formats say the same of them, but for the name of the folder."""
    said = set()
    files = {f"{n}.yaml": data for n, data in enumerate((RIGHT, WRONG, b"\x00", str(ROWS).encode()))}
    for name, write in CONTAINERS.items():
        if name != "nested.zip":
            path = write(tmp_path / name, iter(files.items()))
            said.add(run("check", PROBLEM, str(path), "-f", "csv", code=2).replace(str(path), ""))
    assert len(said) == 1
