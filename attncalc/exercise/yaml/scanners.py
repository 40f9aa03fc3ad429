"""Repairs of YAML that look at more than one match: at several lines, at quotes, at indentation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile

from attncalc.core.errors import inert
from attncalc.core.repair import Proposal
from attncalc.exercise.yaml.brackets import NEXT_KEY, find_flows, indent_of
from attncalc.exercise.yaml.reader import STAND_INS, TEXTS
from attncalc.exercise.yaml.try_repairs import Broken, say_what_to_write

KEY = r"\s*(?:- +)?(?:[A-Za-z][\w^{}]*(?:\[[0-9, ]*\])?|\"[^\"]*\")"


ARGUMENT = r"(?<=[A-Za-z}\ue004])\{[^{}:,\n]*\}"
"""An argument in braces behind a word: sqrt{2}."""


def stand_in(match: re.Match[str]) -> str:
    """Replace the brackets of a piece by characters without a meaning in YAML."""
    return "".join(STAND_INS.get(sign, sign) for sign in match[0])


def arguments(broken: Broken) -> Iterator[Proposal]:
    """Arguments in braces, as in LaTeX, also nested ones."""
    once = re.sub(ARGUMENT, stand_in, broken.text)
    if once != broken.text:
        yield Proposal(re.sub(ARGUMENT, stand_in, once))


def tabs(broken: Broken) -> Iterator[Proposal]:
    """Tabs before a line."""
    number = min(broken.line, len(broken.lines) - 1)
    start = re.match(r" *\t\s*", broken.lines[number])
    if start:
        lines = {n: re.sub(r"^\s+", expand_tabs, line) for n, line in enumerate(broken.lines)}
        message = "a tab stands before this line: indent it by spaces"
        yield broken.propose(lines, message, number, start[0].index("\t"))


def expand_tabs(start: re.Match[str]) -> str:
    """Replace the tabs of an indentation by spaces."""
    return start[0].replace("\t", "  ")


def indentation(broken: Broken) -> Iterator[Proposal]:
    """A line that starts in another column than its neighbours: the first, or the one that cannot be read."""
    numbers = [number for number, line in broken.before() if re.match(NEXT_KEY, line)]
    for number in (*numbers[-1:], *numbers[:1]):
        line = broken.lines[number]
        for other in numbers if number == numbers[0] else numbers[:1]:
            for column in columns_of(broken.lines[other], line.lstrip().startswith("- ")):
                if column < indent_of(line) or (other < number and column > indent_of(line)):
                    message = f"start this line in column {column + 1}, like line {other + 1}"
                    changed = " " * column + line.lstrip()
                    yield broken.propose({number: changed}, message, number, indent_of(line))


def columns_of(line: str, is_item: bool) -> list[int]:
    """Return the columns in which the items, or the keys, of a line start."""
    dash = re.match(r"\s*- +", line)
    return [indent_of(line)] if is_item or not dash else [dash.end()]


TEXT = rf"(?P<start>\s*(?:- +)?(?:(?:{TEXTS}):\s+|[^\s:]+:\s+(?=['\"])))(?P<value>\S.*?)\s*"
"""A key of a text, or of a value in quotes."""


def unindented(broken: Broken) -> Iterator[Proposal]:
    """A text that continues in the next line without indentation."""
    for number, line in broken.before():
        if number and line.strip() and ":" not in line and re.fullmatch(TEXT, broken.lines[number - 1]):
            message = "this line goes on with the text above: indent it by two spaces"
            yield broken.propose({number: f"  {line}"}, message, number, 0)


def unquoted(broken: Broken) -> Iterator[Proposal]:
    """A text with signs that have a meaning in YAML."""
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
            message = fault + say_what_to_write(texts[number])
        yield broken.propose(texts, message, number, match.start("value"))


def in_quotes(text: str) -> str:
    """Put a text in quotes that it does not contain; quotes at its ends are dropped."""
    first = text[0]
    if first in "'\"" and text.count(first) % 2 and not text.endswith(first):
        text = text[1:]
    elif first in "'\"" and text.endswith(first) and len(text) > 1:
        text = text[1:-1]
    if "'" not in text:
        return f"'{text}'"
    return f'"{text}"' if not set('"\\') & set(text) else "'" + text.replace("'", "''") + "'"


def listed_keys(broken: Broken) -> Iterator[Proposal]:
    """Keys written as items of a list."""
    lines = {number: re.sub(rf"^[-*•] +(?={KEY}:)", "", line) for number, line in enumerate(broken.lines)}
    if broken.lines and broken.lines[0] != lines[0]:
        message = f"leave out the '{broken.lines[0][0]} ' before every key"
        yield broken.propose(lines, message, 0, 0)


HEADING = r"\[[A-Za-z ]+\]\s*|[A-Z][^:=]*:\s*"
"""A heading, as in a file of settings."""


def without_key(broken: Broken) -> Iterator[Proposal]:
    """A line of words among the keys."""
    for number, line in broken.before():
        is_alone = (line[:1].isalpha() or re.fullmatch(HEADING, line)) and not set(":=") & set(line)
        if is_alone and any(re.match(NEXT_KEY, other) for other in broken.lines):
            message = f"this line has no key: write # {inert(line.strip())} if it is a comment"
            yield broken.propose({number: f"# {line}"}, message, number, 0)


NEXT_ON_LINE = rf"(?<=[\]}}])(?:\s*[,;]\s*|\s+)(?={KEY}(?::\s|\s*=))"


def keys_on_one_line(broken: Broken) -> Iterator[Proposal]:
    """The next key behind a value."""
    for number, line in broken.before():
        if match := re.search(NEXT_ON_LINE, line):
            first, *others = re.split(NEXT_ON_LINE, line)
            message = f"every key starts its own line: write {inert(others[0])} below"
            changed = "\n".join((first, *others))
            yield broken.propose({number: changed}, message, number, match.end())


VALUE = rf"(?P<key>{KEY}:\s+)(?P<value>\[[^&=]*)"


def unquoted_value(broken: Broken) -> Iterator[Proposal]:
    """A value with signs that have a meaning in YAML; the parser of numbers may know them."""
    number = min(broken.line, len(broken.lines) - 1)
    if match := re.fullmatch(VALUE, broken.lines[number]):
        changed = match["key"] + in_quotes(match["value"].rstrip())
        message = f"this value needs quotes{say_what_to_write(changed)}"
        yield broken.propose({number: changed}, message, number, match.start("value"))


KEY_OF_PRINT = r"\s*[A-Za-z_]\w*\s*:\s*"
BRACKETS = " ,[]"
ROW_OF_PRINT = r"[\s\[\],]*[-+−.0-9][^\[\]:]*\]*\s*"


def print_of_rows(broken: Broken) -> Iterator[Proposal]:
    """A print below its key whose brackets do not fit."""
    for number, line in broken.before():
        below = broken.lines[number + 1 :]
        rows = list(takewhile(lambda row: re.fullmatch(ROW_OF_PRINT, row), below))
        if not (re.fullmatch(KEY_OF_PRINT, line) and rows and "[" in "".join(rows)):
            continue
        matrix = f"[{', '.join(f'[{inert(row.strip(BRACKETS))}]' for row in rows)}]"
        changed = {number + 1: f"  {matrix}", **{number + 1 + n: "" for n in range(1, len(rows))}}
        message = f"the brackets of these rows do not fit: write {matrix}"
        yield broken.propose(changed, message, number + 1, 0)


WORD_ALONE = r"(?P<word>[A-Za-z_]\w*)\s*"
KEY_ALONE = r"(?P<word>[A-Za-z_]\w*)\s*:\s*"
DASH_BEHIND_KEY = r"(?P<key>[A-Za-z_]\w*:)\s+(?P<item>-\s+\S.*)"
ITEM = r"(?P<start>\s*)- "


def colon_missing(broken: Broken) -> Iterator[Proposal]:
    """A key without its colon, above its value."""
    for number, line in broken.before():
        match = re.fullmatch(WORD_ALONE, line)
        below = broken.lines[number + 1] if number + 1 < len(broken.lines) else ""
        if match and re.match(r"\s+\S|[-+−.0-9\[|]", below):
            message = f"a colon is missing: write {match['word']}:"
            line, is_sure = f"{match['word']}:", not below[0].isspace()
            yield broken.propose({number: line}, message, number, match.end("word"), is_sure)


def dash_behind_key(broken: Broken) -> Iterator[Proposal]:
    """The first item of a list in the line of its key."""
    for number, line in broken.before():
        if match := re.fullmatch(DASH_BEHIND_KEY, line):
            items = (re.match(ITEM, other) for other in broken.lines[number + 1 :])
            start = next((item["start"] for item in items if item), "  ")
            changed = f"{match['key']}\n{start}{match['item']}"
            message = f"a list starts in the line below its key: write {inert(match['item'])} below"
            yield broken.propose({number: changed}, message, number, match.start("item"))


def dash_missing(broken: Broken) -> Iterator[Proposal]:
    """An item without its dash, among others."""
    items = [found for line in broken.lines if (found := re.match(ITEM, line))]
    for number, line in broken.before():
        if items and re.match(r"\s+[\[{]", line):
            changed = f"{items[0]['start']}- {line.lstrip()}"
            message = f"a dash is missing: write {inert(changed.strip())}"
            yield broken.propose({number: changed}, message, number, indent_of(line))


def value_below(broken: Broken) -> Iterator[Proposal]:
    """A value at the start of the line below its key."""
    for number, line in broken.before():
        above = re.fullmatch(KEY_ALONE, broken.lines[number - 1]) if number else None
        if above and line[:1].strip() and not re.match(NEXT_KEY, line):
            message = f"this line belongs to {above['word']}: indent it by two spaces"
            yield broken.propose({number: f"  {line}"}, message, number, 0)


PRINT = r"(?:[\w.]+\()?\[|\\(?:begin|left)\b|[-+−.0-9][-+−.0-9eE/ \t,;]*$|[|⎡⎢⎣⎛⎜⎝]"
"""The start of a printed matrix, or of a row of bare numbers."""
LATEX_BEHIND_KEY = r"(\s*[^\s#:]+:\s+)(\\(?:begin|left)\b(?!.*\\end\{).*)"
ANY_KEY_ALONE = r"\s*(?:[^\s#:][^#:]*|\"[^\"]*\"):\s*$"


ASSIGNED = (
    r"(?P<key>(?:\([^\W\d]\w*\)|[^\W\d])[\w^{}.' -]{0,40}?(?:\[[0-9, ]*\])?)"
    r"(?P<sign>[ \t]*(?::[:=]|<-|->|=>|→|==?)(?=\s|$)|[ \t]+(?:→|:)(?=[^\s=])|[ \t]*=(?=[^\s=]))"
)
"""The start of a line of a script: Q = [1 0; 0 1];"""
COMMENT = r"^\s*(?:%|//|#)|(?<=[\]);])\s*(?:%|//|#)"


def assignments(broken: Broken) -> Iterator[Proposal]:
    """Assignments, as in MATLAB and NumPy: Q = [1 0; 0 1];"""
    changed = [re.sub(f"^{ASSIGNED}", put_colon, line) for line in broken.lines]
    if changed != [*broken.lines]:
        yield broken.propose(dict(enumerate(drop_ends(changed))), is_sure=True)


def put_colon(match: re.Match[str]) -> str:
    """Replace the sign of an assignment by a colon, of the same width if there is room."""
    is_close = match.string[match.end() :][:1].strip()
    return match["key"] + (": " if is_close else ":").ljust(len(match["sign"]))


def drop_ends(lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a script without the ends of statements, and with # before comments."""
    depth = 0
    for line in lines:
        match = re.search(COMMENT, line)
        code, sign, comment = line.partition(match[0]) if match else (line, "", "")
        depth += sum(code.count(opening) for opening in "[({") - sum(code.count(closing) for closing in "])}")
        code = re.sub(r"[;,](?=\s*$)", " ", code) if depth == 0 else code
        yield code + sign.replace("%", "#").replace("//", "# ") + comment


