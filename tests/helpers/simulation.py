"""A class made up apart from the program: exercises, honest habits, mistakes and slips in plain NumPy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Matrix: TypeAlias = NDArray[np.float64]
Answers: TypeAlias = dict[str, Any]
"""By step: rows of texts, or an array."""
Round: TypeAlias = Callable[[Matrix], Matrix]
Work: TypeAlias = dict[str, Matrix]


# Exercises.


class Head(NamedTuple):
    """What a student reads of one head."""

    queries: Matrix
    keys_: Matrix
    values: Matrix
    causal: bool = False
    inputs: Any = None
    weights: tuple[Matrix, ...] = ()


class Network(NamedTuple):
    """What comes after two heads: an output matrix, a block of two norms, and a loss."""

    inputs: Matrix
    w_o: Matrix
    w_1: Matrix
    b_1: Matrix
    w_2: Matrix
    w_u: Matrix
    targets: list[int]


class Exercise(NamedTuple):
    """An exercise as its file would have it, and what a student reads in it."""

    keys: dict[str, Any]
    heads: tuple[Head, ...]
    network: Network | None = None


def draw(rng: np.random.Generator, *shape: int, scale: int = 1) -> Matrix:
    """Integers from −3 to 3, or tenths from −1.5 to 1.5."""
    most = 3 if scale == 1 else 15
    return np.asarray(rng.integers(-most, most + 1, shape) / scale)


def exercises(count: int, seed: int) -> Iterator[Exercise]:
    """Exercises such as courses set: two to four tokens, integers or one decimal, masked or not."""
    rng = np.random.default_rng(seed)
    for n in range(count):
        tokens, width, out = (int(rng.integers(2, most)) for most in (5, 5, 4))
        drawn = partial(draw, rng, scale=10 if n % 3 == 2 else 1)
        causal = n % 4 == 3
        mask = {"mask": "causal"} if causal else {}
        if n % 5 == 4:
            x, *weights = drawn(tokens, 3), drawn(3, width), drawn(3, width), drawn(3, out)
            names = dict(zip(("W_Q", "W_K", "W_V"), (w.tolist() for w in weights), strict=True))
            yield Exercise({"X": x.tolist(), **names, **mask}, (project(x, weights, causal),))
        else:
            q, k, v = drawn(tokens, width), drawn(tokens, width), drawn(tokens, out)
            keys = {"Q": q.tolist(), "K": k.tolist(), "V": v.tolist(), **mask}
            yield Exercise(keys, (Head(q, k, v, causal),))


def models(count: int, seed: int) -> Iterator[Exercise]:
    """Small models: two heads with an output matrix, a block with two norms, and a loss."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        drawn, tokens, words = partial(draw, rng), int(rng.integers(2, 4)), 3
        x = drawn(tokens, 3)
        keys: dict[str, Any] = {"X": x.tolist(), "heads": 2, "mode": "numeric"}
        weights = [[drawn(3, 2) for _ in "QKV"] for _ in range(2)]
        for h, three in enumerate(weights, 1):
            keys |= {f"W_{name}_{h}": w.tolist() for name, w in zip("QKV", three, strict=True)}
        targets = rng.integers(0, words, tokens).tolist()
        parts = drawn(4, 3), drawn(3, 2), drawn(1, 2), drawn(2, 3), drawn(3, words)
        w_o, w_1, b_1, w_2, w_u = (part.tolist() for part in parts)
        layer = {"W_1": w_1, "b_1": b_1[0], "W_2": w_2, "activation": "relu"}
        norm = {"layer_norm": {"eps": 0}}
        keys |= {"W_O": w_o, "block": ["residual", norm, {"feed_forward": layer}, "residual", norm]}
        keys |= {"W_U": w_u, "targets": [target + 1 for target in targets]}
        heads = tuple(project(x, three) for three in weights)
        yield Exercise(keys, heads, Network(x, *parts, targets))


def project(x: Matrix, weights: Iterable[Matrix], causal: bool = False) -> Head:
    """A head whose queries, keys and values are products of the inputs."""
    w_q, w_k, w_v = weights
    return Head(x @ w_q, x @ w_k, x @ w_v, causal, x, (w_q, w_k, w_v))


# Ways of rounding.


