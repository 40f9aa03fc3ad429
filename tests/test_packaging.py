"""The wheel and the source distribution: built, complete, and usable without this checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.helpers.bundled import NAMES
from tests.helpers.commands import run
from tests.helpers.quick_and_slow import SLOW

ROOT = Path(__file__).parents[1]
MISSING = [name for name in ("build", "hatchling", "pip") if find_spec(name) is None]
pytestmark = [SLOW, pytest.mark.skipif(bool(MISSING), reason=f"needs {' and '.join(MISSING)}")]


def run_with(folder: Path, cwd: Path, *command: str) -> str:
    """Run a command that imports the packages in a folder, and return its output."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution, and the wheel from it; nothing is downloaded."""
    folder = tmp_path_factory.mktemp("dist")
    run_with(ROOT, folder, sys.executable, "-m", "build", "--no-isolation", "-o", str(folder), str(ROOT))
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    """The wheel."""
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the wheel is installed; its dependencies are those of this Python."""
    folder = tmp_path_factory.mktemp("installed")
    options = ("--quiet", "--no-index", "--no-deps", "--no-compile", "--disable-pip-version-check")
    run_with(
        ROOT, folder, sys.executable, "-m", "pip", "install", *options, "--target", str(folder), str(wheel)
    )
    return folder


@pytest.fixture(scope="module")
def unpacked(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked."""
    (archive,) = built.glob("*.tar.gz")
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (found,) = folder.iterdir()
    return found


def test_the_wheel_holds_the_package_and_the_problems(wheel: Path) -> None:
    """Modules, the script and the style of pages, py.typed and every bundled problem, and nothing else."""
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    files = {path for path in (ROOT / "attncalc").rglob("*") if path.is_file()}
    ours = {path.relative_to(ROOT).as_posix() for path in files if "__pycache__" not in path.parts}
    assert {path for path in ours if path.endswith((".js", ".css"))} and "attncalc/py.typed" in ours
    assert names == ours | {f"attncalc/problems/{name}.yaml" for name in NAMES}


def test_the_metadata_of_the_wheel(wheel: Path) -> None:
    """What a package index shows."""
    with zipfile.ZipFile(wheel) as packed:
        (name,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(packed.read(name).decode("utf-8"))
    assert metadata["Author"] == "attncalc contributors" and "attention" in metadata["Keywords"].split(",")
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])
    assert str(metadata.get_payload()) == (ROOT / "README.md").read_text("utf-8")


def test_the_installed_command(installed: Path, tmp_path: Path) -> None:
    """`attncalc solve` prints what it prints here, from the installed files."""
    where = run_with(installed, tmp_path, sys.executable, "-c", "import attncalc; print(attncalc.__file__)")
    assert Path(where.strip()).parent == installed / "attncalc"
    printed = run_with(installed, tmp_path, str(installed / "bin" / "attncalc"), "solve", "dot-product-3")
    assert printed == run("solve", "dot-product-3")


def test_a_page_from_the_installed_command(installed: Path, tmp_path: Path) -> None:
    """With its script and its style."""
    command = [str(installed / "bin" / "attncalc"), "solve", "dot-product-3", "-f", "html"]
    assert run_with(installed, tmp_path, *command) == run("solve", "dot-product-3", "-f", "html")


def test_the_source_distribution_tests_itself(unpacked: Path) -> None:
    """Its tests run in the unpacked folder, with their golden files."""
    assert {f"{name}.yaml" for name in NAMES} == {path.name for path in (unpacked / "problems").iterdir()}
    tests = (
        "tests/test_imports.py",
        "tests/worked/test_golden_solutions.py",
        "tests/exercise/test_expressions.py",
    )
    printed = run_with(unpacked, unpacked, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *tests)
    assert "snapshots passed" in printed
