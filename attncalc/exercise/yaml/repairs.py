"""What a hurried hand leaves out or puts too much, each with the sentence that says what to write."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attncalc.core.errors import inert
from attncalc.exercise.yaml.bracket_repairs import closed_twice, print_of_rows, rows_below, unclosed
from attncalc.exercise.yaml.brackets import NEXT_KEY, indent_of
from attncalc.exercise.yaml.line_repairs import KEY, SLIPS_OF_LINES
from attncalc.exercise.yaml.missing_repairs import colon_missing, dash_behind_key, dash_missing, value_below
from attncalc.exercise.yaml.repair import Broken, Kind, Mend

LONGEST_SHOWN = 60


def slips_of_lines(broken: Broken) -> Iterator[Mend]:
    """The slips of the table, in the lines up to the one that cannot be read, the nearest first."""
    for number, line in broken.before():
        for slip in SLIPS_OF_LINES:
            if match := re.fullmatch(slip.pattern, line):
                mended = slip.mended.format(**match.groupdict()).rstrip()
                message = slip.message.format(**match.groupdict()) + written(mended)
                yield Mend(broken.changed({number: mended}), number, match.start("at"), message)


def written(line: str) -> str:
    """What to write, where it is short."""
    shown = inert(line.strip())
    return f": write {shown}" if len(shown) <= LONGEST_SHOWN else ""


def tabs(broken: Broken) -> Iterator[Mend]:
    """Tabs before a line."""
    number = min(broken.line, len(broken.lines) - 1)
    start = re.match(r" *\t\s*", broken.lines[number])
    if start:
        lines = {n: re.sub(r"^\s+", spaces_of, line) for n, line in enumerate(broken.lines)}
        message = "a tab stands before this line: indent it by spaces"
        yield Mend(broken.changed(lines), number, start[0].index("\t"), message)


def spaces_of(start: re.Match[str]) -> str:
    """An indentation without tabs."""
    return start[0].replace("\t", "  ")


STRAIGHT = str.maketrans({**dict.fromkeys("“”„‟«»", '"'), **dict.fromkeys("‘’‚‛", "'")})


def curly_quotes(broken: Broken) -> Iterator[Mend]:
    """Quotes as a word processor sets them."""
    for number, line in broken.before():
        mended = line.translate(STRAIGHT)
        if mended != line:
            column = next(n for n, sign in enumerate(line) if sign != mended[n])
            message = f"YAML knows straight quotes only{written(mended)}"
            yield Mend(broken.changed({number: mended}), number, column, message)


def indentation(broken: Broken) -> Iterator[Mend]:
    """A line that starts in another column than its neighbours: the first, or the one that cannot be read."""
    numbers = [number for number, line in broken.before() if re.match(NEXT_KEY, line)]
    for number in (*numbers[-1:], *numbers[:1]):
        line = broken.lines[number]
        for other in numbers if number == numbers[0] else numbers[:1]:
            for column in columns_of(broken.lines[other], line.lstrip().startswith("- ")):
                if column < indent_of(line) or (other < number and column > indent_of(line)):
                    message = f"start this line in column {column + 1}, like line {other + 1}"
                    mended = " " * column + line.lstrip()
                    yield Mend(broken.changed({number: mended}), number, indent_of(line), message)


def columns_of(line: str, is_item: bool) -> list[int]:
    """The columns in which the items, or the keys, of a line start."""
    dash = re.match(r"\s*- +", line)
    return [indent_of(line)] if is_item or not dash else [dash.end()]


TEXTS = "title|source|note|remark|ask|student|problem"
"""The keys whose values are texts."""
TEXT = rf"(?P<start>\s*(?:- +)?(?:(?:{TEXTS}):\s+|[^\s:]+:\s+(?=['\"])))(?P<value>\S.*?)\s*"
"""A key of a text, or of what stands in quotes."""
HASH = re.compile(
    rf"^\s*(?:- +)?(?:{TEXTS}):[^\S\n]+(?:(?=#\w)|(?!['\"|>#])[^#\n]*\s(?=#[0-9]))", re.MULTILINE
)
"""A sign in a text that YAML takes for the start of a comment: Problem #3."""


def unindented(broken: Broken) -> Iterator[Mend]:
    """A text that goes on in the next line, at its very start."""
    for number, line in broken.before():
        if number and line.strip() and ":" not in line and re.fullmatch(TEXT, broken.lines[number - 1]):
            message = "this line goes on with the text above: indent it by two spaces"
            yield Mend(broken.changed({number: f"  {line}"}), number, 0, message)


