"""The tree of the package, a sentence for every folder and file: `python -m tests.tree [WORD]`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "attncalc"


def sentence_of(path: Path) -> str:
    """The first line of the docstring of a file, or of a folder."""
    file = path / "__init__.py" if path.is_dir() else path
    return (ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").split("\n")[0]


def lines_of(folder: Path) -> Iterator[str]:
    """A line for a folder, then for each of its files, then its folders; paths are those below the package."""
    yield f"{folder.relative_to(PACKAGE)}/  {sentence_of(folder)}"
    for file in sorted(folder.glob("*.py")):
        if file.name != "__init__.py":
            yield f"{file.relative_to(PACKAGE)}  {sentence_of(file)}"
    for inner in sorted(path.parent for path in folder.glob("*/__init__.py")):
        yield from lines_of(inner)


if __name__ == "__main__":
    print(*(line for line in lines_of(PACKAGE) if sys.argv[-1] in line or len(sys.argv) == 1), sep="\n")
