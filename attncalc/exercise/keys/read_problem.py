"""Read a problem file, each key by its reader, and report all faults at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from attncalc.core.errors import AttncalcError, Faults, fault, inert, quote
from attncalc.core.record import replace
from attncalc.core.terms import Entry
from attncalc.core.terms.functions import spellings
from attncalc.exercise.keys.problem_keys import DEFINED, KEYS, LETTERS
from attncalc.exercise.keys.readers import Context, decimal_comma, read_matrix, value_of
from attncalc.exercise.mechanisms import GIVEN, KINDS, reader_of
from attncalc.exercise.mechanisms.base import parse_key
from attncalc.exercise.numbers.matrices import MATRICES, Value
from attncalc.exercise.numbers.tokens import CONSTANTS
from attncalc.exercise.problem import BROUGHT, SIZES, Problem
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence, expect, one_or_more, word_of


def new_name(key: Scalar, taken: Iterable[str]) -> str:
    """Return the name if a problem may define it; the names of its steps are not known yet."""
    known = {*CONSTANTS, *spellings(), *MATRICES, *SIZES, *taken}
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", key.text):
        raise fault(f"{quote(key.text)} is not a name", key.place)
    if key.text in known:
        raise fault(f"{quote(key.text)} already has a meaning", key.place)
    return key.text


def pairs_of(node: Node | None, otherwise: str, faults: Faults) -> tuple[tuple[Scalar, Node], ...]:
    """Return the keys and values of a mapping; nothing without a node."""
    with faults.collect():
        return expect(node, Mapped, otherwise).items if node else ()
    return ()


def parse_letters(node: Node | None, keys: set[str], faults: Faults) -> dict[str, str]:
    """Read the free letters, each positive or real."""
    found: dict[str, str] = {}
    letters = map(word_of, one_or_more(node)) if isinstance(node, Scalar | Sequence) else ()
    meant = ", ".join(f"{inert(letter)}: real" for word in letters for letter in re.findall(r"\w+", word))
    wanted = f"must map letters to positive or real: write {{{meant or 'beta: positive'}}}"
    for key, value in pairs_of(node, wanted, faults):
        with faults.collect():
            name = new_name(key, keys)
            # The letter counts as defined even if its value is wrong.
            found[name] = "real"
            found[name] = LETTERS(value, Context("", {}))
    return found


def parse_definitions(
    node: Node | None, symbols: Mapping[str, Value], keys: set[str], faults: Faults, folder: str
) -> dict[str, Value]:
    """Read the values of `let`, which may use the letters and earlier definitions."""
    found: dict[str, Value] = {}
    wanted = "must map names to numbers, vectors or matrices, such as {u: [1, 0]}"
    for key, value in pairs_of(node, wanted, faults):
        with faults.collect():
            new_name(key, {*keys, *symbols})
            context = Context(folder, {**symbols, **found})
            if isinstance(value, Scalar):
                found[key.text] = value_of(value, context, hidden=False)
            else:
                array = read_matrix(value, context, hidden=False)
                one_row = isinstance(value, Sequence) and len(array) == 1
                nested = isinstance(value, Sequence) and isinstance(value.items[0], Sequence)
                found[key.text] = array[0] if one_row and not nested else array
    return found


def find_defined_names(root: Mapped) -> Iterator[Scalar]:
    """Yield the names that a problem defines, with their places."""
    for key in DEFINED:
        node = root.get(key)
        yield from (name for name, _ in node.items) if isinstance(node, Mapped) else ()
    names = root.get("names")
    for _, value in names.items if isinstance(names, Mapped) else ():
        if isinstance(value, Scalar):
            yield value


FIELDS = frozenset(Problem.__annotations__)
"""The keys that are fields of a problem; the others are settings of mechanisms and features."""
MATRIX_KEYS = {"inputs": "X", "tokens": "X", "weights": "W_Q", "score": "S", "heads": "Q_1"}
"""Keys that authors confuse with the key of a matrix, and that key."""


def refuse_matrix(key: Scalar, node: Node) -> None:
    """Raise a fault if a matrix, or other keys, are under a key that takes words."""
    rows = one_or_more(node) if key.text in MATRIX_KEYS else ()
    heads = [[name.text for name, _ in row.items] for row in rows if isinstance(row, Mapped)]
    if any(name in KEYS for names in heads for name in names):
        from attncalc.exercise.keys.unknown import hint_at_indented

        is_list = isinstance(node, Sequence)
        names = [f"{name}_{n}" if is_list else name for n, names in enumerate(heads, 1) for name in names]
        raise fault(f"{key.text} has no keys under it{hint_at_indented(names)}", key.place)
    if isinstance(node, Sequence) and any(isinstance(row, Sequence) for row in rows):
        name = MATRIX_KEYS[key.text]
        raise fault(f"{key.text} takes no matrix; did you mean '{name}'?", key.place)


def is_turned(key: str) -> bool:
    """Whether the matrix under a key has a column for each token, in a problem written in columns."""
    role = parse_key(key).role
    kinds = (kind for kind in (*KINDS, *GIVEN) if role == kind.role or key == kind.role)
    return key == "backward" or any(kind.letter_pair[0] for kind in kinds)


def is_readable(node: Node, context: Context, key: str) -> bool:
    """Whether a value can be read under a key."""
    try:
        # As if the key stood here: some readers look up its place.
        KEYS[key].read(node, replace(context, keys={**context.keys, key: node.place}))
    except AttncalcError:
        return False
    return True


def read_problem(root: Mapped, name: str, folder: str) -> Problem:
    """Read every key by its reader; raise all faults together."""
    faults = Faults()
    faults.found.extend(root.faults)
    keys = {key.text for key, _ in root.items}
    symbols = parse_letters(root.get("symbols"), keys, faults)
    free: dict[str, Value] = {name: Entry(name) for name in symbols}
    defined = parse_definitions(root.get("let"), free, keys, faults, folder)
    context = Context(folder, {**free, **defined}, {key.text: key.place for key, _ in root.items})
    found: dict[str, Any] = {}
    given = {key.text: node for key, node in root.items}
    layout = given.get("layout")
    in_columns = isinstance(layout, Scalar) and layout.text == "columns"
    for key, node in root.items:
        if key.text in DEFINED:
            continue
        with faults.collect():
            reader = KEYS[key.text].read if key.text in KEYS else reader_of(key.text)
            if reader is None and key.text in BROUGHT:
                raise fault(f"{key.text} is read by a feature that is not installed", key.place)
            if reader is None:
                from attncalc.exercise.keys.unknown import find_hint

                hint = find_hint(key.text, given, KEYS, partial(is_readable, node, context))
                raise fault(f"unknown key {quote(key.text)}{hint}", key.place)
            refuse_matrix(key, node)
            turned = in_columns and is_turned(key.text)
            found[key.text] = reader(node, replace(context, in_columns=True) if turned else context)
            if key.text == "digits" and found["digits"] == "key" and "answers" not in given:
                raise fault("there are no answers whose digits could be taken: say how many", node.place)
    faults.raise_if_any()
    return Problem(
        name,
        symbols=symbols,
        let=defined,
        **{key: value for key, value in found.items() if key in FIELDS},
        settings={key: value for key, value in found.items() if key not in FIELDS},
        origins=context.keys,
        defined={name.text: name.place for name in find_defined_names(root)},
        commas=frozenset(key.text for key, node in root.items if decimal_comma(node)),
    )