def to_places(places: int) -> Round:
    """To decimals."""
    return partial(to_nearest, places=places)


def to_nearest(x: Matrix, places: int) -> Matrix:
    """To decimals, a half to the even digit."""
    return np.asarray(np.round(x, places))


def to_digits(digits: int, x: Matrix) -> Matrix:
    """To significant digits."""
    return np.asarray(np.vectorize(lambda number: float(f"{number:.{digits}g}"), otypes=[float])(x))


def round_up(x: Matrix, places: int) -> Matrix:
    """To decimals, a half away from 0."""
    return np.asarray(np.sign(x) * np.floor(np.abs(x) * 10**places + 0.5 + 1e-12) / 10**places)


def cut(x: Matrix, places: int) -> Matrix:
    """Further decimals cut off."""
    return np.asarray(np.trunc(x * 10**places * (1 + 1e-12)) / 10**places)


def keep_some(round_: Round, x: Matrix) -> Matrix:
    """Rounded, but a number that would become 0 keeps one digit: a student does not divide by nothing."""
    found = round_(x)
    return np.where((found == 0) & (x != 0), to_digits(1, x), found)


def by_turns(one: Round, other: Round, x: Matrix) -> Matrix:
    """The rows are rounded in two ways in turn."""
    return np.where(np.arange(len(x))[:, None] % 2 == 0, one(x), other(x))


def half(x: Matrix) -> Matrix:
    """As float16 holds it."""
    return x.astype(np.float16).astype(np.float64)


def bfloat(x: Matrix) -> Matrix:
    """As bfloat16 holds it: the upper half of a float32, rounded to nearest, ties to even."""
    bits = x.astype(np.float32).view(np.uint32)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return bits.view(np.float32).astype(np.float64)


class Habit(NamedTuple):
    """How an honest student works: which steps are answered, how they are written, what is rounded on the way."""

    told: Collection[str]
    places: int = 3
    by_step: Mapping[str, int] = {}
    """Other places of some steps."""
    by_row: tuple[int, ...] = ()
    """Other places of the rows in turn."""
    digits: int | None = None
    rounds: Callable[[Matrix, int], Matrix] = to_nearest
    guard: int | None = None
    """Further places with which the student goes on: 0 as written, None all digits."""
    on_the_way: Mapping[str, Round] = {}
    """What happens to results: of steps (`*`: all), and of products, exponents and reciprocals."""
    root: Callable[[float], float] = float
    is_inverse: bool = False
    e: float = np.e
    writes: str = ""
    """An odd way to write: last-weight, percent, percent-sign, comma, repr."""
    array: Any = None
    """The type of numbers if arrays are handed in."""
    rows: Mapping[str, int] = {}
    """The row (counted from 0) of steps of which one row is answered."""

    def rounded(self, what: str, x: Matrix) -> Matrix:
        """A result as the student has it."""
        return self.inner(what, self.inner("*", x))

    def inner(self, what: str, x: Matrix) -> Matrix:
        """The result of an operation within a step."""
        return self.on_the_way[what](x) if what in self.on_the_way else x


def several(told: Iterable[Collection[str]], **ways: Iterable[Any]) -> tuple[Habit, ...]:
    """A habit for each combination."""
    names = tuple(ways)
    return tuple(
        Habit(some, **dict(zip(names, way, strict=True))) for some in told for way in product(*ways.values())
    )


BOTH: tuple[int | None, ...] = (None, 0)
"""Goes on with all digits, or with the written ones."""


def hidden() -> Iterator[Habit]:
    """Results that are rounded on the way and not answered."""
    for places, some, told, up in product((2, 3, 4), ("QKVSZETA", "QKVSZA", "A", "Z"), ("O", "AO"), (0, 1)):
        round_: Round = partial(round_up, places=places) if up else to_places(places)
        roles = "".join(role for role in some if role not in told)
        yield Habit(told, max(places, 3), on_the_way=dict.fromkeys(roles, round_))


def everywhere(round_: Round) -> dict[str, Round]:
    """Every result and every product."""
    return {"*": round_, "product": round_}


