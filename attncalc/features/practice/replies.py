"""The replies to an answer, and the summary at the end."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.errors import count_of
from attncalc.core.record import replace
from attncalc.features.practice.order_of_questions import say_shape
from attncalc.features.practice.state import Progress, State
from attncalc.marking.follow.judge import Mark
from attncalc.marking.report.words import verdict_text
from attncalc.marking.verdicts import StepVerdict
from attncalc.mistakes import MISTAKES, SLIP_CODES
from attncalc.worked.blocks import Block, Heading, Paragraph, Verdict

SENTENCES = {mistake.code: mistake.sentence for mistake in MISTAKES if mistake.code not in SLIP_CODES}
"""The mistakes that the summary lists; slips are left out."""


def verdict(state: State) -> Verdict:
    """The verdict on an answer, and how many cells are wrong or missing."""
    name = state.question.key(state.solution)
    if state.told_shape is not None:
        return Verdict(StepVerdict.SHAPE.sign, name, compare_shapes(state.told_shape, state))
    gravest = StepVerdict.of_gravity(max(state.marks.values()))
    if state.is_passed and state.step:
        return Verdict(gravest.sign, name, verdict_text(replace(state.step, verdict=gravest, missing=False)))
    return Verdict(gravest.sign, name, count_cells(state))


def compare_shapes(answered: tuple[int, ...], state: State) -> str:
    """The shape of the answer, and the one that is expected."""
    wanted = state.question.shape(state.solution)
    hint = ": is it transposed?" if answered == wanted[::-1] and len(wanted) > 1 else ""
    return f"{say_shape(answered)} in place of {say_shape(wanted)}{hint}"


def count_cells(state: State) -> str:
    """How many cells are wrong, unreadable, too coarse or missing."""
    total, wrong = len(state.cells), state.count(Mark.WRONG)
    others = (
        ("cannot be read", state.count(Mark.UNREADABLE)),
        ("with too few digits to judge", state.count(Mark.COARSE)),
        ("missing", state.count(Mark.UNANSWERED, Mark.BLANK)),
    )
    if total == 1:
        return "wrong" if wrong else next(word for word, count in others if count)
    so_far = (
        f"wrong in {'all' if wrong == total else f'{wrong} of'} {total} entries" if wrong else "not whole yet"
    )
    return "; ".join([so_far, *(f"{count} {word}" for word, count in others if count)])


def summarise(states: list[State], progress: list[Progress]) -> Iterator[Block]:
    """The outcome of every question, and the mistakes to look at again."""
    yield Heading("How it went", 3)
    yield from map(outcome, states, progress)
    codes = (code for one in progress for code in one.mistakes if code in SENTENCES)
    sentences = dict.fromkeys(SENTENCES[code] for code in codes)
    if sentences:
        yield Heading("To look at again", 3)
        yield from map(Paragraph, sentences)


def outcome(state: State, progress: Progress) -> Verdict:
    """The outcome of one question."""
    name, hints = state.question.key(state.solution), progress.hints
    after = f" after {count_of(hints, 'hint')}" if hints else ""
    if progress.is_shown:
        return Verdict(StepVerdict.BLANK.sign, name, f"shown{after}")
    if state.is_found:
        return Verdict(StepVerdict.CORRECT.sign, name, f"found{after}")
    return verdict(state) if state.is_tried else Verdict(StepVerdict.BLANK.sign, name, "not answered")
