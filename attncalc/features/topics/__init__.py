"""Derivations, one topic a file: what `attncalc explain TOPIC [FILE]` tells.

A file in the folder `topics` that defines `topic` is found by itself, and loaded only when it is told.
"""

from typing import TYPE_CHECKING

from attncalc.core.families import load_member, names_in

if TYPE_CHECKING:
    from attncalc.features.topics.base import Topic

TOPICS = names_in("topics")
"""The names of all topics."""


def topic_named(name: str) -> "Topic":
    """The topic of a name, or a section of it: scaling.mean."""
    whole, _, section = name.partition(".")
    found: Topic = load_member("topics", whole).topic
    return found.sections[section] if section else found


def topic_names() -> list[str]:
    """All topics, each followed by its sections."""
    sections = {topic: topic_named(topic).sections for topic in TOPICS}
    return [name for topic in TOPICS for name in (topic, *(f"{topic}.{part}" for part in sections[topic]))]
