"""The difficulty is read, refused, explained and proposed like any key."""

from __future__ import annotations

import json

import attncalc
from attncalc.exercise.keys.problem_keys import KEYS
from tests.arrival.warm import WARM, refusal
from tests.helpers.commands import run

if __name__ == "__main__":
    assert attncalc.problem(**WARM, difficulty=3).settings["difficulty"] == 3
    assert "must be a whole number from 1 to 5" in refusal(difficulty=9)
    assert "did you mean 'difficulty'" in refusal(dificulty=3)
    assert json.loads(run("schema"))["properties"]["difficulty"] == KEYS["difficulty"].schema
    (item,) = json.loads(run("reference", "keys", "difficulty", "-f", "json"))
    assert item["takes"] == "a whole number from 1 to 5" and item["default"] == "1"
