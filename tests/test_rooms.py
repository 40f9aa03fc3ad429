"""The rooms of the house: every import points up the list, and none waits inside a function without a reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "attncalc"
ROOMS = """
    record synonyms
    docstrings errors families
    terms
    fields
    readings
    notations
    ops
    graph
    inputs
    mechanisms
    loading
    solution
    document
    mistakes
    checking
    authoring
    topics
    practising
    handouts
    formats
    interface
    cli
"""
"""From the top of the house to its door; those on one line stand beside each other.

The graph stands above what comes in, for the parts of a problem refer to steps; what reads a problem file stands
below the mechanisms, whose keys it reads; whole documents stand below the topics that they tell.  `inputs` is not
called `problem` because `attncalc.problem` is a function.
"""
FLOORS = [line.split() for line in ROOMS.splitlines() if line.strip()]
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
DOOR = ("__init__", "__main__")
"""The package itself, which only looks up names."""
START_UP = {"difflib", "attncalc.inputs.arrays", "rich.cells"}
"""Slow to import and seldom needed: a function may wait for them."""
SYMPY = {"attncalc.fields.algebra", "attncalc.fields.exact", "attncalc.document.naming"}
"""What imports SymPy, or is needed only where it may be."""


class Import:
    """One import of one file."""

    def __init__(self, file: Path, node: ast.Import | ast.ImportFrom, name: str, lazy: bool) -> None:
        self.file, self.line, self.name, self.lazy = file.relative_to(PACKAGE), node.lineno, name, lazy

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.name}"

    @property
    def room(self) -> str:
        """The room that the file stands in."""
        return self.file.parts[0].removesuffix(".py")

    @property
    def target(self) -> str:
        """The room that is imported from, or nothing where it is not ours."""
        package, _, rest = self.name.partition(".")
        return rest.partition(".")[0] if package == "attncalc" else ""


def imports(file: Path) -> Iterator[Import]:
    """Every import of a file, those inside functions too; not those that only a type checker reads."""

    def visit(node: ast.AST, lazy: bool) -> Iterator[Import]:
        for child in ast.iter_child_nodes(node):
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
                inside = lazy or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
                yield from visit(child, inside)

    yield from visit(ast.parse(file.read_text("utf-8")), lazy=False)


IMPORTS = [found for file in sorted(PACKAGE.rglob("*.py")) for found in imports(file)]


def test_every_room_is_on_the_list(capsys: pytest.CaptureFixture[str]) -> None:
    """No loose files; the list is printed."""
    there = {path.name.removesuffix(".py") for path in PACKAGE.iterdir() if path.suffix in ("", ".py")}
    assert there - {"__pycache__", "problems"} - {*DOOR} == set(FLOOR)
    with capsys.disabled():
        print("", *(" · ".join(rooms) for rooms in FLOORS), sep="\n  ")


def test_imports_point_up() -> None:
    """A room imports from those above it, never from below, also where the import waits in a function."""
    down = [
        str(found)
        for found in IMPORTS
        if found.room not in DOOR
        and found.target
        and found.room != found.target
        and FLOOR[found.target] >= FLOOR[found.room]
    ]
    assert not down, "\n".join(down)


def test_no_import_waits_without_a_reason() -> None:
    """Functions import nothing but what starts slowly, outside the commands, which all start so."""
    lazy = [found for found in IMPORTS if found.lazy and found.room not in ("cli", *DOOR)]
    unfounded = [str(found) for found in lazy if found.name not in START_UP | SYMPY]
    assert not unfounded, "\n".join(unfounded)


def test_sympy_is_in_one_folder() -> None:
    """Nothing but the exact field knows SymPy."""
    folders = {found.file.parent for found in IMPORTS if found.name.startswith("sympy")}
    assert folders == {Path("fields/algebra")}
