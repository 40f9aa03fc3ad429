"""Open families: what is in a folder is a member, and something tries it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import attncalc
from attncalc.core.families import load_members, names_in
from attncalc.exercise.mechanisms import MECHANISMS
from attncalc.exercise.mechanisms.base import Mechanism
from attncalc.mistakes import MISTAKES
from attncalc.worked.words import topic_named
from tests.helpers.bundled import STATED

PACKAGE = Path(attncalc.__file__).parent
USED = {re.sub(r"_[0-9]+$", "", key) for keys in STATED.values() for key in keys}
"""The keys of the bundled problems, without the numbers of heads."""


def test_every_mechanism_is_found() -> None:
    """A file that defines one is enough."""
    defined = [
        module.mechanism for module in load_members("exercise.mechanisms") if hasattr(module, "mechanism")
    ]
    assert sorted(map(id, defined)) == sorted(map(id, MECHANISMS))


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda one: one.name)
def test_mechanisms_act_in_order(mechanism: Mechanism) -> None:
    """Each after those and before those that it names, all of which exist."""
    names = [one.name for one in MECHANISMS]
    assert len(names) == len(set(names))
    own = names.index(mechanism.name)
    assert {*mechanism.after} <= {*names[:own]}
    assert {*mechanism.before} <= {*names[own + 1 :]}


@pytest.mark.parametrize("mechanism", [one for one in MECHANISMS if one.keys], ids=lambda one: one.name)
def test_every_mechanism_is_in_a_bundled_problem(mechanism: Mechanism) -> None:
    """The laws run over the bundled problems: a mechanism that is in none of them would be tried by nothing."""
    assert USED & {key.name for key in mechanism.keys}


def test_roles_are_compared_in_mechanisms_only() -> None:
    """Elsewhere a step is asked by its kind, so that a step of a new mechanism is known as well as an old one."""
    compared = re.compile(r'role (==|!=) "|(?<!for )\brole (not )?in \(')
    files = [path for path in PACKAGE.rglob("*.py") if "mechanisms" not in path.parts]
    assert [path.name for path in files if compared.search(path.read_text("utf-8"))] == []


def test_keys_belong_to_one_mechanism() -> None:
    """No two mechanisms read the same key."""
    keys = [key.name for mechanism in MECHANISMS for key in mechanism.keys]
    assert len(keys) == len(set(keys))


def test_mistakes_have_codes_and_sentences() -> None:
    """Each has a unique code, in working or in writing, and a docstring that a student can read."""
    codes = [(mistake.code, mistake.in_writing) for mistake in MISTAKES]
    assert len(codes) == len(set(codes))
    for mistake in MISTAKES:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", mistake.code)
        assert re.fullmatch(r"[A-Z][^\n]*\.", mistake.__doc__ or ""), mistake.code


@pytest.mark.parametrize("name", names_in("topics"))
def test_topics_have_titles(name: str) -> None:
    """A topic is listed by its title."""
    assert topic_named(name).title
