"""Files and answers that went wrong on the way: lines, words, numbers, names and brackets changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from attncalc.exercise.keys.problem_keys import KEYS

ODD = (
    "0", "-0", "1e308", "1e-308", "-1e300", "1/0", "0/0", "nan", "inf", "-inf", "oo", "_", "?", "~", "", "true", "no",
    "1e999", "9**9**9", "sqrt(-1)", "ln(0)", "1,5", "1:30", "0x10", "1_0", "½", "2 1/2", "--1", "-_", "_ + 1", "e^(10^3)",
    "1/(sqrt(2)*sqrt(3)-sqrt(6))", "x", "beta", "I", "e", "pi", "[1]", "{a: 1}", "'1'", "58%", "≈0.86", "$1$", "1 000",
    "exp(700)", "exp(-745)", "1/3", "-1", "2", "100", "transpose(1)", "identity(0)", "identity(3)", "zeros(1, 1)",
    "dot(1, 1)", "diag(1)", "stack(1, 2)", "outer([1], [1])", "1e-400", "0.1e1", ".", "-", "+", "1.2.3", "none", "(", "]",
)  # fmt: skip
NAMES = (
    *KEYS, "Q_1", "K_2", "V_1", "W_Q_1", "A", "E", "T", "Z", "M", "C", "H", "Y", "R1", "N1", "F1", "A_1", "O_2",
    "S[1]", "A[1,1]", "O[2]", "z_11", "q_1", "scores", "context", "A_limit", "rope", "alibi", "sinusoidal", "causal",
    "window", "lengths", "keep", "hide", "add", "residual", "layer_norm", "rms_norm", "feed_forward", "gamma", "beta", "eps",
    "variance", "activation", "base", "offset", "angle", "show", "explain", "part", "cov", "draws", "seed", "file", "key",
    "student", "problem", "implied", "mu", "sigma", "sink", "decay", "backward",
)  # fmt: skip
"""Keys, steps, options: what may stand where another name stood."""
BYTES = "\x00\x1b\t\r\u2028\ufeff\x85\u202e{}[]:,#&*!|>'\"%@`-? _é中😀"
NUMBER = r"-?\d+(?:\.\d+)?(?:/\d+)?"
WORD = r"[A-Za-z_]\w*"


def drop_line(random: Random, text: str) -> str:
    """A line left out."""
    lines = text.splitlines(keepends=True)
    lines.pop(random.randrange(len(lines)))
    return "".join(lines)


def repeat_line(random: Random, text: str) -> str:
    """A line written twice."""
    lines = text.splitlines(keepends=True)
    return "".join([*lines, random.choice(lines)])


def swap_lines(random: Random, text: str) -> str:
    """Lines in another order."""
    lines = text.splitlines(keepends=True)
    random.shuffle(lines)
    return "".join(lines)


def swap_values(random: Random, text: str) -> str:
    """A key with the value of another."""
    lines = [line.partition(": ") for line in text.splitlines() if ": " in line]
    if len(lines) < 2:
        return text
    one, other = random.sample(range(len(lines)), 2)
    lines[one] = (lines[one][0], ": ", lines[other][2])
    return "".join(f"{key}{colon}{value}\n" for key, colon, value in lines)


def replaced(random: Random, text: str, pattern: str, news: tuple[str, ...]) -> str:
    """One place that fits a pattern with something else in it."""
    places = [*re.finditer(pattern, text)]
    if not places:
        return text
    at = random.choice(places)
    return text[: at.start()] + random.choice(news) + text[at.end() :]


def odd_number(random: Random, text: str) -> str:
    """A number that is none, or a strange one."""
    return replaced(random, text, NUMBER, ODD)


def other_number(random: Random, text: str) -> str:
    """Another number."""
    return replaced(random, text, NUMBER, ("0", "1", "-1", "2", "3", "0.5", "7/3", "-0.25", "10", "1e-9"))


def other_name(random: Random, text: str) -> str:
    """Another name."""
    return replaced(random, text, WORD, NAMES)


def other_key(random: Random, text: str) -> str:
    """Another key."""
    return replaced(random, text, rf"(?m)^{WORD}(?=:)", NAMES)


def other_byte(random: Random, text: str) -> str:
    """A character put in, or in place of another."""
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(BYTES) + text[at + random.randint(0, 1) :]


def deeper(random: Random, text: str) -> str:
    """A value one level deeper, or a bracket too many."""
    return replaced(
        random,
        text,
        r"\[[^\[\]]*\]",
        ("[[[1, 2], [3, 4]]]", "[[1], [2]]", "[]", "[[]]", "1", "[1, 2, 3]", "[", "]]"),
    )


def row_lost(random: Random, text: str) -> str:
    """A row or an entry left out."""
    return replaced(random, text, rf"(?:\[[^\[\]]*\]|{NUMBER}), ", ("",))


def cut(random: Random, text: str) -> str:
    """The end cut off."""
    return text[: random.randrange(len(text) + 1)]


MUTATORS: tuple[Callable[[Random, str], str], ...] = (
    drop_line, repeat_line, swap_lines, swap_values, odd_number, odd_number, other_number, other_number, other_name,
    other_key, other_byte, deeper, row_lost, row_lost, cut,
)  # fmt: skip


def mutate(random: Random, text: str) -> str:
    """A text with one to three things changed."""
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        text = random.choice(MUTATORS)(random, text) or text
    return text
