"""The questions of five course worksheets: what a TA hands out for each, word for word, in 80 columns."""

from __future__ import annotations

from collections import Counter

import pytest
from syrupy.assertion import SnapshotAssertion

from attncalc.worked.document import document
from attncalc.worked.view import View, rounding_of
from tests.helpers.bundled import PROBLEMS, solved
from tests.helpers.solutions import printed

WIDTH = 80
CODE = ("scaled_dot_product_attention", "split_heads", "combine_heads", "forward")
QUESTIONS: list[tuple[str, list[tuple[str, tuple[str, ...], str]]]] = [
    ("discussion 10, 1 (a)", [("discussion-10-q1", ("a",), "cells")]),
    ("discussion 10, 1 (b)", [("discussion-10-q1", ("b",), "cells")]),
    ("discussion 10, 1 (c)", [("discussion-10-q1", ("c",), "cells")]),
    ("discussion 10, 1 (d)", [("discussion-10-q1", ("d",), "cells")]),
    ("discussion 10, 1 (e)", [("discussion-10-q1", ("e",), "cells")]),
    ("discussion 10, 1 (f)", [("discussion-10-q1", ("f",), "cells")]),
    ("discussion 10, 2 (a)", [("discussion-10-q2", ("a",), "cells")]),
    ("discussion 10, 2 (b)", [("discussion-10-q2", ("b",), "cells")]),
    ("discussion 10, 2 (c)", [("discussion-10-q2", ("c",), "cells")]),
    ("exploration (a)", [("attention-exploration-a", ("a",), "cells")]),
    ("exploration (b)", [("attention-exploration-b", (), "cells")]),
    ("exploration (c) i", [("attention-exploration-c", ("c i",), "cells")]),
    ("exploration (c) ii", [("attention-exploration-c", ("c ii",), "cells")]),
    ("exploration (d) i", [("attention-exploration-d", ("d i",), "steps")]),
    ("exploration (d) ii", [("attention-exploration-d", ("d ii",), "cells")]),
    ("exploration (e) i", [("attention-exploration-e1", (), "steps")]),
    ("exploration (e) ii", [("attention-exploration-e2", (), "steps")]),
    ("pseudocode, background", [("transformer-pseudocode", ("background 1", "background 2", "background 3"), "cells")]),
    ("pseudocode, attention 1", [("transformer-pseudocode", ("attention 1",), "cells")]),
    ("pseudocode, attention 2 to 5", [("transformer-pseudocode", ("attention 2", "attention 3", "attention 4", "attention 5"), "cells")]),
    ("pseudocode, code", [("transformer-pseudocode", ("init", *CODE), "cells"), ("split-and-join", (), "steps")]),
    ("exercise sheet, 1", [("dot-product-1", (), "cells")]),
    ("exercise sheet, 2 (a)", [("dot-product-2", ("a",), "cells")]),
    ("exercise sheet, 2 (b)", [("dot-product-2", ("b",), "cells")]),
    ("exercise sheet, 2 (c)", [("dot-product-2", ("c",), "cells")]),
    ("exercise sheet, 2 (d)", [("dot-product-2", ("d",), "cells")]),
    ("exercise sheet, 3", [("dot-product-3", (), "cells")]),
    ("problem set 4, 1", [("problem-set-4-q1", ("a", "b", "c", "d"), "cells")]),
    ("problem set 4, 2 (a)", [("problem-set-4-q2", ("a i", "a ii"), "cells")]),
    ("problem set 4, 2 (b)", [("problem-set-4-q2", ("b",), "cells")]),
    ("problem set 4, 2 (c)", [("problem-set-4-q2", ("c",), "cells")]),
    ("problem set 4, 2 (d)", [("problem-set-4-q2", ("d",), "cells")]),
    ("problem set 4, 3", [("problem-set-4-q3", ("a and b", "c", "d"), "cells")]),
]  # fmt: skip
"""Every question with the files that answer it, their parts (all where none is named), and in which detail."""


def handed_out(name: str, parts: tuple[str, ...], detail: str) -> str:
    """What is printed of a problem."""
    view = View(detail, rounding_of(PROBLEMS[name]), parts=parts)
    return printed(document(solved(name), view), WIDTH)


@pytest.mark.parametrize(("question", "answers"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_answer(
    question: str, answers: list[tuple[str, tuple[str, ...], str]], golden: SnapshotAssertion
) -> None:
    """The answer as a course publishes it; no line is cut by a printer."""
    told = "\n".join(handed_out(*answer) for answer in answers)
    assert max(map(len, told.splitlines())) <= WIDTH, question
    assert told == golden


def test_every_part_is_a_question() -> None:
    """No part of these files is left out, none stands twice, and each asks in words."""
    named = Counter((name, part) for _, answers in QUESTIONS for name, parts, _ in answers for part in parts)
    whole = {name for _, answers in QUESTIONS for name, parts, _ in answers if not parts}
    files = {name for name, _ in named}
    assert len(QUESTIONS) == 33 and not files & whole
    assert named == Counter((name, part.label) for name in files for part in PROBLEMS[name].parts)
    assert all(part.ask for name in files | whole for part in PROBLEMS[name].parts)
