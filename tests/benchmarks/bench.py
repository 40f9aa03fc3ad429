"""Timings as ratios against a named peer in the same run: `python -m tests.benchmarks.bench`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

import attncalc
from attncalc.checking.checker import Checker
from attncalc.fields import Numeric
from attncalc.fields.exact import Exact
from attncalc.graph.graph import trace
from attncalc.mechanisms import build_graph
from tests.students import Student, changes

TOKENS, WIDTH = 2048, 64
EXACT_TOKENS = 16


def seconds(run: Callable[[], object]) -> float:
    """How long one run takes."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def ratio(ours: Callable[[], object], peer: Callable[[], object], rounds: int) -> float:
    """The median of ours over the median of the peer, taken in turns."""
    pairs = [(seconds(ours), seconds(peer)) for _ in range(rounds)]
    return median(a for a, _ in pairs) / median(b for _, b in pairs)


def command(*arguments: str) -> Callable[[], object]:
    """A Python process with these arguments."""
    return lambda: subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)


def numeric_pair() -> tuple[Callable[[], object], Callable[[], object]]:
    """The steps of causal attention, by the graph and in bare NumPy."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((TOKENS, WIDTH))
    w_q, w_k, w_v = (rng.standard_normal((WIDTH, WIDTH)) / 8 for _ in range(3))
    graph = build_graph(attncalc.problem(X=x, W_Q=w_q, W_K=w_k, W_V=w_v, mask="causal"))
    mask = graph.given["mask"]

    def bare() -> object:
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        s = q @ k.T
        z = s / np.sqrt(WIDTH)
        m = z + mask
        largest = m.max(axis=-1, keepdims=True)
        e = np.exp(m - largest)
        t = e.sum(axis=-1, keepdims=True)
        a = e / t
        return q, k, v, s, z, m, e, t, a, a @ v

    return lambda: trace(graph, Numeric()), bare


def exact_pair(converted: bool) -> tuple[Callable[[], object], Callable[[], object]]:
    """Exact attention, by the graph, its output converted to SymPy or not, and with SymPy matrices."""
    import sympy

    from attncalc.fields.algebra import to_expressions

    rng = np.random.default_rng(0)
    q, k, v = (rng.integers(-3, 4, (EXACT_TOKENS, EXACT_TOKENS)).tolist() for _ in range(3))
    graph = build_graph(attncalc.problem(Q=q, K=k, V=v))

    def plain() -> object:
        # SymPy remembers results between runs, which ours does not: every round starts afresh.
        sympy.core.cache.clear_cache()
        s = sympy.Matrix(q) * sympy.Matrix(k).T / sympy.sqrt(EXACT_TOKENS)
        e = s.applyfunc(sympy.exp)
        a = sympy.Matrix(EXACT_TOKENS, EXACT_TOKENS, lambda i, j: e[i, j] / sum(e[i, :]))
        return a * sympy.Matrix(v)

    def ours() -> object:
        sympy.core.cache.clear_cache()
        output = trace(graph, Exact()).values["O"]
        return to_expressions(output) if converted else output

    return ours, plain


def checks_a_second() -> float:
    """How many answer files of one worksheet are marked in a second, half of them with a mistake."""
    rng = np.random.default_rng(0)
    checker = Checker(attncalc.load("problem-set-4-q3"))
    choices = [change for _, change in changes(checker)]
    with TemporaryDirectory() as folder:
        files: list[str] = []
        while len(files) < 500:
            change = choices[rng.integers(len(choices))] if len(files) % 2 else None
            try:
                student = Student(checker, rng)
                student.told = {"Q", "K", "V", "S", "A", "O"}
                answers = student.answers(change)
            except ArithmeticError:
                continue
            files.append(f"{folder}/{len(files)}.yaml")
            Path(files[-1]).write_text(
                "\n".join(f"{step}: {json.dumps(rows)}" for step, rows in answers.items())
            )
        checker.check_file(files[0])
        return len(files) / seconds(lambda: [checker.check_file(file) for file in files])


def main() -> None:
    """Prints the table."""
    numeric = "numpy, click, rich, yaml"
    solve = ("-m", "attncalc", "solve")
    rows = [
        ("--help", "import click", command("-m", "attncalc", "--help"), command("-c", "import click"), 15, 1.5),
        ("numeric solve", f"import {numeric}", command(*solve, "journey"), command("-c", f"import {numeric}"), 15, 1.35),
        ("exact solve", f"import sympy, {numeric}", command(*solve, "dot-product-3"),
         command("-c", f"import sympy, {numeric}"), 9, 1.35),
        (f"numeric trace, {TOKENS} tokens", "the same in bare NumPy", *numeric_pair(), 9, 1.3),
        (f"exact trace, {EXACT_TOKENS} tokens", "SymPy matrices", *exact_pair(converted=False), 5, 0.1),
        ("the same, output in SymPy", "SymPy matrices", *exact_pair(converted=True), 5, 0.2),
    ]  # fmt: skip
    print(f"{'what':<28}{'peer':<44}{'ratio':>7}{'wanted':>9}")
    for what, peer, ours, theirs, rounds, wanted in rows:
        print(f"{what:<28}{peer:<44}{ratio(ours, theirs, rounds):>7.2f}{'≤ ' + str(wanted):>9}")
    print(
        f"{'checks a second':<28}{'500 files of one 3-token problem':<44}{checks_a_second():>7.0f}{'≥ 200':>9}"
    )


if __name__ == "__main__":
    main()
