"""Rewrite matrices as other programs print them into matrices in square brackets."""

from __future__ import annotations

import re

from attncalc.core.terms.functions import find_spelt
from attncalc.exercise.numbers.tokens import DEEPEST_BRACKETS, ExpressionError


def in_brackets(text: str) -> tuple[str, bool]:
    """Rewrite a matrix as NumPy, torch, SymPy, Mathematica and LaTeX print it into square brackets.

    Also return whether spaces separate entries.  Every piece is replaced by one of the same length, so that
    errors keep their place.
    """
    if "..." in text or "…" in text:
        raise ExpressionError("is a shortened print: '...' stands for numbers left out; write them all", 0)
    text = in_rows(text.translate(BRACKET_PIECES))
    mathematica = text.lstrip().startswith("{")
    if mathematica:
        text = in_round_brackets(text)
        text = text.translate(str.maketrans("{}", "[]"))
    latex = "matrix}" in text or "array}" in text
    for pattern, sign in PRINTS:
        text = re.sub(pattern, lambda match, sign=sign: sign.ljust(len(match[0])), text)  # type: ignore[misc]
    wrapped = re.fullmatch(WRAPPED, text)
    if wrapped is not None:
        start, end = wrapped.span("matrix")
        text = " " * start + text[start:end] + " " * (len(text) - end)
    if mathematica or wrapped:
        text = re.sub(PRINTED_CONSTANT, lambda match: match[0].lower(), text)
    return text, not (mathematica or latex or wrapped)


def in_rows(text: str) -> str:
    """Put semicolons between rows below each other that have no brackets, or one pair around them."""
    if not re.search(ROWS_BELOW, text):
        return text
    if not re.search(r"[\[{(\\]", text):
        return re.sub(ROWS_BELOW, end_row, in_columns(text))
    # NumPy breaks the lines of a long vector: those of a matrix are short.
    is_short = max(map(len, text.splitlines())) < LONGEST_ROW
    is_matrix = is_short and re.fullmatch(r"\s*\[[^\[\]()\\]*\]\s*", text)
    return re.sub(ROWS_IN_BRACKETS, end_row, text) if is_matrix else text


def end_row(match: re.Match[str]) -> str:
    """Replace the end of a line by the end of a row."""
    return ";".ljust(len(match[0]))


def in_columns(text: str) -> str:
    """Put commas between the entries of a table: | 1 | 0 |, and 0,5;1 as spreadsheets export it."""
    if re.search(RULE, text):
        raise ExpressionError("'---' stands below the head of a table: leave both out", text.index("---"))
    lines = text.strip().splitlines()
    if all(re.fullmatch(r"\s*\|.*\|\s*", line) for line in lines):
        text = re.sub(r"(?m)^(\s*)\||\|(\s*)$", r"\1 \2", text).replace("|", ",")
    if all(re.search(INNER_SEMICOLON, line) for line in lines) and not re.search(r",\s", text):
        text = re.sub(INNER_SEMICOLON, ",", text.replace(",", "."))
    return text


def in_round_brackets(text: str) -> str:
    """Rewrite Mathematica's calls of functions, such as Sqrt[2], with round brackets; the innermost first."""
    for _ in range(DEEPEST_BRACKETS):
        before, text = text, re.sub(MATHEMATICA_CALL, rewrite_call, text)
        if text == before:
            break
    return text


def rewrite_call(match: re.Match[str]) -> str:
    """Rewrite one call, if there is such a function."""
    word = match[1].lower()
    return f"{word}({match[2]})" if find_spelt(word) else match[0]


# Not compiled here: most runs need none of them.
PRINTS = [
    (r"(?:\\left\s*[\[(]\s*)?\\begin\{(?:[bpvB]?matrix|smallmatrix|array\}\{[lcr| ]*)\}", "["),
    (r"\\end\{(?:[bpvB]?matrix|smallmatrix|array)\}(?:\s*\\right\s*[\])])?", "]"),
    (r"\\\\", ";"),
    (r"&", ","),
    (r"np\.(?:float|int)[0-9]+(?=\()", ""),
    (r"\b(?:np|numpy|math|torch|sympy|sp)\.(?=[a-z]+[0-9]*\(|inf\b)(?!array|tensor|matrix)", ""),
]
ROWS_BELOW = r"(?<=[^\s;,])[,;]?[^\S\n]*\n\s*(?=\S)"
"""The end of a line between rows of numbers that stand below each other without brackets."""
ROWS_IN_BRACKETS = r"(?<=[^\s;,\[])[^\S\n]*\n\s*(?=[^\s\]])"
"""The end of a line inside brackets that ends a row, as in MATLAB."""
LONGEST_ROW = 60
RULE = r"(?m)^\s*\|?\s*:?-{3,}"
"""The line below the head of a table."""
INNER_SEMICOLON = r";(?=[^\S\n]*[^\s])"
BRACKET_PIECES = str.maketrans(dict.fromkeys("⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠", " "))
"""The pieces of tall brackets."""
WRAPPED = (
    r"\s*(?:(?:np|numpy|torch|sp|sympy)\.)?(?:array|tensor|(?:Mutable|Immutable)?(?:Dense)?[Mm]atrix)"
    r"\((?P<matrix>[^=]*?\]|\s*[-+.0-9eE]+)\s*(?:,\s*(?:dtype|device|requires_grad|grad_fn)=[^=]*)*\)\s*"
)
MATHEMATICA_CALL = r"\b([A-Z][A-Za-z]*)\[([^\[\]]*)\]"
PRINTED_CONSTANT = r"\b(?:E|Pi)\b"
