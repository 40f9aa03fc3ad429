"""Readers that convert nodes to text, choices, numbers and matrices; each fault has a place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Generic, TypeVar

import numpy as np

from attncalc.core.errors import Fault, Place, ProblemError, fault, inert, nearest, quote
from attncalc.core.fields import Array
from attncalc.core.record import record
from attncalc.core.terms import Constant, Term
from attncalc.exercise.keys.refusals import refuse_commas, refuse_misreadings, refuse_mixed_commas, whole_hint
from attncalc.exercise.keys.schema_types import CELL, MATRIX, TEXT, Schema, words
from attncalc.exercise.numbers.matrices import SizeError, Value, stack
from attncalc.exercise.numbers.texts import parse, parse_value
from attncalc.exercise.numbers.tokens import ExpressionError
from attncalc.exercise.yaml.tree import (
    LONGEST_SHOWN,
    Given,
    Mapped,
    Node,
    Scalar,
    Sequence,
    expect,
    from_python,
    one_or_more,
    word_of,
    write_on_one_line,
)


@record
class Context:
    """What a reader may refer to: the problem's folder, the names defined in it, the places of its keys."""

    folder: str
    names: Mapping[str, Value]
    keys: Mapping[str, Place] = {}
    in_columns: bool = False
    """Whether a column of a matrix is a token; arrays have a row each all the same."""


Read = TypeVar("Read")


@record
class Reader(Generic[Read]):
    """Reads the value of a key; describes its values as a JSON Schema and in words, and has the default."""

    read: Callable[[Node, Context], Read]
    schema: Schema
    takes: str = ""
    default: str = ""

    def __call__(self, node: Node, context: Context) -> Read:
        return self.read(node, context)


def reader(
    schema: Schema, takes: str = "", default: str = ""
) -> Callable[[Callable[[Node, Context], Read]], Reader[Read]]:
    """Return a decorator that makes a function a reader of such values."""
    return lambda read: Reader(read, schema, takes, default)


INFINITE: dict[str, Value] = {
    word: Constant(float("inf")) for word in ("inf", "oo", "infinity", "Inf", "Infinity")
}
LONGEST_TEXT = 2000


@reader(TEXT, "text")
def text(node: Node, _: Context) -> str:
    """Read free text, made inert, its white space folded."""
    with_colon = isinstance(node, Mapped) and len(node.items) == 1
    hint = ": a text with a colon needs quotes" if with_colon else ""
    folded = inert(expect(node, Scalar, f"is not text{hint}").on_one_line)
    return folded if len(folded) <= LONGEST_TEXT else folded[: LONGEST_TEXT - 1] + "…"


@reader({"type": "array", "items": TEXT}, "a list of labels")
def texts(node: Node, context: Context) -> tuple[str, ...]:
    """A list of texts."""
    typed = " ".join(key.text for key, _ in node.items) if isinstance(node, Mapped) else word_of(node)
    words = ", ".join(re.findall(r"[^\s,;()'\"]+", typed))
    hint = f": write [{words}]" if words and len(words) <= LONGEST_SHOWN else ""
    return tuple(text(item, context) for item in expect(node, Sequence, f"is not a list{hint}").items)


def choice(*options: str) -> Reader[str]:
    """Return a reader of one of these words, of which the first is the default."""

    def read(node: Node, _: Context) -> str:
        word = word_of(node)
        if word not in options:
            what = quote(word) if isinstance(node, Scalar) else "this"
            raise fault(f"{what} is none of {', '.join(options)}{nearest(word, options)}", node.place)
        return word

    return Reader(read, words(*options), ", ".join(options), options[0])


def whole(least: int, most: int) -> Reader[int]:
    """Return a reader of whole numbers between bounds."""
    takes = f"a whole number from {least} to {most}"

    def read(node: Node, _: Context) -> int:
        number = word_of(node)
        if not re.fullmatch(r"[+-]?[0-9]{1,9}", number) or not least <= int(number) <= most:
            raise fault(f"must be {takes}{whole_hint(number)}", node.place)
        return int(number)

    return Reader(read, {"type": "integer", "minimum": least, "maximum": most}, takes)


