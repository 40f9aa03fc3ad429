"""A short run of the fuzzer, and every fault that a long one has found."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

import attncalc
from attncalc.exercise.keys.problem_keys import KEYS
from tests.fuzzing import commands
from tests.fuzzing.lines import check_lines
from tests.fuzzing.problems import write_problem
from tests.fuzzing.trying import Run, keys_of
from tests.helpers.bundled import PROBLEMS
from tests.helpers.quick_and_slow import SLOW

pytestmark = SLOW

TRIES = 4
CASES = sorted((Path(__file__).parent / "fuzzing" / "cases").glob("*.yaml"))
COMMAND = re.compile(r"# ([012]): (\w+) ?(.*)")
"""How a case starts: the exit code, the command, its options."""


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What ends in five seconds of a machine of its own takes longer beside other tests; what hangs does not end."""
    monkeypatch.setattr(commands, "SECONDS", 30.0)


def test_a_short_run(tmp_path: Path) -> None:
    """A few tries find nothing."""
    run = Run("short", tmp_path)
    for number in range(TRIES):
        for fault in run.one(number):
            pytest.fail(str(fault))
    assert run.counts["accepted"] and run.counts["compared reference"] and run.counts["right answers"]


def test_keys_of_random_problems() -> None:
    """They are those that the program reads, and all that the bundled problems have are among them."""
    made = {key for number in range(500) for key in keys_of(write_problem(Random(number)))}
    used = {key for problem in PROBLEMS.values() for key in problem.origins if key in KEYS}
    assert used <= made <= {*KEYS}


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_case(file: Path) -> None:
    """A fault that was found once: the command ends in time, as it should, without a word of its own.

    In plain ASCII, its worked lines are right too.
    """
    start = COMMAND.match(file.read_text("utf-8"))
    assert start, "a case starts with its command"
    code, command, options = start.groups()
    topic, *rest = options.split() if command == "explain" else ("", *options.split())
    ran = commands.run(command, *filter(None, [topic]), str(file), *rest)
    assert ran.code == int(code), ran
    if ran.code == 0 and "--ascii" in rest:
        assert check_lines(ran.out, commands.run("solve", str(file), "-f", "json").data["steps"])


def test_problems_with_letters_are_solved_exactly() -> None:
    """`auto` does not take letters for floats."""
    problem = attncalc.problem(X=[["x", "0.5"]], symbols={"x": "real"})
    assert attncalc.solve(problem, mode="auto").mode == "exact"
