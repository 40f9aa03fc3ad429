"""Where the package can be imported from."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

import attncalc


@pytest.mark.parametrize("arguments", [("-c", "import attncalc"), ("-m", "attncalc", "list")])
def test_a_zip_says_why_it_cannot_be_imported(arguments: tuple[str, ...], tmp_path: Path) -> None:
    """The package lists its folders and reads its styles and problems, which a zip does not have as files."""
    with ZipFile(tmp_path / "attncalc.zip", "w") as zipped:
        zipped.write(str(attncalc.__file__), "attncalc/__init__.py")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "attncalc.zip")}
    line = [sys.executable, *arguments]
    ran = subprocess.run(line, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert "no zip can hold it: unpack or install it" in ran.stderr.splitlines()[-1]
