"""Every command writes an outline, and a worksheet may be one."""

from __future__ import annotations

import re

from tests.arrival.warm import FILE, wrong_answers
from tests.helpers.commands import run

COMMANDS = (
    ("solve", FILE), ("explain", "warmth"), ("explain", "warmth", FILE), ("explain",), ("shapes", FILE),
    ("cost", FILE), ("sample", "attention-exploration-c"), ("list",),
)  # fmt: skip


def is_written(text: str) -> bool:
    """Whether a text is an outline."""
    return bool(re.match(r"(Heading|Paragraph|Table|Listing)\(", text))


if __name__ == "__main__":
    for command in COMMANDS:
        assert is_written(run(*command, "-f", "outline")), command
    assert is_written(run("check", FILE, wrong_answers(), "-f", "outline", code=1))
    assert is_written(run("solve", FILE, "-f", "worksheet", "--flavor", "outline"))