def unquoted(broken: Broken) -> Iterator[Mend]:
    """A text with signs that YAML keeps for itself."""
    for number, line in broken.before():
        match = re.fullmatch(TEXT, line)
        if not match:
            continue
        below = broken.lines[number + 1 :]
        count = next((n for n, other in enumerate(below) if indent_of(other) <= indent_of(line)), len(below))
        if count:
            texts = {number: f'{match["start"]}"{match["value"]}', number + count: f'{below[count - 1]}"'}
            message = 'this text needs quotes: write " before and behind it'
        else:
            texts = {number: match["start"] + in_quotes(match["value"])}
            fault = "its quotes do not fit" if match["value"][0] in "'\"" else "this text needs quotes"
            message = fault + written(texts[number])
        yield Mend(broken.changed(texts), number, match.start("value"), message)


def in_quotes(text: str) -> str:
    """A text in quotes that it does not have itself, those at its ends left out."""
    first = text[0]
    if first in "'\"" and text.count(first) % 2 and not text.endswith(first):
        text = text[1:]
    elif first in "'\"" and text.endswith(first) and len(text) > 1:
        text = text[1:-1]
    if "'" not in text:
        return f"'{text}'"
    return f'"{text}"' if not set('"\\') & set(text) else "'" + text.replace("'", "''") + "'"


def listed_keys(broken: Broken) -> Iterator[Mend]:
    """Keys that stand in a list, one by one."""
    lines = {number: re.sub(rf"^[-*•] +(?={KEY}:)", "", line) for number, line in enumerate(broken.lines)}
    if broken.lines and broken.lines[0] != lines[0]:
        message = f"leave out the '{broken.lines[0][0]} ' before every key"
        yield Mend(broken.changed(lines), 0, 0, message)


HEADING = r"\[[A-Za-z ]+\]\s*|[A-Z][^:=]*:\s*"
"""A heading as it stands in a file of settings."""


def without_key(broken: Broken) -> Iterator[Mend]:
    """A line of words among the keys."""
    for number, line in broken.before():
        is_alone = (line[:1].isalpha() or re.fullmatch(HEADING, line)) and not set(":=") & set(line)
        if is_alone and any(re.match(NEXT_KEY, other) for other in broken.lines):
            message = f"this line has no key: write # {inert(line.strip())} if it is a comment"
            yield Mend(broken.changed({number: f"# {line}"}), number, 0, message)


ITEMS = r"(?P<start>\s*(?:- +)?[^\s:]+:\s+)\[(?P<items>[^\[\]{}]*)\]\s*"
PLAIN = r"[\w .+/-]*"


def unquoted_items(broken: Broken) -> Iterator[Mend]:
    """A list of texts, some of which have signs that YAML keeps for itself."""
    for number, line in broken.before():
        if match := re.fullmatch(ITEMS, line):
            items = [item.strip() for item in match["items"].split(",")]
            quoted = [item if re.fullmatch(PLAIN, item) else in_quotes(item.strip("'\"")) for item in items]
            mended = f"{match['start']}[{', '.join(quoted)}]"
            message = f"a text with such signs needs quotes{written(mended)}"
            yield Mend(broken.changed({number: mended}), number, match.end("start"), message)


NEXT_ON_LINE = rf"(?<=[\]}}])(?:\s*[,;]\s*|\s+)(?={KEY}(?::\s|\s*=))"


def keys_on_one_line(broken: Broken) -> Iterator[Mend]:
    """The next key behind a value."""
    for number, line in broken.before():
        if match := re.search(NEXT_ON_LINE, line):
            first, *others = re.split(NEXT_ON_LINE, line)
            message = f"every key starts its own line: write {inert(others[0])} below"
            mended = "\n".join((first, *others))
            yield Mend(broken.changed({number: mended}), number, match.end(), message)


VALUE = rf"(?P<key>{KEY}:\s+)(?P<value>\[[^&=]*)"


def unquoted_value(broken: Broken) -> Iterator[Mend]:
    """A value with signs that YAML keeps for itself, which the grammar of numbers may know."""
    number = min(broken.line, len(broken.lines) - 1)
    if match := re.fullmatch(VALUE, broken.lines[number]):
        mended = match["key"] + in_quotes(match["value"].rstrip())
        message = f"this value needs quotes{written(mended)}"
        yield Mend(broken.changed({number: mended}), number, match.start("value"), message)


SLIPS: tuple[Kind, ...] = (
    listed_keys,
    tabs,
    unclosed,
    closed_twice,
    keys_on_one_line,
    slips_of_lines,
    rows_below,
    curly_quotes,
    indentation,
    unindented,
    unquoted_items,
    unquoted,
    colon_missing,
    dash_behind_key,
    dash_missing,
    print_of_rows,
    value_below,
    without_key,
    unquoted_value,
)
"""The kinds of slips, in the order in which they are tried."""