USUAL: dict[str, tuple[Habit, ...]] = {
    "rounded": several(("SZETAO", "SAO", "AO", "O", "A", "ETAO"), places=(2, 3, 4), guard=BOTH),
    "significant digits": several(("SAO", "AO", "O"), digits=(3,), guard=BOTH),
    "guard digits": several(("SZETAO", "SAO", "AO"), places=(2, 3), guard=(1, 2)),
    "rounded on the way": tuple(hidden()),
    "root rounded": several(
        ("O", "AO"), places=(4,), is_inverse=(False, True),
        root=(lambda x: float(f"{x:.3g}"), lambda x: round(x, 2)),
    ),
    "e rounded": several(("O", "AO"), places=(4,), e=(2.72, 2.718)),
    "last weight": several(("A", "AO", "SAO"), places=(2, 3), writes=("last-weight",), guard=BOTH),
    "cut off in writing": several(("A", "O", "AO", "SAO", "ETAO"), places=(2, 3, 4), rounds=(cut,)),
    "percent": several(("A", "AO"), places=(1, 2), by_step=({"O": 3},), writes=("percent", "percent-sign")),
    "products rounded": tuple(
        Habit(told, n, guard=0, on_the_way={"product": to_places(n), "A": to_places(n)})
        for told in ("O", "AO", "SAO") for n in (2, 3)
    ),
    "places by step": several(
        ("SZETAO", "SAO", "ETAO", "AO"), guard=BOTH,
        by_step=({"S": 1, "Z": 2, "E": 2, "T": 2, "A": 3, "O": 2}, {"Z": 3, "E": 4, "T": 3, "A": 2, "O": 4},
                 {"S": 2, "Z": 4, "E": 3, "T": 2, "A": 4, "O": 3}),
    ),
    "decimal commas": several(("SAO", "AO", "O"), places=(2, 3), guard=BOTH, writes=("comma",)),
    "dropped zeros": several(("SAO", "AO", "O"), places=(2, 3), guard=BOTH, writes=("repr",), array=(None, float)),
    "single rows": tuple(
        Habit(told, n, guard=0, rows=rows)
        for n in (2, 3)
        for told, rows in (("AO", {"A": 0}), ("AO", {"A": 1, "O": 1}), ("SAO", {"S": 0, "A": 0, "O": 0}),
                           ("O", {"O": 1}), ("ETAO", {"E": 0, "T": 0, "A": 0}))
    ),
}  # fmt: skip
"""Ways of working that every course sees."""
TORCH = "QKVSZMAO"
"""The results of a program whose softmax works in single precision."""
ODD: dict[str, tuple[Habit, ...]] = {
    "cut off and carried": several(("SAO", "AO", "O", "ETAO"), places=(2, 3), rounds=(cut,), guard=(0,)),
    "products cut": tuple(
        Habit(told, n, on_the_way={"product": partial(cut, places=n)}) for told in ("O", "AO") for n in (2, 3)
    ),
    "exponentials to one place": several(
        ("O", "AO", "A", "TAO"), places=(2,), on_the_way=({"E": partial(keep_some, to_places(1))},)
    ),
    "reciprocal rounded": tuple(
        Habit(told, places, on_the_way={"reciprocal": partial(to_digits, digits)})
        for told in ("O", "AO", "A") for places, digits in ((2, 2), (2, 3), (3, 3))
    ),
    "exponents rounded": tuple(
        Habit(told, places, on_the_way={"exponent": to_places(n)})
        for told in ("O", "AO", "A", "ZAO") for places, n in ((2, 1), (2, 2), (3, 2))
    ),
    "rounding by row": (
        *several(("AO", "SAO"), by_row=((2, 3), (3, 2), (4, 2)), guard=BOTH),
        *(Habit(told, 3, on_the_way={"A": partial(by_turns, to_places(2), to_places(n))})
          for told in ("O", "SO") for n in (3, 8)),
    ),
    "calculator of few digits": tuple(
        Habit(told, 4, on_the_way=everywhere(partial(to_digits, n))) for told in ("O", "AO") for n in (3, 4)
    ),
    "two habits": (
        Habit("AO", 3, e=2.72, on_the_way={"Z": to_places(2)}),
        Habit("O", 3, e=2.718, on_the_way={"A": to_places(2)}),
        Habit("AO", 3, root=lambda x: round(x, 2), rounds=cut),
        Habit("AO", 2, writes="last-weight", guard=0, on_the_way={"E": to_places(2)}),
        Habit("SAO", 2, by_step={"S": 1, "A": 3}, guard=0, on_the_way={"product": to_places(2)}),
        Habit("O", 2, on_the_way={"Z": to_places(1), "A": to_places(2)}),
        Habit("AO", 3, rounds=cut, on_the_way={"E": to_places(2)}),
        Habit("AO", 1, by_step={"O": 2}, writes="percent-sign", on_the_way={"E": to_places(2)}),
        Habit("ETAO", 2, digits=3, guard=0, on_the_way={"Z": to_places(2)}),
        Habit("AO", 2, rounds=cut, guard=0, e=2.72),
    ),
    "half precision": (
        *several(("SAO", "AO", "O", "SZAO"), places=(16,), array=(np.float16,), on_the_way=(dict.fromkeys(TORCH, half), {"*": half})),
        *several(("SAO", "O"), places=(4,), on_the_way=({"*": half},)),
    ),
    "bfloat16": (
        *several(("SAO", "AO", "O", "SZAO"), places=(16,), array=(np.float32,), on_the_way=(dict.fromkeys(TORCH, bfloat), {"*": bfloat})),
        *several(("SAO", "O"), places=(4,), on_the_way=({"*": bfloat},)),
    ),
}  # fmt: skip
"""Honest ways that few students take."""
FURTHER: tuple[tuple[str, ...], ...] = (
    ("Y",), ("H", "Y", "R1", "N1"), ("N1", "N2"), ("R1", "N1", "F1", "R2", "N2"), ("N2", "p", "loss"),
    ("perplexity",),
)  # fmt: skip
"""What is answered of a model besides."""
LISTED = (
    "rounded", "significant digits", "rounded on the way", "root rounded", "e rounded", "last weight",
    "cut off in writing",
)  # fmt: skip


