"""Repairs of numbers and matrices: what students and authors type, and what to write."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from types import UnionType

from attncalc.core.errors import inert
from attncalc.core.repair import Proposal, Repair, choose_proposal, propose
from attncalc.core.terms.functions import spellings
from attncalc.exercise.numbers.matrices import Value
from attncalc.exercise.numbers.tokens import ExpressionError
from attncalc.exercise.yaml.tree import LONGEST_SHOWN

DIGITS = str.maketrans("OoQlI|", "000111")
"""Letters that look like a digit."""
SQUARE = str.maketrans("()", "[]")
FUNCTIONS = "|".join(sorted(map(re.escape, spellings()), key=len, reverse=True))
NUMBER = r"[-+−–]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+|/[0-9]+)?"
ROW = r"\[[^\[\]]*\]"
ONE_FRACTION = "a whole number and a fraction are one fraction"


def to_fraction(match: re.Match[str]) -> str:
    """Convert 2 1/2 to one fraction."""
    return str(int(match[1]) + Fraction(int(match[2]), int(match[3]) or 1))


def to_sum(match: re.Match[str]) -> str:
    """Convert 1½ to one fraction."""
    return str(int(match[1]) + Fraction(unicodedata.numeric(match[2])).limit_denominator(1000))


def to_row(match: re.Match[str]) -> str:
    """Convert numbers side by side to a row."""
    entries = re.split(r"[\s,]+", match[0].strip())
    return f"[{', '.join(entries)}]"


REPAIRS = (
    Repair(
        r"\s*[-+−.0-9OoQlI|]+\s*", lambda m: m[0].strip().translate(DIGITS), "a letter stands for a digit",
        "l0", "10",
    ),
    Repair(
        r"[-+−]?[0-9]{1,3}(?:[ _'’][0-9]{3})+(?:\.[0-9]*)?", lambda m: re.sub("[ _'’]", "", m[0]),
        "a number has no gaps", "1 000", "1000",
    ),
    Repair(r"([0-9]+) ([0-9]+)/([0-9]+)", to_fraction, ONE_FRACTION, "2 1/2", "5/2"),
    Repair(r"([-+−]?[0-9.]+)\s*%", "{1}/100", "percents are not read here", "50 %", "1/2"),
    Repair(
        rf"(.*?)(?<![A-Za-z])({FUNCTIONS})\s*\[?([0-9.]+|(?<=\s)[a-z]\w*)\]?(.*)", "{1}{2}({3}){4}",
        "an argument stands in round brackets", "1/sqrt 2", "1/sqrt(2)",
    ),
    Repair(r"([-+−]?[0-9]*\.[0-9]+)(?:…|\.\.+)", "{1}", "digits are left out", "0.33…", "0.33"),
    Repair(
        r"[-+−]?[0-9]+,[0-9]+", lambda m: m[0].replace(",", "."), "a decimal comma is not read here",
        "0,5", "0.5",
    ),
    Repair(
        rf"{NUMBER}(?:,?\s+{NUMBER}|,{NUMBER}(?=,))+(?:,{NUMBER})?", to_row, "a row stands in brackets",
        "1, 2 3", "[1, 2, 3]",
    ),
    Repair(r"([-+−]?[0-9]+)\.\.+([0-9]+)", "{1}.{2}", "a number has one point", "0..5", "0.5"),
    Repair(r"([-+−]?[0-9]*\.?[0-9]+)[fFL]", "{1}", "a number has no letters", "0.5f", "0.5"),
    Repair(r"(.*\S)\s*[,;]", "{1}", "nothing stands behind the last sign", "[1, 2];", "[1, 2]"),
    Repair(
        r"([-+−]?[0-9.]+)\s*[xX]\s*10\s*\^?\s*[({]?([-−]?[0-9]+)[)}]?", "{1}*10^{2}", "x is no sign",
        "2x10^-3", "0.002",
    ),
    Repair(r"=\s*(.+)", "{1}", "an equals sign stands before it", "= 3", "3"),
    Repair(r"([0-9]+)\s*([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])", to_sum, ONE_FRACTION, "1½", "3/2"),
    Repair(r"[Tt]rue|TRUE", "1", "1 stands for what is true", "True", "1"),
    Repair(r"[Ff]alse|FALSE", "0", "0 stands for what is false", "False", "0"),
    Repair(r"-?float\(['\"]-?inf['\"]\)", "-inf", "infinity is a word", "float('-inf')", "-inf"),
    Repair(
        r"\$+(.*?)\$+", lambda m: m[1].strip(), "dollar signs are not read here", "$ 1/2 $", "1/2"
    ),
    Repair(
        rf"{ROW}(?:\s*[,;]?\s*{ROW})+", lambda m: f"[{', '.join(re.findall(ROW, m[0]))}]",
        "rows need their own brackets", "[1, 0], [0, 1]", "[[1, 0], [0, 1]]",
    ),
    Repair(
        r"\(.*\)", lambda m: m[0].translate(SQUARE), "rows stand in square brackets", "(1, 0)", "[1, 0]"
    ),
    Repair(r"[“”„‘’«»](.*)[“”„‘’«»]", "{1}", "curly quotes are not read", "“1/2”", "1/2"),
    Repair(
        r"(?:I|eye|Id|identity)_?\{?\(?([0-9]*)\)?\}?", lambda m: f"identity({m[1] or 2})",
        "the identity has its size in brackets", "I_2", "[[1, 0], [0, 1]]",
    ),
    Repair(
        r"(.*\S)\s*(?:\^\{?(?:T|\\top)\}?|\.T|ᵀ)", "transpose({1})", "'^T' is not read",
        "[[1, 2], [3, 4]]^T", "[[1, 3], [2, 4]]",
    ),
)  # fmt: skip
"""Repairs of numbers and matrices, in the order in which they are tried."""

WORDS = r"[^\W\d_][^\d\[\]]*"
ANSWER_REPAIRS = (
    *REPAIRS,
    Repair(r".*[=≈]\s*([^=≈]+)", "{1}", "one value is wanted", "1/2 = 0.5", "0.5"),
    Repair(r"(.*?)\s*(?:±|\+/-).*", "{1}", "one value is wanted", "0.5 ± 0.1", "0.5"),
    Repair(
        r"(?i:zero|one)", lambda m: "0" if m[0][0] in "zZ" else "1", "a number has digits", "zero", "0"
    ),
    Repair(
        r"([\[(][^\[\]()]*[\])])\s*(?:\^\{?T\}?|ᵀ|')", "{1}", "a row is not turned", "[1, 2]'", "[1, 2]"
    ),
    Repair(r"<([^<>]*)>", "[{1}]", "a row stands in square brackets", "<1, 2>", "[1, 2]"),
    Repair(
        rf"(?:{WORDS}\s)?\s*(\[.*\]|{NUMBER})(?:\s+\(?{WORDS})?", "{1}", "words are not read",
        "about 3 (rounded)", "3",
    ),
)  # fmt: skip
"""Further repairs of answers; words are dropped, because answers define no names."""
AS_ROW = Repair(
    rf"\s*[\[(]?\s*{NUMBER}(?:\s*[,;]\s*{NUMBER}|\s+{NUMBER})+\s*[\])]?\s*", to_row,
    "a row stands in brackets", "4 3 2", "[4, 3, 2]",
)  # fmt: skip
"""Numbers side by side, if a row is possible."""
PLACES = r"(?:decimals|decimal places|places|digits|d\.?p\.?|s\.?f\.?)"
ABOUT = (
    r"(?i:(?:(?:i|we) (?:got|get|have)|about|around|approx(?:imately|\.)?|circa|ca\.?|roughly|nearly|almost|"
    rf"exactly|equals|is|are|(?:rounded|correct)(?: to [0-9] {PLACES})?|[0-9] {PLACES}|points?)[\s:,]*)"
)
"""Words around a number that do not change it."""

CLOSED = r"\\begin\{(\w+)\}.*?\\end\{\1\}|[(\[{][^()\[\]{}]*[)\]}]"
"""What stands in brackets, or in an environment of LaTeX."""
ANOTHER = r"(?:(?<![\w.^])[\d.]+(?:e[-+]?\d+)?%?|\])(?:\s+(?:/\s+)?[^\W\d]\S*\s*\Z|\.?\s*(?:->|→)|\.\s)"
"""A number, and a further name behind it: 2 z_32 = 8, 2 / z_32 = 8, 2. z_32 = 8."""
NOT_ONE_VALUE = rf"[()\[\]{{}},;&|:\n]|[A-Za-z]{{2,}}\s+[A-Za-z]|{ANOTHER}"
"""Outside brackets: a sign between values, two words, or a further statement."""


def to_last_value(match: re.Match[str]) -> str:
    """What stands behind the last sign, if there is one formula before each; else the same text."""
    *formulas, value = re.split("[=≈]", match[0])
    return value.strip() if all(map(is_one_formula, formulas)) else match[0]


def is_one_formula(text: str) -> bool:
    """Whether a text is the formula of one value, no list and no statement on another value.

    >>> [*map(is_one_formula, ("exp(2) * [1, 3]", "2, z_{3,2}", "2 z_32"))]
    [True, False, False]
    """
    while (shorter := re.sub(CLOSED, hide_brackets, text, flags=re.DOTALL)) != text:
        text = shorter
    return bool(text.strip()) and not re.search(NOT_ONE_VALUE, text)


def hide_brackets(match: re.Match[str]) -> str:
    """What is read in place of brackets: a number for a row, part of a name for others."""
    return "0" if match[0][0] == "[" else "x"


POWER_OF_TEN = r"(?<![\w.])([0-9]+\.?[0-9]*|\.[0-9]+)\s*[xX×]\s*10\s*\^\s*[({]?([-+−]?[0-9]+)[)}]?"


def to_powers(match: re.Match[str]) -> str:
    """Powers of ten with a sign for times; a row among round brackets is put in square ones."""
    is_row = re.fullmatch(r"\([^()]*,[^()]*\)", match[0])
    return re.sub(POWER_OF_TEN, r"\1*10^(\2)", f"[{match[0][1:-1]}]" if is_row else match[0])


ONLY_PROPOSED = ("l0", "2 1/2", "0,5", "1, 2 3", "True", "False", "I_2", "0..5")
READ_REPAIRS = (
    Repair(
        r"\s*(?=.*[0-9])[-+−.0-9OlI]+\s*", lambda m: m[0].strip().translate(DIGITS),
        "a letter stands for a digit", "l0", "10",
    ),
    *(one for one in REPAIRS if one.typed not in ONLY_PROPOSED),
    Repair(
        rf".*{POWER_OF_TEN}.*", to_powers, "x is no sign",
        "[1, 2 x 10^-3]", "[1, 0.002]",
    ),
    Repair(
        r".+[=≈][^\S\n]*[^=≈:\n]+", to_last_value, "the value behind the last sign is wanted",
        "1/2 = 0.5", "0.5",
    ),
    *(one for one in ANSWER_REPAIRS if one.typed in ("0.5 ± 0.1", "[1, 2]'", "<1, 2>", "zero")),
    Repair(
        rf"{ABOUT}*\s*(\[.*\]|{NUMBER})\s*[,;]?\s*(?:{ABOUT}+|\({ABOUT}+\))?\.?", "{1}",
        "words are not read", "about 3 (rounded)", "3",
    ),
)  # fmt: skip
"""Repairs of answers that leave one reading, which is taken; others are only proposed."""


def find_hint(
    text: str,
    read: Callable[[str], Value],
    wanted: type | UnionType,
    repairs: tuple[Repair, ...] = REPAIRS,
) -> str:
    """Say why a text cannot be read and what to write, if a repair gives a value of the wanted type."""
    found = find_repair(text, read, wanted, repairs)
    return f"{found.because}: write {inert(found.text)}" if found else ""


def find_repair(
    text: str,
    read: Callable[[str], Value],
    wanted: type | UnionType,
    repairs: tuple[Repair, ...] = REPAIRS,
    longest: int = LONGEST_SHOWN,
) -> Proposal | None:
    """Return the first repair of a text that gives a value of the wanted type."""

    def is_read(proposed: str) -> bool:
        """Whether a proposal is another text, short enough to be shown, and of the wanted type."""
        try:
            is_new = proposed != text and len(proposed) <= longest
            return is_new and isinstance(read(proposed), wanted)
        except ExpressionError:
            return False

    proposals = propose(text.strip(), repairs) if len(text) <= 2 * longest else ()
    return choose_proposal(proposals, is_read)
