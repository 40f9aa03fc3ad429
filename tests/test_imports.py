"""The nine folders of the package: every import points up the list, and none is lazy without a reason."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.tree import PACKAGE, sentence_of

FOLDERS = ("core", "exercise", "worked", "mistakes", "marking", "pages", "api", "cli", "features")
"""In the order in which they may import: each from those before it."""
FLOOR = {folder: number for number, folder in enumerate(FOLDERS)}
DOOR = ("__init__", "__main__", "interface")
"""The package itself, and names of earlier versions: they only look up names."""
START_UP = {
    "difflib",
    "rich.cells",
    "attncalc.exercise.numbers.arrays",
    "attncalc.core.fields.interval",
    "attncalc.exercise.numbers.parser",
    "attncalc.exercise.numbers.printed",
    "attncalc.worked.words",
}
"""Slow to import and seldom needed: a function may wait for them."""
REPAIRS = {
    "attncalc.core.spellings",
    "attncalc.exercise.keys.meant",
    "attncalc.exercise.keys.part_hints",
    "attncalc.exercise.keys.unknown",
    "attncalc.exercise.mend",
    "attncalc.exercise.numbers.student_numbers",
    "attncalc.exercise.numbers.repairs",
    "attncalc.exercise.yaml.try_repairs",
    "attncalc.exercise.yaml.repairs",
}
"""Needed only if something cannot be read."""
OPERATIONS = ("attncalc.core.ops.", "attncalc.core.graph.backward")
"""A mechanism that few problems use imports its operations when it builds its steps."""
SYMPY = {"attncalc.core.fields.algebra", "attncalc.core.fields.exact", "attncalc.worked.writer.naming"}
"""Modules that import SymPy, or are needed only by those that do."""

BODIES = ("body", "orelse", "handlers", "finalbody", "cases")
"""The fields of a statement that hold other statements: an import is never part of an expression."""


class Import:
    """One import of one file."""

    def __init__(self, file: Path, node: ast.Import | ast.ImportFrom, name: str, lazy: bool) -> None:
        self.file, self.line, self.name, self.lazy = file.relative_to(PACKAGE), node.lineno, name, lazy

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.name}"

    @property
    def folder(self) -> str:
        """The folder that the file stands in."""
        return self.file.parts[0].removesuffix(".py")

    @property
    def target(self) -> str:
        """The folder that is imported from; empty if it is not ours."""
        package, _, rest = self.name.partition(".")
        return rest.partition(".")[0] if package == "attncalc" else ""


def imports(file: Path) -> Iterator[Import]:
    """Every import of a file, those inside functions too; not those that only a type checker reads."""

    def visit(node: ast.AST, lazy: bool) -> Iterator[Import]:
        for child in (statement for name in BODIES for statement in getattr(node, name, ())):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.Import):
                yield from (Import(file, child, alias.name, lazy) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.module is not None, "imports are written in full"
                for alias in child.names:
                    whole = PACKAGE.parent.joinpath(*child.module.split("."), alias.name)
                    is_module = whole.is_dir() or whole.with_suffix(".py").is_file()
                    yield Import(
                        file, child, f"{child.module}.{alias.name}" if is_module else child.module, lazy
                    )
            else:
                inside = lazy or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
                yield from visit(child, inside)

    yield from visit(ast.parse(file.read_text("utf-8")), lazy=False)


@cache
def all_imports() -> list[Import]:
    """Every import of every file of the package."""
    return [found for file in sorted(PACKAGE.rglob("*.py")) for found in imports(file)]


def test_every_folder_is_on_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    """No loose files; the tree is printed, a sentence each."""
    there = {path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.suffix in ("", ".py")}
    assert there - {"__pycache__", "problems"} - {*DOOR} == set(FOLDERS)
    with capsys.disabled():
        print()
        for folder in FOLDERS:
            print(f"  {folder + '/':<12}{sentence_of(PACKAGE / folder)}")
            for inner in sorted(path.parent for path in (PACKAGE / folder).glob("*/__init__.py")):
                print(f"    {inner.name + '/':<14}{sentence_of(inner)}")


def test_readme_has_the_tree() -> None:
    """With the sentence of each of the nine folders, in the same order."""
    readme = (PACKAGE.parent / "README.md").read_text("utf-8")
    lines = [f"{folder + '/':<13}{sentence_of(PACKAGE / folder)}" for folder in FOLDERS]
    places = [
        readme.find(re.sub(r" [A-Z]", lambda first: first[0].lower(), line, count=1)[:-1]) for line in lines
    ]
    assert -1 not in places and places == sorted(places)


def test_imports_point_up() -> None:
    """A folder imports from those above it, never from below, also in a lazy import."""
    down = [
        str(found)
        for found in all_imports()
        if found.folder not in DOOR
        and found.target
        and found.folder != found.target
        and FLOOR[found.target] >= FLOOR[found.folder]
    ]
    assert not down, "\n".join(down)


def test_lazy_imports_have_a_reason() -> None:
    """Functions import nothing but what is slow to start; commands import everything so."""
    lazy = [found for found in all_imports() if found.lazy and found.folder not in ("cli", "features", *DOOR)]
    unfounded = [
        str(found)
        for found in lazy
        if found.name not in START_UP | REPAIRS | SYMPY
        and not (found.file.parts[:2] == ("exercise", "mechanisms") and found.name.startswith(OPERATIONS))
    ]
    assert not unfounded, "\n".join(unfounded)


def test_sympy_is_in_one_folder() -> None:
    """Nothing but the exact field knows SymPy."""
    folders = {found.file.parent for found in all_imports() if found.name.startswith("sympy")}
    assert folders == {Path("core/fields/algebra")}
