"""The names of steps and of places in them: `S`, `S[3]`, `A_2[3, 1]`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attncalc.record import record

BASE_NAMES = (
    "P", "X_P", "Q", "K", "V", "Q_R", "K_R", "S", "Z", "C", "M", "E", "T", "A", "O", "H", "Y",
)  # fmt: skip
STEP = rf"(?:{'|'.join(BASE_NAMES)})(?:_[0-9]+)?|[RNF][0-9]+|[AO](?:_[0-9]+)?_limit"
REFERENCE = re.compile(r"\s*([^\[\]\s]+)\s*(?:\[\s*([0-9]{1,9}(?:\s*,\s*[0-9]{1,9})*)\s*\])?\s*")


@record
class Reference:
    """A step, or one of its rows or cells, counted from 1."""

    step: str
    at: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.step}[{', '.join(map(str, self.at))}]" if self.at else self.step


def parse_reference(text: str) -> Reference | None:
    """The step and indices that a text names, if it has that form."""
    match = REFERENCE.fullmatch(text)
    if not match:
        return None
    at = tuple(int(index) for index in match[2].split(",")) if match[2] else ()
    return Reference(match[1], at)


def course_name(names: Mapping[str, str], step: str) -> str:
    """How a course calls a step: z_1 for S_1 where it calls S z, alpha_limit for A_limit."""
    base, _, ending = step.rpartition("_")
    if step not in names and base and (ending.isdigit() or ending == "limit"):
        return f"{course_name(names, base)}_{ending}"
    return names.get(step, step)


def own_name(names: Mapping[str, str], symbol: str) -> str:
    """The step that a course calls so."""
    return course_name({course: step for step, course in names.items()}, symbol)


def belongs(step: str, head: int) -> bool:
    """Whether a step is one of a head, or of all heads together."""
    numbers = [part for part in step.split("_") if part.isdigit()]
    return not numbers or int(numbers[0]) == head


def is_step_name(name: str) -> bool:
    """Whether the contract gives this name to a step."""
    return bool(re.fullmatch(STEP, name))
