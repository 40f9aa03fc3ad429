"""Docstrings, comments and messages are plain English, and the examples in docstrings are correct."""

import ast
import doctest
import io
import re
import tokenize
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "attncalc"
WORDS = "|".join((
    r"\btold\b(?! apart)", r"\bcom(?:e|es|ing) to\b", "done (?:otherwise|wrong)", "how finely", r"\bnobody", r"\bsomebody",
    r"\bwhoever\b", r"\bput down\b", r"\bso many\b", "brackets of their own", "as far as they are",
))  # fmt: skip
"""Words with a plain equivalent: answered, equals, wrong, to how many digits, no student, written."""
EXAMPLE = re.compile(r"^\s*>>> ", re.MULTILINE)


def prose_of(file: Path) -> Iterator[str]:
    """The docstrings, the messages and the comments of a file."""
    text = file.read_text("utf-8")
    if file.suffix == ".js":
        yield from (line for line in text.splitlines() if line.lstrip().startswith("//"))
        return
    constants = (node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant))
    yield from (value for value in constants if isinstance(value, str))
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    yield from (token.string for token in tokens if token.type == tokenize.COMMENT)


def test_prose_has_plain_words() -> None:
    files = [file for file in sorted(PACKAGE.rglob("*")) if file.suffix in (".py", ".js")]
    found = [
        f"{file.relative_to(PACKAGE)}: {prose}"
        for file in files
        for prose in prose_of(file)
        if re.search(WORDS, prose, re.IGNORECASE)
    ]
    assert not found


def test_examples_in_docstrings() -> None:
    files = [file for file in PACKAGE.rglob("*.py") if EXAMPLE.search(file.read_text("utf-8"))]
    for file in files:
        name = ".".join(("attncalc", *file.relative_to(PACKAGE).with_suffix("").parts))
        results = doctest.testmod(import_module(name))
        assert results.attempted
        assert not results.failed, name