@reader(CELL, "a number")
def number(node: Node, context: Context) -> Term:
    """One number."""
    value = value_of(expect(node, Scalar, "is not a number"), context, hidden=False, wanted=Term)
    if isinstance(value, np.ndarray):
        raise fault("is a matrix where one number is wanted", node.place)
    return value


def value_of(
    node: Scalar, context: Context, hidden: bool, wanted: type | UnionType = Term | np.ndarray
) -> Value:
    """Parse a number, vector or matrix; a hint proposes a value of the wanted type."""
    names = {**context.names, **INFINITE} if hidden and "inf" not in context.names else context.names
    try:
        return parse_value(node.text, names)
    except ExpressionError as error:
        # Loaded only here: most numbers can be read.
        from attncalc.exercise.numbers.repairs import find_hint

        infinite = "is infinite" if node.text.strip("+- ") in INFINITE else ""
        hint = infinite or find_hint(node.text, lambda text: parse(text, names), wanted)
        message = hint or error.message
        if error.is_undefined and message == error.message:
            copied = node.text.strip() in context.keys
            message = COPIED.format(node.text.strip()) if copied else f"{message}{UNDEFINED}"
        raise fault(f"{quote(node.on_one_line)}: {message}", node.at(error.offset)) from None


ONE_NUMBER = "is one number where a matrix is wanted"
COPIED = "{} is another key, which is not copied: write its numbers here, too"
UNDEFINED = "; only names that let and symbols define can be used here"


@reader(MATRIX, "a matrix")
def matrix(node: Node, context: Context) -> Array:
    """A matrix of numbers: terms, or floats if it comes from an array."""
    return read_matrix(node, context, hidden=False)


@reader(MATRIX, "a matrix")
def scores(node: Node, context: Context) -> Array:
    """A matrix in which −∞ may hide a key."""
    return read_matrix(node, context, hidden=True)


def read_matrix(node: Node, context: Context, hidden: bool) -> Array:
    """Read a matrix in any form; a vector is one row."""
    if isinstance(node, Mapped):
        array = floats(read_reference(node, context), node.place, hidden)
    elif isinstance(node, Given):
        array = convert_array(node, context, hidden)
    elif isinstance(node, Scalar):
        array = matrix_of(node, context, hidden)
    else:
        array = read_list(node, context, hidden)
    if array.size == 0:
        raise fault("is empty", node.place)
    if array.ndim == 0:
        raise fault(ONE_NUMBER, node.place)
    if array.ndim > 4:
        raise fault("has more than four axes", node.place)
    if array.ndim == 1:
        return array[None, :]
    return array.swapaxes(-1, -2) if context.in_columns and not isinstance(node, Mapped | Given) else array


def matrix_of(node: Scalar, context: Context, hidden: bool) -> Array:
    """Read the matrix that a text stands for."""
    refuse_misreadings(node)
    value = value_of(node, context, hidden, np.ndarray)
    if not isinstance(value, np.ndarray):
        message = f"{ONE_NUMBER}: write [[{write_on_one_line(node)}]] if it has one entry"
        raise fault(message, node.place)
    return value


def convert_array(node: Given, context: Context, hidden: bool) -> Array:
    """Convert an array from Python; one of objects is read entry by entry."""
    if node.array.dtype != object:
        return floats(node.array, node.place, hidden)
    as_list = from_python(node.array.tolist(), str(node.place))
    return read_matrix(as_list, context, hidden)


def floats(array: Array, place: Place, hidden: bool) -> Array:
    """Convert an array to floats; raise a fault unless its numbers are real and finite."""
    if array.dtype.kind not in "iuf":
        raise fault(f"holds {array.dtype.name} values, not real numbers", place)
    values = np.asarray(array, dtype=np.float64)
    allowed = np.isfinite(values) | (np.isneginf(values) & hidden)
    if not allowed.all():
        raise fault("holds a value that is not a finite number", place)
    return values


