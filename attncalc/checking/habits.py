"""A student's habits of rounding: which of them gives all that is told of a step."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from attncalc.checking.right import Right
from attncalc.checking.told import ToldStep
from attncalc.fields import Array
from attncalc.graph.graph import Step
from attncalc.mistakes.habits import HABITS, TRUNCATED_FROM, Habit

CLOSE = 1e-9


def find_habit(right: Right, before: Mapping[str, ToldStep], told: ToldStep) -> Habit | None:
    """The first habit that explains every cell told of a step, from the numbers written before it."""
    chain = chain_to(right, before, told.step)
    return next((habit for habit in HABITS if explains(right, before, told, chain, habit)), None)


def chain_to(right: Right, before: Mapping[str, ToldStep], last: Step) -> list[Step]:
    """The steps that are not told in full between a step and what was told before it, and the step itself."""
    wanted = {last.name}
    chain: list[Step] = []
    for step in reversed(right.graph.steps):
        if step.name in wanted:
            chain.insert(0, step)
            whole = step.name in before and bool(before[step.name].is_told.all())
            wanted.update(() if whole else step.inputs)
    return chain


def explains(
    right: Right, before: Mapping[str, ToldStep], told: ToldStep, chain: list[Step], habit: Habit
) -> bool:
    """Whether a habit gives all that is told of a step."""
    places = decimals(told)
    if habit.only and told.step.role not in habit.only:
        return False
    if habit.code == "truncated" and places < TRUNCATED_FROM:
        return False
    try:
        result = carried(right, before, chain, habit)
    except (ArithmeticError, FloatingPointError):
        return False
    if habit.put_down:
        return is_written(told, habit.put_down(result, places), exactly=habit.code != "percent")
    # The result itself may have been rounded twice: first as all others, then to what is written.
    twice = habit.rounded(result) if habit.rounded and habit.carries(told.step.role) else result
    return is_written(told, result) or (twice is not result and is_written(told, twice))


def is_written(told: ToldStep, result: Array, exactly: bool = False) -> bool:
    """Whether all that is told is what a result is written as, or is that result itself."""
    off = CLOSE * np.where(np.isfinite(result), np.abs(result), 0)
    low, high = (told.low, told.high) if exactly else (told.box_low, told.box_high)
    met = (low <= result + off) & (high >= result - off)
    return bool(np.all(met[told.is_told]))


def decimals(told: ToldStep) -> int:
    """The decimals that most of a step is written with."""
    units = told.unit[told.is_told & (told.unit > 0)]
    return round(-float(np.log10(units.min()))) if units.size else 0


def carried(right: Right, before: Mapping[str, ToldStep], chain: list[Step], habit: Habit) -> Array:
    """The last step of a chain from the numbers written before, rounded on the way as a habit has it."""
    values = dict(right.floats)
    result: Array = np.zeros(0)
    for step in chain:
        known = before.get(step.name)
        if known is None or not known.is_told.all():
            result = right.graph.evaluate(step, values, habit.field, right.trace.ops[step.name])
        if known is not None:
            middle = known.low / 2 + known.high / 2
            result = np.where(known.is_told, middle, result) if not known.is_told.all() else middle
        elif step is not chain[-1] and habit.rounded and habit.carries(step.role):
            result = habit.rounded(result)
        values[step.name] = result
    return values[chain[-1].name]
