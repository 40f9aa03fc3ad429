"""The steps of a problem in NumPy, written from the lecture and sharing nothing with the program.

Not covered: limits, random inputs, and what `reading` cannot read; free letters stand for numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tests.fuzzing.blocks import apply_block, one_layer, read_layer
from tests.fuzzing.losses import find_loss
from tests.fuzzing.masks import bias_of
from tests.fuzzing.reading import Floats, Reader
from tests.fuzzing.scoring import joined, rotate, score, softmax_parts

SOURCES = {"Q": ("X_Q", "X"), "K": ("X_K", "X_KV", "X"), "V": ("X_V", "X_KV", "X")}
Head = dict[str, Floats]
MAPS: dict[str, Callable[[Floats], Floats]] = {
    "elu+1": lambda x: np.where(x > 0, x + 1, np.exp(np.minimum(x, 0))),
    "relu": lambda x: np.maximum(x, 0),
    "exp": np.exp,
}
"""The feature maps."""


def solve(text: str, folder: Path) -> dict[str, Floats]:
    """The steps by name."""
    return Reference(Reader(text, folder)).steps()


class Reference:
    """Works one problem."""

    def __init__(self, reader: Reader) -> None:
        self.reader, self.tree = reader, reader.tree
        self.found: dict[str, Floats] = {}

    def steps(self) -> dict[str, Floats]:
        """All steps by name."""
        latest = self.reader.matrix("O")
        tokens = self.reader.matrix("X")
        if latest is None and "L" not in self.tree:
            tokens = self.encoded(tokens)
            latest = self.attention(self.normed(tokens))
        if latest is not None and "block" in self.tree:
            source = tokens if tokens is not None else self.reader.matrix("X_Q")
            layers = apply_block(self.reader, latest, source)
            self.found |= layers
            latest = [*layers.values()][-1]
        return self.found | find_loss(self.reader, latest)

    def normed(self, tokens: Floats | None) -> Floats | None:
        """Tokens after the norm before the projections, if there is one."""
        told = self.reader.word("pre_norm")
        if told == "none" or tokens is None:
            return tokens
        kind, options = read_layer(told)
        self.found["N0"] = one_layer(self.reader, kind, options, tokens)
        return self.found["N0"]

    def encoded(self, tokens: Floats | None) -> Floats | None:
        """Tokens with sines and cosines added, where that is asked."""
        kind, options = self.position()
        if kind != "sinusoidal" or tokens is None:
            return tokens
        rows, width = tokens.shape[-2:]
        angles = self.angles(rows, width, options, 0)
        columns = (width + 1) // 2
        sines, cosines = np.sin(angles), np.cos(angles[:, : width // 2])
        encoding = np.empty((rows, width))
        if options["pairs"] == "half":
            encoding[:, :columns], encoding[:, columns:] = sines, cosines
        else:
            encoding[:, 0::2], encoding[:, 1::2] = sines, cosines
        self.found |= {"P": encoding, "X_P": tokens + encoding}
        return tokens + encoding

    def position(self) -> tuple[str, dict[str, Any]]:
        """The kind of positions, and their options."""
        told = self.reader.word("position")
        if isinstance(told, str):
            return told, {"pairs": "interleaved"}
        (kind, first), *others = told.items()
        return kind, {"pairs": first, **dict(others)}

    def angles(self, rows: int, width: int, options: dict[str, Any], past: int) -> Floats:
        """The angle of every position at every pair."""
        position = np.arange(rows)[:, None] + int(options.get("offset", 0)) + past
        pairs = np.arange((width + 1) // 2)[None, :]
        if "angle" in options:
            return np.asarray(position * self.reader.value(options["angle"]) * np.ones_like(pairs))
        base = float(self.reader.value(options.get("base", "10000")))
        return np.asarray(position / base ** (2 * pairs / width))

    def attention(self, tokens: Floats | None) -> Floats | None:
        """The output after the heads; None if the steps end at the weights."""
        heads = self.heads(tokens)
        outputs = [self.head(head, number, len(heads)) for number, head in enumerate(heads, start=1)]
        if outputs[0] is None:
            return None
        latest = self.combined(outputs)  # type: ignore[arg-type]
        weight, bias = self.reader.matrix("W_O"), self.reader.matrix("b_O")
        if weight is not None or bias is not None:
            latest = self.found["Y"] = self.projected(latest, weight, bias)
        return latest

    def combined(self, outputs: list[Floats]) -> Floats:
        """The outputs of the heads as one."""
        if len(outputs) == 1:
            return outputs[0]
        how = self.reader.word("combine", "concat")
        joined = np.concatenate(outputs, axis=-1) if how == "concat" else sum(outputs[1:], outputs[0])
        self.found["H"] = joined / len(outputs) if how == "mean" else joined
        return self.found["H"]

    def projected(self, x: Floats, weight: Floats | None, bias: Floats | None) -> Floats:
        """x W + b, as far as they are given."""
        if weight is not None:
            x = x @ (weight.T if self.reader.word("weights") == "out-in" else weight)
        return x if bias is None else x + bias

    def heads(self, tokens: Floats | None) -> list[Head]:
        """Queries, keys, values and caches of every head."""
        labels = [key.rpartition("_") for key in self.tree]
        numbers = [
            int(n)
            for role, _, n in labels
            if role.removeprefix("past_").lstrip("Wb_") in ("Q", "K", "V") and n.isdigit()
        ]
        count = max(numbers, default=int(self.reader.word("heads", "1")))
        parts = {
            role: self.parts(role, count, bool(numbers), tokens)
            for role in ("Q", "K", "V", "past_K", "past_V")
        }
        count = len(parts["Q"]) if parts["Q"] else count
        return [
            {role: found[head * len(found) // count] for role, found in parts.items() if found}
            for head in range(count)
        ]

    def parts(self, role: str, heads: int, numbered: bool, tokens: Floats | None) -> list[Floats]:
        """The matrices of a role: one a head, or fewer that heads share."""
        if numbered:
            return self.own(role, heads, tokens)
        whole = self.whole(role, "", tokens)
        if whole is None:
            return []
        if whole.ndim == 4:
            return [whole[:, head] for head in range(whole.shape[1])]
        count = heads if role == "Q" else int(self.reader.word("kv_heads", str(heads)))
        if role in ("Q", "K", "V") and heads == 1:
            self.record(role, whole)
        if heads == 1:
            return [whole]
        blocks = np.split(whole, count, axis=-1)
        if role in ("Q", "K", "V"):
            self.record(role, whole)
            self.found |= {f"{role}_{n}": block for n, block in enumerate(blocks, start=1)}
        return blocks

    def own(self, role: str, heads: int, tokens: Floats | None) -> list[Floats]:
        """The numbered matrices of a role, or the one that all heads share."""
        found = []
        for number in range(1, heads + 1):
            keys = [f"{kind}{role}_{number}" for kind in ("", "W_", "b_")]
            if any(key in self.tree for key in keys):
                found.append(self.whole(role, f"_{number}", tokens))
        several = [matrix for matrix in found if matrix is not None]
        if several and not role.startswith("past"):
            for number, matrix in enumerate(several, start=1):
                self.record(f"{role}_{number}" if heads > 1 else role, matrix)
            return several
        if several:
            return several
        shared = self.whole(role, "", tokens)
        if shared is not None and role in ("Q", "K", "V"):
            self.record(role, shared)
        return [] if shared is None else [shared]

    def record(self, name: str, matrix: Floats) -> None:
        """Keeps a step, unless it is given."""
        if name not in self.tree:
            self.found[name] = matrix

    def whole(self, role: str, ending: str, tokens: Floats | None) -> Floats | None:
        """A matrix as given, or projected from the tokens."""
        given = self.reader.matrix(role + ending)
        if given is not None or role not in SOURCES or ("S" in self.tree and role != "V"):
            return given
        sources = (tokens if key == "X" else self.reader.matrix(key) for key in SOURCES[role])
        source = next((x for x in sources if x is not None), None)
        if source is None:
            return None
        weight, bias = (self.first(f"{kind}_{role}{ending}", f"{kind}_{role}") for kind in "Wb")
        return self.projected(source, weight, bias)

    def first(self, *keys: str) -> Floats | None:
        """The first of some matrices that is given."""
        return next((self.reader.matrix(key) for key in keys if key in self.tree), None)

    def head(self, head: Head, number: int, heads: int) -> Floats | None:
        """One head, from queries to its output."""
        ending = f"_{number}" if heads > 1 else ""
        found = self.weights(head, number, heads)
        values = head.get("V")
        if values is not None:
            values = joined(head.get("past_V"), values)
            found["O"] = found["A"] @ values
        given = self.tree if not ending else {}
        self.found |= {role + ending: value for role, value in found.items() if role not in given}
        return found.get("O")

    def weights(self, head: Head, number: int, heads: int) -> Head:
        """From queries and keys to weights, every step."""
        found: Head = {}
        past = head["past_K"].shape[-2] if "past_K" in head else 0
        given = self.reader.matrix("S")
        scores = given if given is not None else self.scores(head, found, past)
        found["S"] = latest = scores
        factor = self.factor(head, scores, heads)
        if factor is not None:
            with np.errstate(invalid="ignore"):
                found["Z"] = latest = latest * factor
        if self.reader.word("softcap") != "none":
            cap = float(self.reader.value(self.reader.word("softcap")))
            found["C"] = latest = np.where(np.isneginf(latest), latest, cap * np.tanh(latest / cap))
        decay = self.decay(latest.shape, past, number)
        if decay is not None:
            found |= {"D": decay, "M": latest * decay}
            latest = found["M"]
        bias = bias_of(self.reader, latest.shape, past, (number, heads), self.position())
        if bias is not None:
            hidden = 0.0 if decay is None else np.where(decay > 0, 0.0, -np.inf)
            found["M"] = latest = latest + bias + hidden
        return found | self.shares(latest, self.sink(number))

    def decay(self, shape: tuple[int, ...], past: int, number: int) -> Floats | None:
        """A number to the power of the distance back to every key, 0 for later ones."""
        if self.reader.word("decay") == "none":
            return None
        bases = self.reader.as_rows(self.tree["decay"])[0]
        distance = np.subtract.outer(np.arange(shape[-2]) + past, np.arange(shape[-1]))
        base = bases[number - 1 if len(bases) > 1 else 0]
        return np.asarray(np.where(distance >= 0, base ** np.maximum(distance, 0), 0.0))

    def sink(self, number: int) -> float | None:
        """The score beside the keys of a head."""
        if self.reader.word("sink") == "none":
            return None
        found = self.reader.as_rows(self.tree["sink"])[0]
        return float(found[number - 1 if len(found) > 1 else 0])

    def shares(self, scores: Floats, sink: float | None) -> Head:
        """Weights from scores; a hidden key has none."""
        how = self.reader.word("normalize", "softmax" if self.reader.word("feature_map") == "none" else "sum")
        visible = np.where(np.isneginf(scores), 0, scores)
        if how == "none":
            return {"A": visible}
        powers, totals = (
            softmax_parts(scores, sink) if how == "softmax" else (visible, visible.sum(-1, keepdims=True))
        )
        hidden = np.isneginf(scores).all(axis=-1, keepdims=True)
        found = {"A": np.where(hidden, 0, powers / np.where(hidden, 1, totals)), "T": totals}
        return {**found, "E": powers} if how == "softmax" else found

    def factor(self, head: Head, scores: Floats, heads: int) -> float | None:
        """What scores are multiplied by."""
        is_plain = self.reader.word("score", "dot") == "dot" and self.reader.word("feature_map") == "none"
        usual = "1/sqrt(d_k)" if is_plain and "S" not in self.tree else "none"
        told = self.reader.word("scale", usual)
        if told == "none":
            return None
        width = next((self.reader.matrix(key) for key in ("X", "X_Q") if key in self.tree), None)
        sizes = {role: head[key].shape[-1] for role, key in (("d_k", "K"), ("d_v", "V")) if key in head}
        sizes |= {"n_q": scores.shape[-2], "n_k": scores.shape[-1], "heads": heads}
        sizes |= {} if width is None else {"d_model": width.shape[-1]}
        self.reader.names |= sizes
        return float(self.reader.value(told))

    def scores(self, head: Head, found: Head, past: int) -> Floats:
        """How well queries match keys, cached ones first."""
        queries, keys = head["Q"], head["K"]
        kind, options = self.position()
        if kind == "rope":
            half = options["pairs"] == "half"
            queries, keys = (
                rotate(x, self.angles(x.shape[-2], x.shape[-1], options, past), half) for x in (queries, keys)
            )
            found |= {"Q_R": queries}
        keys = joined(head.get("past_K"), keys)
        if self.reader.word("feature_map") != "none":
            queries, keys = (MAPS[self.reader.word("feature_map")](x) for x in (queries, keys))
            found |= {"Q_F": queries}
        return score(self.reader, queries, keys)
