"""The cells of a value as a student wrote it; unreadable ones are noted, the rest is kept."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from attncalc.core.errors import Fault, fault, inert, quote
from attncalc.core.fields import Array
from attncalc.core.fields.work_counter import Exhausted
from attncalc.core.terms import Constant, Term, entries
from attncalc.exercise.keys.readers import Context, floats, needs_source
from attncalc.exercise.numbers.matrices import SizeError, Value, stack
from attncalc.exercise.numbers.repairs import ANSWER_REPAIRS, find_hint
from attncalc.exercise.numbers.student_numbers import parse_answer, parse_sum, with_point
from attncalc.exercise.numbers.texts import PLAIN, check_bounds
from attncalc.exercise.numbers.tokens import ExpressionError
from attncalc.exercise.yaml.tree import Given, Mapped, Node, Scalar, Sequence, from_python, write_on_one_line
from attncalc.marking.answers.files import Cell, Unreadable
from attncalc.marking.answers.formats import SINGLE, find_format
from attncalc.marking.answers.precision import number_of
from attncalc.marking.policy import POLICY
from attncalc.worked.blocks import BLANK

LONGEST_CELL = 3000
"""The most characters of a cell: a student's number is short."""
UNCERTAIN = "has a value that is not certain"
BLANKS = ("_", "?", "", "~", "null")
LONGEST_WORD = 20
OF_SHEETS = {
    r"#(?:DIV/0|N/A|NAME|NULL|NUM|REF|VALUE|SPILL|CALC)[!?]?|Err:[0-9]{3}": "is an error of a spreadsheet",
    r"formula =.*": "has no stored value: open the workbook in a spreadsheet program, and save it",
}
"""What stands in cells of spreadsheets in place of a number, and what is said of it."""
NAN = r"\s*[-+]?\.?nan\s*"


def read_cells(node: Node, context: Context) -> Array:
    """The cells of a value: every one a term, a blank, or unreadable."""
    if isinstance(node, Given):
        if node.array.dtype == object:
            return read_cells(from_python(node.array.tolist(), str(node.place)), context)
        return read_array(node)
    if isinstance(node, Mapped):
        raise fault(f"is not a number or a matrix{brace_hint(node)}", node.place)
    if isinstance(node, Scalar):
        return read_text(node, context)
    if needs_source(node):
        return read_text(Scalar(node.source, node.place), context)
    plain = plain_cells(node)
    if plain is not None:
        return plain
    rows = fill_blanks([read_cells(item, context) for item in node.items])
    if not rows:
        return to_single_cell(BLANK)
    try:
        return stack([[row[()] if row.ndim == 0 else row for row in rows]])
    except SizeError as error:
        raise fault(str(error), node.place) from None


def read_array(node: Given) -> Array:
    """The numbers of an array; those that were rounded by hand become decimals. NaN is an answer."""
    if node.array.dtype.kind != "f":
        return as_decimals(floats(node.array, node.place, hidden=True))
    is_nan = np.isnan(node.array)
    numbers = floats(np.where(is_nan, 0, node.array), node.place, hidden=True)
    if node.array.dtype == np.float16:
        return node.array
    numbers = np.where(is_nan, np.nan, numbers)
    if is_rounded_to_whole(numbers):
        return as_texts(numbers, POLICY.short_places)
    return numbers if find_format(numbers) != SINGLE else as_decimals(numbers)


def is_rounded_to_whole(numbers: Array) -> bool:
    """Whether floats are small whole numbers: rounded to a few places, they may just happen to be."""
    finite = numbers[np.isfinite(numbers)]
    return bool(np.all(finite == np.round(finite)) and np.all(np.abs(finite) < 10**POLICY.fewest_digits))


def fill_blanks(rows: list[Array]) -> list[Array]:
    """Rows of one shape: a blank in place of a row becomes a row of blanks."""
    blank = [row.size == 1 and row.flat[0] == BLANK for row in rows]
    shapes = {row.shape for row, is_blank in zip(rows, blank, strict=True) if not is_blank}
    if len(shapes) != 1:
        return rows
    empty: Array = np.full(shapes.pop(), BLANK, dtype=object)
    return [empty if is_blank else row for row, is_blank in zip(rows, blank, strict=True)]


def brace_hint(node: Mapped) -> str:
    """A hint for rows with names and for a row in braces."""
    keys, values = [inert(key.text) for key, _ in node.items], [value for _, value in node.items]
    if values and all(isinstance(value, Sequence) for value in values):
        return f": rows have no names, write [{', '.join(map(write_on_one_line, values))}]"
    is_row = values and all(isinstance(value, Scalar) and not value.text for value in values)
    return f": a row stands in square brackets, write [{', '.join(keys)}]" if is_row else ""


def as_decimals(numbers: Array) -> Array:
    """Floats, as decimals if all of them were rounded to a few places."""
    finite = numbers[np.isfinite(numbers)]
    if np.all(finite == np.round(finite)):
        return numbers
    for places in range(1, POLICY.judged_digits):
        with np.errstate(over="ignore"):
            off = np.abs(finite - np.round(finite, places))
        if np.all(off <= 2 * SINGLE.share * np.abs(finite)):
            return as_texts(numbers, places)
    return numbers


