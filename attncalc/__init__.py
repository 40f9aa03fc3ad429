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

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attncalc.checking.classes import check_many
    from attncalc.checking.report import Report
    from attncalc.errors import AttncalcError, ProblemError
    from attncalc.inputs.problem import Problem
    from attncalc.interface.loading import load, problem
    from attncalc.interface.marking import check
    from attncalc.interface.practising import practice
    from attncalc.interface.solving import solve
    from attncalc.solution.solution import Solution

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
    "AttncalcError": "errors",
    "ProblemError": "errors",
    "Problem": "inputs.problem",
    "Report": "checking.report",
    "Solution": "solution.solution",
    "check": "interface.marking",
    "check_many": "checking.classes",
    "load": "interface.loading",
    "practice": "interface.practising",
    "problem": "interface.loading",
    "solve": "interface.solving",
}


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
