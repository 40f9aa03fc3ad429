"""Answers in plain text and in Markdown: statements among other words, code blocks, tables, formulas."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from attncalc.core.errors import Place, fault
from attncalc.exercise.yaml.reader import SPACES
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, decode
from attncalc.marking.answers.kinds.base import Kind
from attncalc.marking.answers.statements import find_statements, lines_of

MARKUP = (
    (r"(?m)^[^\S\n]*(?:```|~~~).*$", ""),
    (r"\$\$|(?<!\\)\$|(?<!\\)\\[\[\]()]", "  "),
    (r"\*\*(?=[^\W\d]|[$\\(:=])|(?<=[\w:)\]}$])\*\*(?!\s*[\d(.])", "  "),
    (r"`", " "),
    (r"\\approx", "≈"),
    (r"\\(?:d|t)?(?:frac)(?=\d)|\\(?:quad|qquad|,|;|!)", "  "),
    (r"\\(?:mathbf|mathrm|text|textbf|mathit|boldsymbol|operatorname)\{([A-Za-z]+)\}", r"\1"),
)
"""The marks of Markdown and LaTeX round statements, and what to read in their place."""
LARGEST = 500_000
NO_STATEMENT = "names no step: write its name and its numbers, such as S = [[1, 0], [0, 1]], a line for each"


def read_text(data: bytes, name: str) -> Mapped:
    """Read the statements of a text."""
    text = without_markup(decode(data, name).translate(SPACES))
    return to_mapping(find_statements(lines_of(text, name)), name)


def without_markup(text: str) -> str:
    """A text without marks; characters keep their places if possible."""
    for pattern, other in MARKUP:
        text = re.sub(pattern, lambda match, other=other: match.expand(other)[: len(match[0])], text)  # type: ignore[misc]
    return text


def to_mapping(items: Iterable[tuple[Scalar, Node]], name: str, in_rows: bool = False) -> Mapped:
    """The statements of a file that have a name; a fault if there are none."""
    named: Sequence[tuple[Scalar, Node]] = [(key, node) for key, node in items if key.text]
    if not named:
        raise fault(NO_STATEMENT, Place(name))
    return Mapped(tuple(named), Place(name, 1, 1), in_rows=in_rows, has_prose=True)


kind = Kind((".txt", ".text", ".md", ".markdown"), read_text, LARGEST)
