"""Terms and formulas as LaTeX, and any text with nothing in it that LaTeX takes for a command."""

from __future__ import annotations

import re
import unicodedata

from attncalc.core.notations.terms import (
    ATOM,
    FACTOR,
    GREEK,
    PRODUCT,
    index_shown,
    of_limit,
    place_indices,
    split_number,
)
from attncalc.core.notations.unicode import Notation
from attncalc.core.terms import Axis, Index, Term
from attncalc.core.terms.formulas import Maths
from attncalc.core.terms.functions import FUNCTIONS

NAMES = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi",
    "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma",
    "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega", "×": "times", "·": "cdot", "÷": "div", "±": "pm",
    "√": "surd", "∞": "infty", "≈": "approx", "≠": "neq", "≤": "leq", "≥": "geq", "∈": "in", "∑": "sum",
    "∂": "partial", "∇": "nabla", "→": "to", "←": "leftarrow", "↔": "leftrightarrow", "⇒": "Rightarrow",
    "↑": "uparrow", "↓": "downarrow", "✓": "checkmark", "✗": "times", "•": "bullet", "«": "ll", "»": "gg",
    "¬": "neg",
}  # fmt: skip
"""LaTeX names of letters and signs."""
SIGNS = {**{sign: f"\\{name}" for sign, name in NAMES.items()}, "−": "-", "°": r"^\circ"}
"""LaTeX commands of letters and signs."""
RARE = "".join(sign for sign in SIGNS if ord(sign) > 0xFF)
"""Signs that are missing in fonts for text."""
RAISED = "ᵀ\u2070-\u209c"
"""Superscripts and subscripts, which are missing there too."""
LETTERS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\ensuremath{\mathdollar}", "&": r"\&",
    "#": r"\#", "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"{}\textquoteleft{}", "[": "{[}",
    "]": "{]}", "*": "{*}", '"': "''", "“": "``", "”": "''", "„": "``", "‘": r"\textquoteleft{}", "’": "'",
    "–": "--", "—": "---", "…": r"\dots{}", "⁄": "/", "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}",
    "œ": r"\oe{}", "Œ": r"\OE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}",
    "§": r"\S{}", "£": r"\ensuremath{\mathsterling}", "©": "(c)", "¿": "?`", "¡": "!`", "€": "EUR",
}  # fmt: skip
"""The other signs; those that the usual fonts lack are replaced by similar ones."""
RARE_LETTER = r"\rareletter"
"""A command of the page for a character that the fonts of pdflatex lack, such as emoji, by its code point."""
SCRIPTS = {"<super>": "^", "<sub>": "_"}
"""Unicode's tags of superscripts and subscripts."""
ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0323": "d", "\u0331": "b",
}  # fmt: skip


def escape(text: str) -> str:
    """Escape a text on one line; characters that the usual fonts lack become a command of the page."""
    opened = re.sub(r'(?<![^\s(\[])"', "“", on_one_line(text))
    return "".join(map(escape_letter, re.sub("-(?=-)", "-\u200b", opened)))


def on_one_line(text: str) -> str:
    """Return a text without line breaks and control characters, in Unicode's composed form."""
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", unicodedata.normalize("NFC", text))


def escape_letter(c: str) -> str:
    """Escape one character."""
    if c in LETTERS:
        return LETTERS[c]
    if c.isascii():
        return c if c.isprintable() else "?"
    if maths := to_maths(c):
        return rf"\ensuremath{{{maths}}}"
    return "{}" if c == "\u200b" else write_rare(c)


def to_formula(text: str) -> str:
    """Write signs, letters and numbers in math mode."""
    found = [to_maths(c) or c for c in text]
    return "".join(f"{one} " if one[0] == "\\" else one for one in found).rstrip()


def to_maths(c: str) -> str:
    """Return a sign, superscript or subscript in math mode; empty if there is no command."""
    if c in SIGNS:
        return SIGNS[c]
    script = SCRIPTS.get(unicodedata.decomposition(c).partition(" ")[0])
    if not script:
        return ""
    plain = unicodedata.normalize("NFKD", c)
    inner = SIGNS.get(plain) or rf"\text{{{escape(plain)}}}"
    # The blank keeps Markdown from reading }_{ as the start of emphasis.
    return f"{{}}{script} {{{inner}}}"


