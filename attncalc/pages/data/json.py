"""Data as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from textwrap import indent

from attncalc.pages import Page


def render(data: object, _: Page) -> str:
    """The data as JSON, whatever numbers it holds."""
    return json.dumps(finite(data), ensure_ascii=False, allow_nan=False, indent=1)


def render_all(things: Iterable[object], page: Page) -> Iterator[str]:
    """A list, one thing at a time."""
    before = "[\n"
    for thing in things:
        yield before + indent(render(thing, page), " ")
        before = ",\n"
    yield "\n]"


def finite(value: object) -> object:
    """Data with text for −∞, which JSON cannot hold, and null for entries with free letters."""
    match value:
        case dict():
            return {key: finite(item) for key, item in value.items()}
        case list() | tuple():
            return [*map(finite, value)]
        case float() if value != value:
            return None
        case float() if value in (float("-inf"), float("inf")):
            return str(value)
    return value
