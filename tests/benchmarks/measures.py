"""What is measured, and against whom: `python measures.py NAME` prints the seconds of CPU time of both.

It runs, in an empty folder, whichever attncalc is on the path: only what every version has is used here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Any, NamedTuple

import numpy as np

TOKENS, FEW_TOKENS, WIDTH = 2048, 8, 64
EXACT_TOKENS = 16

Run = Callable[[], object]
COMMAND = "from attncalc.__main__ import main; main()"
"""What the installed command `attncalc` runs."""


def python(*arguments: str, **variables: str) -> Run:
    """A Python process with these arguments and environment variables."""
    command, environment = [sys.executable, *arguments], {**os.environ, **variables}
    return lambda: subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)


def start(needed: str, *arguments: str) -> tuple[Run, Run]:
    """A command, and a process that only imports what it needs of others."""
    return python("-c", COMMAND, *arguments), python("-c", f"import {needed}")


def complete() -> tuple[Run, Run]:
    """The names of problems that begin with a word, as a shell asks for them."""
    asked = {"_ATTNCALC_COMPLETE": "bash_complete", "COMP_WORDS": "attncalc solve dot", "COMP_CWORD": "2"}
    return python("-c", COMMAND, **asked), python("-c", "import click")


def load_from(name: str, *modules: str) -> Any:
    """A name from the first of these modules that there is: they were called otherwise before."""
    for module in modules:
        try:
            return getattr(import_module(f"attncalc.{module}"), name)
        except ModuleNotFoundError:
            continue
    raise ImportError(name)


def solve_arrays(tokens: int, mask: str) -> tuple[Run, Run]:
    """Attention over arrays, by `attncalc.solve` and in bare NumPy, each building its own mask."""
    import attncalc

    rng = np.random.default_rng(0)
    x = rng.standard_normal((tokens, WIDTH))
    w_q, w_k, w_v = (rng.standard_normal((WIDTH, WIDTH)) / 8 for _ in range(3))

    def ours() -> object:
        return attncalc.solve(attncalc.problem(X=x, W_Q=w_q, W_K=w_k, W_V=w_v, mask=mask), mode="numeric")

    def bare() -> object:
        q, k, v = x @ w_q, x @ w_k, x @ w_v
        s = q @ k.T
        z = m = s / np.sqrt(WIDTH)
        if mask == "causal":
            m = z + np.where(np.tri(tokens, dtype=bool), 0.0, -np.inf)
        e = np.exp(m - m.max(axis=-1, keepdims=True))
        t = e.sum(axis=-1, keepdims=True)
        a = e / t
        return q, k, v, s, z, m, e, t, a, a @ v

    return ours, bare


def solve_exactly(converted: bool) -> tuple[Run, Run]:
    """Exact attention, by the graph and with SymPy matrices; our numbers converted to SymPy's if wanted."""
    import sympy

    import attncalc

    rng = np.random.default_rng(0)
    q, k, v = (rng.integers(-3, 4, (EXACT_TOKENS, EXACT_TOKENS)).tolist() for _ in range(3))
    problem = attncalc.problem(Q=q, K=k, V=v)

    def ours() -> object:
        # SymPy remembers results between runs: every round starts afresh.
        sympy.core.cache.clear_cache()
        solution = attncalc.solve(problem, mode="exact")
        return solution["O"].exact if converted else solution

    def plain() -> object:
        sympy.core.cache.clear_cache()
        s = sympy.Matrix(q) * sympy.Matrix(k).T / sympy.sqrt(EXACT_TOKENS)
        e = s.applyfunc(sympy.exp)
        a = sympy.Matrix(EXACT_TOKENS, EXACT_TOKENS, lambda i, j: e[i, j] / sum(e[i, :]))
        return a * sympy.Matrix(v)

    return ours, plain


THREE_TOKENS = {
    "X": [[1, -1, 0, 2], [0, -1, 2, 1], [-2, 2, -1, 0]],
    "W_Q": [[0, 1], [1, 0], [-0.5, 0], [1, 1]],
    "W_K": [[1, -0.5], [0, 1], [0.5, -0.5], [1, 0.5]],
    "W_V": [[1, 0.5], [-0.5, 0], [-1, 2], [0.5, -1]],
}
"""A problem such as courses set."""
RIGHT, MISSING = 1 / np.sqrt(2), 1.0
"""How its scores are scaled, and how by someone who forgets to."""


