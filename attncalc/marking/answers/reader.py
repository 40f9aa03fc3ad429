"""The reader of answers: headings such as `part a`, which steps the keys name, how the values fit them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

import numpy as np

from attncalc.core.errors import MOST_FAULTS, Fault, ProblemError, fault, inert, quote
from attncalc.core.fields import Array
from attncalc.core.fields.work_counter import at_most
from attncalc.core.graph.graph import Graph, shape_text
from attncalc.core.graph.references import Reference
from attncalc.core.record import replace
from attncalc.core.terms import Constant
from attncalc.exercise.keys.readers import INFINITE, Context, decimal_comma, text
from attncalc.exercise.numbers.matrices import Value
from attncalc.exercise.numbers.student_numbers import to_points
from attncalc.exercise.problem import Problem
from attncalc.exercise.yaml.tree import Given, Mapped, Node, Scalar, Sequence, one_or_more
from attncalc.marking.answers.answer import fitted
from attncalc.marking.answers.cells import BLANKS, read_cells, to_single_cell
from attncalc.marking.answers.files import Answer, Answers, Unreadable
from attncalc.marking.answers.names import WRAPPER, Names, Target
from attncalc.worked.blocks import BLANK

WORDS = ("problem", "student")
SECTION = r"(?:part|question|exercise)?\s*\(?(?:[a-z]|[0-9]{1,2})\)?"
"""A key above the answers to one part."""
HEAD = r"head[\s_]*(?P<head>[1-9][0-9]?)"
NOWHERE = Context("", {})
"""Answers refer to no files."""
NOT_NUMBERS: dict[str, Value] = {word: Constant(float("nan")) for word in ("nan", "NaN", "NAN")}
"""What programs print for a result that is none."""
MOST_TERMS_OF_FILE = 300_000
"""The most terms of exact work for the numbers of one file."""
UNNAMED = ("-", "problem")
"""Names of problems that do not come from a file."""
SURE_COMMA = r"[-+−]?(?:0,[0-9]+|[0-9]{4,},[0-9]+|[0-9]+,(?:[0-9]{1,2}|[0-9]{4,}))%?"
"""A number with a comma that separates no thousands."""
ANY_COMMA = r"[-+−]?[0-9]+,[0-9]+%?"
LEAST_THOUSAND = 999.5
COMMAS = r"[0-9],[0-9]+(?:\s*;|,?\s+[-+−]?[0-9])|\[\s*[-+−]?[0-9]+,[0-9]{2,}\s*\]"
"""A decimal comma: numbers are separated by something else, or a row is one number."""


class Reader:
    """Read answers to one problem; `largest` gives the size of the largest correct value of a step."""

    def __init__(
        self,
        problem: Problem,
        graph: Graph,
        known: Mapping[str, Value],
        largest: Callable[[str], float] = lambda _: np.inf,
    ) -> None:
        self.names, self.largest = Names(problem, graph), largest
        self.shapes = graph.shapes
        self.context = Context("", {**INFINITE, **NOT_NUMBERS, **known, "_": BLANK})
        self.columns = problem.settings.get("vectors") == "columns" and not problem.in_columns
        self.is_turned = graph.is_turned

    def read(self, root: Mapped, name: str, turned: bool = False, limits: Mapping[str, str] = {}) -> Answers:
        """Read the answers of a mapping; faults are gathered, not raised.

        With `turned`, tokens are the columns of square matrices; `limits` are steps answered under the
        names of others.
        """
        answered: list[Answer] = []
        faults: list[Fault] = []
        with at_most(MOST_TERMS_OF_FILE):
            for key, node in self.with_sure_points([*unwrapped(root)]):
                try:
                    found = self.read_key(key, node, turned, root.in_rows)
                    answered.extend(replace(one, reference=move(one.reference, limits)) for one in found)
                except ProblemError as error:
                    faults += (Fault(f"{inert(key.text)}: {one.message}", one.place) for one in error.faults)
                if len(faults) > MOST_FAULTS:
                    raise fault(f"has more than {MOST_FAULTS} keys that cannot be read", key.place)
        return Answers(name, student_of(root), tuple(answered), tuple(faults))

    def with_sure_points(self, pairs: list[tuple[Scalar, Node]]) -> list[tuple[Scalar, Node]]:
        """Keys and values, with points for all commas in numbers if one in the file is a decimal comma."""
        if not any(self.has_decimal_comma(key, node) for key, node in pairs):
            return pairs
        return [(key, point_numbers(node)) for key, node in pairs]

    def has_decimal_comma(self, key: Scalar, node: Node) -> bool:
        """Whether a number has a decimal comma: a comma that separates no thousands, as no value has any."""
        texts = [text for text in texts_of(node) if "," in text]
        if any(re.fullmatch(SURE_COMMA, text) for text in texts):
            return True
        if not any(re.fullmatch(ANY_COMMA, text) for text in texts):
            return False
        with suppress(ProblemError):
            steps = {one.step for target in self.names.find(key, node) for one in target}
            return max(map(self.largest, steps)) < LEAST_THOUSAND
        return False

    def read_key(self, key: Scalar, node: Node, turned: bool = False, in_rows: bool = False) -> list[Answer]:
        """Read one key: the answer to one step, or to the steps of all heads.

        With `in_rows`, tokens are rows even if the problem is written in columns.
        """
        targets, cells = self.names.find(key, node), self.cells(node)
        in_columns = not (in_rows or isinstance(node, Given)) and any(
            self.is_turned(one.step) and not one.at for one in targets[0]
        )
        if turned and is_square(cells):
            cells = cells.swapaxes(-1, -2)
        for reading in self.readings(node, cells):
            for target in targets:
                whole = reading.swapaxes(-1, -2) if in_columns and reading.ndim > 1 else reading
                if parts := self.split(whole, target):
                    return [
                        Answer(one, part, key.place, in_columns=in_columns)
                        for one, part in zip(target, parts, strict=True)
                    ]
        single = next((target[0] for target in targets if len(target) == 1), None)
        if single is None:
            first, *_, last = targets[0]
            stack = shape_text((len(targets[0]), *self.wanted(first)))
            raise fault(f"answer {first} to {last} one by one, or stacked as {stack}", key.place)
        if in_columns and cells.ndim > 1:
            cells = cells.swapaxes(-1, -2)
        return [Answer(single, cells, key.place, decimal_comma(node), in_columns)]

    def cells(self, node: Node) -> Array:
        """The cells of a value; one unreadable cell if it has no shape."""
        try:
            return read_cells(node, self.context)
        except ProblemError as error:
            return to_single_cell(Unreadable(error.faults[0]))

    def readings(self, node: Node, cells: Array) -> Iterator[Array]:
        """The possible readings of cells: unchanged, with decimal commas, with tokens as columns."""
        if not is_unread(cells):
            yield cells
        pointed = with_points(node)
        read = cells if pointed is node else self.cells(pointed)
        if read is not cells and not is_unread(read):
            yield read
            if read.shape[-1:] == (1,):
                yield read[..., 0]
        if self.columns and cells.ndim > 1:
            yield cells.swapaxes(-1, -2)
        if is_unread(cells):
            yield cells

    def split(self, cells: Array, target: Target) -> list[Array]:
        """The cells for each member of a target, if they fit; blanks fit everything."""
        if len(target) == 1 and cells.shape == self.wanted(target[0]):
            return [cells]
        if cells.size and cells.dtype == object and is_void(cells):
            return [np.full(self.wanted(member), cells.flat[0], dtype=object) for member in target]
        parts = [cells]
        if len(target) > 1:
            stacked = cells.ndim > 2 and cells.shape[-3] == len(target)
            parts = [cells[..., head, :, :] for head in range(len(target))] if stacked else []
        fits = all(
            fitted(part, self.wanted(one)) is not None for part, one in zip(parts, target, strict=False)
        )
        return parts if fits else []

    def wanted(self, reference: Reference) -> tuple[int, ...]:
        """The shape of a step, or of a row or cell of it."""
        return self.shapes[reference.step][len(reference.at) :]


def move(reference: Reference, steps: Mapping[str, str]) -> Reference:
    """The same place in another step, if one is named."""
    return Reference(steps.get(reference.step, reference.step), reference.at)


def is_square(cells: Array) -> bool:
    """Whether a matrix is square, so that its shape does not show whether tokens are rows."""
    return cells.ndim > 1 and cells.shape[-1] == cells.shape[-2] > 1


def unwrapped(root: Mapped) -> Iterator[tuple[Scalar, Node]]:
    """The keys that name steps, also those below `answers`, a part or a head."""
    for key, node in root.items:
        word = key.text.lower()
        head = re.fullmatch(HEAD, word)
        inside = [item for item in one_or_more(node) if isinstance(item, Mapped)]
        if inside and (word == WRAPPER or re.fullmatch(SECTION, key.text)):
            yield from (pair for item in inside for pair in unwrapped(item))
        elif inside and (head or word == "heads"):
            yield from number_heads(inside, int(head["head"]) if head else 1)
        elif word not in WORDS and not (word == WRAPPER and isinstance(node, Scalar) and not node.text):
            yield key, node


def number_heads(heads: Iterable[Mapped], first: int) -> Iterator[tuple[Scalar, Node]]:
    """The steps of some heads, with the number of each."""
    for number, head in enumerate(heads, first):
        yield from ((key._replace(text=f"{key.text}_{number}"), node) for key, node in head.items)


def find_word(root: Mapped, key: str) -> Scalar:
    """The value of a word such as `student`, beside the steps or among them; an empty text if missing."""
    inner = root.get(WRAPPER)
    pairs = [*root.items, *(inner.items if isinstance(inner, Mapped) else ())]
    node = next((value for name, value in pairs if name.text.lower() == key), None)
    return node if isinstance(node, Scalar) else Scalar("", root.place)


def student_of(root: Mapped) -> str:
    """The name of the student, if it is given."""
    said = text(find_word(root, "student"), NOWHERE)
    return "" if said in BLANKS else inert(said)


def refuse_others(root: Mapped, problem: Problem) -> None:
    """Raise a fault if answers name another problem."""
    node = find_word(root, "problem")
    said = text(node, NOWHERE)
    if said in BLANKS or problem.name in UNNAMED:
        return
    if strip_name(said) != strip_name(problem.name) and said.casefold() != problem.title.casefold():
        message = f"the answers are to {quote(said)}, not to {quote(strip_name(problem.name))}"
        raise fault(message, node.place)


def strip_name(name: str) -> str:
    """The name of a file without folder and ending, its words joined by hyphens."""
    return re.sub(r"[\s_-]+", "-", os.path.splitext(os.path.basename(name.replace("\\", "/")))[0].casefold())


def is_unread(cells: Array) -> bool:
    """Whether a whole value cannot be read."""
    return cells.ndim == 0 and isinstance(cells[()], Unreadable)


def is_void(cells: Array) -> bool:
    """Whether there is nothing to judge: an unreadable value, or only blanks."""
    return is_unread(cells) or all(cell == BLANK for cell in cells.flat)


def texts_of(node: Node) -> Iterator[str]:
    """The texts of all numbers in a value."""
    if isinstance(node, Scalar):
        yield node.text
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from texts_of(item)


def point_numbers(node: Node) -> Node:
    """A value with a point in place of the comma of every number."""
    if isinstance(node, Scalar):
        return node._replace(text=to_points(node.text)) if re.fullmatch(ANY_COMMA, node.text) else node
    if isinstance(node, Sequence):
        return replace(node, items=tuple(map(point_numbers, node.items)))
    return node


def with_points(node: Node) -> Node:
    """A value with points for decimal commas; the same node if it has none."""
    if isinstance(node, Scalar):
        return node._replace(text=to_points(node.text)) if re.search(COMMAS, node.text) else node
    if not isinstance(node, Sequence):
        return node
    if node.source:
        return Scalar(to_points(node.source), node.place) if re.search(COMMAS, node.source) else node
    items = tuple(map(with_points, node.items))
    same = all(one is other for one, other in zip(items, node.items, strict=True))
    return node if same else replace(node, items=items)
