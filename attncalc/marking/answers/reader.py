"""The reader of answers: headings such as `part a`, which steps the keys name, how the values fit them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import product
from math import prod

import numpy as np

from attncalc.core.errors import MOST_FAULTS, Fault, Place, ProblemError, fault, inert, quote
from attncalc.core.fields import Array
from attncalc.core.fields.work_counter import at_most
from attncalc.core.graph.graph import Graph, shape_text
from attncalc.core.graph.references import Reference
from attncalc.core.ops.output import LimitOutput, Output, OutputWithPast
from attncalc.core.record import record, replace
from attncalc.core.spellings import find_meant
from attncalc.core.terms import Constant
from attncalc.exercise.keys.readers import INFINITE, Context, decimal_comma, text
from attncalc.exercise.numbers.matrices import Value
from attncalc.exercise.numbers.student_numbers import parse_answer, to_points
from attncalc.exercise.problem import Problem
from attncalc.exercise.yaml.tree import Given, Mapped, Node, Scalar, Sequence, one_or_more
from attncalc.marking.answers.answer import fitted
from attncalc.marking.answers.cells import BLANKS, read_cells, read_sums, to_single_cell
from attncalc.marking.answers.files import Answer, Answers, Unreadable
from attncalc.marking.answers.meanings import Meanings
from attncalc.marking.answers.mend import mend
from attncalc.marking.answers.names import WRAPPER, Names, Target
from attncalc.marking.answers.statements import inside_of
from attncalc.marking.answers.student import BY_RANK, about_student, is_to_reader
from attncalc.worked.blocks import BLANK

WORDS = ("problem", "student")
SECTION = r"(?:(?i:part|question|exercise|step|task)\s*\(?\w{1,3}\)?|\(?(?:[a-z]|[0-9]{1,2})[).]?)"
"""A key above the answers to one part."""
HEAD = r"head[\s_]*(?P<head>[1-9][0-9]?)"
NOWHERE = Context("", {})
"""Answers refer to no files."""
SUMS = (Output, LimitOutput, OutputWithPast)
"""The operations that add weighted rows."""
NO_KEY = Scalar("", Place(""))
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


@record
class Reading:
    """The cells that a value may stand for, and how slips in it were repaired."""

    cells: Array
    notes: tuple[Fault, ...] = ()
    of_sums: bool = False
    """Whether rows were written as sums of weighted rows."""


@record
class Read:
    """What is read of one key: the answers, or why there are none, and how it was read."""

    key: Scalar
    answers: tuple[Answer, ...] = ()
    faults: tuple[Fault, ...] = ()
    notes: tuple[Fault, ...] = ()
    is_guess: bool = False
    """Whether the key is no name of a step, and can mean only one."""


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
        self.meanings = Meanings(self.names)
        self.shapes = graph.shapes
        self.context = Context("", {**INFINITE, **NOT_NUMBERS, **known, "_": BLANK})
        self.columns = problem.settings.get("vectors") == "columns" and not problem.in_columns
        self.is_turned = graph.is_turned
        self.sums = {step.name for step in graph.steps if isinstance(step.op, SUMS)}

    def read(self, root: Mapped, name: str, turned: bool = False, limits: Mapping[str, str] = {}) -> Answers:
        """Read the answers of a mapping; faults are gathered, not raised.

        With `turned`, tokens are the columns of square matrices; `limits` are steps answered under the
        names of others.
        """
        found: list[Read] = []
        failed = 0
        with at_most(MOST_TERMS_OF_FILE):
            for key, node in self.with_sure_points([*unwrapped(root)]):
                as_array = root.in_rows or isinstance(node, Given)
                slips = root.slips.get(key.place, ())
                one = self.read_entry(key, node, turned, as_array, slips, failed < MOST_FAULTS)
                found.append(one)
                failed += bool(one.faults)
                if failed > MOST_FAULTS and not root.has_prose:
                    raise fault(f"has more than {MOST_FAULTS} keys that cannot be read", key.place)
        found = refuse_doubles(found)
        if root.has_prose and root.in_rows:
            # In code, one number under the name of a matrix is a size or a loop's variable.
            found = [one for one in found if not any(map(self.is_scalar, one.answers))]
        found = [*leave_out_prose(found)] if root.has_prose else found
        entries = (one for read in found for one in read.answers)
        answers = tuple(replace(one, reference=move(one.reference, limits)) for one in entries)
        faults = (*root.faults, *(fault for one in found for fault in one.faults))
        if root.has_prose and not (answers or faults):
            faults = (Fault(f"no line names a step with numbers: write {self.names.example}", root.place),)
        notes = (*root.notes, *(note for one in found for note in one.notes))
        return Answers(name, student_of(root), answers, faults, notes)

    def read_entry(
        self, key: Scalar, node: Node, turned: bool, in_rows: bool, slips: tuple[Fault, ...], may_guess: bool
    ) -> Read:
        """Read one key, by its name or by what it may mean; faults are kept, not raised.

        With `in_rows`, tokens are rows even if the problem is written in columns.
        """
        read = self.read_key(key, node, turned, in_rows)
        if not read.answers and may_guess:
            read = self.read_meaning(key, node, read, in_rows)
        if not slips:
            return read
        if any(has_unread(one.cells) or not self.split(one.cells, (one.reference,)) for one in read.answers):
            return Read(key, faults=slips)
        return replace(read, notes=(*read.notes, *map(as_note, slips)))

    def read_meaning(self, key: Scalar, node: Node, read: Read, in_rows: bool) -> Read:
        """Read a key that is no name of a step, if it can mean only one that its value fits."""
        readings = [one for one in self.readings(node, self.cells(node)) if not is_void(one.cells)]
        try:
            target = self.meanings.find(key, lambda target: self.fits(readings, target, in_rows))
        except ProblemError as error:
            return Read(key, faults=in_key(key, error))
        for one in readings if target else ():
            assert target is not None
            if self.allowed([target], one) and (answers := self.to_answers(key, one.cells, target, in_rows)):
                note = Fault(f"{inert(key.text)} is read as {list_steps(target)}", key.place)
                return Read(key, answers, notes=(note, *one.notes), is_guess=True)
        return read

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

    def read_key(self, key: Scalar, node: Node, turned: bool, in_rows: bool) -> Read:
        """Read one key: the answer to one step, or to the steps of all heads."""
        cells = self.cells(node)
        if turned and is_square(cells):
            cells = cells.swapaxes(-1, -2)
        readings = [*self.readings(node, cells)]
        full = [one for one in readings if not is_void(one.cells)]
        fits = (lambda target: self.fits(full, target, in_rows)) if full else None
        try:
            targets = self.names.find(key, node, fits)
        except ProblemError as error:
            return Read(key, faults=in_key(key, error))
        for one in readings:
            for target in self.allowed(targets, one):
                if answers := self.to_answers(key, one.cells, target, in_rows):
                    return Read(key, answers, notes=one.notes)
        single = next((target[0] for target in targets if len(target) == 1), None)
        if single is None:
            first, *_, last = targets[0]
            stack = shape_text((len(targets[0]), *self.wanted(first)))
            message = f"answer {first} to {last} one by one, or stacked as {stack}"
            return Read(key, faults=in_key(key, fault(message, key.place)))
        in_columns = self.in_columns(targets[0], in_rows)
        whole = cells.swapaxes(-1, -2) if in_columns and cells.ndim > 1 else cells
        return Read(key, (Answer(single, whole, key.place, decimal_comma(node), in_columns),))

    def allowed(self, targets: list[Target], reading: Reading) -> list[Target]:
        """The targets of a value: a sum that is written out answers only a step that is such a sum."""
        return [one for one in targets if not reading.of_sums or {ref.step for ref in one} <= self.sums]

    def in_columns(self, target: Target, in_rows: bool) -> bool:
        """Whether a value for a target is written with tokens as columns."""
        return not in_rows and any(self.is_turned(one.step) for one in target)

    def fits(self, readings: Iterable[Reading], target: Target, in_rows: bool) -> bool:
        """Whether a reading of a value has the shape of a target."""
        fitting = (one for one in readings if self.allowed([target], one))
        return any(self.to_answers(NO_KEY, one.cells, target, in_rows) for one in fitting)

    def to_answers(self, key: Scalar, cells: Array, target: Target, in_rows: bool) -> tuple[Answer, ...]:
        """The answers that some cells are to each member of a target, if they fit."""
        in_columns = self.in_columns(target, in_rows)
        parts = self.split(cells.swapaxes(-1, -2) if in_columns and cells.ndim > 1 else cells, target)
        pairs = zip(target, parts, strict=True) if parts else ()
        return tuple(Answer(one, part, key.place, in_columns=in_columns) for one, part in pairs)

    def cells(self, node: Node) -> Array:
        """The cells of a value; one unreadable cell if it has no shape."""
        try:
            return read_cells(node, self.context)
        except ProblemError as error:
            return to_single_cell(Unreadable(error.faults[0]))

    def readings(self, node: Node, cells: Array) -> Iterator[Reading]:
        """The possible readings: unchanged, with decimal commas, mended, with tokens as columns."""
        if not has_unread(cells):
            yield Reading(cells)
        elif (written := read_sums(node, self.context)) is not None:
            yield Reading(written, of_sums=True)
        pointed = with_points(node)
        read = cells if pointed is node else self.cells(pointed)
        if read is not cells and not is_unread(read):
            yield Reading(read)
            if read.shape[-1:] == (1,):
                yield Reading(read[..., 0])
        if has_unread(read) or is_difference(pointed):
            yield from self.mended(pointed, read)
        if self.columns and cells.ndim > 1:
            yield Reading(cells.swapaxes(-1, -2))
        if has_unread(cells):
            yield Reading(cells)

    def mended(self, node: Node, cells: Array) -> Iterator[Reading]:
        """The readings of a value with its slips repaired, if every one of them can be."""
        for as_rows in (False, True):
            mended, slips = mend(node, partial(parse_answer, names=self.context.names), as_rows)
            read = self.cells(mended) if slips else cells
            if slips and not has_unread(read):
                yield Reading(read, slips)

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

    def is_scalar(self, answer: Answer) -> bool:
        """Whether an answer to a matrix is one number."""
        return answer.cells.ndim == 0 and prod(self.wanted(answer.reference)) > 1

    def wanted(self, reference: Reference) -> tuple[int, ...]:
        """The shape of a step, or of a row or cell of it."""
        return self.shapes[reference.step][len(reference.at) :]


def in_key(key: Scalar, error: ProblemError) -> tuple[Fault, ...]:
    """The faults of a key, which name it."""
    return tuple(Fault(f"{inert(key.text)}: {one.message}", one.place) for one in error.faults)


def as_note(slip: Fault) -> Fault:
    """What is said of a slip that was repaired."""
    because, found, meant = slip.message.partition(": write ")
    is_line = found and meant[0] not in "'\""
    return Fault(f"{because}: read as {meant}" if is_line else f"{because}; it is read so", slip.place)


def list_steps(target: Target) -> str:
    """The steps of a target: A, or A_1 to A_3."""
    first, *others = map(str, target)
    return f"{first} to {others[-1]}" if others else first


def refuse_doubles(found: list[Read]) -> list[Read]:
    """The same, but for keys that are no names and mean what another key answers with other numbers."""
    return [refuse_double(one, found) if one.is_guess else one for one in found]


def refuse_double(one: Read, others: Iterable[Read]) -> Read:
    """One read key, or the fault that another key answers the same step otherwise."""
    for other in others:
        for answer, rival in product(one.answers, other.answers if other is not one else ()):
            if overlap(answer.reference, rival.reference) and not is_same(answer, rival):
                message = f"may be {answer.reference}, which {quote(other.key.text)} answers otherwise"
                said = f"{inert(one.key.text)}: {message}: leave one of them out"
                return Read(one.key, faults=(Fault(said, one.key.place),))
    return one


def overlap(one: Reference, other: Reference) -> bool:
    """Whether two references share cells."""
    shorter = min(len(one.at), len(other.at))
    return one.step == other.step and one.at[:shorter] == other.at[:shorter]


def is_same(one: Answer, other: Answer) -> bool:
    """Whether two answers are the same."""
    return one.reference == other.reference and bool(np.array_equal(one.cells, other.cells))


def leave_out_prose(found: Iterable[Read]) -> Iterator[Read]:
    """What is read among other text: what names no step, and a formula beside the numbers, is left out."""
    found = [one for one in found if one.answers or not is_remark(one)]
    best: dict[str, Read] = {}
    for one in found:
        before = best.get(one.key.text)
        if before is None or all(is_unread(answer.cells) for answer in before.answers):
            best[one.key.text] = one
        elif any(is_unread(answer.cells) for answer in one.answers):
            continue
        elif not all(map(is_same, before.answers, one.answers)):
            lines = f"here and in line {before.key.place.line}"
            message = f"{inert(one.key.text)} stands {lines} with different values: keep one"
            best[one.key.text] = Read(one.key, faults=(Fault(message, one.key.place),))
    yield from best.values()


def is_remark(read: Read) -> bool:
    """Whether a key among other text names no step."""
    return any(
        re.search(r": (?:there is no step|is given in the problem)", one.message) for one in read.faults
    )


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
        if inside and (find_meant(word, (WRAPPER,)) or re.fullmatch(SECTION, key.text)):
            yield from (pair for item in inside for pair in unwrapped(item))
        elif (
            isinstance(node, Scalar)
            and (re.fullmatch(SECTION, key.text) or is_to_reader(key.text))
            and (inner := inside_of(node))
        ):
            yield inner
        elif isinstance(node, Scalar) and is_to_reader(key.text):
            continue
        elif inside and (head or word == "heads"):
            yield from number_heads(inside, int(head["head"]) if head else 1)
        elif (
            word not in WORDS
            and not about_student(key.text)
            and not (word == WRAPPER and isinstance(node, Scalar) and not node.text)
        ):
            yield key, node


def number_heads(heads: Iterable[Mapped], first: int) -> Iterator[tuple[Scalar, Node]]:
    """The steps of some heads, with the number of each."""
    for number, head in enumerate(heads, first):
        yield from ((key._replace(text=f"{key.text}_{number}"), node) for key, node in head.items)


def keys_beside(root: Mapped) -> list[tuple[Scalar, Node]]:
    """The keys beside the steps or among them."""
    inner = root.get(WRAPPER)
    return [*root.items, *(inner.items if isinstance(inner, Mapped) else ())]


def find_word(root: Mapped, key: str) -> Scalar:
    """The value of a word such as `student`, beside the steps or among them; an empty text if missing."""
    node = next((value for name, value in keys_beside(root) if name.text.lower() == key), None)
    return node if isinstance(node, Scalar) else Scalar("", root.place)


def student_of(root: Mapped) -> str:
    """The name of the student, if it is given; else the number or the address."""
    said: dict[str, str] = {}
    for key, node in keys_beside(root):
        if (meaning := about_student(key.text)) and isinstance(node, Scalar):
            written = text(node, NOWHERE)
            said = said if written in BLANKS else {meaning: inert(written), **said}
    exact = text(find_word(root, "student"), NOWHERE)
    found = "" if exact in BLANKS else inert(exact)
    return found or next((said[meaning] for meaning in BY_RANK if meaning in said), "")


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


def has_unread(cells: Array) -> bool:
    """Whether a cell cannot be read."""
    return cells.dtype == object and any(isinstance(cell, Unreadable) for cell in cells.flat)


def is_void(cells: Array) -> bool:
    """Whether there is nothing to judge: an unreadable value, or only blanks."""
    return is_unread(cells) or (cells.dtype == object and all(cell == BLANK for cell in cells.flat))


def is_difference(node: Node) -> bool:
    """Whether a value may be a row of which a number is negative: 5.8 -10.3."""
    return isinstance(node, Scalar) and re.fullmatch(r"[^,;]*\d\s+[-−]\.?\d[^,;]*", node.text) is not None


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
    if node.source and not any(isinstance(item, Scalar) and item.quoted for item in node.items):
        return Scalar(to_points(node.source), node.place) if re.search(COMMAS, node.source) else node
    items = tuple(map(with_points, node.items))
    same = all(one is other for one, other in zip(items, node.items, strict=True))
    return node if same else replace(node, items=items)
