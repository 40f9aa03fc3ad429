"""Workbooks that are damaged, too large or dangerous are refused in one sentence; nothing is computed or fetched."""

from __future__ import annotations

import io
import socket
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from attncalc.marking.checker import Checker
from tests.helpers.bundled import PROBLEMS, checker_of, solved
from tests.helpers.spreadsheets import FIRST, needs_writer, replace_member, workbook_of

pytestmark = needs_writer
NAME = "dot-product-3"
ROWS = "<sheetData>{}</sheetData>"
HEAD = '<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
BOMB = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'


def book(content: str = "", **others: bytes) -> bytes:
    """A workbook with this sheet, and other members."""
    data = workbook_of(solved(NAME))
    data = replace_member(data, FIRST, content) if content else data
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a", zipfile.ZIP_DEFLATED) as archive:
        for name, inside in others.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), inside)
    return out.getvalue()


def squeezed(member: str, content: bytes) -> bytes:
    """A workbook in which one member unpacks to very much."""
    out = io.BytesIO()
    source = zipfile.ZipFile(io.BytesIO(workbook_of(solved(NAME))))
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            archive.writestr(name, content if name == member else source.read(name))
    return out.getvalue()


def lying() -> bytes:
    """A workbook whose directory says that a large member is small."""
    data = bytearray(squeezed(FIRST, HEAD.encode() + b" " * 60_000_000))
    at = data.rfind(FIRST.encode()) - 46 + 24
    data[at : at + 4] = (100).to_bytes(4, "little")
    return bytes(data)


