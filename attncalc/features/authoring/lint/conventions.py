"""Conventions left to their defaults although courses differ on them, which changes the numbers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from attncalc.core.errors import AttncalcError
from attncalc.core.ops.position import Encoding
from attncalc.core.ops.scores import Scale
from attncalc.core.record import record, replace
from attncalc.exercise.keys.mask_kinds import is_up_to_last, visible_where
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.mechanisms.position import Position
from attncalc.exercise.mechanisms.scale import DEFAULT
from attncalc.exercise.problem import Scheme
from attncalc.exercise.solve.solve import trace_graph
from attncalc.exercise.yaml.tree import Mapped, one_or_more, word_of
from attncalc.features.authoring.lint.findings import Finding
from attncalc.features.authoring.lint.wrong_answers import Exercise


@record
class Convention:
    """A key that a file does not state in full: its default, another choice, and the settings of that."""

    key: str
    default: str
    other: str
    settings: dict[str, object]


def find_unstated(exercise: Exercise, root: Mapped) -> Iterator[Finding]:
    """Findings on conventions left to their defaults, if another choice changes an asked cell."""
    for one in conventions(exercise, root):
        if is_changed(exercise, one.settings):
            place = exercise.problem.place(one.key)
            default = f"{one.key} is left to its default, {one.default}"
            message = f"{default}, and {one.other} gives other numbers: say which"
            yield Finding("unstated", message, place if place.line else root.place)


def conventions(exercise: Exercise, root: Mapped) -> Iterator[Convention]:
    """The conventions that a file does not state."""
    if root.get("scale") is None and any(isinstance(step.op, Scale) for step in exercise.graph.steps):
        yield Convention("scale", DEFAULT, "none", {"scale": None})
    mask, position = root.get("mask"), root.get("position")
    words = [word for word in map(word_of, one_or_more(mask)) if word != "none"] if mask else []
    if "causal" in words:
        rule = partial(visible_where, is_up_to_last, ())
        masks = exercise.problem.settings["mask"]
        other = [
            replace(one, rule=rule) if word == "causal" else one
            for one, word in zip(masks, words, strict=True)
        ]
        yield Convention("mask", "{causal: upper-left}", "{causal: lower-right}", {"mask": other})
    if position and word_of(position) == "rope":
        half = Position("rope", Encoding(half=True))
        yield Convention("position", "{rope: interleaved}", "{rope: half}", {"position": half})


def is_changed(exercise: Exercise, settings: dict[str, object]) -> bool:
    """Whether other settings change an asked cell; False if the problem cannot be solved with them."""
    problem = replace(exercise.problem.with_settings(**settings), parts=(), names={}, marks=Scheme())
    try:
        found = trace_graph(problem, build_graph(problem), "numeric").trace.values
    except AttncalcError:
        return False
    right = exercise.right.floats
    return any(
        name not in found
        or not np.array_equal(
            exercise.to_units(name, found[name])[cells], exercise.to_units(name, right[name])[cells]
        )
        for name, cells in exercise.wanted.items()
    )
