"""The law of all repairs: what is proposed for a slip is read, and means what is written properly."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import numpy as np
import pytest

from attncalc.core.errors import ProblemError
from attncalc.core.fields import Numeric
from attncalc.core.graph.graph import numbers_of
from attncalc.core.repair import Proposal, Repair, Scan, choose_proposal, propose
from attncalc.core.spellings import SYNONYMS
from attncalc.core.terms import Term
from attncalc.core.terms.functions import spellings
from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.keys.read_problem import read_problem
from attncalc.exercise.keys.readers import INFINITE
from attncalc.exercise.keys.unknown import REPAIRS as KEY_REPAIRS
from attncalc.exercise.keys.unknown import Unknown
from attncalc.exercise.mechanisms import is_step_name
from attncalc.exercise.numbers.matrices import MATRICES, Value
from attncalc.exercise.numbers.repairs import ANSWER_REPAIRS, REPAIRS, find_hint
from attncalc.exercise.numbers.student_numbers import parse_answer
from attncalc.exercise.numbers.texts import parse
from attncalc.exercise.problem import SIZES, Problem
from attncalc.exercise.yaml.reader import Builder, Misread, read_yaml
from attncalc.exercise.yaml.repairs import CURLY, ITEMS, LINES, SILENT, SPOKEN
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence
from attncalc.exercise.yaml.try_repairs import Broken, Scanner, everywhere, find_repair
from attncalc.features.practice.typed import REPAIRS as TYPED_REPAIRS
from attncalc.marking.answers.names import OF_HEAD, OTHER_KEYS


def name_of(one: Repair | Scan[Any]) -> str:
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
def test_repairs_of_yaml(one: Repair | Scan[Any]) -> None:
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
    found = choose_proposal(
        propose(one.typed, [one]), lambda text: isinstance(parser(text), Term | np.ndarray)
    )
    assert found is not None
    np.testing.assert_allclose(
        np.array(values(parser(found.text))), np.array(values(parse(one.meant, NAMES)))
    )
    assert f"{one.because}: write " in find_hint(one.typed, parser, Term | np.ndarray, (one,))


GIVEN = "Q: [[1, 0]]\nK: [[1, 0], [0, 1]]\n"


def problem_of(text: str) -> Problem:
    """A problem with further lines."""
    return read_problem(read_yaml((GIVEN + text + "\n").encode(), "f.yaml"), "f.yaml", ".")


@pytest.mark.parametrize("one", KEY_REPAIRS, ids=name_of)
def test_repairs_of_keys(one: Scan[Unknown]) -> None:
    """The first sentence says what one repair proposes; the proposed line is read, and means the same."""
    with pytest.raises(ProblemError) as caught:
        problem_of(one.typed)
    root = read_yaml((GIVEN + one.typed).encode(), "f.yaml")
    given = {key.text: node for key, node in root.items}
    unknown = Unknown(
        next(key for key in given if key not in KEYS), given, [key for key in KEYS if key not in given]
    )
    found = choose_proposal(one.scan(unknown), unknown.takes)
    assert found is not None and found.because in caught.value.faults[0].message
    proposed, meant = problem_of(found.text), problem_of(one.meant)
    assert repr(proposed.settings) == repr(meant.settings)


def test_synonyms_lead_to_words_that_are_read() -> None:
    """Every meaning is a key, a step, a word that some key takes, or a name in expressions."""
    in_schema = re.findall(r'"([^"]+)"', json.dumps([key.read.schema for key in KEYS.values()]))
    known = {*KEYS, *in_schema, *spellings(), *MATRICES, *SIZES, *OTHER_KEYS, "1/sqrt(d_k)"}
    wanted = {meaning for meanings in SYNONYMS.values() for meaning in meanings}
    assert [word for word in wanted if word not in known and not is_step_name(word)] == []


@pytest.mark.parametrize("one", [*OF_HEAD, *TYPED_REPAIRS], ids=name_of)
def test_repairs_of_names_and_typed_lines(one: Repair) -> None:
    """What is proposed is what is meant."""
    assert [proposal.text for proposal in propose(one.typed, [one])] == [one.meant]
