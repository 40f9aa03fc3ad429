"""What importing one thing, or running one command, loads: few modules, and none that it does not use."""

from __future__ import annotations

from functools import cache

import pytest

from tests.helpers.commands import run_python

IMPORTED = """
import sys
import {0}
print(*sys.modules)
"""
RUN = """
import atexit, os, sys
atexit.register(lambda: print("", *sys.modules, sep="\\n"))
sys.argv = ["attncalc", *{0!r}]
from attncalc.cli import main
main()
"""
BUILT_ON_EVERYTHING = ("attncalc.marking", "attncalc.mistakes", "attncalc.features")
"""Folders that solving needs nothing of."""


def ours(modules: str) -> set[str]:
    """The modules of attncalc among all that are loaded."""
    return {name for name in modules.split() if name.split(".")[0] == "attncalc"}


def loaded_by_import(module: str) -> set[str]:
    """What a fresh interpreter loads to import a module."""
    return ours(run_python("-c", IMPORTED.format(module)))


@cache
def loaded_by_command(*arguments: str) -> set[str]:
    """What a fresh interpreter loads to run a command."""
    return ours(run_python("-c", RUN.format(list(arguments))))


@pytest.mark.parametrize(
    ("module", "most"),
    [("attncalc.pages.documents.html", 60), ("attncalc.worked.document", 120)],
)
def test_importing_one_thing_loads_few_modules(module: str, most: int) -> None:
    """A format needs documents and notations; a worked document also what a solution is made of."""
    assert len(loaded_by_import(module)) <= most


def test_solve_loads_few_modules() -> None:
    """A numeric solve from the shell loads what it runs through, and little else."""
    assert len(loaded_by_command("solve", "dot-product-3", "--numeric")) <= 120


@pytest.mark.parametrize("mode", ["--numeric", "--exact"])
def test_solve_loads_nothing_that_marks(mode: str) -> None:
    """Neither the checker nor mistakes nor features are loaded to solve a problem."""
    loaded = loaded_by_command("solve", "dot-product-3", mode)
    assert not {name for name in loaded if name.startswith(BUILT_ON_EVERYTHING)}


def test_help_loads_only_the_command_line() -> None:
    """Help reads no problem and computes nothing."""
    loaded = loaded_by_command("--help")
    assert len(loaded) <= 20
    assert not {name for name in loaded if name.startswith(("attncalc.exercise.", "attncalc.worked"))}


def test_completing_a_name_loads_no_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """The shell asks for the names of bundled problems at every Tab."""
    for name, value in COMPLETION.items():
        monkeypatch.setenv(name, value)
    shown = run_python("-c", RUN.format([]))
    assert "plain,dot-product-3" in shown.splitlines()
    assert len(ours(shown)) <= 25
    assert "numpy" not in shown.split()


COMPLETION = {
    "_ATTNCALC_COMPLETE": "bash_complete",
    "COMP_WORDS": "attncalc solve dot",
    "COMP_CWORD": "2",
}
"""How bash asks for the names of problems that begin with `dot`."""
