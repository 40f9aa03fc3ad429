"""CPU time against named peers and an earlier version: `python -m tests.benchmarks.bench [--before REV]`.

Every measurement is a process of its own with the right checkout on its path; versions take turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from tests.benchmarks import measures
from tests.benchmarks.measures import MEASURES

ROOT = Path(__file__).parents[2]
TURNS = 3


@contextmanager
def checked_out(revision: str) -> Iterator[Path]:
    """A checkout that is there, or a worktree of a revision for as long as it is needed."""
    if Path(revision).is_dir():
        yield Path(revision).resolve()
        return
    git = ["git", "-C", str(ROOT), "worktree"]
    with TemporaryDirectory(prefix="attncalc-before-") as folder:
        subprocess.run([*git, "add", "--quiet", "--detach", folder, revision], check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run([*git, "remove", "--force", folder], check=True)


def measured(name: str, checkout: Path) -> list[float]:
    """What one process finds with this checkout: the CPU time of ours, and of the peer if there is one."""
    command = [sys.executable, str(measures.__file__), name]
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    # An installed program is compiled, so a checkout may be, too.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with TemporaryDirectory() as folder:
        done = subprocess.run(command, check=True, env=environment, cwd=folder, stdout=subprocess.PIPE)
    found: list[float] = json.loads(done.stdout)
    return found


def row(name: str, checkouts: list[Path]) -> Iterator[str]:
    """The cells of one line: the time of each checkout, their ratio, and the ratio of each to the peer.

    Other processes only add to a time, so the least of all turns counts.
    """
    turns = [[measured(name, checkout) for checkout in checkouts] for _ in range(TURNS)]
    least = [[min(times) for times in zip(*found, strict=True)] for found in zip(*turns, strict=True)]
    yield from (f"{1000 * ours:,.1f} ms" for ours, *_ in least)
    if len(least) > 1:
        yield f"{least[-1][0] / least[0][0]:.2f}"
    if MEASURES[name].peer:
        yield from (f"{ours / peer:.2f}" for ours, peer in least)
        yield f"  ≤ {MEASURES[name].at_most:g} × {MEASURES[name].peer}"


def line(name: str, cells: Iterable[str]) -> str:
    """One line of the table."""
    return f"{name:<38}" + "".join(f"{cell:>12}" for cell in cells)


@click.command()
@click.option("--before", metavar="REV", help="Also measure this revision or checkout, in turns.")
@click.argument("parts", nargs=-1)
def main(before: str | None, parts: tuple[str, ...]) -> None:
    """Prints what is measured, all of it or what has one of PARTS in its name."""
    with ExitStack() as stack:
        checkouts = [stack.enter_context(checked_out(before))] if before else []
        checkouts.append(ROOT)
        heads = ["before", "after", "ratio", "of peer", "of peer"] if before else ["now", "of peer"]
        click.echo(line("", [*heads, "  wanted"]))
        for name in MEASURES:
            if not parts or any(part in name for part in parts):
                click.echo(line(name, row(name, checkouts)))


if __name__ == "__main__":
    main()
