"""What other programs print for a matrix, rewritten as a matrix in square brackets."""

from __future__ import annotations

import re

from attncalc.core.terms.functions import find_spelt
from attncalc.exercise.numbers.tokens import DEEPEST_BRACKETS, ExpressionError


def in_brackets(text: str) -> tuple[str, bool]:
    """What NumPy, torch, SymPy, Mathematica and LaTeX print, as a matrix in square brackets.

    Also says whether spaces separate entries.  Every piece is replaced by one of the same length, so
    that errors keep their place.
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
    """Rows that stand below each other, in no brackets or in one pair, with semicolons between them."""
    if not re.search(ROWS_BELOW, text):
        return text
    if not re.search(r"[\[{(\\]", text):
        return re.sub(ROWS_BELOW, row_end, in_columns(text))
    # NumPy breaks the lines of a long vector: those of a matrix are short.
    is_short = max(map(len, text.splitlines())) < LONGEST_ROW
    is_matrix = is_short and re.fullmatch(r"\s*\[[^\[\]()\\]*\]\s*", text)
    return re.sub(ROWS_IN_BRACKETS, row_end, text) if is_matrix else text


def row_end(match: re.Match[str]) -> str:
    """The end of a row in place of the end of a line."""
    return ";".ljust(len(match[0]))


def in_columns(text: str) -> str:
    """Rows of a table with commas between their entries: | 1 | 0 |, and 0,5;1 as spreadsheets export it."""
    if re.search(RULE, text):
        raise ExpressionError("'---' stands below the head of a table: leave both out", text.index("---"))
    lines = text.strip().splitlines()
    if all(re.fullmatch(r"\s*\|.*\|\s*", line) for line in lines):
        text = re.sub(r"(?m)^(\s*)\||\|(\s*)$", r"\1 \2", text).replace("|", ",")
    if all(re.search(INNER_SEMICOLON, line) for line in lines) and not re.search(r",\s", text):
        text = re.sub(INNER_SEMICOLON, ",", text.replace(",", "."))
    return text


def in_round_brackets(text: str) -> str:
    """Mathematica's calls of functions, such as Sqrt[2], as they are typed; the innermost first."""
    for _ in range(DEEPEST_BRACKETS):
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
"""The end of a line inside brackets with nothing that goes on with the row: [1 2, 3 4 as MATLAB has it."""
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
