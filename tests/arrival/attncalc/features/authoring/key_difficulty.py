"""How hard an exercise is."""

from __future__ import annotations

from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import whole

key = Key("difficulty", whole(1, 5), "How hard the exercise is.", "difficulty: 2", default="1")
