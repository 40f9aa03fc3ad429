"""Derivations, one topic a file: what `attncalc explain TOPIC [FILE]` tells.

A file in the folder `topics` that defines `topic` is found by itself, and loaded only when it is told.
"""

from attncalc.core.families import names_in

TOPICS = names_in("topics")
"""The names of all topics."""


def topic_names() -> list[str]:
    """All topics, each followed by its sections."""
    from attncalc.worked.words import topic_named

    sections = {topic: topic_named(topic).sections for topic in TOPICS}
    return [name for topic in TOPICS for name in (topic, *(f"{topic}.{part}" for part in sections[topic]))]