def solve_small(mode: str) -> tuple[Run, None]:
    """The small problem, read and solved."""
    import attncalc

    return lambda: attncalc.solve(attncalc.problem(**THREE_TOKENS), mode=mode), None


def answers(scale: float) -> dict[str, Any]:
    """The answers of a student who scales the scores by this."""
    x, *weights = map(np.array, THREE_TOKENS.values())
    q, k, v = (x @ w for w in weights)
    s = q @ k.T
    e = np.exp(s * scale)
    a = e / e.sum(axis=-1, keepdims=True)
    return {"Q": q, "K": k, "V": v, "S": s, "A": a, "O": a @ v}


def check(scale: float) -> tuple[Run, None]:
    """A file of six matrices, marked by a checker that has marked others before."""
    import attncalc

    file = Path("answers.yaml")
    rows = {name: np.round(matrix, 4).tolist() for name, matrix in answers(scale).items()}
    file.write_text("".join(f"{name}: {matrix}\n" for name, matrix in rows.items()))
    checker = load_from("Checker", *CHECKERS)(attncalc.problem(**THREE_TOKENS))
    wrong = [step.step for step in checker.check_file(str(file)).steps if step.verdict == "wrong"]
    assert wrong == ([] if scale == RIGHT else ["A"])
    return lambda: checker.check_file(str(file)), None


def write_class(folder: Path, count: int) -> list[str]:
    """A class: half is right, a third makes a slip, and a fifth a mistake, each with other decimals."""
    rng, files = np.random.default_rng(0), []
    for n in range(count):
        told = answers(RIGHT if n % 30 < 24 else float(rng.choice([1.0, 0.5, np.sqrt(2)])))
        if 14 <= n % 30 < 24:
            matrix = told[str(rng.choice(list(told)))]
            matrix[tuple(int(rng.integers(size)) for size in matrix.shape)] += float(
                rng.choice([-1, 0.05, 0.1, 2])
            )
        file, places = folder / f"{n:06}.yaml", int(rng.integers(2, 5))
        file.write_text(
            "".join(f"{name}: {np.round(matrix, places).tolist()}\n" for name, matrix in told.items())
        )
        files.append(str(file))
    return files


def mixed_class(count: int) -> tuple[Run, None]:
    """A class, marked by a checker that remembers equal answers."""
    import attncalc

    remembering = load_from("Remembering", *CLASSES)
    files = write_class(Path(), count)
    problem = attncalc.problem(**THREE_TOKENS)

    def mark() -> object:
        checker = remembering(problem)
        return [checker.check_file(file) for file in files]

    return mark, None


def first_check(keys: dict[str, Any]) -> tuple[Run, None]:
    """A wrong final answer, the first that a new checker sees: nothing explains it, all is tried."""
    import attncalc

    checker = load_from("Checker", *CHECKERS)
    problem = attncalc.problem(**keys)
    solution = attncalc.solve(problem, mode="numeric")
    wrong = solution[solution.output].value + np.random.default_rng(1).normal(
        size=solution[solution.output].shape
    )
    file = Path("answers.yaml")
    file.write_text(f"{solution.output}: {np.round(wrong, 3).tolist()}\n")
    return lambda: checker(problem).check_file(str(file)), None


def several_heads(heads: int, tokens: int) -> dict[str, Any]:
    """Several heads of width 2, with an output matrix."""
    rng, width = np.random.default_rng(0), 2 * heads
    shapes = {"X": (tokens, width)} | dict.fromkeys(("W_Q", "W_K", "W_V", "W_O"), (width, width))
    return {"heads": heads} | {name: rng.integers(-2, 3, shape).tolist() for name, shape in shapes.items()}


def block() -> dict[str, Any]:
    """A block of two heads with weights of one decimal."""
    rng = np.random.default_rng(0)

    def drawn(*shape: int) -> Any:
        return (rng.integers(-9, 10, shape) / 10).tolist()

    norm = {"layer_norm": {"eps": "0"}}
    layer = {"feed_forward": {"W_1": drawn(4, 6), "b_1": drawn(6), "W_2": drawn(6, 4), "b_2": drawn(4)}}
    weights = {name: drawn(4, 4) for name in ("W_Q", "W_K", "W_V", "W_O")}
    return {"X": drawn(3, 4), **weights, "heads": 2, "block": ["residual", norm, layer, "residual", norm]}


def lint(name: str) -> tuple[Run, None]:
    """A worksheet exercise looked through, from its file on."""
    source = load_from("load_source", *LOADERS)
    look_through = load_from("lint", "features.authoring.lint.lint", "authoring.lint")
    return lambda: look_through(source(name)), None


