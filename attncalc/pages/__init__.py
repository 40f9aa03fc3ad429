"""Documents, solutions and reports as text, HTML, LaTeX, Markdown, JSON, CSV, pictures, scripts.

The registry of formats: each file is the format of that name, and its folder says what it takes.

documents   a document
solutions   a solution, and which of its steps are asked for
reports     the reports of `check`, at their level of detail
data        mappings, lists, numbers and text
files       the text of a file
findings    the findings of `lint`
packs       an assignment for another system
gradebooks  the points of a class
sheets      a solution, as a worksheet in a format that no document has

Every format has `render(thing, page)`, which returns the text, or `pieces(thing, page)`, which yields a long
text in pieces.  A format in which one can point at an entry to see its working has `POINTED = True`; one that
holds a single report, `SINGLE = True`; one whose file extension differs from its name, `ENDING = "md"`.  A
format is imported when it is used.  Shared code is in other folders.  Features bring
findings, packs, gradebooks and sheets.
"""

from collections.abc import Iterable
from types import ModuleType
from typing import Literal, TypeAlias

from attncalc.core.families import load_member, names_in
from attncalc.core.record import record

FormatKind: TypeAlias = Literal[
    "documents", "solutions", "reports", "data", "findings", "files", "packs", "gradebooks", "sheets"
]
DEFAULT_FORMAT = "text"
"""The default format."""


@record
class Page:
    """Settings of a format: a whole file or a fragment; a flavour; for text, how it is printed."""

    standalone: bool = False
    flavor: str = ""
    width: int | None = None
    """The columns of the terminal; None for lines of any length."""
    module: bool = False
    """For a program: a module, not a script."""
    ascii: bool = False
    colour: bool = False


FRAGMENT = Page()


@record
class Format:
    """One format: its name and what it takes."""

    name: str
    kind: FormatKind

    @property
    def file(self) -> ModuleType:
        """Its module, imported."""
        return load_member(f"pages.{self.kind}", self.name)

    @property
    def is_pointed(self) -> bool:
        """Whether one can point at its entries."""
        return bool(getattr(self.file, "POINTED", False))

    @property
    def is_single(self) -> bool:
        """Whether it holds a single report."""
        return bool(getattr(self.file, "SINGLE", False))

    @property
    def ending(self) -> str:
        """Its file extension."""
        return str(getattr(self.file, "ENDING", self.name))

    @property
    def page_endings(self) -> tuple[str, ...]:
        """The other file extensions that it has in other flavours."""
        return tuple(getattr(self.file, "page_endings", tuple)())

    def pieces(self, thing: object, page: Page = FRAGMENT) -> Iterable[str | bytes]:
        """Yield the text of a thing, in pieces if it may be long, or its bytes."""
        if hasattr(self.file, "pieces"):
            yield from self.file.pieces(thing, page)
        else:
            yield self.file.render(thing, page)

    def render(self, thing: object, page: Page = FRAGMENT) -> str:
        """Return the text of a thing."""
        return "".join(map(str, self.pieces(thing, page)))


def formats_of(*kinds: FormatKind) -> dict[str, Format]:
    """The formats of these kinds, by name, the default first."""
    found = [Format(name, kind) for kind in kinds for name in names_in(f"pages.{kind}")]
    return {format.name: format for format in sorted(found, key=lambda format: format.name != DEFAULT_FORMAT)}