def habits() -> Iterator[Habit]:
    """The usual habits of writing plain decimals."""
    for name in LISTED:
        yield from USUAL[name]


# Work.

Rules: TypeAlias = dict[str, Callable[[Head, Work], Matrix]]


def softmax(powers: Matrix) -> Matrix:
    """Shares, row by row."""
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def multiply(a: Matrix, b: Matrix, habit: Habit) -> Matrix:
    """A product of matrices, each product of two numbers as the student has it."""
    return np.asarray(habit.inner("product", a[:, :, None] * b).sum(axis=1))


def visible(head: Head, scores: Matrix) -> Matrix:
    """Scores whose later keys are hidden if the exercise says so."""
    hidden = np.triu(np.ones(scores.shape, dtype=bool), 1) & head.causal
    return np.where(hidden, -np.inf, scores)


def scaled(head: Head, scores: Matrix, habit: Habit) -> Matrix:
    """Scores over the root of the width, as a habit takes it."""
    width = head.queries.shape[1]
    if habit.is_inverse:
        return scores * habit.root(1 / np.sqrt(width))
    return scores / habit.root(np.sqrt(width))


def divide(powers: Matrix, totals: Matrix, habit: Habit) -> Matrix:
    """Powers over totals, or times a rounded reciprocal."""
    if "reciprocal" in habit.on_the_way:
        return powers * habit.inner("reciprocal", 1 / totals)
    return powers / totals


def head_rules(habit: Habit) -> Rules:
    """How a student gets each step of a head."""
    return {
        "Q": lambda head, _: head.queries,
        "K": lambda head, _: head.keys_,
        "V": lambda head, _: head.values,
        "S": lambda _, w: multiply(w["Q"], w["K"].T, habit),
        "Z": lambda head, w: scaled(head, w["S"], habit),
        "M": lambda head, w: visible(head, w["Z"]),
        "E": lambda _, w: habit.e ** habit.inner("exponent", w["M"]),
        "T": lambda _, w: w["E"].sum(axis=1, keepdims=True),
        "A": lambda _, w: divide(w["E"], w["T"], habit),
        "O": lambda _, w: multiply(w["A"], w["V"], habit),
    }


