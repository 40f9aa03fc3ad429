"""Derivations, one topic a file: what `attncalc explain TOPIC [FILE]` tells.

A file in this folder that defines `topic` is found by itself, and loaded only when it is told.
"""

from typing import TYPE_CHECKING

from attncalc.families import load_member, names_in

if TYPE_CHECKING:
    from attncalc.topics.base import Topic

TOPICS = names_in("topics")
"""The names of all topics."""


def topic_named(name: str) -> "Topic":
    """The topic of a name."""
    found: Topic = load_member("topics", name).topic
    return found
