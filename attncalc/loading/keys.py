"""A problem file, read: every key by its own reader, all faults at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from attncalc.errors import Faults, fault, nearest, quoted
from attncalc.families import names_in
from attncalc.graph.references import Reference, parse_reference
from attncalc.inputs.expression import CONSTANTS, MATRICES, Value
from attncalc.inputs.nodes import Mapped, Node, Scalar, Sequence, expect, one_or_more, word_of
from attncalc.inputs.problem import Part, Problem, Scheme
from attncalc.inputs.readers import (
    Context,
    Reader,
    choice,
    decimal_comma,
    number,
    read_matrix,
    text,
    texts,
    value_of,
    whole,
)
from attncalc.inputs.sample import parse_sample
from attncalc.mechanisms import MECHANISMS, is_step_name, reader_of
from attncalc.mechanisms.scale import SIZES
from attncalc.readings.magnitude import magnitude
from attncalc.terms import Entry
from attncalc.terms.functions import spellings

PART_KEYS = ("part", "show", "explain")


def parse_show(node: Node, context: Context) -> tuple[Reference, ...]:
    """The results that a part asks for."""
    # In [S[3], A] the brackets end up in one text each; in [S[3, 1]] the comma splits them.
    found = []
    for item in one_or_more(node):
        if isinstance(item, Sequence):
            raise fault('must name steps such as "S[3]", in quotes', item.place)
        reference = parse_reference(text(item, context))
        if reference is None:
            raise fault(f"{quoted(text(item, context))} does not name a step", item.place)
        found.append(reference)
    return tuple(found)


def parse_parts(node: Node, context: Context) -> tuple[Part, ...]:
    """The exercise's parts in order."""
    found: list[Part] = []
    for item in expect(node, Sequence, "is not a list of parts").items:
        pairs = expect(item, Mapped, "a part is written {part: b, show: S}").items
        words = {key.text: value for key, value in pairs}
        for key, _ in pairs:
            if key.text not in PART_KEYS:
                hint = nearest(key.text, PART_KEYS)
                raise fault(f"{quoted(key.text)} is not known in a part{hint}", key.place)
        if len(found) == MOST_PARTS:
            raise fault(f"there are more than {MOST_PARTS} parts", item.place)
        if not {"show", "explain"} & words.keys():
            raise fault("a part needs show: what it asks for, or explain: a topic", item.place)
        label = text(words["part"], context) if "part" in words else str(len(found) + 1)
        shown = parse_show(words["show"], context) if "show" in words else ()
        topic = choice(*names_in("topics"))(words["explain"], context) if "explain" in words else ""
        found.append(Part(label, shown, item.place, topic))
    return tuple(found)


MOST_PARTS = 100


NAME = r"[^\W\d_]\w{0,30}'?"


def parse_names(node: Node, _: Context) -> dict[str, str]:
    """How this course calls the steps."""
    found: dict[str, str] = {}
    for key, value in expect(node, Mapped, "must map step names to the course's own, {S: z}").items:
        if not is_step_name(key.text):
            raise fault(f"{quoted(key.text)} is not the name of a step", key.place)
        name = word_of(value)
        if not re.fullmatch(NAME, name):
            raise fault("a step's name is a letter or a word", value.place)
        other = is_step_name(name) and name != key.text
        if other or name in found.values():
            raise fault(f"{quoted(name)} is already the name of a step", value.place)
        found[key.text] = name
    return found


IMPLIED = "implied"
"""Among the steps of `marks`: what a right final answer implies."""


def parse_marks(node: Node, context: Context) -> Scheme:
    """Points a step, and what a right final answer implies."""
    points_of = expect(node, Mapped, "must map steps to points, {S: 2}")
    implied = points_of.get(IMPLIED)
    is_implied = implied is not None and choice("none", "full")(implied, context) == "full"
    found = {key.text: number(value, context) for key, value in points_of.items if key.text != IMPLIED}
    if any(magnitude(points).value < 0 for points in found.values()):
        raise fault("points may not be negative", node.place)
    return Scheme(found, is_implied)


