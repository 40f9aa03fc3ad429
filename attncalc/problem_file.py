"""A problem file, read: every key by its own reader, all faults at once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from attncalc.errors import Faults, Place, fault, nearest, quoted
from attncalc.expression import CONSTANTS, FUNCTIONS, MATRICES, Value
from attncalc.mechanisms import MECHANISMS, reader_of
from attncalc.mechanisms.scale import SIZES
from attncalc.nodes import (
    LARGEST_FILE,
    Mapped,
    Node,
    Scalar,
    Sequence,
    from_python,
    read_bytes,
    read_stdin,
    read_yaml,
)
from attncalc.readers import (
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
from attncalc.readings.magnitude import magnitude
from attncalc.record import record
from attncalc.sampling import sample
from attncalc.steps import Reference, is_step_name, parse_reference
from attncalc.terms import Entry
from attncalc.topics import TOPICS

SHOW_WORDS = ("shapes", "cost", "map", "attends")
PART_KEYS = ("part", "show", "explain")


@record
class Part:
    """One question of an exercise: which results it asks for, or which topic answers it."""

    label: str
    show: tuple[Reference, ...]
    place: Place
    explain: str = ""

    @property
    def steps(self) -> tuple[Reference, ...]:
        """The steps among what it asks for."""
        return tuple(reference for reference in self.show if reference.step not in SHOW_WORDS)

    @property
    def words(self) -> tuple[str, ...]:
        """The words among what it asks for."""
        return tuple(reference.step for reference in self.show if reference.step in SHOW_WORDS)


@record
class Problem:
    """What a problem file says, key by key, and where each key stands."""

    name: str
    settings: Mapping[str, Any]
    places: Mapping[str, Place]
    commas: frozenset[str] = frozenset()
    """The keys whose commas look like decimal points."""

    def get(self, key: str, default: Any = None) -> Any:
        """What a key says."""
        return self.settings.get(key, default)

    def changed(self, **settings: Any) -> Problem:
        """The same problem with other settings."""
        return Problem(self.name, {**self.settings, **settings}, self.places, self.commas)

    def place(self, *keys: str) -> Place:
        """Where the first of these keys stands."""
        return next((self.places[key] for key in keys if key in self.places), Place(self.name))


def show(node: Node, context: Context) -> tuple[Reference, ...]:
    """The results that a part asks for."""
    if not isinstance(node, Sequence):
        node = Sequence((node,), node.place)
    # In [S[3], A] the brackets end up in one text each; in [S[3, 1]] the comma splits them.
    found = []
    for item in node.items:
        if isinstance(item, Sequence):
            raise fault('must name steps such as "S[3]", in quotes', item.place)
        reference = parse_reference(text(item, context))
        if reference is None:
            raise fault(f"{quoted(text(item, context))} does not name a step", item.place)
        found.append(reference)
    return tuple(found)


def parts(node: Node, context: Context) -> tuple[Part, ...]:
    """The exercise's parts in order."""
    if not isinstance(node, Sequence):
        raise fault("is not a list of parts", node.place)
    found: list[Part] = []
    for item in node.items:
        if not isinstance(item, Mapped):
            raise fault("a part is written {part: b, show: S}", item.place)
        words = {key.text: value for key, value in item.items}
        for key, _ in item.items:
            if key.text not in PART_KEYS:
                hint = nearest(key.text, PART_KEYS)
                raise fault(f"{quoted(key.text)} is not known in a part{hint}", key.place)
        if not {"show", "explain"} & words.keys():
            raise fault("a part needs show: what it asks for, or explain: a topic", item.place)
        label = text(words["part"], context) if "part" in words else str(len(found) + 1)
        shown = show(words["show"], context) if "show" in words else ()
        topic = choice(*TOPICS)(words["explain"], context) if "explain" in words else ""
        found.append(Part(label, shown, item.place, topic))
    return tuple(found)


NAME = r"[^\W\d_]\w{0,30}'?"


def names(node: Node, _: Context) -> dict[str, str]:
    """How this course calls the steps."""
    if not isinstance(node, Mapped):
        raise fault("must map step names to the course's own, {S: z}", node.place)
    found: dict[str, str] = {}
    for key, value in node.items:
        if not is_step_name(key.text):
            raise fault(f"{quoted(key.text)} is not the name of a step", key.place)
        if not isinstance(value, Scalar) or not re.fullmatch(NAME, value.text):
            raise fault("a step's name is a letter or a word", value.place)
        other = is_step_name(value.text) and value.text != key.text
        if other or value.text in found.values():
            raise fault(f"{quoted(value.text)} is already the name of a step", value.place)
        found[key.text] = value.text
    return found


