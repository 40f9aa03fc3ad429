r"""From a name as people write it to the key or the step that it stands for: W_query, \mathbf{q}_1, QK^T.

The table of names is `NAMES` in core/spellings.py.  What the name is wanted for decides: a caller gives the
names that are possible, and reads a written one only if exactly one of them fits.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from attncalc.core.notations.terms import GREEK
from attncalc.core.record import record
from attncalc.core.spellings import NAMES, fold

LONGEST_NAME = 100
FONTS = "math(?:bf|bb|rm|it|sf|cal)|text(?:bf|it|rm)?|boldsymbol|bm|vec|operatorname"
FONT = rf"\\(?:{FONTS})\s*(?:\{{([^{{}}]*)\}}|([A-Za-z]))"
"""A letter or a word in another font."""
FRACTION = r"\\[dt]?frac\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}\s*\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}"
LETTERS = {**{sign: name for name, sign in GREEK.items()}, "Ω": "Omega"}
LOWERED = "[₀-₉]+|[⁰¹²³⁴-⁹]+|[ₐ-ₜᵢ-ᵥ]+"
NUMBERED = r"(?P<base>.*?[^\W\d].*?)(?:\s*[_^]\s*[{(]*\s*|\s*[(\[]\s*|\s*)(?P<number>[1-9][0-9]?)\s*[)}\]]*"
OF_HEAD = (
    r"(?i:(?P<base>.+?)[\s_,^({]*\bh(?:ead)?[\s_]*(?P<number>[1-9][0-9]?)[)}]*)",
    r"(?i:h(?:ead)?[\s_]*(?P<number>[1-9][0-9]?)[\s_:,.]+(?P<base>.*\S))",
)


@record
class Written:
    """A written name without signs around it, and the number behind it, if there is one."""

    base: str
    number: int | None = None
    of_head: bool = False
    """Whether the number is said to be that of a head."""


def plain(written: str) -> str:
    r"""Return a name without fonts, dollar signs, asterisks and quotes around it.

    >>> plain(r"$\mathbf{W}_Q$"), plain("**k₁**"), plain(r"\frac{QK^\top}{\sqrt{d_k}}")
    ('W_Q', 'k_1', 'QK^T/sqrt{d_k}')
    """
    name = re.sub(r"\\\((.*)\\\)", r"\1", written.strip()).strip("$*`\"'“”‘’ \t")
    name = re.sub(rf"\\(?:{FONTS})\s*(?=\\[A-Za-z])", "", name)
    name = re.sub(FONT, lambda match: match[1] or match[2] or "", name)
    name = re.sub(FRACTION, r"\1/\2", name)
    name = re.sub(r"\\top\b", "T", name.replace("⊤", "T").replace("′", "'"))
    name = re.sub(r"\\(?:left|right|,|;|!|quad)", "", name)
    name = re.sub(LOWERED, lambda match: f"_{unicodedata.normalize('NFKC', match[0])}", name)
    name = "".join(LETTERS.get(sign, sign) for sign in name)
    name = name if name.isascii() else unicodedata.normalize("NFKC", name)
    return re.sub(r"\\(?=[A-Za-z])", "", name).strip()


def split_number(written: str) -> Written:
    """Separate the number of a head or a row from the name before it.

    >>> split_number("W_Q1").base, split_number("x^{(2)}").number, split_number("W_Q (head 2)").number
    ('W_Q', 2, 2)
    """
    name = plain(written)
    for pattern in OF_HEAD:
        if match := re.fullmatch(pattern, name):
            return Written(match["base"].strip(), int(match["number"]), True)
    if match := re.fullmatch(NUMBERED, name):
        return Written(match["base"].rstrip("_^ "), int(match["number"]))
    return Written(name)


def find_names(written: str, known: Iterable[str]) -> list[str]:
    """Return the names among the known ones that a written name may stand for.

    >>> find_names("W_query", ["W_Q", "W_K"]), find_names("scores", ["Q"]), find_names("H", ["H", "heads"])
    (['W_Q'], [], ['H'])
    """
    if len(written) > LONGEST_NAME:
        return []
    names, name = list(known), plain(written)
    if name in names:
        return [name]
    folded = fold(name)
    return [other for other in names if fold(other) == folded or folded in WORDS.get(other, ())]


WORDS = {name: frozenset(words.split()) for name, words in NAMES.items()}
"""What else each name is called."""
