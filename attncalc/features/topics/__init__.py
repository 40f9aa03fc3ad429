"""Derivations for `attncalc explain TOPIC [FILE]`, one topic in each file.

Every file `topic_….py` defines a `topic`, and is imported only when it is explained.
"""

from attncalc.core.families import names_in

TOPICS = names_in("topics")
"""The names of all topics."""


def topic_names() -> list[str]:
    """All topics, each followed by its sections."""
    from attncalc.worked.words import topic_named

    sections = {topic: topic_named(topic).sections for topic in TOPICS}
    return [name for topic in TOPICS for name in (topic, *(f"{topic}.{part}" for part in sections[topic]))]
