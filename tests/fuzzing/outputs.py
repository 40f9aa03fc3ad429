"""What other programs read of what the program writes, read back."""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from contextlib import redirect_stdout
from html.parser import HTMLParser
from types import CodeType
from typing import NoReturn
from xml.etree import ElementTree

from tests.fuzzing.commands import Found, Ran, in_time

VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}
"""Tags of HTML that have no end."""


def read_back(ran: Ran, form: str) -> None:
    """What other programs read must be readable."""
    try:
        if form in ("json", "gradescope", "prairielearn"):
            json.loads(ran.out, parse_constant=forbidden)
        if form == "svg":
            ElementTree.fromstring(ran.out)
        if form in ("numpy", "torch"):
            script = compile(ran.out, "script.py", "exec")
            execute(script) if form == "numpy" else None
        if form == "html":
            check_tags(ran.out)
        if form == "latex":
            check_braces(ran.out)
        if form == "csv" and len({len(row) for row in csv.reader(io.StringIO(ran.out))}) != 1:
            raise ValueError("rows of several lengths")
    except (ValueError, SyntaxError) as error:
        raise Found(f"{form} does not read back", f"{error}\n{ran.out[:2000]}") from None


def execute(script: CodeType) -> None:
    """Runs a script, which checks its steps itself, as a process of its own would: warnings are shown."""
    try:
        with redirect_stdout(io.StringIO()), warnings.catch_warnings(), in_time():
            warnings.simplefilter("ignore")
            exec(script, {})
    except (Exception, SystemExit) as error:
        raise Found(f"a script fails: {type(error).__name__}", str(error)) from None


def forbidden(word: str) -> NoReturn:
    """NaN and the infinities are not JSON."""
    raise ValueError(f"{word} is not JSON")


class Tags(HTMLParser):
    """Whether every tag is closed that is opened, in its order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        """One that is closed at once."""

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            raise ValueError(f"</{tag}> closes nothing")


def check_tags(text: str) -> None:
    """Raises where tags are not closed."""
    tags = Tags()
    tags.feed(text)
    tags.close()
    if tags.open:
        raise ValueError(f"not closed: {tags.open}")


def check_braces(text: str) -> None:
    """Raises where braces or environments of LaTeX are not closed."""
    open_: list[str] = []
    for begin, end, brace in re.findall(
        r"\\begin\{(\w+\*?)\}|\\end\{(\w+\*?)\}|(?<!\\)(?:\\\\)*([{}])", text
    ):
        if begin or brace == "{":
            open_.append(begin or brace)
        elif not open_ or open_.pop() != (end or "{"):
            raise ValueError(f"{end or brace} closes nothing")
    if open_:
        raise ValueError(f"not closed: {open_}")
