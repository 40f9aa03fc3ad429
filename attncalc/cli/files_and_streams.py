"""Output to a terminal, a pipe or a file, and its errors."""

from __future__ import annotations

import contextlib
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from attncalc.exercise.load import Source
    from attncalc.exercise.problem import Problem

READER_LEFT = 141
"""The exit code if the reader closes the pipe early, as `head` does: 128 + SIGPIPE, as shells report it."""
SECONDS_OF_SILENCE = 2.0
"""The seconds that work may take before a spinner is shown."""
GLYPHS = "ᵀ√−·Σ≈×→⎡⎢⎣₀₉═─…"
"""Characters that a stream must be able to encode; else everything is written in ASCII."""


def shows_glyphs() -> bool:
    """Whether standard output can encode the characters of a page."""
    if not hasattr(sys.stdout, "buffer"):
        return True
    try:
        GLYPHS.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def shows_colour() -> bool:
    """Whether the terminal has colours, and the user has not turned them off."""
    knows = os.environ.get("TERM") not in ("dumb", "unknown") and (
        os.name != "nt" or "WT_SESSION" in os.environ
    )
    return knows and not os.environ.get("NO_COLOR")


def encode(pieces: Iterable[str | bytes]) -> Iterator[bytes]:
    """Encode pieces of text, and end the last line; bytes are not changed."""
    piece: str | bytes = ""
    for piece in pieces:
        yield piece.encode("utf-8") if isinstance(piece, str) else piece
    if isinstance(piece, str) and not piece.endswith("\n"):
        yield b"\n"


def write_out(pieces: Iterable[str | bytes], output: str | None) -> None:
    """Write data to standard output, or to a file, which is replaced as a whole."""
    if output is None:
        write_stdout(pieces)
    else:
        replace_file(pieces, output)


def write_stdout(pieces: Iterable[str | bytes]) -> None:
    """Write data to standard output; exit without a message if the reader has closed it."""
    from attncalc.core.errors import fault, reason

    try:
        if hasattr(sys.stdout, "buffer"):
            sys.stdout.buffer.writelines(encode(pieces))
            sys.stdout.buffer.flush()
        else:  # a stream of text, such as StringIO
            sys.stdout.writelines(piece.decode("utf-8") for piece in encode(pieces))
    except BrokenPipeError:
        raise click.exceptions.Exit(READER_LEFT) from None
    except OSError as error:
        raise fault(f"the output cannot be written: {reason(error)}") from None


def replace_file(pieces: Iterable[str | bytes], name: str) -> None:
    """Write data to a new file, and replace the named file with it only if all is written."""
    import tempfile

    from attncalc.core.errors import Place, fault, reason

    place = Place(name)
    if os.path.isdir(name) or (os.path.exists(name) and not os.path.isfile(name)):
        raise fault("is not a regular file", place)
    try:
        handle, path = tempfile.mkstemp(dir=os.path.dirname(name) or ".", prefix=".attncalc-")
    except OSError as error:
        raise fault(f"cannot be written: {reason(error)}", place) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(encode(pieces))
        os.chmod(path, mode_for(name))
        os.replace(path, name)
    except BaseException as error:
        os.unlink(path)
        if isinstance(error, OSError):
            raise fault(f"cannot be written: {reason(error)}", place) from None
        raise


@contextlib.contextmanager
def patience() -> Iterator[None]:
    """Show a spinner on a terminal if work takes more than a moment."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    from threading import Timer

    shown = contextlib.ExitStack()
    clock = Timer(SECONDS_OF_SILENCE, show_spinner, [shown])
    clock.daemon = True
    clock.start()
    try:
        yield
    finally:
        clock.cancel()
        clock.join()
        shown.close()


def show_spinner(until: contextlib.ExitStack) -> None:
    """Show a spinner until the stack is closed."""
    from rich.console import Console

    until.enter_context(Console(stderr=True).status("working"))


def mode_for(output: str) -> int:
    """The permissions of a file: those it had before, or the user's default."""
    if os.path.isfile(output):
        return stat.S_IMODE(os.stat(output).st_mode)
    umask = os.umask(0)
    os.umask(umask)
    return 0o666 & ~umask


class ClosedStream(io.RawIOBase):
    """A substitute for a standard output that was closed before the program started."""

    def writable(self) -> bool:
        return True

    def write(self, _: Any) -> int:
        raise OSError("the stream is closed")


def complain(message: str) -> int:
    """Print an error message, if there is a standard error; return the exit code."""
    if sys.stderr is None:
        return 2
    encoding = sys.stderr.encoding or ("ascii" if hasattr(sys.stderr, "buffer") else "utf-8")
    with contextlib.suppress(OSError):
        click.echo(message.encode(encoding, "backslashreplace").decode(encoding), err=True)
    return 2


def load_problem(file: str) -> Problem:
    """Return the problem in a file; say how it was read if it is not written properly."""
    return load_problem_source(file).problem


def load_problem_source(file: str) -> Source:
    """Return a problem file; say how it was read if it is not written properly."""
    from attncalc.exercise.load import load_source

    source = load_source(file)
    for reading in source.problem.readings:
        complain(str(reading))
    return source


def leave(code: int) -> NoReturn:
    """End the program, without an error about a stream that is already closed."""
    try:
        sys.stdout.flush()
        sys.exit(code)
    except (OSError, ValueError):
        os._exit(code)