def crowded() -> bytes:
    """A workbook with very many members."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for n in range(20_000):
            archive.writestr(f"xl/{n}", b"")
    return out.getvalue()


def named(name: str, area: str) -> bytes:
    """A workbook with a name for some cells."""
    text = f"<definedName name='{name}'>Attention!{area}</definedName></definedNames>"
    data = workbook_of(solved(NAME))
    member = zipfile.ZipFile(io.BytesIO(data)).read("xl/workbook.xml").decode()
    return replace_member(data, "xl/workbook.xml", member.replace("</definedNames>", text))


def encrypted() -> bytes:
    """A workbook in an archive that says that its members are encrypted."""
    data = bytearray(workbook_of(solved(NAME)))
    for sign, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        at = data.find(sign)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(sign, at + 4)
    return bytes(data)


CASES: list[tuple[str, Callable[[], bytes], str]] = [
    ("nothing", lambda: b"", "is no workbook, or a damaged one"),
    ("text", lambda: b"A: [[1, 2]]", "is no workbook, or a damaged one"),
    ("another archive", lambda: crowded()[:200], "is no workbook, or a damaged one"),
    ("cut off", lambda: workbook_of(solved(NAME))[:5000], "is no workbook, or a damaged one"),
    ("with a password", lambda: b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2000), "is encrypted, or of an old format"),
    ("encrypted members", encrypted, "is encrypted"),
    ("many members", crowded, "holds more than 1,000 files"),
    ("a bomb", lambda: squeezed(FIRST, HEAD.encode() + b" " * 200_000_000), "unpacks to more than 20,000,000 bytes"),
    ("a bomb that lies", lying, "is no workbook, or a damaged one"),
    ("a million rows", lambda: squeezed(FIRST, (HEAD + ROWS.format('<row><c r="A1"><v>1</v></c></row>' * 1_000_000)).encode()), "holds more than 50,000 cells"),
    ("many cells", lambda: book(HEAD + ROWS.format("".join(f'<row><c r="A{n}"><v>1</v></c></row>' for n in range(1, 60_000))) + "</worksheet>"), "holds more than 50,000 cells"),
    ("many texts", lambda: squeezed("xl/sharedStrings.xml", b"<sst>" + b"<si><t>x</t></si>" * 60_000 + b"</sst>"), "holds more than 50,000 cells"),
    ("entities", lambda: book(BOMB + "<worksheet><sheetData>&b;</sheetData></worksheet>"), "declares XML entities"),
    ("an entity that reads a file", lambda: book('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><worksheet>&e;</worksheet>'), "declares XML entities"),
    ("macros", lambda: book(xl__vbaProject_dot_bin=b"x"), "holds macros"),
    ("links", lambda: book(xl__externalLinks__externalLink1_dot_xml=b"<x/>"), "has links to other workbooks"),
    ("connections", lambda: book(xl__connections_dot_xml=b"<x/>"), "has connections to other data"),
    ("deep nesting", lambda: book(HEAD + "<a>" * 100_000), "is no workbook, or a damaged one"),
    ("no address", lambda: book(HEAD + ROWS.format('<row><c r="Ä1"><v>1</v></c></row>') + "</worksheet>"), "is no workbook, or a damaged one"),
    ("a name for everything", lambda: named("step_Q", "$A$1:$XFD$1048576"), "names blocks of more than 20,000 cells"),
    ("no blocks", lambda: book(HEAD + ROWS.format("") + "</worksheet>"), ""),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_a_bad_workbook_is_refused_in_one_sentence(
    make: Callable[[], bytes], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, checker = make(), checker_of(NAME)
    monkeypatch.setattr(socket, "socket", lambda *_: pytest.fail("nothing is fetched"))
    start = time.process_time()
    report = checker.check_content("bad.xlsx", data)
    assert time.process_time() - start < 3
    if message:
        (error,) = report.errors
        assert error.startswith(f"bad.xlsx: {message}"), error
    assert report.score == 0


def test_memory_stays_small() -> None:
    data, checker = squeezed(FIRST, HEAD.encode() + b" " * 200_000_000), checker_of(NAME)
    tracemalloc.start()
    checker.check_content("bad.xlsx", data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30_000_000


def sheet(write: Callable[[Any, Any], None]) -> Any:
    """What is found in a workbook with one or more sheets."""
    from xlsxwriter import Workbook

    data = io.BytesIO()
    made = Workbook(data, {"in_memory": True})
    write(made, made.add_worksheet("Sheet1"))
    made.close()
    return Checker(PROBLEMS[NAME]).check_content("own.xlsx", data.getvalue())


def test_cells_that_are_no_numbers_are_named() -> None:
    def write(_: Any, own: Any) -> None:
        own.write_string("A1", "S")
        own.write_row("B1", [4, 3])
        own.write_formula("D1", "=1/0", None, "#DIV/0!")
        own.write_formula("B2", '=WEBSERVICE("http://127.0.0.1/")', None, 7)
        own.write_formula("C2", "=B1*2", None, "")
        own.write_boolean("D2", True)

    report = sheet(write)
    assert report.steps[0].verdict == "unreadable"
    assert list(report.errors) == [
        "own.xlsx, Sheet1!D1: '#DIV/0!': is an error of a spreadsheet",
        "own.xlsx, Sheet1!C2: 'formula =B1*2': has no stored value: open the workbook in a spreadsheet program, and save it",
        "own.xlsx, Sheet1!D2: 'TRUE': 1 stands for what is true: write 1",
    ]


def test_merged_cells_text_numbers_labels_and_hidden_sheets() -> None:
    def write(made: Any, own: Any) -> None:
        own.merge_range("A1:F1", "Homework 3")
        own.merge_range("B3:D3", "Scores S")
        own.write_row("B4", ["the", "cat", "sat"])
        own.write_column("A5", ["one", "two"])
        own.write_row("B5", ["4", "3", "2"])
        own.write_row("B6", [7, 4, 1])
        own.write_string("H4", "Z")
        own.write_row("J4", [1, 2, 3])
        own.write_row("I5", [1, 2.83, 2.12, 1.41])
        own.write_row("I6", [2, 4.95, 2.83, 0.71])
        hidden = made.add_worksheet("old")
        hidden.write_row("A1", ["S", 9, 9, 9])
        hidden.hide()

    report = sheet(write)
    assert not report.errors
    assert {one.step: one.verdict for one in report.steps if not one.missing} == {
        "S": "correct",
        "Z": "correct",
    }
