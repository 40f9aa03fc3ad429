"""Derivations, one topic a file: what `attncalc explain TOPIC [FILE]` tells.

A file in this folder that defines `topic` is found by itself, and loaded only when it is told.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attncalc.topics.base import Topic

TOPICS: list[str] = [module.name for module in iter_modules(__path__) if module.name != "base"]
"""The names of all topics."""


def topic_named(name: str) -> "Topic":
    """The topic of a name."""
    found: Topic = import_module(f"{__name__}.{name}").topic
    return found
