"""Pages as PDF: printed by Typst if it is installed, else by a LaTeX that is found."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec

from attncalc.core.errors import fault
from attncalc.core.record import record

LATEX = ("lualatex", "xelatex", "pdflatex", "tectonic")
"""The programs that compile LaTeX, those first whose fonts have most characters."""
OPTIONS = ("-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape")
LONGEST = 120
"""The seconds after which LaTeX is stopped."""
INSTALL = "to write a PDF, install Typst (pip install 'attncalc[pdf]') or a LaTeX such as TeX Live"


@record
class Printing:
    """The page format that a printing program reads, and how it makes a PDF of a text in it."""

    format: str
    compile: Callable[[str], bytes]


def find_printing(output: str | None) -> Printing:
    """Return the program to print with; raise an error that says what to install if there is none."""
    if output is None and sys.stdout.isatty():
        raise fault("a PDF needs a file: add -o FILE.pdf")
    if find_spec("typst"):
        return Printing("typst", compile_typst)
    for program in LATEX:
        if path := shutil.which(program):
            return Printing("latex", lambda text: compile_latex(path, text))
    raise fault(INSTALL)


def compile_typst(text: str) -> bytes:
    """Compile Typst; the same text gives the same bytes."""
    import typst

    try:
        return bytes(typst.compile(text.encode("utf-8"), format="pdf", timestamp=0))
    except RuntimeError as error:
        raise fault(f"Typst cannot print this page: {error}") from None


def compile_latex(program: str, text: str) -> bytes:
    """Compile a LaTeX article in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "page.tex"), "w", encoding="utf-8") as file:
            file.write(text)
        options = () if program.endswith("tectonic") else OPTIONS
        try:
            done = subprocess.run(
                [program, *options, "page.tex"], cwd=folder, capture_output=True, check=False, timeout=LONGEST
            )
            with open(os.path.join(folder, "page.pdf"), "rb") as file:
                return file.read()
        except subprocess.TimeoutExpired:
            raise fault(f"{os.path.basename(program)} did not end within {LONGEST} seconds") from None
        except OSError:
            said = done.stdout.decode("utf-8", "replace")
            why = next((line for line in said.splitlines() if line.startswith("!")), "it wrote no PDF")
            raise fault(f"{os.path.basename(program)} cannot print this page: {why}") from None
