"""The list of bundled problems."""

from __future__ import annotations

from attncalc.cli.commands.list import Listed, read_listed
from attncalc.exercise.bundled import list_bundled
from attncalc.exercise.load import load


def test_a_listed_problem_is_what_its_file_says() -> None:
    """A list reads some lines of every file, and they say what the whole file says."""
    for name in list_bundled():
        problem = load(name)
        assert read_listed(name) == Listed(name, problem.title, problem.source, tuple(problem.settings))
