"""The problems that come with the program: their names and files, without reading one."""

from __future__ import annotations

import os

from attncalc.core.errors import Place, fault, nearest

ENDING = ".yaml"
"""How problem files end."""


def folder_of_bundled() -> str:
    """Where the bundled problems are: inside an installed package, or beside it in a checkout."""
    package = os.path.dirname(os.path.dirname(__file__))
    inside = os.path.join(package, "problems")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), "problems")


def find_bundled(name: str) -> str:
    """The file of a bundled problem."""
    known = list_bundled()
    if name not in known:
        hint = nearest(name, known) or ": attncalc list names these"
        raise fault(f"is neither a file nor a bundled problem{hint}", Place(name))
    return os.path.join(folder_of_bundled(), f"{name}{ENDING}")


def list_bundled() -> list[str]:
    """The names of all bundled problems."""
    files = os.listdir(folder_of_bundled())
    return sorted(file.removesuffix(ENDING) for file in files if file.endswith(ENDING))
