"""Terms and formulas as Typst, and any text with nothing in it that Typst takes for a command.

Users' words stand in formulas only as strings, and between formulas only with every sign of Typst escaped.
"""

from __future__ import annotations

import re

from attncalc.core.errors import inert
from attncalc.core.notations.latex import CODE_NAME, Latex, on_one_line
from attncalc.core.notations.terms import ATOM, FACTOR, PRODUCT, to_greek
from attncalc.core.notations.unicode import Notation
from attncalc.core.terms import Axis, Term
from attncalc.core.terms.formulas import Maths
from attncalc.core.terms.functions import FUNCTIONS

SPECIAL = re.compile(r"[\\#$*_`~<>@\[\]/]|-(?=[-?\d])|\.(?=\.)|(?<!\S)[-+=](?=\s|$|=)|^\d+(?=\.)|^[-+=]")
"""Text that Typst reads as markup: anywhere, or at the start of a line."""
BLANK = "#blank"
"""Room to write a number in, which the page defines."""
SIGNED = str.maketrans({sign: f"\\{sign}" for sign in "()[]{}|,;/"})


def escape(text: str) -> str:
    """Escape a text on one line."""
    return SPECIAL.sub(escape_match, inert(on_one_line(text)))


def escape_match(found: re.Match[str]) -> str:
    """Escape one sign; of a number at the start of a line, its last digit as a string."""
    return f'#"{found[0]}";' if found[0].isdigit() else f"\\{found[0]}"


def quote(text: str) -> str:
    """Return a text as a string of Typst's."""
    inner = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{inner}"'


class Typst(Latex):
    """The formulas of LaTeX in the notation of Typst: groups in round brackets, functions with arguments."""

    limit = "lim "
    minus, times, sigma, infinity = "−", " dot.op ", "sum", "∞"
    slash = "\\/"
    about, blank = "≈", BLANK
    cross, turned, entrywise = " × ", "⊤", "⊙"

    def text(self, text: str) -> str:
        return quote(inert(on_one_line(text)))

    def bracket(self, text: str) -> str:
        # Brackets without a backslash grow, and have to close on the same row.
        tall = not self.slashed and ("frac(" in text or "sum_" in text)
        return f"({text})" if tall else f"\\({text}\\)"

    def fraction(self, over: str, under: str) -> tuple[str, int]:
        return Notation.fraction(self, over, under) if self.slashed else (f"frac({over}, {under})", FACTOR)

    def times_ten(self, plain: str, exponent: int) -> tuple[str, int]:
        return f"{plain} dot.op 10^({self.number(exponent)[0]})", PRODUCT

    def quotient(self, over: Term, under: Term) -> tuple[str, int]:
        if self.slashed:
            return Notation.quotient(self, over, under)
        inner = self.on_a_line()
        return f"frac({inner.write(over)[0]}, {inner.write(under)[0]})", FACTOR

    def exponent(self, term: Term) -> str:
        return f"({self.on_a_line().write(term)[0]})"

    def root(self, term: Term) -> tuple[str, int]:
        return f"sqrt({self.write(term)[0]})", ATOM

    def absolute(self, term: Term) -> str:
        return f"\\|{self.write(term)[0]}\\|"

    def along(self, sign: str, axis: Axis, maths: Maths) -> str:
        return f"{sign}_{axis.letter} {self.inside(maths, PRODUCT)}"

    def gap(self, after: str) -> str:
        return " med " if after.startswith('"') and not after.endswith(")") else " "

    def write_sign(self, sign: str) -> str:
        return f" {sign.strip().translate(SIGNED)} "

    def write_separator(self, sign: str) -> str:
        return f"\\{sign} "

    def enclose(self, text: str, brackets: str) -> str:
        return f"\\{brackets[0]}{text}\\{brackets[1]}"

    def function(self, name: str) -> str:
        return 'upright("E")' if name == "E" else self.letters(name)

    def above(self, base: str, exponent: str) -> str:
        return f"{base}^{exponent}" if exponent.startswith("(") else f"{base}^({exponent})"

    def below(self, base: str, letters: str) -> str:
        return f"{base}_({spaced(letters)})"

    def add_indices(self, name: str, indices: str) -> str:
        return f"\\({name}\\)_({spaced(indices)})" if "_" in name else f"{name}_({spaced(indices)})"

    def word(self, word: str) -> str:
        bare = word.removesuffix("'")
        if CODE_NAME.fullmatch(bare):
            return self.code_name(bare)
        base, *rest = bare.split("_")
        indices = "\\,".join(self.letters(part, 2) for part in rest if part)
        name = self.letters(base) + word[len(bare) :]
        return f"{name}_({indices})" if indices else name

    def code_name(self, name: str) -> str:
        return f"mono({quote(name)})"

    def letters(self, word: str, short: int = 1) -> str:
        if word in FUNCTIONS and FUNCTIONS[word].latex:
            return FUNCTIONS[word].latex[1:]
        if word in ("max", "min", "sum"):
            return word
        plain = to_greek(word)
        if found := DIFFERENTIAL.fullmatch(plain):
            return f"d {self.letters(found[1])}"
        if found := NUMBERED.fullmatch(plain):
            return f"{found[1]} {found[2]}"
        if plain.isascii():
            slanted = plain.isdigit() or (len(plain) <= short and plain.isalpha())
            return spaced(plain) if slanted else quote(plain)
        return plain if len(plain) == 1 and plain.isalpha() else quote(plain)


DIFFERENTIAL, NUMBERED = re.compile(r"d([A-Za-z]|[α-ω]\d*)"), re.compile(r"([α-ω])(\d+)")
"""dα1, and α1, after Greek letters are written as such."""


def spaced(indices: str) -> str:
    """Indices with spaces, because letters side by side are a word: i j."""
    return re.sub(r"(?<=[^\W\d])(?=\w)|(?<=\d)(?=[^\W\d])", " ", indices.replace(",", "\\,"))
