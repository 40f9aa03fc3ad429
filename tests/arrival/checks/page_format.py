"""Every command writes blocks, and a worksheet may have their form."""

from __future__ import annotations

import re

from tests.arrival.warm import FILE, wrong_answers
from tests.running import run

COMMANDS = (
    ("solve", FILE), ("explain", "warmth"), ("explain", "warmth", FILE), ("explain",), ("shapes", FILE),
    ("cost", FILE), ("sample", "attention-exploration-c"), ("list",),
)  # fmt: skip


def is_written(text: str) -> bool:
    """Whether a text is that of blocks."""
    return bool(re.match(r"(Heading|Paragraph|Table|Listing)\(", text))


if __name__ == "__main__":
    for command in COMMANDS:
        assert is_written(run(*command, "-f", "blocks")), command
    assert is_written(run("check", FILE, wrong_answers(), "-f", "blocks", code=1))
    assert is_written(run("solve", FILE, "-f", "worksheet", "--flavor", "blocks"))
