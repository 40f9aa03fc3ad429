"""After the last layer: logits over a vocabulary, probabilities, and the loss of the targets."""

from __future__ import annotations

from typing import TypeAlias

from attncalc.core.errors import count_of, fault, inert, nearest, quote
from attncalc.core.graph.graph import Graph, Step
from attncalc.core.graph.labels import Kind
from attncalc.core.ops.base import transpose_stored
from attncalc.core.ops.projection import Projection
from attncalc.core.readings.magnitude import magnitude
from attncalc.core.readings.subterms import to_decimals
from attncalc.core.record import replace
from attncalc.core.terms import ONE, Term
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, matrix, number, reader, text, texts, whole
from attncalc.exercise.keys.refusals import find_word
from attncalc.exercise.keys.schema_types import CELL, TEXT, one_or_list
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.yaml.tree import Given, Node, Scalar, expect, from_python, one_or_more

NO_TARGET = "_"
NO_PERPLEXITY = "The perplexity, e to the power of the loss, is too large for a float."
MOST_NAMED_TARGETS = 30
"""The number of targets that a sentence names."""
KEYS = ("L", "W_U", "b_U", "temperature", "targets")
PROBABILITIES, SURPRISE = ("probabilities", "probability", "probs"), ("negative log-likelihood", "surprise")
UNEMBEDDING = "W_U: [[1, 0, 2], [0, 1, 1]]"
LOGITS = "L: [[2, 1, 0], [0, 1, 3]]"
Targets: TypeAlias = tuple[Scalar, ...]


@reader(texts.schema, "a list of labels, each once")
def parse_vocabulary(node: Node, context: Context) -> tuple[str, ...]:
    """Labels, each only once."""
    labels = texts(node, context)
    for row, (item, label) in enumerate(zip(one_or_more(node), labels, strict=True)):
        if label == NO_TARGET:
            raise fault(f"'{NO_TARGET}' stands for no target, so it cannot be a label", item.place)
        if label in labels[:row]:
            raise fault(f"{quote(label)} stands in the vocabulary twice", item.place)
    return labels


@reader(
    one_or_list(TEXT), "for every row a label of the vocabulary, or without one a number from 1; _ for none"
)
def parse_targets(node: Node, _: Context) -> Targets:
    """Read a label or a number for every row, or _ for none; the logits are needed to resolve them."""
    if isinstance(node, Given):
        node = from_python(node.array.tolist(), "targets", node.place)
    return tuple(expect(item, Scalar, "is not a label, a number or _") for item in one_or_more(node))


@reader(CELL, "a positive number")
def parse_temperature(node: Node, context: Context) -> Term:
    """A positive number."""
    if isinstance(node, Scalar) and find_word(node.text.strip(), ("none",)):
        raise fault("is a number: 1 leaves the logits unchanged", node.place)
    found = number(node, context)
    if magnitude(found).value <= 0:
        raise fault("the temperature must be positive", node.place)
    return found


def build(building: Building) -> None:
    """Add L and p if there are logits, and nll, loss and perplexity if there are targets."""
    logits = give_logits(building) or unembed(building)
    if logits is None:
        return
    from attncalc.core.ops.loss import MeanLoss, Perplexity, Softmax, TargetLoss

    check_vocabulary(building, logits)
    p = building.step("p", Softmax(to_decimals(building.setting("temperature", ONE))), [logits])
    targets: Targets | None = building.setting("targets")
    if targets is None:
        return
    columns = find_columns(building, targets, logits)
    nll = building.step("nll", TargetLoss(columns), [p], name_targets(targets))
    count = sum(column is not None for column in columns)
    loss = building.step("loss", MeanLoss(count, count < len(columns)), [nll])
    building.step("perplexity", Perplexity(), [loss])


def stay_in_range(graph: Graph, step: Step) -> Graph | None:
    """Return a graph whose losses fit into floats, if those of this step do not; None if there is none.

    Losses are computed from the logits, and a perplexity that is too large is left out.
    """
    from attncalc.core.ops.loss import LogitLoss, Perplexity, Softmax, TargetLoss

    source = graph.step(step.inputs[0])
    if isinstance(step.op, Perplexity) and source:
        return replace_step(graph.without(step.name), replace(source, notes=(*source.notes, NO_PERPLEXITY)))
    if type(step.op) is TargetLoss and source and isinstance(source.op, Softmax):
        op = LogitLoss(step.op.targets, source.op.temperature)
        return replace_step(graph, replace(step, op=op, inputs=source.inputs))
    return None


def replace_step(graph: Graph, new: Step) -> Graph:
    """Return the graph with its step of the same name replaced."""
    return replace(graph, steps=tuple(new if step.name == new.name else step for step in graph.steps))


def give_logits(building: Building) -> str | None:
    """Add the given logits, if any; raise a fault if keys of earlier steps are given too."""
    logits = building.give("L")
    if logits is None:
        return None
    other = next((key for key in building.problem.settings if key not in (*KEYS, "backward", "layout")), None)
    if other or building.setting("W_U") is not None:
        key = other or "W_U"
        raise fault(f"L is given, so {key} is not used by anything", building.problem.place(key))
    building.sizes["n_q"] = building.rows(logits)
    return logits


