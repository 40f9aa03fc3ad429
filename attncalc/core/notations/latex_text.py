"""Any text as LaTeX shows it: nothing in it is a command, and no letter is missing from the usual fonts."""

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
"""What mathematics calls its letters and signs."""
SIGNS = {**{sign: f"\\{name}" for sign, name in NAMES.items()}, "−": "-", "°": r"^\circ"}
"""How mathematics writes its letters and signs."""
RARE = "".join(sign for sign in SIGNS if ord(sign) > 0xFF)
"""Those that no font for text has."""
RAISED = "ᵀ\u2070-\u209c"
"""Letters and numbers above and below the line, which it has not either."""
LETTERS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\ensuremath{\mathdollar}", "&": r"\&",
    "#": r"\#", "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"{}\textquoteleft{}", "[": "{[}",
    "]": "{]}", "*": "{*}", '"': "''", "“": "``", "”": "''", "„": "``", "‘": r"\textquoteleft{}", "’": "'",
    "–": "--", "—": "---", "…": r"\dots{}", "⁄": "/", "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}",
    "œ": r"\oe{}", "Œ": r"\OE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}",
    "§": r"\S{}", "£": r"\ensuremath{\mathsterling}", "©": "(c)", "¿": "?`", "¡": "!`", "€": "EUR",
}  # fmt: skip
"""How the other signs are written; those that no usual font has, as others that are close."""
SCRIPTS = {"<super>": "^", "<sub>": "_"}
"""Letters above and below the line, as Unicode calls them."""
ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0323": "d", "\u0331": "b",
}  # fmt: skip


def escaped(text: str) -> str:
    """Text on one line; what no font has stands as its number."""
    opened = re.sub(r'(?<![^\s(\[])"', "“", on_one_line(text))
    return "".join(map(escape_letter, re.sub("-(?=-)", "-\u200b", opened)))


def on_one_line(text: str) -> str:
    """Text without breaks and other signs that control something, its accents on their letters."""
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f]+", " ", unicodedata.normalize("NFC", text))


def escape_letter(c: str) -> str:
    """One character."""
    if c in LETTERS:
        return LETTERS[c]
    if c.isascii():
        return c if c.isprintable() else "?"
    if maths := to_maths(c):
        return rf"\ensuremath{{{maths}}}"
    return "{}" if c == "\u200b" else rare(c)


def to_formula(text: str) -> str:
    """Signs, letters and numbers as mathematics writes them."""
    found = [to_maths(c) or c for c in text]
    return "".join(f"{one} " if one[0] == "\\" else one for one in found).rstrip()


def to_maths(c: str) -> str:
    """What mathematics has for a sign, or for a letter above or below the line, if it has something."""
    if c in SIGNS:
        return SIGNS[c]
    script = SCRIPTS.get(unicodedata.decomposition(c).partition(" ")[0])
    if not script:
        return ""
    plain = unicodedata.normalize("NFKD", c)
    inner = SIGNS.get(plain) or rf"\text{{{escaped(plain)}}}"
    # The blank keeps Markdown from reading }_{ as the start of emphasis.
    return f"{{}}{script} {{{inner}}}"


def rare(c: str) -> str:
    """A character put together from others, or its number."""
    base, *marks = list(unicodedata.normalize("NFD", c))
    if marks and base.isascii() and all(mark in ACCENTS for mark in marks):
        for mark in marks:
            base = f"\\{ACCENTS[mark]}{{{base}}}"
        return base
    plain = unicodedata.normalize("NFKD", c)
    if plain != c:
        return "".join(map(escape_letter, plain))
    return "" if unicodedata.category(c)[0] == "M" else f"{{[}}U+{ord(c):04X}{{]}}"
