"""Every feature is deleted in a copy of the program: what is left works, and says what it cannot do."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.quick_and_slow import SLOW
from tests.test_imports import all_imports
from tests.tree import PACKAGE

pytestmark = SLOW

ROOT = PACKAGE.parent
FEATURES = sorted(path.parent.name for path in (PACKAGE / "features").glob("*/__init__.py"))
SUITE = [
    "tests/test_imports.py", "tests/test_families.py", "tests/core/test_notations.py",
    "tests/worked/test_parts.py", "tests/marking/test_check.py", "tests/exercise/test_faults.py",
    "tests/pages/test_format_registry.py",
]  # fmt: skip
"""Quick tests of every folder but the features; a feature's own are deleted with it."""
PROGRAM = """
import pkgutil, sys
from importlib import import_module
from os import unlink
import attncalc
from attncalc.exercise.bundled import find_bundled, list_bundled
for module in pkgutil.walk_packages(attncalc.__path__, "attncalc."):
    if module.name not in ("attncalc.__main__", "attncalc.interface"):
        import_module(module.name)
for name in list_bundled():
    try:
        attncalc.solve(attncalc.load(name))
    except attncalc.ProblemError as error:
        print(f"  {name}: {error.faults[0].message}")
        unlink(find_bundled(name))
"""
"""Loads all that is left, and deletes the bundled problems that need what is not, each with its sentence."""
COMMANDS = [
    ["-h"],
    ["list"],
    ["solve", "dot-product-3"],
    ["check", "deepml-131b"],
    ["shapes", "journey"],
]


def importing(feature: str) -> set[str]:
    """A feature and those that import it, or one that does."""
    found = {feature}
    pairs = [
        (one.file.parts[1], one.name.split(".")[2])
        for one in all_imports()
        if one.folder == one.target == "features" and one.name.count(".") > 1
    ]
    while more := {user for user, used in pairs if used in found} - found:
        found |= more
    return found


def needs(file: Path, deleted: set[str]) -> bool:
    """Whether a test imports one of some features, or a helper that does."""
    names = re.findall(r"^ *(?:from|import) ([\w.]+)", file.read_text("utf-8"), re.MULTILINE)
    if any(name.startswith(f"attncalc.features.{feature}") for name in names for feature in deleted):
        return True
    helpers = [
        ROOT.joinpath(*name.split(".")).with_suffix(".py") for name in names if name.startswith("tests.")
    ]
    return any(helper.is_file() and needs(helper, deleted) for helper in helpers)


def run_in(folder: Path, *arguments: str) -> str:
    """What a Python process prints that imports what is in a folder; it must not fail."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, text=True, stdout=-1, stderr=-2)
    assert done.returncode in (0, 1) and "Traceback" not in done.stdout, done.stdout
    return done.stdout


@pytest.mark.parametrize("feature", FEATURES)
def test_the_rest_works_without(feature: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All modules load, commands run, and the quick tests that do not concern the feature pass."""
    deleted = importing(feature)
    for name in ("attncalc", "problems", "tests"):
        shutil.copytree(ROOT / name, tmp_path / name)
    for name in ("pyproject.toml", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, tmp_path)
    for one in deleted:
        shutil.rmtree(tmp_path / "attncalc" / "features" / one)
        shutil.rmtree(tmp_path / "tests" / "features" / one, ignore_errors=True)
    for command in COMMANDS:
        run_in(tmp_path, "-m", "attncalc", *command)
    unread = run_in(tmp_path, "-c", PROGRAM)
    chosen = [file for file in SUITE if not needs(ROOT / file, deleted)]
    with capsys.disabled():
        print(f"\nwithout {feature}, so without {', '.join(sorted(deleted))}; {len(chosen)} files of tests")
        print(unread, end="")
    passed = run_in(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen)
    assert "failed" not in passed and "error" not in passed, passed
