"""`attncalc reference`: every key, step, mistake, function and format; every example runs."""

from __future__ import annotations

import json
from functools import cache
from typing import get_args

import pytest

from attncalc.core.terms.functions import FUNCTIONS, spellings
from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.load import Source
from attncalc.exercise.mechanisms import KINDS
from attncalc.exercise.solve.solve import solve
from attncalc.features.authoring.command_reference import SECTIONS, Item, find_items
from attncalc.marking.rounding.plans import HABITS
from attncalc.mistakes import MISTAKES
from attncalc.pages import FormatKind, formats_of
from tests.helpers.commands import run, run_fault


@cache
def items_of(what: str) -> list[Item]:
    """The items of a section of the reference."""
    return [*SECTIONS[what]()]


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_explained_by_an_example_that_runs(key: str) -> None:
    """A sentence, what it takes, and a problem that has it and is solved."""
    (item,) = (item for item in items_of("keys") if item.name == key)
    assert item.facts["is"].endswith(".") and item.facts["takes"]
    source = Source(item.facts["example"], "example", ".")
    assert source.root.get(key) is not None
    assert solve(source.problem).steps


def test_everything_is_there() -> None:
    """Steps, mistakes, habits, functions and formats, each by its name."""
    names = {what: [item.name for item in items_of(what)] for what in SECTIONS}
    assert len(names["steps"]) == len(KINDS)
    assert {*names["mistakes"]} == {mistake.code for mistake in MISTAKES}
    assert {*names["habits"]} == {habit.code for habit in HABITS}
    written = [item.facts["is written"] for item in items_of("functions") if "is written" in item.facts]
    assert {word for words in written for word in words.replace("(x)", "").split(", ")} == {*spellings()}
    in_laws = {name for name, one in FUNCTIONS.items() if one.is_written and not one.spellings}
    assert in_laws <= {*names["functions"]}
    kinds: tuple[FormatKind, ...] = get_args(FormatKind)
    assert sorted(names["formats"]) == sorted(name for kind in kinds for name in formats_of(kind))


@pytest.mark.parametrize("what", SECTIONS)
def test_every_item_says_what_it_is(what: str) -> None:
    """In a sentence or a few words; formats by the heads of their files."""
    for item in items_of(what):
        assert next(iter(item.facts.values())), item.name


def test_steps_have_rules() -> None:
    """As the bundled problems or the examples have them."""
    assert not [item.name for item in items_of("steps") if not item.facts["rule"]]


def test_words() -> None:
    """A name alone, or all that contain it; else the nearest is named."""
    assert [item.name for item in find_items("keys", "mask")] == ["mask"]
    assert [item.name for item in find_items("keys", "Causal")] == ["mask"]
    assert "G1" in [item.name for item in find_items("steps", "activation")]
    assert [item.name for item in find_items("mistakes", "causal")] == ["causal-strict", "causal-shifted"]
    assert "did you mean 'softcap'?" in run_fault("reference", "keys", "softcab")


def test_the_command() -> None:
    """For people and for programs."""
    printed = run("reference", "keys", "softcap")
    assert "softcap: 5" in printed and "tanh" in printed
    (found,) = json.loads(run("reference", "keys", "softcap", "-f", "json"))
    assert found["default"] == "none" and found["name"] == "softcap"
    assert "softmax-columns" in run("reference", "mistakes", "-f", "markdown")
