"""From logits to the loss: keys that may be drawn, and a reference for their results."""

from __future__ import annotations

import numpy as np

from tests.fuzzing.draft import Draft
from tests.fuzzing.reading import Floats, Reader
from tests.fuzzing.writing import quoted, write_list

LABELS = ("the", "cat", "sat", "<s>", "a b", "é")


def tell_unembedding(draft: Draft) -> None:
    """W_U, with or without a bias."""
    draft.labels = draft.random.randint(1, 4)
    draft.keys["W_U"] = draft.weight(draft.output_width, draft.labels)
    if draft.happens(0.3):
        draft.keys["b_U"] = draft.pen.vector(draft.labels)
    tell_targets(draft)


def tell_targets(draft: Draft) -> None:
    """A temperature, labels, and what every row should predict."""
    labels = draft.random.sample(LABELS, draft.labels) if draft.happens(0.4) else []
    if draft.happens(0.3):
        draft.keys["temperature"] = draft.choose(["1", "2", "1/2", "0.8", "sqrt(2)"])
    if labels:
        draft.keys["vocabulary"] = write_list([quoted(label) for label in labels])
    if not draft.batch and draft.happens(0.8):
        names = [quoted(label) for label in labels] or [str(n) for n in range(1, draft.labels + 1)]
        rows = [draft.choose([*names, *names, "_"]) for _ in range(draft.queries)]
        draft.keys["targets"] = write_list(rows)


def find_loss(reader: Reader, latest: Floats | None) -> dict[str, Floats]:
    """L, p, nll, loss and perplexity, as far as they are asked for."""
    logits, found = reader.matrix("L"), dict[str, Floats]()
    weight, bias = reader.matrix("W_U"), reader.matrix("b_U")
    if logits is None and weight is not None and latest is not None:
        logits = latest @ (weight.T if reader.word("weights") == "out-in" else weight)
        logits = found["L"] = logits if bias is None else logits + bias
    if logits is None:
        return found
    tempered = logits / float(reader.value(reader.word("temperature", "1")))
    powers = np.exp(tempered - tempered.max(axis=-1, keepdims=True))
    found["p"] = powers / powers.sum(axis=-1, keepdims=True)
    return found | target_losses(reader, tempered) if "targets" in reader.tree else found


def target_losses(reader: Reader, logits: Floats) -> dict[str, Floats]:
    """ln Σ e^x − x of every target; rows without one are not in the mean."""
    labels = reader.word("vocabulary", "none")
    columns = [None if t == "_" else labels.index(t) if labels != "none" else int(t) - 1
               for t in reader.tree["targets"]]  # fmt: skip
    lost = np.zeros((len(columns), 1))
    for row, column in enumerate(columns):
        if column is not None:
            most = logits[row].max()
            lost[row] = most - logits[row, column] + np.log(np.exp(logits[row] - most).sum())
    loss = np.array([[lost.sum() / sum(column is not None for column in columns)]])
    return {"nll": lost, "loss": loss, "perplexity": np.exp(loss)}
