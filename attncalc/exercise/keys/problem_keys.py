"""A problem file, read: every key by its own reader, all faults at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from attncalc.core.errors import Faults, fault, inert, quoted
from attncalc.core.families import load_member, names_in
from attncalc.core.graph.references import Reference, parse_reference
from attncalc.core.readings.magnitude import magnitude
from attncalc.core.synonyms import folded
from attncalc.core.terms import Entry
from attncalc.core.terms.functions import spellings
from attncalc.exercise.keys.readers import (
    Context,
    Reader,
    choice,
    decimal_comma,
    matrix,
    number,
    read_matrix,
    text,
    texts,
    value_of,
    whole,
)
from attncalc.exercise.keys.targets import parse_vocabulary
from attncalc.exercise.keys.unknown import (
    SPOKEN,
    did_you_mean,
    divided_hint,
    find_hint,
    listed_parts,
    part_hint,
    show_hint,
    unindented,
)
from attncalc.exercise.mechanisms import MECHANISMS, is_step_name, reader_of
from attncalc.exercise.mechanisms.scale import SIZES
from attncalc.exercise.numbers import CONSTANTS, MATRICES, Value
from attncalc.exercise.problem import Part, Problem, Scheme
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence, expect, one_or_more, word_of
from attncalc.features.authoring.vary.keys import check_vary, parse_vary
from attncalc.features.designs.keys import parse_design, parse_goal, parse_within
from attncalc.features.sampling.keys import parse_sample

PART_KEYS = ("part", "show", "explain", "ask", "note")


def parse_show(node: Node, context: Context) -> tuple[Reference, ...]:
    """The results that a part asks for."""
    # In [S[3], A] the brackets end up in one text each; in [S[3, 1]] the comma splits them.
    found = []
    for item in one_or_more(node):
        if isinstance(item, Sequence):
            raise fault('must name steps such as "S[3]", in quotes', item.place)
        reference = parse_reference(text(item, context))
        if reference is None:
            hint = show_hint(text(item, context))
            raise fault(f"{quoted(text(item, context))} does not name a step{hint}", item.place)
        found.append(reference)
    return tuple(found)


def parse_topic(node: Node, context: Context) -> str:
    """A topic, or a section of one: scaling.mean; only then it is loaded."""
    topic, dot, section = word_of(node).partition(".")
    choice(*names_in("topics"))(Scalar(topic, node.place) if dot else node, context)
    if dot:
        choice(*load_member("topics", topic).topic.sections)(Scalar(section, node.place), context)
    return topic + dot + section


def parse_parts(node: Node, context: Context) -> tuple[Part, ...]:
    """The exercise's parts in order."""
    found: list[Part] = []
    for item in expect(node, Sequence, f"is not a list of parts: write {listed_parts(node)}").items:
        pairs = expect(item, Mapped, f"a part is written {listed_parts(item)[1:-1]}").items
        words = {key.text: value for key, value in pairs}
        for key, _ in pairs:
            if key.text not in PART_KEYS:
                hint = part_hint(item, key, PART_KEYS)
                raise fault(f"{quoted(key.text)} is not known in a part{hint}", key.place)
        if len(found) == MOST_PARTS:
            raise fault(f"there are more than {MOST_PARTS} parts", item.place)
        if not {"show", "explain"} & words.keys():
            hint = divided_hint(one_or_more(node), len(found))
            raise fault(f"a part needs show: what it asks for, or explain: a topic{hint}", item.place)
        label = text(words["part"], context) if "part" in words else str(len(found) + 1)
        shown = parse_show(words["show"], context) if "show" in words else ()
        topic = parse_topic(words["explain"], context) if "explain" in words else ""
        question, note = (text(words[key], context) if key in words else "" for key in ("ask", "note"))
        found.append(Part(label, shown, item.place, topic, question, note))
    return tuple(found)


MOST_PARTS = 100


NAME = r"[^\W\d_]\w{0,30}'?"


