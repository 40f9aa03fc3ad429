"""Why a step earns a share of its points, in words."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from attncalc.marking.follow.judge import Judged, Mark
from attncalc.marking.report.points import Credit
from attncalc.marking.report.words import write_slots

if TYPE_CHECKING:
    from attncalc.marking.prepared import Prepared

WORDS = {0.0: "None", 0.5: "Half", 1.0: "All"}
FINEST = 1000
"""The largest denominator of a share that is written as a fraction."""
Described = tuple[str, tuple[str, ...]]


def describe_credit(prepared: Prepared, judged: Judged, credit: Credit) -> Described:
    """The sentence with slots for names, and the names; empty if a share needs no reason.

    Mistakes are named where the wrong steps are.
    """
    marks, name = prepared.marks, judged.answer.step.name
    is_whole = credit.among is None and not credit.given and not credit.mistake
    if name not in marks.worth or is_whole or not marks.share(name, credit.cells):
        return "", ()
    earned, count = count_shared(prepared, judged, credit)
    if not count:
        return "", ()
    names, how = describe_reason(credit)
    total = int(marks.wanted[name].sum())
    among = "" if count == total else f" for {count} of {total} entries"
    share = f"{say_share(earned)} of the points{among}"
    return f"{share}: {how}.", tuple(prepared.symbols[one] for one in names)


def describe_reason(credit: Credit) -> tuple[tuple[str, ...], str]:
    """What a step follows from, and how."""
    how = []
    names = credit.given if credit.among is None else credit.among
    if names:
        how.append(f"given your {write_slots(names)}{' alone' if credit.among else ''}")
    elif credit.among is not None:
        how.append("your other answers left aside")
    if credit.mistake:
        return names, ", ".join([*how, "right but for one mistake on the way"])
    if credit.among is None and len(names) == 1:
        return names * 2, "right from {} on, given your {}"
    return names, ", ".join(["right", *how])


def count_shared(prepared: Prepared, judged: Judged, credit: Credit) -> tuple[float, int]:
    """What asked cells earn by the reason, and how many: a share, or all though they are wrong."""
    marks = prepared.marks
    wanted = marks.wanted[judged.answer.step.name] & (judged.marks > Mark.ROUNDED)
    shared, whole = wanted & (credit.cells == marks.follow), wanted & judged.wrong & (credit.cells == 1)
    return (marks.follow, int(shared.sum())) if shared.any() else (1.0, int(whole.sum()))


def say_share(share: float) -> str:
    """A share of the points: half, a third as 1/3, or a decimal."""
    near = Fraction(share).limit_denominator(FINEST)
    is_fraction = abs(float(near) - share) < 1 / FINEST**2
    return WORDS.get(share) or (str(near) if is_fraction else f"{share:g}")
