"""One more of every family: laid over a copy of the program, each works everywhere with no other edit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.quick_and_slow import SLOW

pytestmark = SLOW

ROOT = Path(__file__).parents[1]
ARRIVING = Path(__file__).parent / "arrival"
ARRIVED = [
    "warm and not warmth", "heat and not missing", "heat-missing", "sharp", "warmth", "outline", "asinh",
    "difficulty", "1over2",
]  # fmt: skip
"""Words in the test ids of the problems, mechanisms, mistake, topic, format, function, key and repair."""
TABLES = {
    "function": ("core/terms/functions.py", ")  # fmt: skip\nFUNCTIONS"),
    "repair": ("exercise/numbers/repairs.py", ')  # fmt: skip\n"""Repairs of numbers'),
}
"""Where the rows go: into which file, and before what."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program and its tests, with one more file of every family and one more row of two tables."""
    folder = tmp_path_factory.mktemp("copy")
    for name in ("attncalc", "problems", "tests"):
        shutil.copytree(
            ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "__snapshots__")
        )
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, folder)
    for name in ("attncalc", "problems"):
        shutil.copytree(ARRIVING / name, folder / name, dirs_exist_ok=True)
    for name, (file, end) in TABLES.items():
        table = folder / "attncalc" / file
        text, row = table.read_text("utf-8"), (ARRIVING / "rows" / f"{name}.txt").read_text("utf-8")
        assert text.count(end) == 1
        table.write_text(text.replace(end, row + end), "utf-8")
    return folder


def run_in(folder: Path, *arguments: str) -> None:
    """A Python process that imports what is in a folder; fails with what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, text=True, stdout=-1, stderr=-2)
    assert done.returncode == 0, done.stdout


def test_what_arrives_works_everywhere(copy: Path) -> None:
    """In solve, check, explain, all formats, gradients and laws."""
    run_in(copy, "tests.arrival")


@SLOW
@pytest.mark.parametrize("chosen", ARRIVED)
def test_the_tests_try_what_arrives(chosen: str, copy: Path) -> None:
    """Without an edit: its rows of all tables, by name; only golden files are new."""
    options = ("-p", "no:cacheprovider", "--snapshot-update", "-m", "slow or not slow")
    run_in(copy, "pytest", *options, "-k", f"{chosen} and not arrival")
