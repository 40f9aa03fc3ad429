"""Signs and spaces that a hurried hand leaves out between lines, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attncalc.core.errors import inert
from attncalc.exercise.yaml.brackets import NEXT_KEY, indent_of
from attncalc.exercise.yaml.repair import Broken, Mend

WORD_ALONE = r"(?P<word>[A-Za-z_]\w*)\s*"
KEY_ALONE = r"(?P<word>[A-Za-z_]\w*)\s*:\s*"
DASH_BEHIND_KEY = r"(?P<key>[A-Za-z_]\w*:)\s+(?P<item>-\s+\S.*)"
ITEM = r"(?P<start>\s*)- "


def colon_missing(broken: Broken) -> Iterator[Mend]:
    """A key without its colon, above what belongs to it."""
    for number, line in broken.before():
        match = re.fullmatch(WORD_ALONE, line)
        below = broken.lines[number + 1] if number + 1 < len(broken.lines) else ""
        if match and re.match(r"\s+\S|[-+−.0-9\[|]", below):
            message = f"a colon is missing: write {match['word']}:"
            text, is_sure = broken.changed({number: f"{match['word']}:"}), not below[0].isspace()
            yield Mend(text, number, match.end("word"), message, is_sure)


def dash_behind_key(broken: Broken) -> Iterator[Mend]:
    """The first item of a list in the line of its key."""
    for number, line in broken.before():
        if match := re.fullmatch(DASH_BEHIND_KEY, line):
            items = (re.match(ITEM, other) for other in broken.lines[number + 1 :])
            start = next((item["start"] for item in items if item), "  ")
            mended = f"{match['key']}\n{start}{match['item']}"
            message = f"a list starts in the line below its key: write {inert(match['item'])} below"
            yield Mend(broken.changed({number: mended}), number, match.start("item"), message)


def dash_missing(broken: Broken) -> Iterator[Mend]:
    """An item without its dash, among others."""
    items = [found for line in broken.lines if (found := re.match(ITEM, line))]
    for number, line in broken.before():
        if items and re.match(r"\s+[\[{]", line):
            mended = f"{items[0]['start']}- {line.lstrip()}"
            message = f"a dash is missing: write {inert(mended.strip())}"
            yield Mend(broken.changed({number: mended}), number, indent_of(line), message)


def value_below(broken: Broken) -> Iterator[Mend]:
    """A value at the start of the line below its key."""
    for number, line in broken.before():
        above = re.fullmatch(KEY_ALONE, broken.lines[number - 1]) if number else None
        if above and line[:1].strip() and not re.match(NEXT_KEY, line):
            message = f"this line belongs to {above['word']}: indent it by two spaces"
            yield Mend(broken.changed({number: f"  {line}"}), number, 0, message)