def write_rare(c: str) -> str:
    """Write a character as a letter with accents, or in simpler characters, or as its code point."""
    base, *marks = list(unicodedata.normalize("NFD", c))
    if marks and base.isascii() and all(mark in ACCENTS for mark in marks):
        for mark in marks:
            base = f"\\{ACCENTS[mark]}{{{base}}}"
        return base
    plain = unicodedata.normalize("NFKD", c)
    if plain != c:
        return "".join(map(escape_letter, plain))
    return "" if unicodedata.category(c)[0] == "M" else f"{RARE_LETTER}{{{ord(c):04X}}}"


BLANK = r"\underline{\rule{0pt}{4ex}\hspace{4em}}"
"""Room to write a number in."""
LONGEST_EXPONENT = 40
"""The longest power of e on a line; a longer one is written exp()."""
COMMANDS = {
    **{name: f"\\{name}" for name in GREEK},
    **{sign: f"\\{name}" for sign, name in NAMES.items() if sign.isalpha()},
    **{name: f"\\{name}" for name in ("max", "min", "sum")},
}


def command(word: str) -> str:
    """Return the LaTeX command for a word; empty if there is none."""
    return FUNCTIONS[word].latex if word in FUNCTIONS else COMMANDS.get(word, "")


GREEK_WORDS = "|".join(GREEK)
CODE_NAME = re.compile(rf"(?!(?:{GREEK_WORDS})_)[a-z]{{2,}}(?:_[a-z]{{2,}})+")
"""Names as programs have them: num_heads."""


class Latex(Notation):
    """LaTeX; if `slashed`, quotients are written with a slash, so that lines can be broken."""

    limit = r"\lim "
    minus, times, sigma, infinity = "-", r" \cdot ", r"\sum", r"\infty"
    about, blank = r"\approx", BLANK
    cross, turned, entrywise = r" \times ", r"\top", r"\odot"

    def __init__(self, slashed: bool = False) -> None:
        self.slashed = slashed

    def on_a_line(self) -> Latex:
        """Return the notation with quotients written with a slash."""
        return type(self)(slashed=True)

    def text(self, text: str) -> str:
        """Text inside a formula."""
        return rf"\text{{{escape(text)}}}"

    def bracket(self, text: str) -> str:
        # On a line that may be broken, brackets do not grow: they would have to close on the same row.
        tall = not self.slashed and (r"\frac" in text or r"\sum" in text)
        return rf"\left({text}\right)" if tall else f"({text})"

    def fraction(self, over: str, under: str) -> tuple[str, int]:
        return super().fraction(over, under) if self.slashed else (rf"\frac{{{over}}}{{{under}}}", FACTOR)

    def times_ten(self, plain: str, exponent: int) -> tuple[str, int]:
        return rf"{plain} \cdot 10^{{{exponent}}}", PRODUCT

    def quotient(self, over: Term, under: Term) -> tuple[str, int]:
        if self.slashed:
            return super().quotient(over, under)
        inner = self.on_a_line()
        return rf"\frac{{{inner.write(over)[0]}}}{{{inner.write(under)[0]}}}", FACTOR

    def exponential(self, exponent: Term) -> tuple[str, int]:
        text, holds = super().exponential(exponent)
        if self.slashed and len(text) > LONGEST_EXPONENT:
            return self.call("exp", exponent), ATOM
        return text, holds

    def exponent(self, term: Term) -> str:
        return f"{{{self.on_a_line().write(term)[0]}}}"

    def root(self, term: Term) -> tuple[str, int]:
        return rf"\sqrt{{{self.write(term)[0]}}}", ATOM

    def absolute(self, term: Term) -> str:
        return rf"\lvert {self.write(term)[0]} \rvert"

    def call(self, function: str, term: Term) -> str:
        return self.letters(function) + self.bracket(self.write(term)[0])

    def along(self, sign: str, axis: Axis, maths: Maths) -> str:
        return super().along(command(sign) or sign, axis, maths)

    def gap(self, after: str) -> str:
        # LaTeX puts space around a function, but not around a word.
        return "\\ " if after.startswith(r"\mathrm") and not after.endswith(")") else " "

    def write_sign(self, sign: str) -> str:
        return f" {sign.strip()} "

    def typed(self, text: str, maths: Maths) -> str:  # noqa: ARG002
        return self.write(maths)[0]

    def function(self, name: str) -> str:
        return r"\mathrm{E}" if name == "E" else self.letters(name)

    def above(self, base: str, exponent: str) -> str:
        # LaTeX refuses a second exponent on the same base.
        own = "{}" if base.endswith("}") else ""
        return f"{base}{own}^{exponent}" if exponent.startswith("{") else f"{base}{own}^{{{exponent}}}"

    def below(self, base: str, letters: str) -> str:
        return below(base, f"{{{letters}}}")

    def place(self, name: str, at: tuple[int, ...], whole: bool) -> str:
        if bare := of_limit(name):
            return self.limit + self.place(bare, at, whole)
        return self.add_indices(self.name(name), place_indices(at, whole))

    def entry(self, of: str, at: tuple[Index, ...]) -> str:
        if bare := of_limit(of):
            return self.limit + self.entry(bare, at)
        shown = [index for index in at if index_shown(index)]
        return self.add_indices(self.name(of), self.indices(shown)) if shown else self.name(of)

    def add_indices(self, name: str, indices: str) -> str:
        """Write a name with indices below, in brackets if it already has an index."""
        return below(f"({name})" if "_" in name else name, f"{{{indices}}}")

    def name(self, of: str) -> str:
        if bare := of_limit(of):
            return self.limit + self.name(bare)
        if of == "_":
            return self.blank
        return self.word(of) if of.removesuffix("'").isidentifier() else self.text(of)

    def word(self, word: str) -> str:
        """Write a letter or a word, with the parts behind _ as indices."""
        bare = word.removesuffix("'")
        if CODE_NAME.fullmatch(bare) and (code := self.code_name(bare)):
            return code
        base, *rest = bare.split("_")
        indices = ",".join(self.letters(part, 2) for part in rest if part)
        letters = self.letters(base)
        if indices:
            letters = below(letters, indices if len(indices) == 1 else f"{{{indices}}}")
        return letters + word[len(bare) :]

    def code_name(self, name: str) -> str:
        """Write the name of a variable of a program; empty if it is written as a letter with indices."""
        return rf"\mathtt{{{name.replace('_', chr(92) + '_')}}}"

    def letters(self, word: str, short: int = 1) -> str:
        """Write letters: slanted up to `short` of them, upright if they are a word."""
        if found := command(word):
            return found
        if word[:1] == "d" and (word[1:] in GREEK or (len(word) == 2 and word.isalpha())):
            return f"d{self.letters(word[1:])}"
        if not word.isascii():
            return self.text(word)
        name, number = split_number(word)
        if name in GREEK:
            return f"{command(name)} {number}"
        slanted = word.isdigit() or (len(word) <= short and word.isalpha())
        return word if slanted else rf"\mathrm{{{word}}}"


