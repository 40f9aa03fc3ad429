"""Faults for values that would be misread silently; each says what to write."""

from __future__ import annotations

import re

from attncalc.core.errors import Place, fault, inert, quote
from attncalc.exercise.yaml.tree import LONGEST_SHOWN, Node, Scalar, word_of

FILE = r"[^\s{}\[\],:]+\.(?:npy|npz|csv)"
DASHES = r"-\s*(\[[^\n]*\])\s*\n\s*-\s*\["
"""Rows with a dash before each, which would be read as a minus sign."""
WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBERS = {word: str(number) for number, word in enumerate(WORDS.split())}


def refuse_misreadings(node: Scalar) -> None:
    """Raise a fault if the text of a matrix is the name of a file, or would be read as another matrix."""
    if re.fullmatch(FILE, node.text.strip()):
        raise fault(f"a file is named in braces: write {{file: {inert(node.text.strip())}}}", node.place)
    if dashed := re.search(DASHES, node.text):
        raise fault(f"a space is missing behind the dash: write - {inert(dashed[1])}", node.place)
    refuse_commas(node.text, node.place)


COMMAS = r"[0-9],[0-9]+(?:\s*;\s|[^\S\n]+[-+−]?[0-9]+,[0-9])"
"""Commas between digits, together with another separator of numbers."""


def refuse_commas(source: str, place: Place, sign: str = COMMAS) -> None:
    """Raise a fault if the commas of a matrix may be decimal points or separate columns."""
    if not re.search(sign, source):
        return
    if len(source) > LONGEST_SHOWN:
        raise fault("has decimal commas, or columns that only a comma divides: write 1.5, or 1, 5", place)
    from attncalc.exercise.numbers.student_numbers import to_points

    rows = (" ".join(line.split()) for line in to_points(source).strip().splitlines())
    pointed = (" " if "[" in source else "; ").join(rows)
    if re.search(r"[0-9]\s+[-+−]?[0-9]", pointed):
        raise fault(f"has decimal commas: write {inert(pointed)}", place)
    columns = " ".join(re.sub(r",\s*", ", ", source).split())
    ways = f"write {pointed.replace(';', ',')} for decimals, {columns} for columns"
    raise fault(f"has commas and semicolons: {inert(ways)}", place)


ROW = r"\[([^\[\]]*)\]"
PAIR = r"[-+−]?[0-9]+,[0-9]+"


def refuse_mixed_commas(source: str, place: Place) -> None:
    """Raise a fault if most entries of a row, separated by comma and space, have a comma inside."""
    rows = (re.split(r",\s+", row.strip()) for row in re.findall(ROW, source))
    if not any(len(row) > 1 and 2 * sum(is_pair(entry) for entry in row) > len(row) for row in rows):
        return
    if len(source) > LONGEST_SHOWN:
        raise fault("has decimal commas, or columns without a space: write 1.5, or 1, 5", place)
    from attncalc.exercise.numbers.student_numbers import to_points

    one_line = " ".join(source.split())
    ways = f"write {to_points(one_line)} for decimals, {re.sub(r',(?=[^ ])', ', ', one_line)} for columns"
    raise fault(f"has decimal commas, or columns without a space: {inert(ways)}", place)


def is_pair(entry: str) -> bool:
    """Whether an entry is two numbers with nothing but a comma between, or one with a decimal comma."""
    return bool(re.fullmatch(PAIR, entry))


def refuse_word(node: Node, *known: str) -> None:
    """Raise a fault if a word is another spelling of a known word, as None of none."""
    word = word_of(node).strip()
    meant = find_word(word, known) if isinstance(node, Scalar) else None
    if meant and meant != word:
        raise fault(f"{quote(word)} is not read here; did you mean '{meant}'?", node.place)


def find_word(text: str, known: tuple[str, ...]) -> str | None:
    """Return the known word that a text means, if it has no digits."""
    if not re.fullmatch(r"[A-Za-z~ ]*", text):
        return None
    # Loaded only here: most values are numbers.
    from attncalc.core.spellings import find_meant

    return find_meant(text, known)


def whole_hint(number: str) -> str:
    """Return the hint for a whole number that is written in words, or with a unit."""
    digits = re.match(r"[0-9]+(?=\s+\D|\.0*$)", number)
    meant = digits[0] if digits else NUMBERS.get(number.lower())
    return f": write {meant}" if meant else ""
