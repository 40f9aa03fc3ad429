"""The 51 questions of five course worksheets: the answer and the sheet that a TA hands out, in 80 columns."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from attncalc.worked.document import document
from attncalc.worked.view import View, rounding_of
from attncalc.worked.worksheet import worksheet
from tests.helpers.bundled import PROBLEMS, solved
from tests.helpers.solutions import printed

WIDTH = 80
QUESTIONS: list[tuple[str, str, str, str]] = [
    ("discussion 10, 1 (a)", "discussion-10-q1", "a", "cells"),
    ("discussion 10, 1 (b)", "discussion-10-q1", "b", "cells"),
    ("discussion 10, 1 (c)", "discussion-10-q1", "c", "cells"),
    ("discussion 10, 1 (d)", "discussion-10-q1", "d", "cells"),
    ("discussion 10, 1 (e)", "discussion-10-q1", "e", "cells"),
    ("discussion 10, 1 (f)", "discussion-10-q1", "f", "cells"),
    ("discussion 10, 2 (a)", "discussion-10-q2", "a", "cells"),
    ("discussion 10, 2 (b)", "discussion-10-q2", "b", "cells"),
    ("discussion 10, 2 (c)", "discussion-10-q2", "c", "cells"),
    ("exploration (a)", "attention-exploration-a", "a", "cells"),
    ("exploration (b)", "attention-exploration-b", "b", "key"),
    ("exploration (c) i", "attention-exploration-c", "c i", "key"),
    ("exploration (c) ii", "attention-exploration-c", "c ii", "cells"),
    ("exploration (d) i", "attention-exploration-d", "d i", "key"),
    ("exploration (d) ii", "attention-exploration-d", "d ii", "cells"),
    ("exploration (e) i", "attention-exploration-e1", "e i", "key"),
    ("exploration (e) i, adding", "attention-exploration-e1", "e i, continued", "key"),
    ("exploration (e) ii", "attention-exploration-e2", "e ii", "key"),
    ("pseudocode, background 1", "transformer-pseudocode", "background 1", "cells"),
    ("pseudocode, background 2", "transformer-pseudocode", "background 2", "cells"),
    ("pseudocode, background 2 a", "transformer-pseudocode", "background 2 a", "cells"),
    ("pseudocode, background 3", "transformer-pseudocode", "background 3", "cells"),
    ("pseudocode, attention 1", "transformer-pseudocode", "attention 1", "cells"),
    ("pseudocode, attention 2", "transformer-pseudocode", "attention 2", "cells"),
    ("pseudocode, attention 3", "transformer-pseudocode", "attention 3", "cells"),
    ("pseudocode, attention 4", "transformer-pseudocode", "attention 4", "cells"),
    ("pseudocode, attention 5", "transformer-pseudocode", "attention 5", "cells"),
    ("pseudocode, init", "transformer-pseudocode", "init", "cells"),
    ("pseudocode, scaled_dot_product_attention", "transformer-pseudocode", "scaled_dot_product_attention", "cells"),
    ("pseudocode, split_heads", "transformer-pseudocode", "split_heads", "cells"),
    ("pseudocode, combine_heads", "transformer-pseudocode", "combine_heads", "cells"),
    ("pseudocode, forward", "transformer-pseudocode", "forward", "cells"),
    ("exercise sheet, 1", "dot-product-1", "1", "cells"),
    ("exercise sheet, 2 (a)", "dot-product-2", "a", "cells"),
    ("exercise sheet, 2 (b)", "dot-product-2", "b", "cells"),
    ("exercise sheet, 2 (c)", "dot-product-2", "c", "cells"),
    ("exercise sheet, 2 (d)", "dot-product-2", "d", "cells"),
    ("exercise sheet, 3", "dot-product-3", "3", "key"),
    ("problem set 4, 1 (a)", "problem-set-4-q1", "a", "cells"),
    ("problem set 4, 1 (b)", "problem-set-4-q1", "b", "cells"),
    ("problem set 4, 1 (c)", "problem-set-4-q1", "c", "cells"),
    ("problem set 4, 1 (d)", "problem-set-4-q1", "d", "cells"),
    ("problem set 4, 2 (a) i", "problem-set-4-q2", "a i", "cells"),
    ("problem set 4, 2 (a) ii", "problem-set-4-q2", "a ii", "cells"),
    ("problem set 4, 2 (b)", "problem-set-4-q2", "b", "cells"),
    ("problem set 4, 2 (c)", "problem-set-4-q2", "c", "cells"),
    ("problem set 4, 2 (d)", "problem-set-4-q2", "d", "cells"),
    ("problem set 4, 3 (a)", "problem-set-4-q3", "a", "key"),
    ("problem set 4, 3 (b)", "problem-set-4-q3", "b", "key"),
    ("problem set 4, 3 (c)", "problem-set-4-q3", "c", "cells"),
    ("problem set 4, 3 (d)", "problem-set-4-q3", "d", "cells"),
]  # fmt: skip
"""Every question with the file and the part that answer it, and in which detail it is handed out."""
IDS = [f"{number:02} {question}" for number, (question, *_) in enumerate(QUESTIONS, start=1)]


@pytest.mark.parametrize(("name", "part", "detail"), [row[1:] for row in QUESTIONS], ids=IDS)
def test_answer(name: str, part: str, detail: str, golden: SnapshotAssertion) -> None:
    """The answer as a course publishes it, which ends in the answer line; no line is cut by a printer."""
    view = View(detail, rounding_of(PROBLEMS[name]), parts=(part,))
    told = printed(document(solved(name), view), WIDTH)
    assert max(map(len, told.splitlines())) <= WIDTH
    assert told.count("\nAnswer:") == 1
    assert told == golden


@pytest.mark.parametrize(("name", "part"), [row[1:3] for row in QUESTIONS], ids=IDS)
def test_sheet(name: str, part: str, golden: SnapshotAssertion) -> None:
    """The question as it is handed out: all that belongs to it, and nothing of its answer."""
    told = printed(worksheet(solved(name), View(rounding=rounding_of(PROBLEMS[name]), parts=(part,))), WIDTH)
    assert max(map(len, told.splitlines())) <= WIDTH
    assert told == golden


def test_every_part_is_a_question() -> None:
    """No part of these files is left out, none stands twice, and each asks in words."""
    asked = [(name, part) for _, name, part, _ in QUESTIONS]
    files = {name for name, _ in asked}
    assert len(QUESTIONS) == 51
    assert sorted(asked) == sorted((name, part.label) for name in files for part in PROBLEMS[name].parts)
    assert all(part.ask for name in files for part in PROBLEMS[name].parts)