def network_rules(net: Network, habit: Habit) -> dict[str, Callable[[Work], Matrix]]:
    """How a student gets each step after the heads."""

    def times(step: str, matrix: Matrix) -> Callable[[Work], Matrix]:
        return lambda w: multiply(w[step], matrix, habit)

    def norm(step: str, number: int) -> dict[str, Callable[[Work], Matrix]]:
        mean, spread = f"mu{number}", f"var{number}"
        return {
            mean: lambda w: w[step].mean(axis=1, keepdims=True),
            spread: lambda w: ((w[step] - w[mean]) ** 2).mean(axis=1, keepdims=True),
            f"N{number}": lambda w: (w[step] - w[mean]) / np.sqrt(w[spread]),
        }

    return {
        "H": lambda w: np.hstack([w["O_1"], w["O_2"]]),
        "Y": times("H", net.w_o),
        "R1": lambda w: net.inputs + w["Y"],
        **norm("R1", 1),
        "U1": lambda w: multiply(w["N1"], net.w_1, habit) + net.b_1,
        "G1": lambda w: np.maximum(w["U1"], 0),
        "F1": times("G1", net.w_2),
        "R2": lambda w: w["N1"] + w["F1"],
        **norm("R2", 2),
        "L": times("N2", net.w_u),
        "p": lambda w: softmax(np.exp(w["L"])),
        "nll": lambda w: -np.log(np.take_along_axis(w["p"], np.array(net.targets)[:, None], axis=1)),
        "loss": lambda w: w["nll"].mean(keepdims=True),
        "perplexity": lambda w: np.exp(w["loss"]),
    }


def places_of(habit: Habit, role: str, row: int) -> int:
    """To how many decimals a row is written."""
    if habit.by_row:
        return habit.by_row[row % len(habit.by_row)]
    return habit.by_step.get(role, habit.places)


def write(x: Matrix, habit: Habit, role: str, guard: int = 0) -> Matrix:
    """The numbers that the student writes, or those with further places that they keep."""
    if role == "A" and habit.writes.startswith("percent"):
        x = 100 * x
    if habit.digits:
        return to_digits(habit.digits + guard, x)
    found = np.array([habit.rounds(row, places_of(habit, role, i) + guard) for i, row in enumerate(x)])
    if role == "A" and habit.writes == "last-weight":
        found[:, -1] = 1 - found[:, :-1].sum(axis=1)
    return found


def go_on(x: Matrix, habit: Habit, role: str) -> Matrix:
    """The numbers with which the student goes on after writing a step."""
    if habit.guard is None:
        return x
    is_percent = role == "A" and habit.writes.startswith("percent")
    return write(x, habit, role, habit.guard) / (100 if is_percent else 1)


def text(value: float, places: int, habit: Habit, role: str) -> str:
    """One number as the student writes it."""
    if np.isneginf(value):
        return "-inf"
    if habit.digits:
        return np.format_float_positional(value, trim="-") if value else "0"
    if habit.writes == "repr":
        return repr(float(value))
    found = f"{value:.{places}f}"
    if habit.writes == "comma":
        return found.replace(".", ",")
    return f"{found}%" if habit.writes == "percent-sign" and role == "A" else found


def hand_in(x: Matrix, habit: Habit, role: str) -> Any:
    """A result as the student hands it in."""
    found = write(x, habit, role)
    if habit.array is not None:
        return found.astype(habit.array)
    return [[text(y, places_of(habit, role, i), habit, role) for y in row] for i, row in enumerate(found)]


class Student:
    """A student at work: the results so far, and the answers."""

    def __init__(self, habit: Habit) -> None:
        self.habit = habit
        self.done: Work = {}
        self.answers: Answers = {}

    def finish(self, name: str, role: str, result: Matrix) -> Matrix:
        """Round a result, answer it if it is among the answers, and return what the student goes on with."""
        habit = self.habit
        found = habit.rounded(role, result)
        if role in habit.told:
            if role in habit.rows:
                row = habit.rows[role] % len(found)
                self.answers[f"{name}[{row + 1}]"] = hand_in(found, habit, role)[row]
            else:
                self.answers[name] = hand_in(found, habit, role)
            found = go_on(found, habit, role)
        self.done[name] = found
        return found


