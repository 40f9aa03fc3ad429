"""`attncalc schema`: what editors check while one types, against a public validator."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml

from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.load import load_source
from attncalc.features.authoring.command_new import Plan, write_new
from attncalc.features.authoring.command_schema import make_schema
from tests.helpers.bundled import NAMES
from tests.helpers.commands import run

jsonschema: Any = pytest.importorskip("jsonschema", reason="a validator that the program does not need")
VALIDATOR = jsonschema.Draft202012Validator(make_schema())
GIVEN = "Q: [[1, 2]]\nK: [[1, 0], [0, 1]]\n"


def is_valid(text: str) -> bool:
    """Whether a problem file is as the schema has it."""
    return bool(VALIDATOR.is_valid(yaml.safe_load(text)))


def test_it_is_a_schema() -> None:
    """Of the dialect that it says it is."""
    jsonschema.Draft202012Validator.check_schema(make_schema())
    assert json.loads(run("schema")) == json.loads(json.dumps(make_schema()))


@pytest.mark.parametrize("name", NAMES)
def test_every_bundled_problem_validates(name: str) -> None:
    """As it stands in its file."""
    assert is_valid(load_source(name).text)


@pytest.mark.parametrize("key", KEYS)
def test_every_example_validates(key: str) -> None:
    """Those of the reference."""
    assert is_valid(KEYS[key].problem)


def test_every_key_is_in_it() -> None:
    """From the readers themselves, with a sentence each."""
    properties = make_schema()["properties"]
    assert {*properties} == {*KEYS}
    assert all(one["description"] for one in properties.values())


def test_a_new_exercise_validates() -> None:
    """And says where its schema is."""
    text = write_new(Plan(2, 2, 2, 1, "none", 1))
    assert text.startswith("# yaml-language-server: $schema=attncalc.schema.json\n") and is_valid(text)


MISTYPED = [
    "mask: {causal: upper}",
    "mask: {window: wide}",
    "score: {concat: [q, q]}",
    "q: [[1, 2]]", "keys: [[1]]", "Scale: none", "masks: causal", "head: 2", "W_q: [[1]]", "W_Q_0: [[1]]",
    "X_1: [[1]]", "tittle: a", "part: []", "softmax: true", "normalise: sum",
    "normalize: softmx", "vectors: column", "weights: in_out", "combine: average", "mode: exactly",
    "inputs: round", "masked_rows: zeros", "mask: casual", "mask: {windows: 1}", "mask: {keep: [[1]], hide: [[1]]}",
    "score: addictive", "position: rotary", "position: {rope: halves}", "block: [residuals]",
    "block: [{layer_norm: {epsilon: 1}}]", "heads: two", "heads: 0", "places: -1", "digits: keys",
    "parts: [{part: a}]", "parts: [{show: S, shows: A}]", "symbols: {beta: negative}", "vary: {Q: {from: 1}}",
    "names: {score: z}", "V: 3", "V: []", "tokens: cat", "marks: [1]",
    "marks: {S: 1, implied: maybe}", "sample: {K: {covs: [1]}}", "sample: {K: {cov: [1]}, draws: many}",
]  # fmt: skip
"""Unknown keys, wrong words and wrong kinds of values."""


@pytest.mark.parametrize("line", MISTYPED)
def test_what_is_mistyped_does_not_validate(line: str) -> None:
    """The same file without the line does."""
    assert is_valid(GIVEN) and not is_valid(GIVEN + line)
