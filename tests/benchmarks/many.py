"""A large class from the command line: time, memory and the same bytes, `python -m tests.benchmarks.many`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

import click

from tests.benchmarks.measures import THREE_TOKENS, write_class


@click.command()
@click.option("--count", default=100_000, show_default=True, help="How many students.")
@click.option("--workers", default="1,2,8", show_default=True, help="How many processes, in turn.")
@click.option("--formats", default="csv", show_default=True, help="Which formats, in turn.")
def main(count: int, workers: str, formats: str) -> None:
    """Prints what each run takes, and a digest of what it writes."""
    click.echo("format  workers   seconds  processor  largest so far  digest")
    with TemporaryDirectory() as folder:
        Path(folder, "class").mkdir()
        write_class(Path(folder, "class"), count)
        Path(folder, "problem.yaml").write_text(json.dumps(THREE_TOKENS))
        for format_ in formats.split(","):
            for number in workers.split(","):
                click.echo(run(folder, format_, number))


def run(folder: str, format_: str, workers: str) -> str:
    """One run, in which the children of this process since the last one are looked at."""
    started, before = time.perf_counter(), getrusage(RUSAGE_CHILDREN)
    line = ["check", "problem.yaml", "class", "-f", format_, "--workers", workers, "-o", "out"]
    subprocess.run([sys.executable, "-m", "attncalc", *line], cwd=folder, env=environment(), check=False)
    seconds, used = time.perf_counter() - started, getrusage(RUSAGE_CHILDREN)
    processor = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    digest = sha256(Path(folder, "out").read_bytes()).hexdigest()[:8]
    return f"{format_:<8}{workers:>7}{seconds:>10.1f}{processor:>11.1f}{used.ru_maxrss / 1024:>14.0f} MB  {digest}"


def environment() -> dict[str, str]:
    """Where this very package is found."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


if __name__ == "__main__":
    main()
