"""Keys that answer the same step: which of them counts, and which are asked about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np

from attncalc.core.errors import Fault, inert, quote
from attncalc.core.graph.references import Reference
from attncalc.marking.answers.files import Answer
from attncalc.marking.answers.readings import Read, is_unread


def refuse_doubles(found: list[Read]) -> list[Read]:
    """The same, but for keys that are no names and mean what another key answers with other numbers."""
    return [refuse_double(one, found) if one.is_guess else one for one in found]


def refuse_double(one: Read, others: Iterable[Read]) -> Read:
    """One read key, or the fault that another key answers the same step otherwise."""
    for other in others:
        for answer, rival in product(one.answers, other.answers if other is not one else ()):
            if overlap(answer.reference, rival.reference) and not is_same(answer, rival):
                message = f"may be {answer.reference}, which {quote(other.key.text)} answers otherwise"
                said = f"{inert(one.key.text)}: {message}: leave one of them out"
                return Read(one.key, faults=(Fault(said, one.key.place),))
    return one


def overlap(one: Reference, other: Reference) -> bool:
    """Whether two references share cells."""
    shorter = min(len(one.at), len(other.at))
    return one.step == other.step and one.at[:shorter] == other.at[:shorter]


def is_same(one: Answer, other: Answer) -> bool:
    """Whether two answers are the same."""
    return one.reference == other.reference and bool(np.array_equal(one.cells, other.cells))


def leave_out_prose(found: Iterable[Read]) -> Iterator[Read]:
    """What is read among other text: what names no step, and a formula beside the numbers, is left out."""
    found = [one for one in found if one.answers or not is_remark(one)]
    best: dict[str, Read] = {}
    for one in found:
        before = best.get(one.key.text)
        if before is None or all(is_unread(answer.cells) for answer in before.answers):
            best[one.key.text] = one
        elif any(is_unread(answer.cells) for answer in one.answers):
            continue
        elif not all(map(is_same, before.answers, one.answers)):
            lines = f"here and in line {before.key.place.line}"
            message = f"{inert(one.key.text)} stands {lines} with different values: keep one"
            best[one.key.text] = Read(one.key, faults=(Fault(message, one.key.place),))
    yield from best.values()


def is_remark(read: Read) -> bool:
    """Whether a key among other text names no step."""
    return any(
        re.search(r": (?:there is no step|is given in the problem)", one.message) for one in read.faults
    )
