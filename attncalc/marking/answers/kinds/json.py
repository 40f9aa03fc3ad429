"""Answers in JSON: steps and matrices, or a solution as `solve --format json` writes it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from attncalc.core.errors import Place, fault, inert
from attncalc.exercise.yaml.tree import DEEPEST, MOST_NODES, Mapped, Scalar, decode, from_python
from attncalc.marking.answers.kinds.base import Kind
from attncalc.marking.answers.kinds.yaml import read_answers_as_yaml

TOO_DEEP = f"is nested more than {DEEPEST} levels deep"


def read_json(data: bytes, file: str) -> Mapped:
    """Read steps as `solve --format json` writes them, or a mapping of steps to matrices."""
    try:
        # Numbers stay text: 0.50 keeps its two decimals.
        root = json.loads(
            decode(data, file),
            parse_float=str,
            parse_int=str,
            parse_constant=str,
            object_pairs_hook=without_duplicates,
        )
    except RecursionError:
        raise fault(TOO_DEEP, Place(file, 1, 1)) from None
    except json.JSONDecodeError:
        # Almost JSON, with a comma too many or other quotes, is YAML.
        return read_answers_as_yaml(data, file)
    except ValueError as error:
        raise fault(f"is not valid JSON: {inert(str(error))}", Place(file, 1, 1)) from None
    if not isinstance(root, dict):
        raise fault("the file must be a mapping of steps to values", Place(file, 1, 1))
    steps = of_solution(root) if isinstance(root.get("steps"), list) else root
    # The standard library's reader keeps no places, only the file is known.
    place = Place(file, 1, 1)
    if count_values(steps, place) > MOST_NODES:
        raise fault(f"holds more than {MOST_NODES:,} values", place)
    items = (
        (Scalar(key, place), from_python(with_blanks_for_null(value), file, place))
        for key, value in steps.items()
    )
    return Mapped(tuple(items), place, in_rows=True)


def of_solution(root: dict[str, Any]) -> dict[str, Any]:
    """The steps and designs that `solve --format json` writes, by name."""
    steps = [step for step in root["steps"] if isinstance(step, dict) and "name" in step]
    designs = root["design"] if isinstance(root.get("design"), dict) else {}
    return {**designs, **{str(s["name"]): s.get("exact") or floats_of(s.get("value")) for s in steps}}


def count_values(value: Any, place: Place, depth: int = 0) -> int:
    """Count the values inside a JSON value; refuse one that is nested too deep."""
    if depth > DEEPEST:
        raise fault(TOO_DEEP, place)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + sum(count_values(item, place, depth + 1) for item in inside)


def without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object, refused if a key is given twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def with_blanks_for_null(value: Any) -> Any:
    """A JSON value with blanks for null, and words, which are no numbers, for true and false."""
    if isinstance(value, list):
        return [with_blanks_for_null(item) for item in value]
    if isinstance(value, dict):
        return {key: with_blanks_for_null(item) for key, item in value.items()}
    return "_" if value is None else str(value) if isinstance(value, bool) else value


def floats_of(value: Any) -> Any:
    """Nested lists of texts as an array of floats if possible, else unchanged."""
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return value


kind = Kind((".json",), read_json)
