"""Where a result goes and how it is written: one argument for every command."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from attncalc.cli.files_and_streams import patience, shows_colour, shows_glyphs, write_out
from attncalc.core.errors import Place, fault, reason
from attncalc.core.record import record, replace

if TYPE_CHECKING:
    from attncalc.cli.print_pdf import Printing
from attncalc.pages import DEFAULT_FORMAT, Format, Page, formats_of


@record
class Printer:
    """A format, the layout of its page, and the file to write, or None for standard output."""

    format: Format
    page: Page
    file: str | None
    printing: Printing | None = None
    """The program that makes a PDF of the page."""

    def write(self, **offers: Callable[[], object]) -> None:
        """Write the offer of the kind that the format takes; the others are never built."""
        if self.format.kind in ("reports", "gradebooks"):
            # Marking shows its own progress bar, and a class may be too large for the memory.
            write_out(self.format.pieces(offers[self.format.kind](), self.page), self.file)
            return
        with patience():
            pieces = self.pieces(offers[self.format.kind](), self.page)
        if self.file is None and sys.stdout.isatty() and any(isinstance(piece, bytes) for piece in pieces):
            raise fault(f"{self.format.name} is no text for a terminal: name a file with -o")
        write_out(pieces, self.file)

    def pieces(self, thing: object, page: Page) -> list[str | bytes]:
        """The text of a thing, or its bytes, or the PDF of it."""
        if self.printing:
            return [self.printing.compile(self.format.render(thing, page))]
        return [*self.format.pieces(thing, page)]

    def as_text(self) -> Printer:
        """The same printer in the default format, for people."""
        return self.in_format(formats_of("documents")[DEFAULT_FORMAT])

    def in_format(self, format_: Format) -> Printer:
        """The same printer in another format."""
        return replace(self, format=format_, printing=None)

    def write_into(self, folder: str, name: str, **offers: object) -> None:
        """Write the offer that the format takes into a folder, under a name with the ending of the format."""
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise fault(f"cannot be made: {reason(error)}", Place(folder)) from None
        file = os.path.join(folder, f"{name}.{'pdf' if self.printing else self.format.ending}")
        page = replace(self.page, width=None, colour=False)
        write_out(self.pieces(offers[self.format.kind], page), file)


def page_for(
    file: str | None, standalone: bool, flavor: str | None, module: bool, ascii_only: bool, no_color: bool
) -> Page:
    """The layout of a page in a file, in a pipe, or on a terminal, which has a width and perhaps colours."""
    on_terminal = file is None and sys.stdout.isatty()
    return Page(
        standalone,
        flavor or "",
        terminal_width() if on_terminal else None,
        module,
        ascii_only or (file is None and not shows_glyphs()),
        on_terminal and not no_color and shows_colour(),
    )


def terminal_width() -> int:
    """The number of columns of the terminal."""
    from shutil import get_terminal_size

    return get_terminal_size().columns