def parse_names(node: Node, _: Context) -> dict[str, str]:
    """How this course calls the steps, and what is given."""
    found: dict[str, str] = {}
    for key, value in expect(node, Mapped, "must map step names to the course's own, {S: z}").items:
        if not is_step_name(key.text) and reader_of(key.text) is not matrix:
            hint = did_you_mean(SPOKEN.get(folded(key.text), ""))
            raise fault(f"{quoted(key.text)} is not the name of a step{hint}", key.place)
        name = word_of(value)
        if not re.fullmatch(NAME, name):
            raise fault("a step's name is a letter or a word", value.place)
        found[key.text] = name
    return found


IMPLIED, IMPLICATIONS = "implied", choice("none", "full")
"""Among the steps of `marks`: what a right final answer implies."""


def parse_marks(node: Node, context: Context) -> Scheme:
    """Points a step, and what a right final answer implies."""
    points_of = expect(node, Mapped, "must map steps to points, {S: 2}")
    implied = points_of.get(IMPLIED)
    is_implied = implied is not None and IMPLICATIONS(implied, context) == "full"
    found = {key.text: number(value, context) for key, value in points_of.items if key.text != IMPLIED}
    if any(magnitude(points).value < 0 for points in found.values()):
        raise fault("points may not be negative", node.place)
    return Scheme(found, is_implied)


def parse_digits(node: Node, context: Context) -> Any:
    """A number of digits, or `key` for those of the published key."""
    return "key" if word_of(node) == "key" else whole(1, 100)(node, context)


def mapping(node: Node, _: Context) -> Mapped:
    """Keys and values, read later."""
    first, equals, rest = word_of(node).partition("=")
    hint = ", such as {O: [[1, 0], [0, 1]]}"
    if equals:
        hint = f": write {inert(first.strip())}: {inert(rest.strip())}"
    elif isinstance(node, Sequence) and all(isinstance(item, Mapped) for item in node.items):
        hint = ": leave out the '- ' before each"
    return expect(node, Mapped, f"must map names to values{hint}")


WORDS: dict[str, Reader] = {
    "title": text,
    "source": text,
    "note": text,
    "remark": text,
    "tokens": texts,
    "key_tokens": texts,
    "vocabulary": parse_vocabulary,
    "names": parse_names,
    "parts": parse_parts,
    "answers": mapping,
    "marks": parse_marks,
    "sample": parse_sample,
    "design": parse_design,
    "goal": parse_goal,
    "within": parse_within,
    "vary": parse_vary,
    "inputs": choice("exact", "rounded"),
    "mode": choice("auto", "exact", "numeric"),
    "places": whole(0, 100),
    "digits": parse_digits,
}
"""The keys that everybody reads: the fields of a problem."""
DEFINED = ("symbols", "let")
"""The keys that are read before all others, which may use what they define."""
KEYS: dict[str, Reader] = {
    **WORDS,
    **{key: reader for mechanism in MECHANISMS for key, reader in mechanism.keys.items()},
}


def new_name(key: Scalar, taken: Iterable[str]) -> str:
    """A name that a problem may define; whether one of its steps is called so is not known yet."""
    known = {*CONSTANTS, *spellings(), *MATRICES, *SIZES, *taken}
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", key.text):
        raise fault(f"{quoted(key.text)} is not a name", key.place)
    if key.text in known:
        raise fault(f"{quoted(key.text)} already has a meaning", key.place)
    return key.text


def pairs_of(node: Node | None, otherwise: str, faults: Faults) -> tuple[tuple[Scalar, Node], ...]:
    """The keys and values of a mapping, where there is one."""
    with faults.gathered():
        return expect(node, Mapped, otherwise).items if node else ()
    return ()


