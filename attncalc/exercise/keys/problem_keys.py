"""The keys of a problem file that belong to no mechanism, and all keys together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from attncalc.core.errors import fault, inert, quote
from attncalc.core.families import load_member, names_in
from attncalc.core.fields import Numeric
from attncalc.core.graph.graph import number_of
from attncalc.core.graph.references import Reference, parse_reference
from attncalc.core.readings.magnitude import magnitude
from attncalc.exercise.keys.key import Key, by_name
from attncalc.exercise.keys.readers import Context, Reader, choice, matrix, number, reader, text, texts, whole
from attncalc.exercise.keys.schema_types import CELL, TEXT, mapping, mapping_of, one_of, one_or_list, words
from attncalc.exercise.mechanisms import KINDS, MECHANISMS, READERS, is_step_name, reader_of
from attncalc.exercise.mechanisms.loss import parse_vocabulary
from attncalc.exercise.problem import SIZE_NAMES, Part, Scheme
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence, expect, one_or_more, word_of

PART_KEYS = ("part", "show", "explain", "ask", "note", "answer")
PART_SCHEMAS = {"show": one_or_list({"type": "string"}), "explain": {"type": "string"}, "answer": TEXT}
PART = mapping(
    {key: PART_SCHEMAS.get(key, TEXT) for key in PART_KEYS},
    anyOf=[{"required": [key]} for key in PART_SCHEMAS],
)


def parse_show(node: Node, context: Context) -> tuple[Reference, ...]:
    """Read the steps that a part asks for."""
    # YAML keeps S[3] in [S[3], A] as one text, but splits S[3, 1] at its comma.
    found = []
    for item in one_or_more(node):
        if isinstance(item, Sequence):
            raise fault('must name steps such as "S[3]", in quotes', item.place)
        reference = parse_reference(text(item, context))
        if reference is None:
            from attncalc.exercise.keys.part_hints import show_hint

            hint = show_hint(text(item, context))
            raise fault(f"{quote(text(item, context))} does not name a step{hint}", item.place)
        found.append(reference)
    return tuple(found)


def parse_topic(node: Node, context: Context) -> str:
    """Read a topic, or a section of one, scaling.mean; a topic is loaded only to check its sections."""
    if not names_in("topics"):
        raise fault("topics belong to a feature that is not installed", node.place)
    topic, dot, section = word_of(node).partition(".")
    choice(*names_in("topics"))(Scalar(topic, node.place) if dot else node, context)
    if dot:
        choice(*load_member("topics", topic).topic.sections)(Scalar(section, node.place), context)
    return topic + dot + section


@reader({"type": "array", "items": PART}, f"a list of parts: {', '.join(PART_KEYS)}")
def parse_parts(node: Node, context: Context) -> tuple[Part, ...]:
    """Read the exercise's parts in order."""
    found: list[Part] = []
    for item in one_or_more(node):
        given = keys_of_part(node, item)
        if len(found) == MOST_PARTS:
            raise fault(f"there are more than {MOST_PARTS} parts", item.place)
        label = text(given["part"], context) if "part" in given else str(len(found) + 1)
        shown = parse_show(given["show"], context) if "show" in given else ()
        topic = parse_topic(given["explain"], context) if "explain" in given else ""
        words = (text(given[key], context) if key in given else "" for key in ("ask", "note", "answer"))
        found.append(Part(label, shown, item.place, topic, *words))
    return tuple(found)


MOST_PARTS = 100


def keys_of_part(node: Node, item: Node) -> dict[str, Node]:
    """Return the keys of one part; raise a fault that says how to write it."""
    given = {key.text: value for key, value in item.items} if isinstance(item, Mapped) else {}
    if isinstance(node, Sequence) and given.keys() <= {*PART_KEYS} and {*PART_SCHEMAS} & given.keys():
        return given
    from attncalc.exercise.keys.part_hints import refuse_part

    refuse_part(node, item, PART_KEYS)


STEP = f"^({'|'.join(kind.pattern for kind in KINDS)})$"
GIVEN = rf"^({'|'.join(name for name, read in READERS.items() if read is matrix)})(_[0-9]+)?$"
NAME = r"[^\W\d_]\w{0,30}'?"


@reader(
    mapping(
        dict.fromkeys(SIZE_NAMES, TEXT),
        patternProperties={STEP: {"type": "string"}, GIVEN: {"type": "string"}},
    ),
    "steps, given matrices and sizes, and their names",
)
def parse_names(node: Node, _: Context) -> dict[str, str]:
    """Read the course's own names of steps, given matrices and sizes."""
    found: dict[str, str] = {}
    for key, value in expect(node, Mapped, "must map step names to the course's own, {S: z}").items:
        known = is_step_name(key.text) or key.text in SIZE_NAMES
        if not known and reader_of(key.text) is not matrix:
            from attncalc.exercise.keys.unknown import spoken_hint

            hint = spoken_hint(key.text)
            raise fault(f"{quote(key.text)} is not the name of a step{hint}", key.place)
        name = word_of(value)
        if not re.fullmatch(NAME, name):
            raise fault("a step's name is a letter or a word", value.place)
        found[key.text] = name
    return found


IMPLIED, IMPLICATIONS = "implied", choice("none", "full")
"""The key among the steps of `marks` that says what a correct final answer implies."""
FOLLOW, SHARES = "follow", {"none": 0.0, "full": 1.0}
"""The key for the share that a step earns after a wrong one that is not asked for, and its words."""