def marks(node: Node, context: Context) -> dict[str, Any]:
    """Points a step."""
    if not isinstance(node, Mapped):
        raise fault("must map steps to points, {S: 2}", node.place)
    found = {key.text: number(value, context) for key, value in node.items}
    if any(magnitude(points).value < 0 for points in found.values()):
        raise fault("points may not be negative", node.place)
    return found


def untouched(node: Node, _: Context) -> Node:
    """The node itself."""
    return node


WORDS: dict[str, Reader] = {
    "title": text,
    "source": text,
    "note": text,
    "tokens": texts,
    "key_tokens": texts,
    "names": names,
    "let": untouched,
    "symbols": untouched,
    "parts": parts,
    "answers": untouched,
    "marks": marks,
    "sample": sample,
    "inputs": choice("exact", "rounded"),
    "mode": choice("auto", "exact", "numeric"),
    "places": whole(0, 100),
    "digits": whole(1, 100),
}
KEYS: dict[str, Reader] = {
    **WORDS,
    **{key: reader for mechanism in MECHANISMS for key, reader in mechanism.keys.items()},
}


def new_name(key: Scalar, taken: Iterable[str] = ()) -> str:
    """A name that a problem may define."""
    known = {*KEYS, *CONSTANTS, *FUNCTIONS, *MATRICES, *taken}
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", key.text):
        raise fault(f"{quoted(key.text)} is not a name", key.place)
    if key.text in known or is_step_name(key.text) or reader_of(key.text) or key.text in SIZES:
        raise fault(f"{quoted(key.text)} already has a meaning", key.place)
    return key.text


def letters(node: Node | None, faults: Faults) -> dict[str, str]:
    """The free letters, and what is known of each."""
    found: dict[str, str] = {}
    with faults.gathered():
        if not isinstance(node, Mapped | None):
            raise fault("must map letters to positive or real, {beta: positive}", node.place)
    for key, value in node.items if isinstance(node, Mapped) else ():
        with faults.gathered():
            found[new_name(key)] = choice("positive", "real")(value, Context("", {}))
    return found


def definitions(
    node: Node | None, symbols: Mapping[str, Value], faults: Faults, folder: str
) -> dict[str, Value]:
    """What `let` defines, each from the letters and those before it."""
    found: dict[str, Value] = {}
    if node is None:
        return found
    if not isinstance(node, Mapped):
        with faults.gathered():
            raise fault("must map names to numbers, vectors or matrices", node.place)
        return found
    for key, value in node.items:
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
    symbols = letters(root.get("symbols"), faults)
    free: dict[str, Value] = {name: Entry(name) for name in symbols}
    defined = definitions(root.get("let"), free, faults, folder)
    context = Context(folder, {**free, **defined})
    settings: dict[str, Any] = {}
    for key, node in root.items:
        with faults.gathered():
            reader = KEYS.get(key.text) or reader_of(key.text)
            if reader is None:
                raise fault(f"unknown key {quoted(key.text)}{nearest(key.text, KEYS)}", key.place)
            settings[key.text] = reader(node, context)
    faults.raise_if_any()
    settings |= {"symbols": symbols, "let": defined}
    commas = frozenset(key.text for key, node in root.items if decimal_comma(node))
    return Problem(name, settings, {key.text: key.place for key, _ in root.items}, commas)


def load(file: str | os.PathLike[str]) -> Problem:
    """The problem in a file, under a bundled name, or on standard input for '-'."""
    if str(file) == "-":
        return read_problem(read_yaml(read_stdin(LARGEST_FILE), "-"), "-", os.curdir)
    path = os.fspath(file)
    if not os.path.exists(path) and re.fullmatch(r"[\w-]*", path):
        path = bundled(path)
    root = read_yaml(read_bytes(path, LARGEST_FILE), path)
    return read_problem(root, path, os.path.dirname(path))


def problem(**keys: Any) -> Problem:
    """A problem from Python: the keys of a problem file with numbers, text, lists or arrays."""
    items = tuple((Scalar(key, Place(key)), from_python(value, key)) for key, value in keys.items())
    return read_problem(Mapped(items, Place("problem")), "problem", os.curdir)


def folder_of_bundled() -> str:
    """Where the bundled problems are: inside an installed package, or beside it in a checkout."""
    package = os.path.dirname(__file__)
    inside = os.path.join(package, "problems")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(package), "problems")


def bundled(name: str) -> str:
    """The file of a bundled problem."""
    known = bundled_names()
    if name not in known:
        raise fault(f"is neither a file nor a bundled problem{nearest(name, known)}", Place(name))
    return os.path.join(folder_of_bundled(), f"{name}.yaml")


def bundled_names() -> list[str]:
    """The names of all bundled problems."""
    files = os.listdir(folder_of_bundled())
    return sorted(file.removesuffix(".yaml") for file in files if file.endswith(".yaml"))