def below(name: str, indices: str) -> str:
    """Write indices below a name."""
    # The blank keeps Markdown from reading )_{ as the start of emphasis.
    return f"{name}_{indices}" if name[-1].isalnum() else f"{name}_ {indices}"


class MathJax(Latex):
    """LaTeX for MathJax and pandoc, which is read as Markdown first: some signs become commands."""

    def code_name(self, name: str) -> str:  # noqa: ARG002  Markdown would drop the backslash before _
        return ""

    def text(self, text: str) -> str:
        return "".join(map(self.words, WORDS.findall(on_one_line(text)))) or r"\text{}"

    def words(self, text: str) -> str:
        """Write words, or one sign that has a meaning or is missing in fonts for text."""
        if text in DRAWN:
            return DRAWN[text]
        maths = to_maths(text) if SINGLE.fullmatch(text) else ""
        return f"{{{maths}}}" if maths else rf"\text{{{text}}}"


DRAWN = {
    "<": r"\langle{}", ">": r"\rangle{}", "[": r"\lbrack{}", "]": r"\rbrack{}", "{": r"\lbrace{}",
    "}": r"\rbrace{}", "|": r"\vert{}", "\\": r"\backslash{}", "*": r"\ast{}", "~": r"\sim{}",
    "^": r"\wedge{}", "#": r"\sharp{}", "_": r"\rule{0.5em}{0.1ex}", "%": r"{\circ}/{\circ}",
    "$": r"\mathrm{S}\hspace{-0.45em}\vert{}", "&": r"\text{ and }", '"': r"\text{''}", "`": r"\text{‘}",
}  # fmt: skip
"""Signs with a meaning in a browser, in Markdown or in LaTeX, as commands that all of them accept."""
APART = re.escape("".join(DRAWN)) + RARE + RAISED
WORDS, SINGLE = re.compile(f"[{APART}]|[^{APART}]+"), re.compile(f"[{RARE}{RAISED}]")
