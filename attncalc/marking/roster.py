"""The list of a class: who is in it, and whose a name or an id is.

A roster is a table whose columns are found by their headings, such as the exports of a gradebook, or lines of
names or ids without any heading.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from attncalc.core.errors import Fault, Place, ProblemError, fault, quote
from attncalc.core.record import record
from attncalc.exercise.yaml.tree import LARGEST_FILE, decode, read_bytes

MOST_STUDENTS = 100_000
KNOWN_HEADINGS = """
first: firstname first givenname givennames forename vorname prenom nombre nombres voornaam fornavn fornamn
first: имя 名
last: lastname last surname familyname nachname nomdefamille apellido apellidos cognome achternaam efternamn
last: etternavn фамилия 姓
name: name student studentname fullname students studentfullname displayname learner nom nomcomplet
name: nombrecompleto vollstandigername namen фио 姓名 名前 氏名 学生 学生姓名 이름
id: id studentid studentidnumber studentnumber studentno idnumber sid sisuserid sisid orgdefinedid
id: matrikelnummer matrikelnr matriculationnumber 学号 学籍番号 学生番号 학번
id: userid identifier participant username login loginid sisloginid netid uniqname
email: email emailaddress mail studentemail адресэлектроннойпочты 邮箱 电子邮件
section: section sections group
"""
HEADINGS = {
    heading: (kind, rank)
    for kind, words in (line.split(": ") for line in KNOWN_HEADINGS.strip().splitlines())
    for rank, heading in enumerate(words.split(), KNOWN_HEADINGS.index(words))
}
"""The kind and the rank of a column, by its heading without spaces, accents and capitals."""
NOT_STUDENTS = ("pointspossible", "studenttest", "teststudent")
"""Rows of gradebooks that are about no student."""
MOST_LETTERS = 100
MOST_WORDS = 8
"""A name with more words is compared as one."""


@record
class Person:
    """A student: their name, ids and address, and the row of the roster under its headings."""

    name: str = ""
    ids: tuple[str, ...] = ()
    email: str = ""
    row: tuple[tuple[str, str], ...] = ()

    @property
    def id(self) -> str:
        """The preferred id."""
        return next(iter(self.ids), "")

    def get(self, *headings: str) -> str:
        """The cell of the roster under the first of some headings that it has."""
        cells = {fold(heading): text for heading, text in self.row}
        return next((cells[fold(heading)] for heading in headings if fold(heading) in cells), "")


NO_PERSON = Person()


def fold(text: str) -> str:
    """The letters and digits of a text without accents and capitals.

    >>> fold("García-López, María"), fold("SIS User ID"), fold("李 小龙")
    ('garcialopezmaria', 'sisuserid', '李小龙')
    """
    return "".join(words_of(text))


def words_of(text: str) -> list[str]:
    """The words of a text without accents and capitals."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.findall(r"[^\W_]+", unicodedata.normalize("NFKC", plain).casefold())


def in_any_order(name: str) -> Iterator[str]:
    """The ways in which a name is written as one word: first or last name first.

    >>> [*in_any_order("Amy Beth Jones")]
    ['amybethjones', 'bethjonesamy', 'jonesamybeth']
    """
    words = words_of(name)
    yield from ("".join(words[n:] + words[:n]) for n in range(len(words) if len(words) <= MOST_WORDS else 1))


def name_of_file(text: str) -> str:
    """A name or an id as the name of a file; one that is valid on all systems is not changed.

    >>> name_of_file("amy.jones@x.org"), name_of_file("Jones, Amy"), name_of_file("李 小龙")
    ('amy.jones@x.org', 'Jones-Amy', '李-小龙')
    """
    plain = unicodedata.normalize("NFC", text)
    return re.sub(r"[^\w.@+-]+", "-", plain).strip("-.")[:MOST_LETTERS]


def first_name_first(name: str) -> str:
    """A name as one says it.

    >>> first_name_first("Jones, Amy"), first_name_first("Amy Jones")
    ('Amy Jones', 'Amy Jones')
    """
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma and first.strip() and "," not in first else name.strip()


