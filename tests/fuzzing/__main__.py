"""`python -m tests.fuzzing --seed 1 --minutes 60`: a long run by hand."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from math import comb
from pathlib import Path

from attncalc.exercise.keys.problem_keys import KEYS
from tests.fuzzing.trying import Fault, Run

SHOWN = 2
"""The number of faults of one kind that are printed in full."""


def main() -> None:
    """Tries, tells what it finds as it finds it, and counts at the end."""
    parser = argparse.ArgumentParser(
        description="Random problems and answers, for minutes of processor time."
    )
    parser.add_argument("--seed", default="1")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--only", type=int, help="one try of this seed again")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(chosen.seed, Path(folder))
        found = run.one(chosen.only) if chosen.only is not None else run.tries(60 * chosen.minutes)
        kinds: Counter[str] = Counter()
        for fault in found:
            kinds[fault.kind] += 1
            tell(fault, kinds)
        report(run, kinds)


def tell(fault: Fault, kinds: Counter[str]) -> None:
    """A fault, in full the first times."""
    if kinds[fault.kind] <= SHOWN:
        print(fault, flush=True)


def report(run: Run, kinds: Counter[str]) -> None:
    """The counts of a run."""
    for name, times in sorted(run.counts.items()):
        print(f"{times:8}  {name}")
    print(f"{len(run.keys):8}  keys; never made: {', '.join({*KEYS} - run.keys) or 'none'}")
    print(f"{len(run.pairs):8}  pairs of keys of {comb(len(run.keys), 2)}")
    print(f"{time.process_time():8.0f}  seconds of processor time")
    for kind, times in kinds.most_common():
        print(f"FAULT {times:5}  {kind}")


main()