def vary(name: str, count: int) -> tuple[Run, None]:
    """Variants of a worksheet exercise, from its file on."""
    source = load_from("load_source", *LOADERS)
    variation = load_from("Variation", "features.authoring.vary.vary", "authoring.vary")
    ids = [f"{number:03}" for number in range(count)]
    return lambda: [*variation(source(name), 7).make_all(ids)], None


CHECKERS = ("marking.checker", "checking.checker")
CLASSES = ("features.classes.mark_class", "checking.classes")
LOADERS = ("exercise.load", "loading.load")
"""Where this version and earlier ones keep what is measured."""


class Measure(NamedTuple):
    """How it is prepared, its peer's name, how often it runs, and the most that is wanted of the peer's time."""

    prepare: Callable[[], tuple[Run, Run | None]]
    peer: str
    rounds: int
    at_most: float | None = None


NUMERIC = "numpy, click, rich, yaml"
SMALL, LARGE = f"{FEW_TOKENS} × {WIDTH}", f"{TOKENS} × {WIDTH}"
EXACT = f"{EXACT_TOKENS} × {EXACT_TOKENS}"
THREE = ("solve", "dot-product-3")
"""A problem of three tokens, from the shell."""
MEASURES = {
    "start of --help": Measure(partial(start, "click", "--help"), "import click", 9, 1.15),
    "completion of a problem's name": Measure(complete, "import click", 9, 1.3),
    "start of a numeric solve": Measure(
        partial(start, NUMERIC, *THREE, "--numeric"), f"import {NUMERIC}", 9, 1.3
    ),
    "start of an exact solve": Measure(
        partial(start, f"sympy, {NUMERIC}", *THREE, "--exact"), f"import sympy, {NUMERIC}", 5, 0.5
    ),
    "start of list": Measure(partial(start, "click, yaml", "list"), "import click, yaml", 5, 3),
    f"solve {SMALL}": Measure(partial(solve_arrays, FEW_TOKENS, "none"), "bare NumPy", 50, 40),
    f"solve {SMALL}, causal": Measure(partial(solve_arrays, FEW_TOKENS, "causal"), "bare NumPy", 50, 40),
    f"solve {LARGE}": Measure(partial(solve_arrays, TOKENS, "none"), "bare NumPy", 5, 1.3),
    f"solve {LARGE}, causal": Measure(partial(solve_arrays, TOKENS, "causal"), "bare NumPy", 5, 1.3),
    f"solve {EXACT} exactly": Measure(partial(solve_exactly, False), "SymPy matrices", 3, 0.1),
    f"solve {EXACT} exactly, O to SymPy": Measure(partial(solve_exactly, True), "SymPy matrices", 3, 0.2),
    "solve three tokens": Measure(partial(solve_small, "numeric"), "", 50),
    "solve three tokens exactly": Measure(partial(solve_small, "exact"), "", 20),
    "check six matrices, all right": Measure(partial(check, RIGHT), "", 50),
    "check six matrices, one mistake": Measure(partial(check, MISSING), "", 20),
    "check 600 answers, mixed": Measure(partial(mixed_class, 600), "", 3),
    "first check, two heads": Measure(partial(first_check, several_heads(2, 3)), "", 2),
    "first check, eight heads × 8": Measure(partial(first_check, several_heads(8, 8)), "", 1),
    "first check, a block": Measure(partial(first_check, block()), "", 2),
    "lint discussion-10-q1": Measure(partial(lint, "discussion-10-q1"), "", 3),
    "lint two-heads-by-hand": Measure(partial(lint, "two-heads-by-hand"), "", 3),
    "ten variants of problem-set-4-q3": Measure(partial(vary, "problem-set-4-q3", 10), "", 3),
}  # fmt: skip


def seconds(run: Run) -> float:
    """How much CPU time one run takes, in this process and in those that it starts."""
    begun = cpu_time()
    run()
    return cpu_time() - begun


def cpu_time() -> float:
    """The seconds that this process and its children have run so far, the kernel's work for them included."""
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measure(name: str) -> list[float]:
    """The least time of ours and of the peer, taken in turns after a first run that does not count."""
    ours, peer = MEASURES[name].prepare()
    runs = [ours, peer] if peer else [ours]
    for run in runs:
        run()
    taken = [[seconds(run) for run in runs] for _ in range(MEASURES[name].rounds)]
    return [min(times) for times in zip(*taken, strict=True)]


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
