"""Open families: a file in the folder of a family is a member, imported when it is used.

A family is named by its folder, as `pages.reports` is.  A feature may bring members, too: its file
`report_gradescope.py` is the member `gradescope` of the reports.  So a feature is added, or deleted, as one
folder; nothing outside it names it.
"""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from types import ModuleType

PACKAGE = os.path.dirname(os.path.dirname(__file__))


@cache
def members_of(family: str) -> dict[str, str]:
    """The modules of a family's members, by name, with hyphens; none of them is loaded."""
    found = {name: f"attncalc.{family}.{name}" for name in files_in(family)}
    prefix = family.rpartition(".")[2].removesuffix("s") + "_"
    for home in (f"features.{feature}" for feature in files_in("features")):
        brought = [name for name in files_in(home) if name.startswith(prefix)]
        found |= {name.removeprefix(prefix): f"attncalc.{home}.{name}" for name in brought}
    return {name.replace("_", "-"): module for name, module in sorted(found.items())}


@cache
def files_in(home: str) -> list[str]:
    """The names of the modules in a folder, if it is there; what its members share is in `base`."""
    try:
        names = os.listdir(os.path.join(PACKAGE, *home.split(".")))
    except (FileNotFoundError, NotADirectoryError):
        return []
    names = [name.removesuffix(".py") for name in names]
    return [name for name in names if name.isidentifier() and name[0] != "_" and name != "base"]


def names_in(family: str) -> tuple[str, ...]:
    """The names of a family's members, with hyphens; none of them is loaded."""
    return tuple(members_of(family))


def load_member(family: str, name: str) -> ModuleType:
    """Import one member of a family."""
    return import_module(members_of(family)[name])


def load_members(family: str) -> list[ModuleType]:
    """Import all members of a family."""
    return [load_member(family, name) for name in members_of(family)]


def first_line_of(family: str, name: str) -> str:
    """The first line of a member's docstring, read from its file: the member is not loaded."""
    *folders, file = members_of(family)[name].split(".")[1:]
    with open(os.path.join(PACKAGE, *folders, f"{file}.py"), encoding="utf-8") as lines:
        return lines.readline().strip().strip('"')
