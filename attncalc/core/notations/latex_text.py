"""Escape any text for LaTeX: nothing in it is a command, and the usual fonts have every letter."""

from __future__ import annotations

import re
import unicodedata

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
SCRIPTS = {"<super>": "^", "<sub>": "_"}
"""Unicode's tags of superscripts and subscripts."""
ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0323": "d", "\u0331": "b",
}  # fmt: skip


def escape(text: str) -> str:
    """Escape a text on one line; characters that no font has become their code point."""
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
    return "" if unicodedata.category(c)[0] == "M" else f"{{[}}U+{ord(c):04X}{{]}}"