def read_reference(node: Mapped, context: Context) -> Array:
    """Read the array that {file: …, key: …} names, inside the problem's folder."""
    words = {key.text: value for key, value in node.items}
    if words and all(isinstance(value, Scalar) and not value.text for value in words.values()):
        raise fault(f"a row stands in square brackets: write [{inert(', '.join(words))}]", node.place)
    if words and all(isinstance(value, Sequence) for value in words.values()):
        rows = f"[{', '.join(map(write_on_one_line, words.values()))}]"
        raise fault(f"rows have no names here: write {rows} and tokens: {inert(str([*words]))}", node.place)
    file, key = words.get("file"), words.get("key", Scalar("", node.place))
    if not (words.keys() <= {"file", "key"} and isinstance(file, Scalar) and isinstance(key, Scalar)):
        raise fault("must be a matrix, or {file: NAME, key: NAME}", node.place)
    # Loaded only here: archives and tables are slow to import, and most problems have none.
    from attncalc.exercise.numbers.arrays import read_inside

    return read_inside(context.folder, file.text, key.text if "key" in words else None, node.place)


SEPARATED = r";|^[^,]*[^\s,*/+^-]\s+[^\s*/+^]"


def needs_source(node: Sequence) -> bool:
    """Whether YAML has cut a list at the wrong places: [1 2; 3 4], [dot(u, v), 1]."""
    scalars = [item.text for item in node.items if isinstance(item, Scalar) and not item.quoted]
    broken = any(text.count("(") != text.count(")") or set(";\n") & set(text) for text in scalars)
    spaced = len(node.items) == 1 and any(re.search(SEPARATED, text) for text in scalars)
    return bool(node.source) and (broken or spaced)


def read_list(node: Sequence, context: Context, hidden: bool) -> Array:
    """Read a list of numbers, of rows, or of matrices; [1 2; 3 4] is read from its source."""
    refuse_mixed_commas(node.source, node.place)
    if needs_source(node):
        refuse_commas(node.source, node.place)
        array = value_of(Scalar(node.source, node.place), context, hidden)
        assert isinstance(array, np.ndarray)
        return array
    values: list[Value] = []
    faults: list[Fault] = []
    for item in node.items:
        try:
            values.append(item_value(item, context, hidden))
        except ProblemError as error:
            faults.extend(error.faults)
    if faults:
        raise ProblemError(*faults)
    try:
        return stack([values])
    except SizeError as error:
        raise fault(uneven(node, str(error)), node.place) from None


def item_value(item: Node, context: Context, hidden: bool) -> Value:
    """Read an entry, a row or a matrix inside a list."""
    if isinstance(item, Scalar):
        return value_of(item, context, hidden)
    if isinstance(item, Sequence) and "," in item.source and needs_source(item):
        refuse_commas(item.source, item.place, ";")
    if isinstance(item, Sequence):
        return read_list(item, context, hidden)
    raise fault("is not a number", item.place)


def uneven(node: Sequence, message: str) -> str:
    """Say why rows do not stack, with a hint if a decimal comma may be the reason."""
    lengths = [len(item.items) for item in node.items if isinstance(item, Sequence)]
    if len(set(lengths)) > 1:
        message = f"its rows have different lengths: {', '.join(map(str, lengths))}"
    close = bool(lengths) and max(lengths) == 2 * min(lengths) and re.search(r"[0-9],[0-9]", node.source)
    comma = decimal_comma(node) or close
    return message + (COMMA_HINT if comma else "")


COMMA_HINT = "; if a decimal comma was meant, write 0.62"


def decimal_comma(node: Node) -> bool:
    """Whether the commas of a list look like decimal points: [0,62, 0,38]."""
    return isinstance(node, Sequence) and bool(re.search(r"[0-9],[0-9]+, ", node.source))


def numbers_list(node: Node, context: Context) -> list[Term]:
    """Read one number or a list of numbers."""
    if isinstance(node, Given):
        node = from_python(node.array.tolist(), str(node.place))
    return [number(item, context) for item in one_or_more(node)]