def separate_rows(broken: Broken) -> Iterator[Proposal]:
    """Rows without commas between them, as NumPy prints them: [[1. 2.] [3. 4.]]."""
    lines = dict(enumerate(broken.lines))
    for flow in find_flows(broken.lines):
        for number in range(flow.start.line, flow.line + 1):
            line = re.sub(r"\] (?= *\[)", "],", lines[number])
            follows = lines.get(number + 1, "").lstrip().startswith("[") and number < flow.line
            lines[number] = f"{line.rstrip()}," if follows and line.rstrip().endswith("]") else line
    yield broken.propose(lines)


def indent_print(broken: Broken) -> Iterator[Proposal]:
    """A print pasted below its key without indentation; quotes make it the value of the key."""
    for number, line in broken.before():
        below = broken.lines[number + 1 :]
        latex = re.match(LATEX_BEHIND_KEY, line)
        first = next((row for row in below if row.strip()), "")
        if latex or (re.match(ANY_KEY_ALONE, line) and re.match(PRINT, first)):
            last = number + length_of_print(below)
            if not any("'" in row for row in below[: last - number]):
                start = f"{latex[1]}'{latex[2]}" if latex else f"{line.rstrip()} '"
                yield broken.propose({number: start, last: f"{broken.lines[last]}'"})


def length_of_print(lines: tuple[str, ...]) -> int:
    """Return the number of lines of a print: until its brackets are closed, or while there are rows."""
    if ends := [count for count, line in enumerate(lines, 1) if r"\end{" in line]:
        return ends[0]
    depth = 0
    for count, line in enumerate(lines):
        if depth == 0 and line.strip() and not re.match(PRINT, line):
            return count
        depth += sum(line.count(sign) for sign in "[(") - sum(line.count(sign) for sign in "])")
        depth = max(depth, 0)
    return len(lines)