def unembed(building: Building) -> str | None:
    """Add the logits: the last result times W_U; None without W_U."""
    weight, bias = (building.give(role, learnt=True) for role in ("W_U", "b_U"))
    needing = next((key for key in (*KEYS, "vocabulary") if key in building.problem.origins), None)
    if weight is None and needing:
        raise fault(f"{needing} needs logits: give W_U, or L itself", building.problem.place(needing))
    if weight is None:
        return None
    if building.latest is None:
        raise fault("W_U takes the output of attention, but there are no values", building.place(weight))
    op = transpose_stored(Projection(), (1,), building.setting("weights") == "out-in")
    return building.step("L", op, [name for name in (building.latest, weight, bias) if name])


def check_vocabulary(building: Building, logits: str) -> None:
    """Raise a fault if the vocabulary does not have one label for each logit of a row."""
    labels, width = building.problem.vocabulary, building.shapes[logits][-1]
    if labels and len(labels) != width:
        message = f"vocabulary has {count_of(len(labels), 'label')} for {count_of(width, 'column')} of L"
        raise fault(message, building.problem.place("vocabulary"))


def find_columns(building: Building, targets: Targets, logits: str) -> tuple[int | None, ...]:
    """Return the column of each row's target, counted from 0; None for a row without one."""
    *batch, rows, width = building.shapes[logits]
    place = building.problem.place("targets")
    if batch:
        raise fault("targets are for one sequence: leave out the batch axis", place)
    if len(targets) != rows:
        raise fault(f"targets has {count_of(len(targets), 'label')} for {count_of(rows, 'row')} of L", place)
    labels: tuple[str, ...] = building.problem.vocabulary
    columns = tuple(find_column(target, labels, width) for target in targets)
    if set(columns) == {None}:
        raise fault("no row has a target", place)
    return columns


def name_targets(targets: Targets) -> str:
    """Return a sentence that names the targets, or the first of many."""
    words = ["none" if target.text == NO_TARGET else inert(target.on_one_line) for target in targets]
    more = ["…"] if len(words) > MOST_NAMED_TARGETS else []
    return f"The targets of the rows are {', '.join([*words[:MOST_NAMED_TARGETS], *more])}."


def find_column(target: Scalar, labels: tuple[str, ...], width: int) -> int | None:
    """Return the column of a target, by its label in the vocabulary or by its number."""
    label = text(target, Context("", {}))
    if label == NO_TARGET:
        return None
    if label not in labels and find_word(label, ("none",)):
        raise fault(f"a row without a target has {NO_TARGET}", target.place)
    if not labels and label.isidentifier():
        raise fault(f"{quote(label)} is not a number: a vocabulary says which column it is", target.place)
    if not labels:
        return whole(1, width)(target, Context("", {})) - 1
    if label not in labels:
        numbered = {str(n): inert(own) for n, own in enumerate(labels, 1)}
        hint = f": write {numbered[label]}" if label in numbered else nearest(label, labels)
        raise fault(f"{quote(label)} is not in the vocabulary{hint}", target.place)
    return labels.index(label)


mechanism = Mechanism(
    "loss",
    keys=(
        Key(
            "L",
            matrix,
            "The logits, a row each, where they are given directly.",
            f"{LOGITS}, targets: [1, 3]",
            "",
        ),
        Key(
            "W_U",
            matrix,
            "The unembedding: the last result of every row times W_U gives its logits.",
            UNEMBEDDING,
            "X",
        ),
        Key(
            "b_U", matrix, "A bias, added to every row of the logits.", f"{UNEMBEDDING}, b_U: [0, 1, 0]", "X"
        ),
        Key(
            "temperature",
            parse_temperature,
            "What the logits are divided by before the softmax.",
            f"{LOGITS}, targets: [1, 3], temperature: 2",
            "",
            "1",
        ),
        Key(
            "targets",
            parse_targets,
            "The token that each row should predict, which gives the loss.",
            f"{LOGITS}, targets: [1, _]",
            "",
            "none",
        ),
    ),
    build=build,
    steps=(
        Kind("L", "Logits", "iv", words=("logits", "logit")),
        Kind("p", "Probabilities", "iv", differentiable=False, words=PROBABILITIES, stage="probabilities"),
        Kind(
            "nll",
            "Negative log-likelihoods",
            "i",
            part_of="loss",
            differentiable=False,
            words=SURPRISE,
            stage="row losses",
        ),
        Kind("loss", "Cross-entropy", "  ", words=("cross entropy", "mean loss"), stage="loss"),
        Kind("perplexity", "Effective vocabulary", "  ", differentiable=False, words=("ppl",)),
    ),
    given=tuple(Kind(role, "Unembedding", " v") for role in ("W_U", "b_U")),
    after=("block",),
    resumes="L",
)
