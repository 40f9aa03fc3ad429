"""The stored values of a workbook's cells, read from its bytes: no formula is evaluated, nothing is fetched.

An .xlsx file is a zip archive of XML.  Only the members that hold cells are read, each up to a limit, with a
parser that refuses document types, so that there are no entities to expand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from io import BytesIO
from posixpath import join, normpath
from typing import TypeAlias
from xml.parsers import expat
from zipfile import BadZipFile, ZipFile
from zlib import error as ZlibError

from attncalc.core.errors import Place, fault, inert
from attncalc.core.record import record

LARGEST = 5_000_000
"""The most bytes of a workbook."""
MOST_MEMBERS, LARGEST_MEMBER, MOST_BYTES = 1_000, 20_000_000, 40_000_000
MOST_CELLS, MOST_SHEETS = 50_000, 50
LONGEST_TEXT = 3_000
BOOK = "xl/workbook.xml"
OLD = b"\xd0\xcf\x11\xe0"
"""How a workbook begins that is encrypted, or of a format before 2007."""
FORBIDDEN = {
    "vbaProject.bin": "holds macros: save it without them, as .xlsx",
    "xl/externalLinks/": "has links to other workbooks: paste its values into a new one",
    "xl/connections.xml": "has connections to other data: paste its values into a new one",
}
DAMAGED = "is no workbook, or a damaged one: save it again as .xlsx"
ADDRESS = re.compile(r"([A-Z]{1,3})([1-9][0-9]{0,6})")
AREA = re.compile(
    r"(?:'(?P<quoted>(?:[^']|'')+)'|(?P<sheet>[^'!]+))!(?P<first>\$?[A-Z]{1,3}\$?[0-9]{1,7})(?::(?P<last>\$?[A-Z]{1,3}\$?[0-9]{1,7}))?"
)
PLACES = re.compile(r"0\.(0+)")
BUILT_IN = {2: "0.00", 4: "#,##0.00", 10: "0.00%", 39: "0.00", 40: "0.00"}
"""The formats with decimals that a workbook does not describe."""
ERROR = "e"
Start: TypeAlias = Callable[[str, dict[str, str]], None]


@record
class Stored:
    """A cell: its stored value as text, its kind in the file, and the decimals it is shown with."""

    text: str
    kind: str = "n"
    places: int | None = None


@record
class StoredSheet:
    """A visible sheet: its name, and its cells by row and column, counted from 0."""

    name: str
    cells: dict[tuple[int, int], Stored]


@record
class Area:
    """A named block of cells of a sheet: its first cell and its last."""

    sheet: str
    first: tuple[int, int]
    last: tuple[int, int]


@record
class StoredBook:
    """The visible sheets of a workbook, and its named blocks."""

    sheets: tuple[StoredSheet, ...]
    names: dict[str, Area]


def read_workbook(data: bytes, file: str) -> StoredBook:
    """Return what a workbook stores; raise a fault with a sentence for one that is not read."""
    place = Place(file)
    if data.startswith(OLD):
        raise fault("is encrypted, or of an old format: save it as .xlsx, without a password", place)
    try:
        archive = Archive(ZipFile(BytesIO(data)), place)
        return StoredBook(tuple(archive.sheets()), archive.areas())
    except (BadZipFile, ZlibError, NotImplementedError, EOFError, OSError, KeyError, ValueError):
        raise fault(DAMAGED, place) from None
    except expat.ExpatError:
        raise fault(DAMAGED, place) from None


class Archive:
    """The members of a workbook, read within limits."""

    def __init__(self, archive: ZipFile, place: Place) -> None:
        self.archive, self.place, self.read_so_far, self.count = archive, place, 0, 0
        names = archive.namelist()
        if len(names) > MOST_MEMBERS:
            raise fault(f"holds more than {MOST_MEMBERS:,} files", place)
        for part, reason in FORBIDDEN.items():
            if any(part in name for name in names):
                raise fault(reason, place)
        if any(info.flag_bits & 1 for info in archive.infolist()):
            raise fault("is encrypted: save it without a password", place)
        if BOOK not in names:
            raise fault(DAMAGED, place)
        self.names = {*names}

    def sheets(self) -> Iterator[StoredSheet]:
        """Yield the visible sheets in order."""
        targets = {
            one["Id"]: one["Target"] for one in self.elements("xl/_rels/workbook.xml.rels", "Relationship")
        }
        strings, places = self.strings(), self.number_places()
        found = [one for one in self.elements(BOOK, "sheet") if one.get("state", "visible") == "visible"]
        if len(found) > MOST_SHEETS:
            raise fault(f"has more than {MOST_SHEETS} sheets", self.place)
        for one in found:
            target = targets[
                next(value for key, value in one.items() if key.endswith("id") and key != "sheetId")
            ]
            member = normpath(target.lstrip("/") if target.startswith("/") else join("xl", target))
            if "worksheets/" in member:
                yield StoredSheet(inert(one["name"]), self.cells(member, strings, places))

    def areas(self) -> dict[str, Area]:
        """Return the blocks that have a name."""
        found: dict[str, str] = {}
        current = ""

        def start(tag: str, attributes: dict[str, str]) -> None:
            nonlocal current
            current = attributes.get("name", "") if tag == "definedName" else ""
            # A copied sheet has names of its own; those of the whole workbook come first.
            current = "" if current in found else current
            self.check_count(len(found))

        def text(piece: str) -> None:
            if current and len(found.get(current, "")) < LONGEST_TEXT:
                found[current] = found.get(current, "") + piece

        self.parse(BOOK, start, lambda _: None, text)
        matches = {name: AREA.fullmatch(text) for name, text in found.items()}
        return {
            name: Area(
                inert((match["quoted"] or match["sheet"]).replace("''", "'")),
                find_address(match["first"].replace("$", "")),
                find_address((match["last"] or match["first"]).replace("$", "")),
            )
            for name, match in matches.items()
            if match
        }

    def parse(self, name: str, start: Start, end: Callable[[str], None], text: Callable[[str], None]) -> None:
        """Parse a member piece by piece; names are without their prefix."""
        parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self.refuse_doctype
        parser.StartElementHandler = lambda tag, found: start(tag.rpartition(":")[2], found)
        parser.EndElementHandler = lambda tag: end(tag.rpartition(":")[2])
        parser.CharacterDataHandler = text
        size = 0
        with self.archive.open(name) as member:
            while piece := member.read(65_536):
                size += len(piece)
                self.read_so_far += len(piece)
                if size > LARGEST_MEMBER or self.read_so_far > MOST_BYTES:
                    raise fault(f"unpacks to more than {LARGEST_MEMBER:,} bytes", self.place)
                parser.Parse(piece, False)
        parser.Parse(b"", True)

    def refuse_doctype(self, *_: object) -> None:
        """Refuse a document type, which can define entities."""
        raise fault("declares XML entities, which a workbook never does", self.place)

    def elements(self, name: str, wanted: str) -> list[dict[str, str]]:
        """Return the attributes of all elements of a name."""
        found: list[dict[str, str]] = []

        def start(tag: str, attributes: dict[str, str]) -> None:
            if tag == wanted:
                found.append(attributes)
                self.check_count(len(found))

        self.parse(name, start, lambda _: None, lambda _: None)
        return found

    def check_count(self, count: int) -> None:
        """Refuse a workbook with too much in it."""
        if count > MOST_CELLS:
            raise fault(f"holds more than {MOST_CELLS:,} cells", self.place)

    def strings(self) -> list[str]:
        """Return the texts that cells share."""
        name = "xl/sharedStrings.xml"
        found: list[str] = []
        inside = {"si": False, "t": False, "rPh": False}

        def start(tag: str, _: dict[str, str]) -> None:
            if tag == "si":
                found.append("")
                self.check_count(len(found))
            if tag in inside:
                inside[tag] = True

        def end(tag: str) -> None:
            if tag in inside:
                inside[tag] = False

        def text(piece: str) -> None:
            if inside["t"] and not inside["rPh"] and len(found[-1]) < LONGEST_TEXT:
                found[-1] += piece

        if name in self.names:
            self.parse(name, start, end, text)
        return found

    def number_places(self) -> list[int | None]:
        """Return the decimals that each style of cells shows; None if the style does not say."""
        name = "xl/styles.xml"
        if name not in self.names:
            return []
        codes = {int(one["numFmtId"]): one.get("formatCode", "") for one in self.elements(name, "numFmt")}
        styles: list[int | None] = []
        inside = False

        def start(tag: str, attributes: dict[str, str]) -> None:
            nonlocal inside
            inside = inside or tag == "cellXfs"
            if tag == "xf" and inside:
                number = int(attributes.get("numFmtId", 0))
                styles.append(shown_places({**BUILT_IN, **codes}.get(number, "")))
                self.check_count(len(styles))

        def end(tag: str) -> None:
            nonlocal inside
            inside = inside and tag != "cellXfs"

        self.parse(name, start, end, lambda _: None)
        return styles

    def cells(
        self, member: str, strings: list[str], places: list[int | None]
    ) -> dict[tuple[int, int], Stored]:
        """Return the cells of one sheet that hold something."""
        found: dict[tuple[int, int], Stored] = {}
        cell: dict[str, str] = {}
        content: dict[str, str] = {}
        inside = ""

        def start(tag: str, attributes: dict[str, str]) -> None:
            nonlocal cell, inside
            if tag == "c":
                cell = attributes
                content.clear()
            elif tag in ("v", "f", "t"):
                inside = tag
                content.setdefault(tag, "")

        def end(tag: str) -> None:
            nonlocal inside
            if tag == "c" and content:
                self.count += 1
                self.check_count(self.count)
                kind, style = cell.get("t", "n"), int(cell.get("s", 0))
                shown = places[style] if 0 <= style < len(places) else None
                stored = stored_value(kind, content, strings)
                found[find_address(cell["r"])] = Stored(*stored, shown)
            elif tag == inside:
                inside = ""

        def text(piece: str) -> None:
            if inside and len(content[inside]) < LONGEST_TEXT:
                content[inside] += piece

        self.parse(member, start, end, text)
        return found


def shown_places(code: str) -> int | None:
    """Return the decimals of a number format.

    >>> [shown_places(code) for code in ("0.00", "0.0%", "General")]
    [2, 3, None]
    """
    match = PLACES.search(code)
    return len(match[1]) + 2 * ("%" in code) if match and "E" not in code else None


def stored_value(kind: str, content: dict[str, str], strings: list[str]) -> tuple[str, str]:
    """Return the value of a cell as text, and its kind."""
    value = content.get("v", content.get("t", ""))
    if kind == "s":
        return strings[int(value)], "t"
    if kind in ("str", "inlineStr"):
        return value, "t"
    if "f" in content and not value:
        return f"formula ={content['f']}", ERROR
    return ({"0": "FALSE", "1": "TRUE"}.get(value, value), "b") if kind == "b" else (value, kind)


def find_address(name: str) -> tuple[int, int]:
    """Return the row and column of a cell, counted from 0.

    >>> find_address("AB3")
    (2, 27)
    """
    match = ADDRESS.fullmatch(name)
    if match is None:
        raise ValueError(name)
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match[2]) - 1, column - 1
