"""Derivations, one topic a file: what `attncalc explain TOPIC [FILE]` tells.

A file in this folder that defines `topic` is found by itself.
"""

from importlib import import_module
from pkgutil import iter_modules

from attncalc.topics.base import Topic

TOPICS: dict[str, Topic] = {
    module.name: found
    for module in iter_modules(__path__)
    if (found := getattr(import_module(f"{__name__}.{module.name}"), "topic", None))
}
"""All topics by name."""
