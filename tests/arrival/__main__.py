"""All checks of what has arrived, in one process: to start one takes longer than a check."""

from pathlib import Path
from runpy import run_module

for check in sorted((Path(__file__).parent / "checks").glob("*.py")):
    run_module(f"tests.arrival.checks.{check.stem}", run_name="__main__")
