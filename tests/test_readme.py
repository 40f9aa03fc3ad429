"""README: a tour, every command of which is run and prints what README says it prints."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from attncalc.cli import cli
from tests.helpers.commands import EVERY_COMMAND
from tests.helpers.quick_and_slow import SLOW

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.M | re.S)
GUIDE = "\n".join(
    file.read_text("utf-8")
    for inner in ("attncalc", "problems")
    for file in sorted((ROOT / inner).rglob("README.md"))
)
"""What README leaves to other files."""
PROSE = re.sub(r"^```.*?^```$", "", README, flags=re.M | re.S)
CUT = "…"
"""A line that stands for any number of lines."""


def blocks(language: str) -> list[str]:
    """All blocks in one language."""
    return [text for found, text in BLOCKS if found == language]


COMMANDS = [
    (command.split("  #")[0].strip(), printed)
    for block in blocks("console")
    for command, printed in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M)
] + [(command, "") for command in re.findall(r"`(attncalc [^`]+)`", PROSE + GUIDE)]
"""Every command, with what README says it prints."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What README speaks of: the files it shows, one of arrays, a class, answers to variants."""
    here = tmp_path_factory.mktemp("readme")
    for text in blocks("yaml"):
        (here / text.split()[1]).write_text(text, "utf-8")
    np.savez(here / "mine.npz", Q=np.array([[2, 3, -5], [-1, 0, 2], [1, -2, 8]]))
    for name, answer in {
        "ada": "student: Ada\nO: [[0.86, 1.58, -0.72], [0.99, 1.88, -1.56]]\n",
        "eve": "A: [[1x]]\n",
    }.items():
        (here / f"{name}.yaml").write_text(answer, "utf-8")
    (here / "class").mkdir()
    for name in ("ada", "bea", "eve"):
        shutil.copy(here / f"{name}.yaml", here / "class")
    shutil.copy(here / "mine.yaml", here / "hw.yaml")
    (here / "students.csv").write_text("Name\nAda\n", "utf-8")
    shutil.make_archive(str(here / "submissions"), "zip", here / "class")
    (here / "answers").mkdir()
    (here / "answers" / "001.yaml").write_text("{}\n", "utf-8")
    shim = here / "bin" / "attncalc"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m attncalc "$@"\n', "utf-8")
    shim.chmod(0o755)
    return here


@pytest.mark.parametrize(("command", "printed"), [pair for pair in COMMANDS if pair[1]])
def test_commands_print_what_readme_says(
    command: str, printed: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inside this process: the commands of README whose output it shows."""
    monkeypatch.chdir(folder)
    _, *arguments = shlex.split(command)
    check_output(CliRunner().invoke(cli, arguments).stdout, printed)


@SLOW
@pytest.mark.parametrize(("command", "printed"), COMMANDS)
def test_every_command_runs_in_a_shell(command: str, printed: str, folder: Path) -> None:
    """In the order of README, in one folder."""
    path = os.pathsep.join((str(folder / "bin"), os.environ["PATH"]))
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    found = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, text=True, encoding="utf-8",
        stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    # 1 says that something is wrong in answers, or that lint has findings.
    assert found.returncode in (0, 1), found.stderr
    check_output(found.stdout, printed)


def check_output(output: str, printed: str) -> None:
    """Fail if a stretch of lines that README shows is missing, or out of order."""
    rest = "\n" + output
    for stretch in filter(None, re.split(rf"^{CUT}\n", printed, flags=re.M)):
        assert f"\n{stretch}" in rest, output
        rest = rest.split(f"\n{stretch}", 1)[1]


def test_readme_is_a_tour() -> None:
    """The reference is the program's own."""
    assert len(README.splitlines()) < 200 and len(COMMANDS) > 25


def test_the_picture_is_what_the_program_draws() -> None:
    """The first picture of README, drawn again."""
    (name,) = re.findall(r"!\[[^]]*\]\(([^)]+)\)", README)
    drawn = CliRunner().invoke(cli, ["solve", "journey", "-f", "svg"]).stdout
    assert (ROOT / name).read_text("utf-8") == drawn


def test_options_exist() -> None:
    """Every option that README names is one of some command."""
    options = {
        name
        for one in EVERY_COMMAND.values()
        for parameter in one.params
        for name in (*parameter.opts, *parameter.secondary_opts)
    }
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", re.sub(r"`(pip|python3?|\S+/pip) [^`]*`", "", PROSE)))
    assert named and named <= options


def test_python(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first Python block runs as it stands."""
    monkeypatch.chdir(folder)
    names: dict[str, object] = {}
    exec(compile(blocks("python")[0], "README.md", "exec"), names)  # our own text, as a reader types it
    assert names["solution"] and names["report"]


def test_files_exist() -> None:
    """Files and modules that README and the guide to the code point at."""
    for name in re.findall(
        r"`(?:pytest )?((?:tests|ops|mechanisms|mistakes|topics|formats|terms|readings)/\S+?)`", PROSE + GUIDE
    ):
        assert (ROOT / name).exists() or (ROOT / "attncalc" / name).exists(), name
    for module in re.findall(r"python -m (tests[.\w]+)", PROSE + GUIDE):
        path = ROOT / Path(*module.split("."))
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module
