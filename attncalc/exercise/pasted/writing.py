"""The problem file that a paste means."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attncalc.core.errors import Fault, Place, inert
from attncalc.core.record import record
from attncalc.core.spellings import fold
from attncalc.exercise.pasted.reader import Reader
from attncalc.exercise.written_names import find_names, plain


@record
class Paste:
    """The problem file that a paste means, and how it was read."""

    text: str
    readings: tuple[Fault, ...]


def write_problem(reader: Reader) -> Paste:
    """Return the problem file, each key in the line in which it was found if there is room."""
    add_computed(reader)
    for asked, line in reader.asked:
        if not any(find_names(name, [asked.answered_by]) for name in (*reader.found, *reader.settings)):
            raise reader.refuse(str(asked), line)
    readings: list[Fault] = []
    written: dict[int, str] = {}
    lines = [*write_lines(reader, readings)]
    for line, text in lines:
        place = max(line, max(written, default=0) + 1)
        written[place] = text
    last = max(written)
    body = "".join(f"{written.get(number, '')}\n" for number in range(1, last + 1))
    names = ", ".join(inert(plain(name)) for name in reader.found)
    left = "; ".join(f"line {line}, '{inert(words[:60])}'" for line, words in sorted(reader.left_out))
    first = min(line for line, _ in lines)
    said = f"read as a paste of {names}" + (f"; left out: {left}" if left else "")
    return Paste(body, (Fault(said, Place(reader.file, first, 1)), *readings))


def add_computed(reader: Reader) -> None:
    """Take the scale that lines of code show."""
    scaled = reader.computed.get("scale: 1/sqrt(d_k)")
    plain_line = reader.computed.get("scale: none")
    given = any(find_names(name, ["scale"]) or fold(name) in ("scaled", "unscaled") for name in reader.found)
    if not given and (scaled or plain_line):
        setting = "scale: 1/sqrt(d_k)" if scaled else "scale: none"
        shown = "the formula" if scaled else "the formula, which divides by nothing"
        reader.set(setting, shown, scaled or plain_line or 1)


def write_lines(reader: Reader, readings: list[Fault]) -> Iterator[tuple[int, str]]:
    """Yield every line of the problem file, with the line of the paste."""
    for name, (value, line) in reader.found.items():
        key = name if re.fullmatch(r"[A-Za-z]\w*", name) else f"'{name}'"
        yield line, f"{key}: {in_yaml(value)}"
    for key, (value, said, line) in reader.settings.items():
        if any(find_names(name, [key]) for name in reader.found):
            raise reader.refuse(f"'{inert(said)}' stands beside {key}: leave one of them out", line)
        readings.append(Fault(f"'{inert(said)}' is read as {key}: {value}", Place(reader.file, line, 1)))
        yield line, f"{key}: {value}"
    if reader.labels and "tokens" not in reader.found:
        yield 1, f"tokens: [{', '.join(in_quotes(label) for label in reader.labels)}]"


def in_yaml(value: str) -> str:
    """Return a value as YAML reads it: plain if it is, else in quotes."""
    if re.fullmatch(r"(?:[\[\],\s0-9.eE+/-]|sqrt\([0-9]+\))+(?<=\])|[\w ./()*+-]+|\{[^{}]*\}|'.*'", value):
        return value
    return in_quotes(value)


def in_quotes(value: str) -> str:
    """Return a text in single quotes."""
    return "'" + value.replace("'", "''") + "'"
