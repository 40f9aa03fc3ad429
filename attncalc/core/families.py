"""Open families: a file in the folder of one is a member, found by itself."""

from __future__ import annotations

import os
from functools import cache
from importlib import import_module
from types import ModuleType

PACKAGE = os.path.dirname(os.path.dirname(__file__))


@cache
def names_in(family: str) -> tuple[str, ...]:
    """The names of a family's files, with hyphens; none of them is loaded."""
    folder = os.path.join(PACKAGE, *family.split("."))
    names = sorted(name.removesuffix(".py") for name in os.listdir(folder))
    members = (name for name in names if name.isidentifier() and name[0] != "_" and name != "base")
    return tuple(name.replace("_", "-") for name in members)


def load_member(family: str, name: str) -> ModuleType:
    """One file of a family, loaded."""
    return import_module(f"attncalc.{family}.{name.replace('-', '_')}")


def load_members(family: str) -> list[ModuleType]:
    """All files of a family, loaded."""
    return [load_member(family, name) for name in names_in(family)]
