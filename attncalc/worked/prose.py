"""Find the mathematics in a sentence, once for all formats."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from attncalc.core.notations.terms import GREEK
from attncalc.core.notations.unicode import Notation, write
from attncalc.core.terms import Apply, Constant, Entry
from attncalc.core.terms.formulas import Beside, Maths, Name, Place, Raised, Text
from attncalc.worked.prose_formulas import find_formulas

LETTER = rf"(?:[A-Za-zα-ω]\d*|{'|'.join(GREEK)})"
NAME = rf"{LETTER}(?:_(?:limit|[A-Za-z\d]{{1,5}}))+"
INDICES = r"\[(?P<indices>\d+(?:, ?\d+)*)\]"
FOUND = re.compile(
    rf"(?<!\w)(?:(?P<place>{NAME}|{LETTER}){INDICES}(?!\w)"
    rf"|(?P<turned>{NAME}|{LETTER})(?:\^T(?!\w)|ᵀ(?:(?P<by>{NAME}|{LETTER})(?!\w)|(?!\w)))"
    rf"|(?P<name>{NAME})(?!\w)|(?P<times>\d+)?(?P<base>[A-Za-zα-ω])\^(?P<exponent>-?\d+)(?!\w)|e\^(?P<power>[-−]?∞)(?!\w))"
    rf"|√(?:(?P<root>{NAME}|{LETTER})(?!\w)|(?P<radicand>\d+)(?![.\w]))|(?P<infinite>[-−]?∞)(?!\w)"
)
"""The mathematics in a sentence: h_1, W_Q, mu_a, S[3,1], 2x^2, u_b^T, qᵀk, e^−∞, √d_k, −∞."""
MATRIX_A = r"(?:(?<=\byour )|(?<=\bof )|(?<=\blet )|(?<=\bLet ))A|\bA(?= [B-HJ-Z]\b)"
INDEX_I = r"(?:(?<=\btoken )|(?<=\brow )|(?<=\bquery ))i"
LETTERS = re.compile(rf"(?:(?<![-'’.(/\w])[B-HJ-Zb-hj-zα-ω]|{MATRIX_A}|{INDEX_I})(?![-'’()\w]|\.\w)")
"""Single letters that are neither words nor labels of parts: the output c, your A."""

CODE = re.compile(r"(?<![\w.\\/-])(?:[A-Za-z][A-Za-z\d]*(?:_[A-Za-z\d]+)+)(?:\(\))?(?![\w.\\/(-]\w|[\w(])")
"""Names of programs: split_heads, num_heads."""


def split_code(words: str) -> Iterator[tuple[str, bool]]:
    """Yield the words, and names of programs among them, each with whether it is one."""
    end = 0
    for match in CODE.finditer(words):
        if match.start() > end:
            yield words[end : match.start()], False
        yield match[0], True
        end = match.end()
    if end < len(words):
        yield words[end:], False


def pieces(text: Text) -> Iterable[str | Maths]:
    """Split a text into words and mathematics; of a text in pieces only single letters are left to find."""
    if not isinstance(text, str):
        return [each for part in text for each in (split_letters(part) if isinstance(part, str) else (part,))]
    # Keep accents on their letters.
    whole = unicodedata.normalize("NFC", text)
    found = (
        part
        for piece in find_formulas(whole)
        for part in (find_maths(piece) if isinstance(piece, str) else (piece,))
    )
    return [each for part in found for each in (split_letters(part) if isinstance(part, str) else (part,))]


def split_letters(words: str) -> Iterator[str | Maths]:
    """Yield the words, with single letters as names."""
    end = 0
    for match in LETTERS.finditer(words):
        if match.start() > end:
            yield words[end : match.start()]
        yield Name(match[0])
        end = match.end()
    if end < len(words):
        yield words[end:]


def to_words(text: Text) -> str:
    """Return a text on one line, its mathematics in Unicode."""
    if isinstance(text, str):
        return text
    notation = Notation()
    return "".join(part if isinstance(part, str) else write(part, notation) for part in text)


def find_maths(words: str) -> Iterator[str | Maths]:
    """Yield the words, with matches of FOUND as mathematics."""
    end = 0
    for match in FOUND.finditer(words):
        if match.start() > end:
            yield words[end : match.start()]
        yield maths_of(match)
        end = match.end()
    if end < len(words):
        yield words[end:]


def maths_of(match: re.Match[str]) -> Maths:
    """Return the formula or term of a match of FOUND."""
    if match["place"]:
        return Place(match["place"], tuple(map(int, match["indices"].split(","))))
    if match["turned"]:
        turned = Name(match["turned"]).T
        return turned @ Name(match["by"]) if match["by"] else turned
    if match["name"]:
        return Name(match["name"])
    if match["base"]:
        power = Raised(Name(match["base"]), int(match["exponent"]))
        return Beside((Constant(int(match["times"])), power)) if match["times"] else power
    if match["root"] or match["radicand"]:
        return Apply("sqrt", Entry(match["root"]) if match["root"] else Constant(int(match["radicand"])))
    infinite = Constant(float("inf") if (match["power"] or match["infinite"]) == "∞" else -float("inf"))
    return Apply("exp", infinite) if match["power"] else infinite
