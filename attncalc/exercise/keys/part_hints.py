"""Hints for `parts` of a problem file, and for the steps of a part, that cannot be read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NoReturn

from attncalc.core.errors import Place, fault, inert, nearest, quote
from attncalc.core.graph.references import parse_reference
from attncalc.core.spellings import fold
from attncalc.exercise.keys.unknown import SPOKEN
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence, expect, word_of, write_on_one_line

PART_LETTER = r"(?:part\s*)?\(?(?P<label>[a-z0-9]{1,3})\)?"
EXAMPLE = "[{part: b, show: S}]"


def refuse_part(node: Node, item: Node, known: Iterable[str]) -> NoReturn:
    """Raise the fault of a part that is not in a list, no mapping, has another key, or asks for nothing."""
    items = expect(node, Sequence, f"is not a list of parts: write {to_list_of_parts(node)}").items
    pairs = expect(item, Mapped, f"a part is written {to_list_of_parts(item)[1:-1]}").items
    for key, _ in pairs:
        if key.text not in known:
            hint = part_hint(item, key, known)
            raise fault(f"{quote(key.text)} is not known in a part{hint}", key.place)
    hint = hint_at_divided(items[items.index(item) :][:2])
    raise fault(
        f"a part needs show: what it asks for, explain: a topic, or answer: a sentence{hint}", item.place
    )


def to_list_of_parts(node: Node) -> str:
    """Return the list of parts that another form means: {a: S}, or a step."""
    if isinstance(node, Mapped) and node.get("show") is not None:
        return f"[{write_on_one_line(node)}]"
    if isinstance(node, Mapped):
        pairs = [f"{{part: {inert(key.text)}, show: {in_quotes(value)}}}" for key, value in node.items]
        return f"[{', '.join(pairs)}]"
    labelled = re.fullmatch(rf"{PART_LETTER}[).:]?\s+(?P<shown>\S.*)", word_of(node))
    shown = Scalar(labelled["shown"], node.place) if labelled else node
    if not isinstance(shown, Scalar) or not parse_reference(shown.text):
        return EXAMPLE
    return f"[{{part: {labelled['label'] if labelled else 'a'}, show: {in_quotes(shown)}}}]"


def part_hint(item: Node, key: Scalar, known: Iterable[str]) -> str:
    """Return the hint for a part that starts with its letter, or a key with no space behind its colon."""
    word, colon, rest = key.text.partition(":")
    if colon and word in known:
        return f": a space is missing behind the colon: write {word}: {inert(rest)}"
    label = re.fullmatch(PART_LETTER, key.text)
    if label and isinstance(item, Mapped) and len(item.items) == 1:
        return f": write {{part: {label['label']}, show: {in_quotes(item.items[0][1])}}}"
    return nearest(key.text, known)


def hint_at_divided(both: Iterable[Node]) -> str:
    """Return the hint for a part that was split in two, its letter and the steps it shows."""
    pairs = [pair for item in both if isinstance(item, Mapped) for pair in item.items]
    if [key.text for key, _ in pairs] != ["part", "show"]:
        return ""
    (_, label), (_, shown) = pairs
    return f": write {{part: {write_on_one_line(label)}, show: {in_quotes(shown)}}}"


def in_quotes(node: Node) -> str:
    """Return the steps that a part shows, in quotes if they have brackets."""
    shown = write_on_one_line(node)
    return f'"{shown}"' if isinstance(node, Scalar) and "[" in shown else shown


def show_hint(text: str) -> str:
    """Return the hint for several steps, or a cell, that are written in another way."""
    if fold(text) in SPOKEN:
        return f": write {SPOKEN[fold(text)]}"
    several = re.split(r"\s*(?:,|;|&|\band\b)\s*", text)
    if len(several) > 1 and all(map(parse_reference, several)):
        return f": write [{', '.join(in_quotes(Scalar(one, Place(''))) for one in several)}]"
    cell = re.fullmatch(r"(\w+)[\[(](\d+)(?:\D+(\d+))?[\])]", text)
    return f': write "{cell[1]}[{", ".join(filter(None, cell.groups()[1:]))}]"' if cell else ""
