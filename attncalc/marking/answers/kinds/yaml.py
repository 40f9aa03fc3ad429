"""Answers in YAML; slips are repaired, and one value that cannot be read does not stop the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from attncalc.core.errors import Fault, Place, ProblemError
from attncalc.core.record import replace
from attncalc.exercise.yaml.reader import SPACES, Builder, Misread, repair_yaml
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, decode
from attncalc.marking.answers.kinds.base import Kind
from attncalc.marking.answers.statements import KEYS, find_statements, lines_of


def read_answers_as_yaml(data: bytes, name: str) -> Mapped:
    """Read the answers in a YAML file: as it is, with slips repaired, or statement by statement."""
    text = decode(with_blanks(data), name).translate(SPACES)
    try:
        return Builder(text, name).root()
    except (Misread, ProblemError):
        found = find_statements(lines_of(text, name), KEYS)
    try:
        repaired = repair_yaml(text, name)
    except ProblemError as error:
        return gather_statements(found, name, error.faults)
    names = {key.text.strip() for key in keys_of(repaired.found)}
    if repaired.asks or any(key.text not in names for key, _ in found):
        return gather_statements(found, name, repaired.faults)
    return with_slips(repaired.found, repaired.faults)


def with_slips(root: Mapped, faults: Sequence[Fault]) -> Mapped:
    """A mapping with the repaired slips, each at the key in whose lines it is."""
    keys = sorted({key.place.line: key.place for key in keys_of(root)}.items())
    slips: dict[Place, tuple[Fault, ...]] = {}
    for slip in faults:
        line = slip.place.line if slip.place else 0
        above = [place for start, place in keys if start <= line] or [place for _, place in keys[:1]]
        for place in above[-1:]:
            slips[place] = (*slips.get(place, ()), slip)
    return replace(root, slips=slips)


def keys_of(root: Mapped) -> Iterable[Scalar]:
    """All keys, also those inside others."""
    for key, node in root.items:
        yield key
        if isinstance(node, Mapped):
            yield from keys_of(node)


def gather_statements(items: Iterable[tuple[Scalar, Node]], name: str, faults: Sequence[Fault]) -> Mapped:
    """The statements of a file that is no YAML; raise the faults if there are none."""
    found: dict[str, tuple[Scalar, Node]] = {}
    doubles: list[Fault] = []
    for key, node in items:
        if key.text and key.text in found:
            message = f"stands in line {found[key.text][0].place.line} already: leave one of them out"
            doubles.append(Fault(f"{key.text}: {message}", key.place))
        elif key.text:
            found[key.text] = key, node
    if not found:
        raise ProblemError(*faults)
    single = (
        item
        for item in found.values()
        if not any(one.message.startswith(f"{item[0].text}: ") for one in doubles)
    )
    return Mapped(tuple(single), Place(name, 1, 1), tuple(doubles))


def with_blanks(data: bytes) -> bytes:
    """The file with `_` for a question mark, or for nothing between commas: YAML reads no blank there."""
    data = re.sub(rb"(?<=[0-9\]_],) (?=\s*,)", b"_", data) if b", ," in data else data
    return re.sub(rb"(?<=[\[,\s])\?(?=\s*[,\]])", b"_", data) if b"?" in data else data


kind = Kind((".yaml", ".yml"), read_answers_as_yaml)
