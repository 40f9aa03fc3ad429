"""What other programs print for a matrix, rewritten as a matrix in square brackets."""

from __future__ import annotations

import re

from attncalc.inputs.expression.tokens import DEEPEST, ExpressionError
from attncalc.terms.functions import find_spelt


def in_brackets(text: str) -> tuple[str, bool]:
    """What NumPy, torch, SymPy, Mathematica and LaTeX print, as a matrix in square brackets.

    Also says whether spaces separate entries.  Every piece is replaced by one of the same length, so
    that errors keep their place.
    """
    if "..." in text or "…" in text:
        raise ExpressionError("is a shortened print: '...' stands for numbers left out", 0)
    if re.search(ROWS_BELOW, text) and not re.search(r"[\[{(\\]", text):
        text = re.sub(ROWS_BELOW, lambda match: ";".ljust(len(match[0])), text)
    mathematica = text.lstrip().startswith("{")
    if mathematica:
        text = in_round_brackets(text)
        text = text.translate(str.maketrans("{}", "[]"))
    latex = "matrix}" in text
    for pattern, sign in PRINTS:
        text = re.sub(pattern, lambda match, sign=sign: sign.ljust(len(match[0])), text)  # type: ignore[misc]
    wrapped = re.fullmatch(WRAPPED, text)
    if wrapped is not None:
        start, end = wrapped.span("matrix")
        text = " " * start + text[start:end] + " " * (len(text) - end)
    if mathematica or wrapped:
        text = re.sub(PRINTED_CONSTANT, lambda match: match[0].lower(), text)
    return text, not (mathematica or latex or wrapped)


def in_round_brackets(text: str) -> str:
    """Mathematica's calls of functions, such as Sqrt[2], as they are typed; the innermost first."""
    for _ in range(DEEPEST):
        before, text = text, re.sub(MATHEMATICA_CALL, typed_call, text)
        if text == before:
            break
    return text


def typed_call(match: re.Match[str]) -> str:
    """One call, if there is such a function."""
    word = match[1].lower()
    return f"{word}({match[2]})" if find_spelt(word) else match[0]


# Left as texts: they are compiled by the first matrix that needs them, not at every start.
PRINTS = [
    (r"(?:\\left\s*[\[(]\s*)?\\begin\{[bpvB]?matrix\}", "["),
    (r"\\end\{[bpvB]?matrix\}(?:\s*\\right\s*[\])])?", "]"),
    (r"\\\\", ";"),
    (r"&", ","),
    (r"np\.(?:float|int)[0-9]+(?=\()", ""),
    (r"\b(?:np|numpy|math|torch|sympy|sp)\.(?=[a-z]+[0-9]*\(|inf\b)(?!array|tensor|matrix)", ""),
]
ROWS_BELOW = r"(?<=[^\s;,])[,;]?[^\S\n]*\n\s*(?=\S)"
"""The end of a line between rows of numbers that stand below each other without brackets."""
WRAPPED = (
    r"\s*(?:(?:np|numpy|torch|sp|sympy)\.)?(?:array|tensor|(?:Mutable|Immutable)?(?:Dense)?[Mm]atrix)"
    r"\((?P<matrix>[^=]*?\])\s*(?:,\s*(?:dtype|device|requires_grad|grad_fn)=[^=]*)*\)\s*"
)
MATHEMATICA_CALL = r"\b([A-Z][A-Za-z]*)\[([^\[\]]*)\]"
PRINTED_CONSTANT = r"\b(?:E|Pi)\b"
