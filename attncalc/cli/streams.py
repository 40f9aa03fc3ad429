"""How output leaves the program: to a terminal, a pipe or a file, and what is said when it cannot."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

import click

from attncalc.formats import FRAGMENT, Page

if TYPE_CHECKING:
    from attncalc.formats.pages.text import Line

GLYPHS = "ᵀ√−·Σ≈×→⎡⎢⎣₀₉═─…"
"""What a stream must be able to show; else everything is written in ASCII."""


def show(
    document: Any,
    format_: str,
    output: str | None,
    ascii_only: bool = False,
    no_color: bool = False,
    page: Page = FRAGMENT,
) -> None:
    """Prints a document: as text as wide as the terminal, or at its natural width, or as a page."""
    if format_ != "text":
        write(import_module(f"attncalc.formats.pages.{format_}").render(document, page), output)
        return
    from attncalc.formats.pages.text import render
    from attncalc.notations.unicode import Ascii, Notation

    plain = ascii_only or not shows_glyphs(output)
    width = None
    if output is None and sys.stdout.isatty():
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    lines = render(document, width, Ascii() if plain else Notation())
    print_lines(list(lines), output, plain, no_color)


def shows_glyphs(output: str | None) -> bool:
    """Whether the place that is written to can hold more than ASCII."""
    if output is not None:
        return True
    try:
        GLYPHS.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def print_lines(lines: list[Line], output: str | None, plain: bool, no_color: bool) -> None:
    """Prints lines, in colour only on a terminal."""
    colour = output is None and sys.stdout.isatty() and not no_color and not os.environ.get("NO_COLOR")
    if colour:
        from rich.console import Console
        from rich.text import Text

        console = Console(markup=False, highlight=False, emoji=False, soft_wrap=True)
        for line in lines:
            console.print(Text.assemble(*line), no_wrap=True, overflow="ignore", crop=False)
        return
    text = "\n".join("".join(piece for piece, _ in line).rstrip() for line in lines)
    if plain:
        text = text.encode("ascii", "backslashreplace").decode()
    write(text, output)


def write(text: str, output: str | None) -> None:
    """Writes data to standard output, or whole to a file that it replaces."""
    from attncalc.errors import Place, fault, reason

    data = (text if text.endswith("\n") else text + "\n").encode("utf-8")
    if output is None:
        try:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        except OSError as error:
            raise fault(f"the output cannot be written: {reason(error)}") from None
        return
    import tempfile

    place = Place(output)
    if os.path.isdir(output) or (os.path.exists(output) and not os.path.isfile(output)):
        raise fault("is not a regular file", place)
    try:
        handle, path = tempfile.mkstemp(dir=os.path.dirname(output) or ".", prefix=".attncalc-")
    except OSError as error:
        raise fault(f"cannot be written: {reason(error)}", place) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(path, 0o666 & ~umask)
        os.replace(path, output)
    except BaseException as error:
        os.unlink(path)
        if isinstance(error, OSError):
            raise fault(f"cannot be written: {reason(error)}", place) from None
        raise


class ClosedStream(io.RawIOBase):
    """Stands for a standard output that was closed before the program started."""

    def writable(self) -> bool:
        return True

    def write(self, _: Any) -> int:
        raise OSError("the stream is closed")


def complain(message: str) -> int:
    """Says what went wrong, if there is someone to say it to."""
    if sys.stderr is None:
        return 2
    with contextlib.suppress(OSError):
        click.echo(message.encode(sys.stderr.encoding or "ascii", "backslashreplace"), err=True)
    return 2


def leave(code: int) -> NoReturn:
    """Ends the program without a complaint about a stream that is already closed."""
    try:
        sys.stdout.flush()
        sys.exit(code)
    except (OSError, ValueError):
        os._exit(code)