def parse_letters(node: Node | None, keys: set[str], faults: Faults) -> dict[str, str]:
    """The free letters, and what is known of each."""
    found: dict[str, str] = {}
    letters = map(word_of, one_or_more(node)) if isinstance(node, Scalar | Sequence) else ()
    meant = ", ".join(f"{inert(letter)}: real" for word in letters for letter in re.findall(r"\w+", word))
    wanted = f"must map letters to positive or real: write {{{meant or 'beta: positive'}}}"
    for key, value in pairs_of(node, wanted, faults):
        with faults.gathered():
            name = new_name(key, keys)
            # A letter is known, whatever is wrong with what is said of it.
            found[name] = "real"
            found[name] = choice("positive", "real")(value, Context("", {}))
    return found


def parse_definitions(
    node: Node | None, symbols: Mapping[str, Value], keys: set[str], faults: Faults, folder: str
) -> dict[str, Value]:
    """What `let` defines, each from the letters and those before it."""
    found: dict[str, Value] = {}
    wanted = "must map names to numbers, vectors or matrices, such as {u: [1, 0]}"
    for key, value in pairs_of(node, wanted, faults):
        with faults.gathered():
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


def defined_names(root: Mapped) -> Iterator[Scalar]:
    """The names that a problem defines, as they are written."""
    for key in DEFINED:
        node = root.get(key)
        yield from (name for name, _ in node.items) if isinstance(node, Mapped) else ()
    names = root.get("names")
    for _, value in names.items if isinstance(names, Mapped) else ():
        if isinstance(value, Scalar):
            yield value


MATRIX_KEYS = {"inputs": "X", "tokens": "X", "weights": "W_Q", "score": "S", "heads": "Q_1"}
"""Keys that are taken for those of a matrix, and which that is."""


def refuse_matrix(key: Scalar, node: Node) -> None:
    """Raises where a matrix, or other keys, stand under a key that takes words."""
    rows = one_or_more(node) if key.text in MATRIX_KEYS else ()
    heads = [[name.text for name, _ in row.items] for row in rows if isinstance(row, Mapped)]
    if any(name in KEYS for names in heads for name in names):
        is_list = isinstance(node, Sequence)
        names = [f"{name}_{n}" if is_list else name for n, names in enumerate(heads, 1) for name in names]
        raise fault(f"{key.text} has no keys under it{unindented(names)}", key.place)
    if isinstance(node, Sequence) and any(isinstance(row, Sequence) for row in rows):
        name = MATRIX_KEYS[key.text]
        raise fault(f"{key.text} takes no matrix; did you mean '{name}'?", key.place)


def read_problem(root: Mapped, name: str, folder: str) -> Problem:
    """Every key by its reader; raises all faults together."""
    faults = Faults()
    faults.found.extend(root.faults)
    keys = {key.text for key, _ in root.items}
    symbols = parse_letters(root.get("symbols"), keys, faults)
    free: dict[str, Value] = {name: Entry(name) for name in symbols}
    defined = parse_definitions(root.get("let"), free, keys, faults, folder)
    context = Context(folder, {**free, **defined})
    found: dict[str, Any] = {}
    given = {key.text: node for key, node in root.items}
    for key, node in root.items:
        if key.text in DEFINED:
            continue
        with faults.gathered():
            reader = KEYS.get(key.text) or reader_of(key.text)
            if reader is None:
                hint = find_hint(key.text, given, [*KEYS, *DEFINED])
                raise fault(f"unknown key {quoted(key.text)}{hint}", key.place)
            refuse_matrix(key, node)
            found[key.text] = reader(node, context)
            if key.text == "vary":
                check_vary(found["vary"], [*(name for name in given if name not in WORDS), *defined], key)
            if key.text == "digits" and found["digits"] == "key" and "answers" not in given:
                raise fault("there are no answers whose digits could be taken: say how many", node.place)
    faults.raise_if_any()
    return Problem(
        name,
        symbols=symbols,
        let=defined,
        **{key: value for key, value in found.items() if key in WORDS},
        settings={key: value for key, value in found.items() if key not in WORDS},
        origins={key.text: key.place for key, _ in root.items},
        defined={name.text: name.place for name in defined_names(root)},
        commas=frozenset(key.text for key, node in root.items if decimal_comma(node)),
    )