def work(exercise: Exercise, habit: Habit, mistakes: Rules | None = None) -> tuple[Work, Answers]:
    """All results of a student, and those that are answered."""
    student = Student(habit)
    for number, head in enumerate(exercise.heads, 1):
        own: Work = {}
        for role, rule in {**head_rules(habit), **(mistakes or {})}.items():
            result = rule(head, own)
            if role == "M" and not head.causal:
                own[role] = result
            else:
                name = role if len(exercise.heads) == 1 else f"{role}_{number}"
                own[role] = student.finish(name, role, result)
    if exercise.network:
        for step, after in network_rules(exercise.network, habit).items():
            student.finish(step, step, after(student.done))
    return student.done, student.answers


MISTAKES: dict[str, Rules] = {
    "scale-missing": {"Z": lambda _, w: w["S"]},
    "scale-d-k": {"Z": lambda head, w: w["S"] / head.queries.shape[1]},
    "scale-inverted": {"Z": lambda head, w: w["S"] * np.sqrt(head.queries.shape[1])},
    "scores-swapped": {"S": lambda _, w: w["K"] @ w["Q"].T},
    "scores-queries-twice": {"S": lambda _, w: w["Q"] @ w["Q"].T},
    "softmax-columns": {"A": lambda _, w: w["E"] / w["E"].sum(axis=0)},
    "softmax-all": {"A": lambda _, w: w["E"] / w["E"].sum()},
    "softmax-unnormalised": {"A": lambda _, w: w["E"]},
    "softmax-base-2": {"A": lambda _, w: softmax(2.0 ** w["M"])},
    "softmax-base-10": {"A": lambda _, w: softmax(10.0 ** w["M"])},
    "softmax-sign": {"A": lambda head, w: softmax(np.exp(visible(head, -w["Z"])))},
    "softmax-twice": {"A": lambda head, w: softmax(np.exp(visible(head, softmax(w["E"]))))},
    "weights-even": {"A": lambda _, w: softmax(1.0 * np.isfinite(w["M"]))},
    "weights-hard": {"A": lambda _, w: np.eye(len(w["M"]))[w["M"].argmax(axis=1)]},
    "mask-missing": {"M": lambda _, w: w["Z"]},
    "mask-flipped": {"M": lambda _, w: np.where(np.tril(np.ones(w["Z"].shape), -1) > 0, -np.inf, w["Z"])},
    "mask-after-softmax": {"A": lambda _, w: np.tril(softmax(np.exp(w["Z"])))},
    "mask-zero": {"M": lambda _, w: np.tril(w["Z"])},
    "output-transposed-weights": {"O": lambda _, w: w["A"].T @ w["V"]},
    "output-mean": {"O": lambda _, w: w["A"] @ w["V"] / len(w["V"])},
    "values-shifted": {"O": lambda _, w: w["A"] @ np.roll(w["V"], -1, axis=0)},
    "weights-transposed": {"Q": lambda head, _: head.inputs @ head.weights[0].T},
    "projection-swapped": {"Q": lambda head, _: head.keys_, "K": lambda head, _: head.queries},
}
"""Mistakes as students make them, by the codes that the checker should report."""
MASKED = ("mask-missing", "mask-flipped", "mask-after-softmax", "mask-zero")
SAME = {
    "values-shifted": {"keys-shifted"},
    "scores-queries-twice": {"projection-swapped"},
    "projection-swapped": {"scores-swapped"},
    "scores-swapped": {"projection-swapped", "result-transposed"},
    "output-transposed-weights": {"softmax-columns", "result-transposed"},
    "softmax-columns": {"output-transposed-weights"},
}
"""Other names for a mistake, if they give the same numbers."""


def has_ties(head: Head) -> bool:
    """Whether two keys share the largest score of a row."""
    scores = visible(head, head.queries @ head.keys_.T)
    return bool(np.any((scores == scores.max(axis=1, keepdims=True)).sum(axis=1) > 1))


def mistaken(exercise: Exercise, code: str) -> Rules | None:
    """The rules of a mistake, if it can be made here."""
    head = exercise.heads[0]
    if code in MASKED and not head.causal:
        return None
    if code in ("weights-transposed", "projection-swapped") and head.inputs is None:
        return None
    if code == "weights-hard" and any(map(has_ties, exercise.heads)):
        return None
    if code == "weights-transposed" and head.weights[0].shape[0] != head.weights[0].shape[1]:
        return None
    return MISTAKES[code]