def mapping(node: Node, _: Context) -> Mapped:
    """Keys and values, read later."""
    return expect(node, Mapped, "must map names to values")


WORDS: dict[str, Reader] = {
    "title": text,
    "source": text,
    "note": text,
    "tokens": texts,
    "key_tokens": texts,
    "names": parse_names,
    "parts": parse_parts,
    "answers": mapping,
    "marks": parse_marks,
    "sample": parse_sample,
    "inputs": choice("exact", "rounded"),
    "mode": choice("auto", "exact", "numeric"),
    "places": whole(0, 100),
    "digits": whole(1, 100),
}
"""The keys that everybody reads: the fields of a problem."""
DEFINED = ("symbols", "let")
"""The keys that are read before all others, which may use what they define."""
KEYS: dict[str, Reader] = {
    **WORDS,
    **{key: reader for mechanism in MECHANISMS for key, reader in mechanism.keys.items()},
}


def new_name(key: Scalar, taken: Iterable[str] = ()) -> str:
    """A name that a problem may define."""
    known = {*KEYS, *DEFINED, *CONSTANTS, *spellings(), *MATRICES, *taken}
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", key.text):
        raise fault(f"{quoted(key.text)} is not a name", key.place)
    if key.text in known or is_step_name(key.text) or reader_of(key.text) or key.text in SIZES:
        raise fault(f"{quoted(key.text)} already has a meaning", key.place)
    return key.text


def pairs_of(node: Node | None, otherwise: str, faults: Faults) -> tuple[tuple[Scalar, Node], ...]:
    """The keys and values of a mapping, where there is one."""
    with faults.gathered():
        return expect(node, Mapped, otherwise).items if node else ()
    return ()


def parse_letters(node: Node | None, faults: Faults) -> dict[str, str]:
    """The free letters, and what is known of each."""
    found: dict[str, str] = {}
    for key, value in pairs_of(node, "must map letters to positive or real, {beta: positive}", faults):
        with faults.gathered():
            found[new_name(key)] = choice("positive", "real")(value, Context("", {}))
    return found


def parse_definitions(
    node: Node | None, symbols: Mapping[str, Value], faults: Faults, folder: str
) -> dict[str, Value]:
    """What `let` defines, each from the letters and those before it."""
    found: dict[str, Value] = {}
    for key, value in pairs_of(node, "must map names to numbers, vectors or matrices", faults):
        with faults.gathered():
            new_name(key, symbols)
            context = Context(folder, {**symbols, **found})
            if isinstance(value, Scalar):
                found[key.text] = value_of(value, context, hidden=False)
            else:
                array = read_matrix(value, context, hidden=False)
                one_row = isinstance(value, Sequence) and len(array) == 1
                nested = isinstance(value, Sequence) and isinstance(value.items[0], Sequence)
                found[key.text] = array[0] if one_row and not nested else array
    return found


def read_problem(root: Mapped, name: str, folder: str) -> Problem:
    """Every key by its reader; raises all faults together."""
    faults = Faults()
    faults.found.extend(root.faults)
    symbols = parse_letters(root.get("symbols"), faults)
    free: dict[str, Value] = {name: Entry(name) for name in symbols}
    defined = parse_definitions(root.get("let"), free, faults, folder)
    context = Context(folder, {**free, **defined})
    found: dict[str, Any] = {}
    for key, node in root.items:
        if key.text in DEFINED:
            continue
        with faults.gathered():
            reader = KEYS.get(key.text) or reader_of(key.text)
            if reader is None:
                hint = nearest(key.text, [*KEYS, *DEFINED])
                raise fault(f"unknown key {quoted(key.text)}{hint}", key.place)
            found[key.text] = reader(node, context)
    faults.raise_if_any()
    return Problem(
        name,
        symbols=symbols,
        let=defined,
        **{key: value for key, value in found.items() if key in WORDS},
        settings={key: value for key, value in found.items() if key not in WORDS},
        origins={key.text: key.place for key, _ in root.items},
        commas=frozenset(key.text for key, node in root.items if decimal_comma(node)),
    )