def read_share(node: Node, context: Context) -> float:
    """Read none, full or a number from 0 to 1."""
    word = word_of(node)
    share = SHARES[word] if word in SHARES else float(str(number_of(number(node, context), Numeric())))
    if not 0 <= share <= 1:
        raise fault("is none, full or a number from 0 to 1", node.place)
    return share


@reader(
    {
        **mapping_of(CELL),
        "properties": {IMPLIED: IMPLICATIONS.schema, FOLLOW: one_of(words(*SHARES), CELL)},
    },
    "steps and points",
)
def parse_marks(node: Node, context: Context) -> Scheme:
    """Read the points of steps, what a correct final answer implies, and what following steps earn."""
    points_of = expect(node, Mapped, "must map steps to points, {S: 2}")
    implied, follow = points_of.get(IMPLIED), points_of.get(FOLLOW)
    is_implied = implied is not None and IMPLICATIONS(implied, context) == "full"
    share = Scheme.follow if follow is None else read_share(follow, context)
    pairs_of = [(key.text, value) for key, value in points_of.items if key.text not in (IMPLIED, FOLLOW)]
    found = {name: number(value, context) for name, value in pairs_of}
    if any(magnitude(points).value < 0 for points in found.values()):
        raise fault("points may not be negative", node.place)
    return Scheme(found, is_implied, share)


DIGITS = whole(1, 100)


@reader(one_of(words("key"), DIGITS.schema), "a whole number, or key")
def parse_digits(node: Node, context: Context) -> Any:
    """Read a number of digits, or `key` for those of the published key."""
    return "key" if word_of(node) == "key" else DIGITS(node, context)


def pairs(node: Node, _: Context) -> Mapped:
    """Return a mapping whose keys and values are read later."""
    first, equals, rest = word_of(node).partition("=")
    hint = ", such as {O: [[1, 0], [0, 1]]}"
    if equals:
        hint = f": write {inert(first.strip())}: {inert(rest.strip())}"
    elif isinstance(node, Sequence) and all(isinstance(item, Mapped) for item in node.items):
        hint = ": leave out the '- ' before each"
    return expect(node, Mapped, f"must map names to values{hint}")


LETTERS = choice("positive", "real")
WORDS = by_name(
    Key("title", text, "What the exercise is called.", "title: Three words"),
    Key("source", text, "Where it is from.", 'source: "Sheet 3, exercise 1"'),
    Key("setting", text, "What belongs to the question: on worksheets too.", "setting: The query is $q$."),
    Key("note", text, "What belongs to the solution: not on worksheets.", "note: Unscaled."),
    Key("remark", text, "For the author alone: never shown.", "remark: Easy."),
    Key("tokens", texts, "What the rows are called.", "tokens: [cat, sat]"),
    Key("key_tokens", texts, "What the columns are called.", "key_tokens: [the, cat, sat]"),
    Key(
        "vocabulary",
        parse_vocabulary,
        "What the columns of the logits are called.",
        "L: [[2, 1, 0], [0, 1, 3]], vocabulary: [the, cat, sat], targets: [the, sat]",
        "",
    ),
    Key("names", parse_names, "How the course calls a step.", "names: {S: z, A: alpha}"),
    Key(
        "parts",
        parse_parts,
        "The parts of the exercise: what each asks for, or which topic answers it.",
        'parts: [{part: a, show: ["S[1]", A]}, {part: b, explain: softmax}]',
        default="the last step is asked for",
    ),
    Key(
        "answers",
        Reader(pairs, mapping_of({}), "steps and their values"),
        "The published key.",
        "answers: {O: [[0.8, 1.6], [1, 2]]}",
    ),
    Key("marks", parse_marks, "The points of steps.", "marks: {A: 2, O: 3}", default="one each"),
    Key(
        "inputs",
        choice("exact", "rounded"),
        "Whether given decimals are rounded values themselves.",
        "inputs: rounded",
    ),
    Key("mode", choice("auto", "exact", "numeric"), "How it is computed.", "mode: numeric"),
    Key("places", whole(0, 100), "The decimals that are asked for and shown.", "places: 3"),
    Key("digits", parse_digits, "The significant digits that are shown.", "digits: 3"),
)
"""The keys that every problem may have: the fields of a problem."""
DEFINED = by_name(
    Key(
        "symbols",
        Reader(pairs, mapping_of(LETTERS.schema), "letters, positive or real"),
        "Free letters, which run through every step.",
        "symbols: {beta: positive}, Q: [[beta, 1]], K: [[1, 0], [0, 1]], V: [[1], [2]]",
        "",
    ),
    Key(
        "let",
        Reader(pairs, mapping_of({}), "names and values"),
        "Numbers, vectors and matrices by name, for use below.",
        "let: {c: 1/2}, scale: c",
    ),
)
"""The keys that define names; they are read before all others."""
OWN = {**WORDS, **by_name(*(key for one in MECHANISMS for key in one.keys)), **DEFINED}


class Keys(Mapping[str, Key]):
    """All keys by name; the key of a feature, in a file that defines `key`, is loaded on first use."""

    def __getitem__(self, name: str) -> Key:
        if name not in names_in("keys"):
            return OWN[name]
        found: Key = load_member("keys", name).key
        return found

    def __contains__(self, name: object) -> bool:
        return name in OWN or name in names_in("keys")

    def __iter__(self) -> Iterator[str]:
        return iter((*OWN, *names_in("keys")))

    def __len__(self) -> int:
        return len(OWN) + len(names_in("keys"))


KEYS = Keys()
