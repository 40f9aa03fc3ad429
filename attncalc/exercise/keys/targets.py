"""The vocabulary of a language model, and the target of each row."""

from __future__ import annotations

from typing import TypeAlias

from attncalc.core.errors import fault, quote
from attncalc.exercise.keys.readers import Context, reader, texts
from attncalc.exercise.keys.schema_types import TEXT, one_or_list
from attncalc.exercise.yaml.tree import Given, Node, Scalar, expect, from_python, one_or_more

NO_TARGET = "_"
Targets: TypeAlias = tuple[Scalar, ...]


@reader(texts.schema, "a list of labels, each once")
def parse_vocabulary(node: Node, context: Context) -> tuple[str, ...]:
    """Labels, each only once."""
    labels = texts(node, context)
    for number, (item, label) in enumerate(zip(one_or_more(node), labels, strict=True)):
        if label == NO_TARGET:
            raise fault(f"'{NO_TARGET}' stands for no target, so it cannot be a label", item.place)
        if label in labels[:number]:
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
