"""Names as people write them: each stands for one key or step, or for none."""

from __future__ import annotations

import pytest

from attncalc.core.spellings import NAMES, fold
from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.mechanisms import KINDS
from attncalc.exercise.written_names import Written, find_names, split_number

KNOWN = sorted({*KEYS, *(kind.role for kind in KINDS)})
"""All keys, and all steps without their numbers."""


@pytest.mark.parametrize("name", NAMES)
def test_a_word_stands_for_one_name(name: str) -> None:
    """Every word is folded, stands for its name alone, and so do its spellings."""
    assert name in KNOWN
    for word in NAMES[name].split():
        assert word == fold(word)
        for written in (
            word,
            word.upper(),
            word.capitalize(),
            f"**{word}**",
            f"${word}$",
            f"{word[0]}_{word[1:]}",
        ):
            found = find_names(written, KNOWN)
            assert found == [name] or len(word) == 1, written


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("x", "X"), ("Wq", "W_Q"), ("W_q", "W_Q"), ("WQ", "W_Q"), ("W^Q", "W_Q"), ("W^{(Q)}", "W_Q"),
        ("W_query", "W_Q"), ("w_key", "W_K"), ("num_heads", "heads"), ("n_head", "heads"), ("scores", "S"),
        ("Embeddings", "X"), (r"\mathbf{W}_Q", "W_Q"), (r"$\mathbf{W}_V$", "W_V"), ("Omega_q", "W_Q"), ("Ω_q", "W_Q"),
        (r"\Omega_q", "W_Q"), ("β_q", "b_Q"), ("QK^T", "S"), (r"QK^\top", "S"), ("QKᵀ/√d_k", "Z"),
        (r"\frac{QK^\top}{\sqrt{d_k}}", "Z"), ("softmax(QK^T/sqrt(d_k))", "A"), (r"\text{softmax}(QK^T/\sqrt{d_k})V", "O"),
        ("attn_weights", "A"), ("α", "A"), ("Attention output", "O"), ("past_key", "past_K"), ("softmax_scale", "scale"),
    ],
)  # fmt: skip
def test_written_names(written: str, name: str) -> None:
    """Names from books, code and lectures."""
    assert find_names(written, [one for one in KNOWN if one != "score"]) == [name]


@pytest.mark.parametrize(
    "written", ["q_proj", "W_Q.T", "K^T", "q_proj.weight", "head_1", "softmax", "", "weights of nothing"]
)
def test_names_that_stand_for_nothing(written: str) -> None:
    """A transposed matrix, a layer of torch, or a word of prose is no name of a matrix."""
    assert find_names(written, KNOWN) == []


@pytest.mark.parametrize(
    ("written", "base", "number", "of_head"),
    [
        ("k1", "k", 1, False), ("k₁", "k", 1, False), ("k_1", "k", 1, False), (r"\mathbf{q}_1", "q", 1, False),
        ("x^{(2)}", "x", 2, False), ("W_Q1", "W_Q", 1, False), ("W_Q^{(2)}", "W_Q", 2, False),
        ("W_Q_2", "W_Q", 2, False), ("W_Q (head 2)", "W_Q", 2, True), ("head 1: W_Q", "W_Q", 1, True),
        ("W_Q", "W_Q", None, False), ("X0", "X0", None, False), ("12", "12", None, False),
    ],
)  # fmt: skip
def test_numbers_behind_names(written: str, base: str, number: int | None, of_head: bool) -> None:
    """A number behind a name is that of a row or of a head; which of them, the caller knows."""
    assert split_number(written) == Written(base, number, of_head)
