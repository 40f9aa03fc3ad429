"""The registry of output formats: a file is a format, its name is the file's, its folder says what it takes.

documents   a document
solutions   a solution, and what of it is asked for
reports     what `check` found, as far as it is told
data        mappings, lists, numbers and text
files       a file in a language of its own
findings    what `lint` found
packs       an assignment for another system

Every format has `render(thing, page)`, which gives the text, or `pieces(thing, page)`, which gives it bit by
bit where it may be long.  Where an entry can be pointed at, to see its working, it says so: `POINTED = True`;
where it holds one report and no more: `SINGLE = True`; where its files end otherwise than it is called:
`ENDING = "md"`.  None is loaded before it is used.  What some share stands beside these folders.  Features
bring findings and packs.
"""

from collections.abc import Iterable
from types import ModuleType
from typing import Literal, TypeAlias

from attncalc.core.families import load_member, names_in
from attncalc.core.record import record

Kind: TypeAlias = Literal["documents", "solutions", "reports", "data", "findings", "files", "packs"]
USUAL = "text"
"""The format that is written where none is asked for."""


@record
class Page:
    """What a format may be asked for: a whole file, not a fragment; a flavour; of text, how it is printed."""

    standalone: bool = False
    flavor: str = ""
    width: int | None = None
    """The columns of the terminal; elsewhere a line is as long as it is."""
    module: bool = False
    """Of a program: a module as one writes it, not a script."""
    ascii: bool = False
    colour: bool = False


FRAGMENT = Page()


@record
class Format:
    """One format: its name and what it takes."""

    name: str
    kind: Kind

    @property
    def file(self) -> ModuleType:
        """The file that it is, loaded."""
        return load_member(f"pages.{self.kind}", self.name)

    @property
    def is_pointed(self) -> bool:
        """Whether entries can be pointed at."""
        return bool(getattr(self.file, "POINTED", False))

    @property
    def is_single(self) -> bool:
        """Whether it holds one report, and no more."""
        return bool(getattr(self.file, "SINGLE", False))

    @property
    def ending(self) -> str:
        """How its files end."""
        return str(getattr(self.file, "ENDING", self.name))

    def pieces(self, thing: object, page: Page = FRAGMENT) -> Iterable[str]:
        """The text of a thing that it takes, bit by bit where it may be long."""
        if hasattr(self.file, "pieces"):
            yield from self.file.pieces(thing, page)
        else:
            yield self.file.render(thing, page)

    def render(self, thing: object, page: Page = FRAGMENT) -> str:
        """The text of a thing that it takes."""
        return "".join(self.pieces(thing, page))


def formats_of(*kinds: Kind) -> dict[str, Format]:
    """The formats that take one of these, by name, the usual one first."""
    found = [Format(name, kind) for kind in kinds for name in names_in(f"pages.{kind}")]
    return {format.name: format for format in sorted(found, key=lambda format: format.name != USUAL)}