@record
class Roster:
    """All students of a class, in the order of the file."""

    persons: tuple[Person, ...]

    @cached_property
    def by_id(self) -> Mapping[str, Person | None]:
        """The students by ids and addresses; None if two have the same."""
        ids = ((one, {fold(id_) for id_ in (*one.ids, one.email)}) for one in self.persons)
        return unique((text, one) for one, texts in ids for text in texts)

    @cached_property
    def by_name(self) -> Mapping[str, Person | None]:
        """The students by names in any order; None if two have the same."""
        return unique((text, one) for one in self.persons for text in set(in_any_order(one.name)))

    def find(self, *said: str) -> Person | None:
        """The student of whom one of these is an id, an address or the name; the first that fits counts."""
        for text in filter(None, map(fold, said)):
            # Platforms add a number to a name that two students have.
            without_number = text.rstrip("0123456789")
            found = self.by_id.get(text) or self.by_name.get(text) or self.by_name.get(without_number)
            if found:
                return found
        return None


def unique(pairs: Iterable[tuple[str, Person]]) -> Mapping[str, Person | None]:
    """What every text names; None if it names two students."""
    found: dict[str, Person | None] = {}
    for text, person in pairs:
        if text:
            found[text] = person if found.get(text, person) is person else None
    return found


def read_roster(file: str) -> Roster:
    """Read the roster in a file."""
    text = decode(read_bytes(file, 10 * LARGEST_FILE), file)
    rows = [[cell.strip() for cell in row] for row in parse_table(text, file)]
    heads = {n: kind for n, cell in enumerate(rows[0] if rows else []) if (kind := kind_of(cell))}
    body = rows[1:] if heads else rows
    heads = heads or guess_columns(body, file)
    titles = rows[0] if body is not rows else []
    found = [person for row in body if any(row) and (person := to_person(row, heads, titles))]
    if not found or len(found) > MOST_STUDENTS:
        raise fault(f"must hold from 1 to {MOST_STUDENTS:,} students, one on each line", Place(file))
    refuse_repeated(found, file)
    return Roster(tuple(found))


def parse_table(text: str, file: str) -> list[list[str]]:
    """The cells of a table; what separates them is seen in its first line."""
    first = re.sub(r'"[^"]*"', "", next(iter(text.splitlines()), ""))
    separator = max(",;\t", key=first.count)
    try:
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    except csv.Error as error:
        raise fault(f"is no table: {error}", Place(file)) from None


def kind_of(heading: str) -> str:
    """What a column holds; empty if its heading is unknown."""
    return HEADINGS.get(fold(heading), ("", 0))[0]


def guess_columns(rows: Sequence[Sequence[str]], file: str) -> dict[int, str]:
    """What the columns of a table without headings hold, by their content."""
    width = max(map(len, rows), default=1)
    columns = [[row[n] for row in rows if n < len(row) and any(row)] for n in range(width)]
    kinds: dict[int, str] = {}
    for n, cells in enumerate(columns):
        if all("@" in cell for cell in cells):
            kinds[n] = "email"
        elif all(re.search("[0-9]", cell) for cell in cells):
            kinds[n] = "id"
    words = [n for n in range(width) if n not in kinds]
    if len(words) > 2:
        raise fault("has no heading such as Name or ID in its first line", Place(file, 1, 1))
    names = ("name",) if len(words) == 1 else ("last", "first")
    return {**kinds, **dict(zip(words, names, strict=False))}


def to_person(row: Sequence[str], heads: Mapping[int, str], titles: Sequence[str]) -> Person | None:
    """The student in a row; None if the row is about none."""
    cells: dict[str, list[tuple[int, str]]] = {}
    for n, kind in heads.items():
        if n < len(row) and row[n]:
            rank = HEADINGS[fold(titles[n])][1] if titles else n
            cells.setdefault(kind, []).append((rank, row[n]))
    best = {kind: min(found)[1] for kind, found in cells.items()}
    first, last = best.get("first", ""), best.get("last", "")
    # In some languages the heading "name" is above last names.
    last = last or (best.get("name", "") if first else "")
    name = f"{first} {last}".strip() or first_name_first(best.get("name", ""))
    ids = tuple(text for _, text in sorted(cells.get("id", [])))
    if fold(name) in NOT_STUDENTS or not (name or ids or best.get("email")):
        return None
    return Person(name or "", ids, best.get("email", ""), tuple(zip(titles, row, strict=False)))


def refuse_repeated(persons: Sequence[Person], file: str) -> None:
    """Raise a fault if two students have the same id, or the same name and no id."""
    known: set[str] = set()
    faults = []
    for person in persons:
        key = (person.id or person.email).casefold() or f"name {fold(person.name)}"
        if key in known:
            whose = quote(person.id or person.email or person.name)
            faults.append(Fault(f"{whose} stands here twice", Place(file)))
        known.add(key)
    if faults:
        raise ProblemError(*faults)
