"""What a text that cannot be read may be meant for; whatever is proposed can be read."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from types import UnionType

from attncalc.core.errors import inert
from attncalc.core.record import record
from attncalc.core.terms.functions import spellings
from attncalc.exercise.numbers.matrices import Value
from attncalc.exercise.numbers.tokens import ExpressionError

LONGEST_SHOWN = 60
DIGITS = str.maketrans("OoQlI|", "000111")
"""Letters that look like a digit."""


@record
class Slip:
    """What a whole text looks like, why it is not read, and what to write."""

    pattern: str
    reason: str
    mended: Callable[[re.Match[str]], str]


def to_fraction(match: re.Match[str]) -> str:
    """2 1/2 as one fraction."""
    return str(int(match[1]) + Fraction(int(match[2]), int(match[3]) or 1))


def to_sum(match: re.Match[str]) -> str:
    """1½ as one fraction."""
    return str(int(match[1]) + Fraction(unicodedata.numeric(match[2])).limit_denominator(1000))


def to_row(match: re.Match[str]) -> str:
    """Numbers side by side as a row."""
    entries = re.split(r"[\s,]+", match[0].strip())
    return f"[{', '.join(entries)}]"


FUNCTIONS = "|".join(sorted(map(re.escape, spellings()), key=len, reverse=True))
NUMBER = r"[-+−–]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+|/[0-9]+)?"
ROW = r"\[[^\[\]]*\]"
ROWS = rf"{ROW}(?:\s*[,;]?\s*{ROW})+"
SLIPS = (
    Slip(r"\s*[-+−.0-9OoQlI|]+\s*", "a letter stands for a digit", lambda m: m[0].strip().translate(DIGITS)),
    Slip(
        r"[-+−]?[0-9]{1,3}(?:[ _'’][0-9]{3})+(?:\.[0-9]*)?", "a number has no gaps",
        lambda m: re.sub("[ _'’]", "", m[0]),
    ),
    Slip(r"([0-9]+) ([0-9]+)/([0-9]+)", "a whole number and a fraction are one fraction", to_fraction),
    Slip(r"([-+−]?[0-9.]+)\s*%", "percents are not read here", lambda m: f"{m[1]}/100"),
    Slip(
        rf"(.*?)(?<![A-Za-z])({FUNCTIONS})\s*\[?([0-9.]+|(?<=\s)[a-z]\w*)\]?(.*)",
        "an argument stands in round brackets",
        lambda m: f"{m[1]}{m[2]}({m[3]}){m[4]}",
    ),
    Slip(r"([-+−]?[0-9]*\.[0-9]+)(?:…|\.\.+)", "digits are left out", lambda m: m[1]),
    Slip(r"[-+−]?[0-9]+,[0-9]+", "a decimal comma is not read here", lambda m: m[0].replace(",", ".")),
    Slip(rf"{NUMBER}(?:,?\s+{NUMBER}|,{NUMBER}(?=,))+(?:,{NUMBER})?", "a row stands in brackets", to_row),
    Slip(r"([-+−]?[0-9]+)\.\.+([0-9]+)", "a number has one point", lambda m: f"{m[1]}.{m[2]}"),
    Slip(r"([-+−]?[0-9]*\.?[0-9]+)[fFL]", "a number has no letters", lambda m: m[1]),
    Slip(r"(.*\S)\s*[,;]", "nothing stands behind the last sign", lambda m: m[1]),
    Slip(
        r"([-+−]?[0-9.]+)\s*[xX]\s*10\s*\^?\s*[({]?([-−]?[0-9]+)[)}]?", "x is no sign",
        lambda m: f"{m[1]}*10^{m[2]}",
    ),
    Slip(r"=\s*(.+)", "an equals sign stands before it", lambda m: m[1]),
    Slip(r"([0-9]+)\s*([½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])", "a whole number and a fraction are one fraction", to_sum),
    Slip(r"[Tt]rue|TRUE", "1 stands for what is true", lambda _: "1"),
    Slip(r"[Ff]alse|FALSE", "0 stands for what is false", lambda _: "0"),
    Slip(r"-?float\(['\"]-?inf['\"]\)", "infinity is a word", lambda _: "-inf"),
    Slip(r"\$+(.*?)\$+", "dollar signs are not read here", lambda m: m[1].strip()),
    Slip(ROWS, "rows stand in brackets of their own", lambda m: f"[{', '.join(re.findall(ROW, m[0]))}]"),
    Slip(r"\(.*\)", "rows stand in square brackets", lambda m: m[0].translate(str.maketrans("()", "[]"))),
    Slip(r"[“”„‘’«»](.*)[“”„‘’«»]", "curly quotes are not read", lambda m: m[1]),
    Slip(
        r"(?:I|eye|Id|identity)_?\{?\(?([0-9]*)\)?\}?", "the identity has its size in brackets",
        lambda m: f"identity({m[1] or 2})",
    ),
    Slip(r"(.*\S)\s*(?:\^\{?(?:T|\\top)\}?|\.T|ᵀ)", "'^T' is not read", lambda m: f"transpose({m[1]})"),
)  # fmt: skip
"""What is typed for numbers and matrices, in the order in which it is tried."""


WORDS = r"[^\W\d_][^\d\[\]]*"
ANSWER_SLIPS = (
    *SLIPS,
    Slip(r".*[=≈]\s*([^=≈]+)", "one value is wanted", lambda m: m[1]),
    Slip(r"(.*?)\s*(?:±|\+/-).*", "one value is wanted", lambda m: m[1]),
    Slip(r"(?i:zero|one)", "a number has digits", lambda m: "0" if m[0][0] in "zZ" else "1"),
    Slip(r"([\[(][^\[\]()]*[\])])\s*(?:\^\{?T\}?|ᵀ|')", "a row is not turned", lambda m: m[1]),
    Slip(r"<([^<>]*)>", "a row stands in square brackets", lambda m: f"[{m[1]}]"),
    Slip(rf"(?:{WORDS}\s)?\s*(\[.*\]|{NUMBER})(?:\s+\(?{WORDS})?", "words are not read", lambda m: m[1]),
)
"""What is typed for numbers by who has computed them: those words are of no use that a problem may define."""


def find_hint(
    text: str, read: Callable[[str], Value], wanted: type | UnionType, slips: tuple[Slip, ...] = SLIPS
) -> str:
    """Why a text is not read and what to write, where that is of the type that is wanted; else nothing."""
    for slip in slips if len(text) <= 2 * LONGEST_SHOWN else ():
        match = re.fullmatch(slip.pattern, text.strip(), re.DOTALL)
        mended = slip.mended(match) if match else text
        if mended != text and len(mended) <= LONGEST_SHOWN and is_read(mended, read, wanted):
            return f"{slip.reason}: write {inert(mended)}"
    return ""


def is_read(text: str, read: Callable[[str], Value], wanted: type | UnionType) -> bool:
    """Whether a text is read, as a value of this type."""
    try:
        return isinstance(read(text), wanted)
    except ExpressionError:
        return False