def as_texts(numbers: Array, places: int) -> Array:
    """Floats as decimals of some places."""
    texts = [f"{x:.{places}f}" if np.isfinite(x) else Constant(float(x)) for x in numbers.ravel()]
    cells: Array = np.empty(len(texts), dtype=object)
    cells[:] = texts
    return cells.reshape(numbers.shape)


def plain_cells(node: Sequence) -> Array | None:
    """A row or rows of plain decimals; None if anything else is among them."""
    nested = all(isinstance(item, Sequence) for item in node.items)
    texts = [plain_texts(row) for row in (node.items if nested else (node,))]
    if len(set(map(len, texts))) != 1 or not texts[0]:
        return None
    cells: Array = np.array(texts, dtype=object)
    return cells if nested else cells[0]


def plain_texts(row: Node) -> list[str]:
    """The texts of a row of plain decimals; empty if anything else is among them."""
    items = row.items if isinstance(row, Sequence) else ()
    texts = [item.text for item in items if isinstance(item, Scalar) and PLAIN.fullmatch(item.text)]
    return texts if len(texts) == len(items) else []


def read_text(node: Scalar, context: Context) -> Array:
    """The cells of one text: a number, a blank or a matrix; one unreadable cell if it cannot be read."""
    text = with_point(node.text)
    if len(text) > LONGEST_CELL:
        return to_single_cell(
            unreadable_cell(node, ExpressionError(f"is longer than {LONGEST_CELL:,} characters", 0))
        )
    if PLAIN.fullmatch(text):
        return to_single_cell(text)
    for pattern, message in OF_SHEETS.items():
        if re.fullmatch(pattern, text):
            return to_single_cell(unreadable_cell(node, ExpressionError(message, 0)))
    if re.fullmatch(NAN, text, re.IGNORECASE):
        return to_single_cell(Constant(float("nan")))
    if text.strip() in BLANKS or not text.strip(" ?"):
        return to_single_cell(BLANK)
    try:
        value = parse_answer(text, context.names)
    except ExpressionError as error:
        read = partial(parse_answer, names=context.names)
        message = find_hint(text, read, Term | np.ndarray, ANSWER_REPAIRS) or or_blank(text, error.message)
        return to_single_cell(unreadable_cell(node, ExpressionError(message, error.offset)))
    return to_cells(value, node) if isinstance(value, np.ndarray) else to_single_cell(to_cell(value, node))


def read_sums(node: Node, context: Context) -> Array | None:
    """The cells of a row that is written as a sum of weighted rows, or of several; None for other values."""
    if isinstance(node, Sequence) and not needs_source(node):
        rows = [read_sums(item, context) for item in node.items]
        full = [row for row in rows if row is not None]
        return np.stack(full) if len(full) == len(rows) and len({row.shape for row in full}) == 1 else None
    if not isinstance(node, Scalar | Sequence):
        return None
    text = node.text if isinstance(node, Scalar) else node.source
    if len(text) > LONGEST_CELL or "[" not in text:
        return None
    with suppress(ExpressionError):
        value = parse_sum(text, context.names)
        return to_cells(value, Scalar(text, node.place)) if isinstance(value, np.ndarray) else None
    return None


def or_blank(text: str, message: str) -> str:
    """The reason why a text cannot be read; if it has no digits, also how to write a blank."""
    is_word = not re.search(r"\d", text) and len(text) <= LONGEST_WORD
    return f"{message}{' Or' if message.endswith('?') else ';'} write _ for a blank" if is_word else message


def to_cell(term: Term, node: Scalar) -> Cell:
    """A number or a blank as a cell; unreadable if it is too large, or computes with a blank."""
    if term == BLANK:
        return BLANK
    try:
        if BLANK in entries(term):
            raise ExpressionError("a blank cannot be computed with", 0)
        if isinstance(term, Constant) and term.value != term.value:
            return term
        found = check_bounds(term, 0)
        if not isinstance(found, Constant):
            check_value(found)
        return found
    except ExpressionError as error:
        return unreadable_cell(node, error)


def check_value(term: Term) -> None:
    """Refuse an expression that takes too much work, or is undefined somewhere in its rounding, as √0.0."""
    try:
        with np.errstate(all="ignore"):
            number = number_of(term)
    except Exhausted:
        raise ExpressionError("takes too much work to be compared exactly", 0) from None
    except (ArithmeticError, ValueError):
        raise ExpressionError(UNCERTAIN, 0) from None
    if not (np.isfinite(number.low) and np.isfinite(number.width)):
        raise ExpressionError(UNCERTAIN, 0)


def unreadable_cell(node: Scalar, error: ExpressionError) -> Unreadable:
    """An unreadable cell, with its place."""
    why = Fault(f"{quote(node.on_one_line)}: {error.message}", node.at(error.offset))
    return Unreadable(why, node.text)


def to_cells(value: Value, node: Scalar) -> Array:
    """The cells of a matrix written as one text."""
    return np.asarray(np.frompyfunc(lambda term: to_cell(term, node), 1, 1)(value), dtype=object)


def to_single_cell(cell: Any) -> Array:
    """One cell as an array without axes."""
    array = np.empty((), dtype=object)
    array[()] = cell
    return array
