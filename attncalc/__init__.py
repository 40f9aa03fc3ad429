"""Attention exercises worked step by step, exactly or numerically.

problem = attncalc.load("problems/discussion-10-q1.yaml")
solution = attncalc.solve(problem)
solution["A"].value
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attncalc.checking.checker import check
    from attncalc.checking.report import Report
    from attncalc.errors import AttncalcError, ProblemError
    from attncalc.problem_file import Problem, load, problem
    from attncalc.solution import Solution, solve

__all__ = [
    "AttncalcError",
    "Problem",
    "ProblemError",
    "Report",
    "Solution",
    "check",
    "load",
    "problem",
    "solve",
]
__version__ = "0.1.0"

# Looked up when first used: `attncalc --help` needs neither NumPy nor anything else of this.
HOMES = {
    "AttncalcError": "errors",
    "ProblemError": "errors",
    "Problem": "problem_file",
    "Report": "checking.report",
    "Solution": "solution",
    "check": "checking.checker",
    "load": "problem_file",
    "problem": "problem_file",
    "solve": "solution",
}


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)
