"""Attention exercises worked step by step, exactly or numerically.

problem = attncalc.load("problems/discussion-10-q1.yaml")
solution = attncalc.solve(problem)
solution["A"].value
"""

import os
import sys

# The folder one stands in may be a stranger's: the program imports nothing of it, though `python -m attncalc`
# puts it on the path, and so does a dot in PYTHONPATH.
if os.path.basename("".join(sys.argv[:1])) in ("-m", "attncalc"):
    sys.path[:] = [path for path in sys.path if path not in ("", os.getcwd())]

if not os.path.isdir(os.path.dirname(__file__)):
    raise ImportError("attncalc reads its own files, so no zip can hold it: unpack or install it")

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attncalc.api.check import check
    from attncalc.api.load import load, problem
    from attncalc.api.solve import solve
    from attncalc.core.errors import AttncalcError, ProblemError
    from attncalc.exercise.problem import Problem
    from attncalc.exercise.solve.solution import Solution
    from attncalc.features.classes.mark_class import check_many
    from attncalc.features.practice.notebook import practice
    from attncalc.marking.report.report import Report

__all__ = [
    "AttncalcError",
    "Problem",
    "ProblemError",
    "Report",
    "Solution",
    "check",
    "check_many",
    "load",
    "practice",
    "problem",
    "solve",
]
__version__ = "0.1.0"

# Looked up when first used: `attncalc --help` needs neither NumPy nor anything else of this.
HOMES = {
    "AttncalcError": "core.errors",
    "ProblemError": "core.errors",
    "Problem": "exercise.problem",
    "Report": "marking.report.report",
    "Solution": "exercise.solve.solution",
    "check": "api.check",
    "check_many": "features.classes.mark_class",
    "load": "api.load",
    "practice": "features.practice.notebook",
    "problem": "api.load",
    "solve": "api.solve",
}


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
