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
LETTERS = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\ensuremath{\mathdollar}", "&": r"\&",
    "#": r"\#", "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "`": r"{}\textquoteleft{}", "[": "{[}",
    "]": "{]}", "*": "{*}", '"': "''", "“": "``", "”": "''", "„": "``", "‘": r"\textquoteleft{}", "’": "'",
    "–": "--", "—": "---", "…": r"\dots{}", "⁄": "/", "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}",
    "œ": r"\oe{}", "Œ": r"\OE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}",
    "§": r"\S{}", "£": r"\ensuremath{\mathsterling}", "©": "(c)", "¿": "?`", "¡": "!`", "€": "EUR",
    "−": r"\ensuremath{-}", "°": r"\ensuremath{^\circ}",
}  # fmt: skip
"""How the other signs are written; those that no usual font has, as others that are close."""
ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u", "\u0307": ".",
    "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c", "\u0323": "d", "\u0331": "b",
}  # fmt: skip


def escaped(text: str) -> str:
    """Text on one line; what no font has stands as its number."""
    folded = unicodedata.normalize("NFC", re.sub(r"\s+", " ", text))
    opened = re.sub(r'(?<![^\s(\[])"', "“", folded)
    return "".join(map(escape_letter, re.sub("-(?=-)", "-\u200b", opened)))


def escape_letter(c: str) -> str:
    """One character."""
    if c in LETTERS:
        return LETTERS[c]
    if c in NAMES:
        return rf"\ensuremath{{\{NAMES[c]}}}"
    if c.isascii():
        return c if c.isprintable() else "?"
    return "{}" if c == "\u200b" else rare(c)


def rare(c: str) -> str:
    """A character put together from others, or its number."""
    base, *marks = list(unicodedata.normalize("NFD", c))
    if marks and base.isascii() and all(mark in ACCENTS for mark in marks):
        for mark in marks:
            base = f"\\{ACCENTS[mark]}{{{base}}}"
        return base
    plain = unicodedata.normalize("NFKD", c)
    if plain != c:
        script = {"<super>": "^", "<sub>": "_"}.get(unicodedata.decomposition(c).partition(" ")[0])
        inner = "".join(map(escape_letter, plain))
        return rf"\ensuremath{{{script}{{\text{{{inner}}}}}}}" if script else inner
    return "" if unicodedata.category(c)[0] == "M" else f"{{[}}U+{ord(c):04X}{{]}}"
