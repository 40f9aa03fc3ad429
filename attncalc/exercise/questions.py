"""Questions other than to find the steps: a feature brings them, each in a file named by the key that asks.

Such a file has
check_graph(problem, graph, faults)   refuses what does not fit the steps
check(solution)                       refuses a problem whose own answer is not right
around(writer, part)                  the blocks before and after the steps of a part, or of all with None
answer(writer, part)              the answer of the part that asks for it, or of the problem with None
ask(sheet, part)                      what a worksheet asks in place of the steps of a part, or first of all
show(writer)                          one right answer
to_data(solution)                     the same for other programs
mark(checker, root, name, is_key)     the report on answers
SENTENCES                             what the codes of mistakes mean that are its own
"""

from __future__ import annotations

from types import ModuleType

from attncalc.core.families import load_member
from attncalc.exercise.problem import Problem


def question_of(problem: Problem) -> ModuleType | None:
    """What a problem asks for instead of its steps, if it does."""
    return load_member("questions", "design") if problem.design else None
