"""The law of all repairs: what is proposed for a slip is read, and means what is written properly."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from attncalc.core.fields import Numeric
from attncalc.core.graph.graph import numbers_of
from attncalc.core.repair import Proposal, Repair, propose, repaired
from attncalc.core.terms import Term
from attncalc.exercise.keys.readers import INFINITE
from attncalc.exercise.numbers.answers import parse_answer
from attncalc.exercise.numbers.matrices import Value
from attncalc.exercise.numbers.repairs import ANSWER_REPAIRS, REPAIRS, find_hint
from attncalc.exercise.numbers.texts import parse
from attncalc.exercise.yaml.reader import Builder, Misread, read_yaml
from attncalc.exercise.yaml.repair import Broken, Scan, Scanner, everywhere, find_repair
from attncalc.exercise.yaml.repairs import CURLY, ITEMS, LINES, SILENT, SPOKEN
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence


def name_of(one: Repair | Scan) -> str:
    """A repair by its example."""
    return one.typed.strip()


def read(text: str) -> Mapped:
    """A text as YAML has it, without any repair."""
    return Builder(text, "f.yaml").root()


def contents(node: Node) -> object:
    """What is in a node, without places; a text without regard to its white space."""
    if isinstance(node, Mapped):
        return {key.text: contents(value) for key, value in node.items}
    if isinstance(node, Sequence):
        return [contents(item) for item in node.items]
    assert isinstance(node, Scalar)
    return " ".join(node.text.split())


def repair_of(text: str, scanner: Scanner) -> Proposal | None:
    """What one scanner proposes for a text that YAML cannot read, after trying it."""
    with pytest.raises(Misread) as caught:
        read(text)
    broken = Broken(tuple(text.splitlines()), caught.value.line, caught.value.column)
    return find_repair(broken, read, [scanner])


@pytest.mark.parametrize("one", [*SILENT, *SPOKEN], ids=name_of)
def test_repairs_of_yaml(one: Repair | Scan) -> None:
    """Each repairs its example, silently or with a sentence, and the whole table reads it as it is meant."""
    scanner = everywhere(one) if isinstance(one, Repair) else one.scan
    proposal = repair_of(one.typed, scanner)
    assert proposal is not None
    assert bool(proposal.because) == (one in SPOKEN)
    assert contents(read(proposal.text)) == contents(read(one.meant))
    if one in SILENT:
        assert contents(read_yaml(one.typed.encode(), "f.yaml")) == contents(read(one.meant))


@pytest.mark.parametrize("one", [*LINES, CURLY, ITEMS], ids=name_of)
def test_repairs_of_lines(one: Repair) -> None:
    """The line is written as it is meant; a file with it can be read then."""
    (proposal,) = propose(one.typed, [one])
    assert proposal.text.rstrip() == one.meant
    assert proposal.because and one.typed[proposal.column :]


NAMES = {**INFINITE}


def values(value: Value) -> list[object]:
    """The numbers of a value."""
    array = value if isinstance(value, np.ndarray) else np.array([[value]], dtype=object)
    found: list[object] = numbers_of(array, Numeric()).tolist()
    return found


@pytest.mark.parametrize("one", ANSWER_REPAIRS, ids=name_of)
def test_repairs_of_numbers(one: Repair) -> None:
    """What the sentence says to write is read, and equals what is written properly."""
    parser = partial(parse if one in REPAIRS else parse_answer, names=NAMES)
    found = repaired(propose(one.typed, [one]), lambda text: isinstance(parser(text), Term | np.ndarray))
    assert found is not None
    np.testing.assert_allclose(
        np.array(values(parser(found.text))), np.array(values(parse(one.meant, NAMES)))
    )
    assert f"{one.because}: write " in find_hint(one.typed, parser, Term | np.ndarray, (one,))
