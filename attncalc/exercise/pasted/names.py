"""What a name in a paste stands for: a matrix, one row of it, or a setting."""

from __future__ import annotations

import re

from attncalc.core.spellings import fold
from attncalc.exercise.keys.meant import MATRIX_KEYS, ROW_OF, SIZES, SWITCHES, is_known, is_matrix_key
from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.pasted.signs import BULLET
from attncalc.exercise.written_names import find_names, plain, split_number

LONGEST_PHRASE = 6
"""The most words of a name."""


def find_name(written: str) -> tuple[str, str]:
    """Return the name at the end of some words, and the words before it; empty names if there is none."""
    text = re.sub(
        r"\s*(?:\(\s*[0-9]+\s*[x×,]\s*[0-9]+\s*\)|∈.*)\s*$",
        "",
        re.sub(rf"^{BULLET}", "", written, count=1),
    ).strip()
    text = re.sub(r"\s+(?:is|are|be|as|equals)$", "", text)
    text = re.sub(
        r"\((?P<name>[^()]*)\)$",
        lambda match: match["name"] if is_name(plain(match["name"])) else match[0],
        text,
    )
    words = text.split()
    for count in range(max(0, len(words) - LONGEST_PHRASE), len(words)):
        name = plain(" ".join(words[count:])).strip(" ,.;")
        if name.count("(") != name.count(")") or re.fullmatch(r"\(.*\)", name):
            name = name.strip("() ,.;")
        if is_name(name):
            return name, " ".join(words[:count])
    return "", text


def is_name(name: str) -> bool:
    """Whether a name stands for one key, one row, or a size."""
    return is_matrix_name(name) or is_vector_name(name) or is_setting(name)


def is_matrix_name(name: str) -> bool:
    """Whether a name stands for a matrix, of all heads or of one."""
    if not name:
        return False
    if name in MATRIX_KEYS:
        return True
    written = split_number(name)
    bases = [name, written.base] if written.number else [name]
    known = [key for key in KEYS if is_matrix_key(key)]
    return any(is_matrix_key(one) or len(find_names(one, known)) == 1 for one in bases)


def is_vector_name(name: str) -> bool:
    """Whether a name stands for a row of a matrix."""
    written = split_number(name)
    return written.number is not None and bool(find_names(written.base, ROW_OF))


def is_setting(name: str) -> bool:
    """Whether a name stands for a setting, or a size."""
    if fold(name) in SIZES or fold(name) in SWITCHES:
        return True
    found = (
        find_names(name, [key for key in KEYS if not is_matrix_key(key)])
        if is_known(name) or len(name) > 1
        else []
    )
    return len(found) == 1
