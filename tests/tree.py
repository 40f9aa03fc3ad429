"""The tree of the package, a sentence for every folder and file: `python -m tests.tree [WORD]`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "attncalc"


def sentence_of(path: Path) -> str:
    """The first line of the docstring of a file, or of a folder; of a script, its first comment."""
    if path.suffix == ".js":
        comments = (line for line in path.read_text("utf-8").split("\n") if line.startswith("// "))
        return next(comments, "").removeprefix("// ")
    file = path / "__init__.py" if path.is_dir() else path
    return (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").split("\n")[0]


def lines_of(folder: Path) -> Iterator[str]:
    """A line for a folder, then for each of its files, then its folders; paths are those below the package."""
    if (folder / "__init__.py").exists():
        yield f"{folder.relative_to(PACKAGE)}/  {sentence_of(folder)}"
    for file in sorted([*folder.glob("*.py"), *folder.glob("*.js")]):
        if file.name != "__init__.py":
            yield f"{file.relative_to(PACKAGE)}  {sentence_of(file)}"
    for inner in sorted(path for path in folder.iterdir() if path.is_dir()):
        yield from lines_of(inner)


if __name__ == "__main__":
    print(*(line for line in lines_of(PACKAGE) if sys.argv[-1] in line or len(sys.argv) == 1), sep="\n")
