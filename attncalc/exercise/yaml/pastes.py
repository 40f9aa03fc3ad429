"""What is typed or pasted against YAML's rules and can mean but one thing: it is read without a word."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from attncalc.exercise.yaml.brackets import find_flows
from attncalc.exercise.yaml.repair import Broken, Kind, Mend

STAND_INS = dict(zip("[],{}", "\ue000\ue001\ue002\ue003\ue004", strict=True))
"""Signs that YAML does not know, for the brackets of S[3, 1] and \\frac{1}{2} where it would read a list."""
RESTORED = {ord(stand_in): sign for sign, stand_in in STAND_INS.items()}
REFERENCE = r"(?<![\w\"'“”‘’])[A-Za-z]\w*\[\s*[0-9]+(?:\s*,\s*[0-9]+)*\s*\]"

LATEX_WORDS = (
    "alpha approx bar begin beta binom boldsymbol ell end epsilon equiv eta exp forall frac "
    "nabla ne neq nu rangle rho right rightarrow tanh tau text textbf textit tfrac theta times to top "
    "varepsilon vec vdots Lambda Phi Pi Psi"
)
"""LaTeX's words that start like an escape of YAML's: \\alpha and \\theta are no bell and no tab."""
ESCAPED_LATEX = rf"(?<!\\)(?:\\\\)*\\(?:{'|'.join(LATEX_WORDS.split())})(?![A-Za-z])"
IN_DOUBLE_QUOTES = r"((?:^|[\[{,:\-])\s*)\"([^\"'\n]*)\""

ARGUMENT = r"(?<=[A-Za-z}\ue004])\{[^{}:,\n]*\}"
"""What stands in braces behind a word: sqrt{2}."""
FENCE = r"(?m)^(?:```.*|Parameter containing:)$"
CODE = r"(?m)(?<=: )`([^`\n]*)`(?=[ \t]*$)"
"""A value set in type: Q: `[[1, 0]]`."""
BLANK_LINE = r"(?m)^[ \t]*\t[ \t]*$"
INNER_TAB = r"(?<=\S)\t"
DASH = r"(?m)(?<=:)( +)[-–—](?=[ \t]*$)"
"""A dash for what is left blank."""
INDENTING_TABS = r"(?m)^\t+"
UNDERLINE = r"(?m)^(?:[=*~_]{3,}|-{4,})[ \t]*$"
WIDE_COLON = r"(?m)^([ ]*[A-Za-z]\w*)[：﹕](?=\s)"
ROWS_WITH_SEMICOLON = r"(?<=\]);(?=\s*\[)"
JSON_COMMENT = r"/\*[^*]*\*/|(?m:(?:^|(?<=[\s,\]}]))//.*$)"
JSON_LINE = r"(?m)(?<=[\]}\"'\w])$(?=\n\s*(?:\"[^\"\n]*\"|'[^'\n]*')\s*:)"
"""The end of a line in braces behind which a comma is missing."""
SPACED_MINUS = r"(?<=[\[,])(\s*)- (?=[0-9.])"
BRACES = r"\{\s*\{[^{}:]*\}(?:\s*,\s*\{[^{}:]*\})*\s*\}"
QUESTION_MARK = r"(?<=[\[,\s])\?(?=\s*[,\]])"
NO_START = r"(?<=[\[{,:] )[>|@`%][^,\]}'\n]*"
"""A text among others in brackets whose first sign YAML keeps for itself."""

PRINT = r"(?:[\w.]+\()?\[|\\(?:begin|left)\b|[-+−.0-9][-+−.0-9eE/ \t,;]*$|[|⎡⎢⎣⎛⎜⎝]"
"""How a matrix starts that a program printed, or a row of bare numbers."""
LATEX_BEHIND_KEY = r"(\s*[^\s#:]+:\s+)(\\(?:begin|left)\b(?!.*\\end\{).*)"
KEY_ALONE = r"\s*(?:[^\s#:][^#:]*|\"[^\"]*\"):\s*$"


def stand_in(match: re.Match[str]) -> str:
    """A piece of the text with signs that YAML does not know in place of its brackets."""
    return "".join(STAND_INS.get(sign, sign) for sign in match[0])


def replaced(
    pattern: str, change: Callable[[re.Match[str]], str], again: int = 1, is_sure: bool = False
) -> Kind:
    """Every match in the text replaced, and what matches then."""

    def mends(broken: Broken) -> Iterator[Mend]:
        text = mended = broken.changed({})
        for _ in range(again):
            mended = re.sub(pattern, change, mended)
        if mended != text:
            yield Mend(mended, is_sure=is_sure)

    return mends


ASSIGNED = (
    r"(?P<key>(?:\([^\W\d]\w*\)|[^\W\d])[\w^{}.' -]{0,40}?(?:\[[0-9, ]*\])?)"
    r"(?P<sign>[ \t]*(?::[:=]|<-|->|=>|→|==?)(?=\s|$)|[ \t]+(?:→|:)(?=[^\s=])|[ \t]*=(?=[^\s=]))"
)
"""The start of a line of a script: Q = [1 0; 0 1];"""
COMMENT = r"^\s*(?:%|//|#)|(?<=[\]);])\s*(?:%|//|#)"


def assignments(broken: Broken) -> Iterator[Mend]:
    """Q = [1 0; 0 1]; as MATLAB, NumPy and hurried hands have it."""
    mended = [re.sub(f"^{ASSIGNED}", with_colon, line) for line in broken.lines]
    if mended != [*broken.lines]:
        yield Mend("".join(f"{line}\n" for line in without_ends(mended)), is_sure=True)


def with_colon(match: re.Match[str]) -> str:
    """The start of a line with a colon in place of another sign, as long as before where there is room."""
    is_close = match.string[match.end() :][:1].strip()
    return match["key"] + (": " if is_close else ":").ljust(len(match["sign"]))


def without_ends(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a script without what ends its statements, and with YAML's sign before comments."""
    depth = 0
    for line in lines:
        match = re.search(COMMENT, line)
        code, sign, comment = line.partition(match[0]) if match else (line, "", "")
        depth += sum(code.count(opening) for opening in "[({") - sum(code.count(closing) for closing in "])}")
        code = re.sub(r"[;,](?=\s*$)", " ", code) if depth == 0 else code
        yield code + sign.replace("%", "#").replace("//", "# ") + comment


def in_braces(kind: Kind) -> Kind:
    """A kind for those files that are one value in braces, as JSON is."""
    return lambda broken: kind(broken) if "".join(broken.lines).lstrip().startswith("{") else ()


def separate_rows(broken: Broken) -> Iterator[Mend]:
    """[[1. 2.] [3. 4.]] with the commas between rows that NumPy leaves out."""
    lines = dict(enumerate(broken.lines))
    for flow in find_flows(broken.lines):
        for number in range(flow.start.line, flow.line + 1):
            line = re.sub(r"\] (?= *\[)", "],", lines[number])
            follows = lines.get(number + 1, "").lstrip().startswith("[") and number < flow.line
            lines[number] = f"{line.rstrip()}," if follows and line.rstrip().endswith("]") else line
    yield Mend(broken.changed(lines))


def indent_print(broken: Broken) -> Iterator[Mend]:
    """What is pasted below its key without indentation, put in quotes so that it belongs to it."""
    for number, line in broken.before():
        below = broken.lines[number + 1 :]
        latex = re.match(LATEX_BEHIND_KEY, line)
        first = next((row for row in below if row.strip()), "")
        if latex or (re.match(KEY_ALONE, line) and re.match(PRINT, first)):
            last = number + length_of_print(below)
            if not any("'" in row for row in below[: last - number]):
                start = f"{latex[1]}'{latex[2]}" if latex else f"{line.rstrip()} '"
                yield Mend(broken.changed({number: start, last: f"{broken.lines[last]}'"}))


def length_of_print(lines: tuple[str, ...]) -> int:
    """How many lines a print takes: until its brackets are closed, or as long as there are rows."""
    if ends := [count for count, line in enumerate(lines, 1) if r"\end{" in line]:
        return ends[0]
    depth = 0
    for count, line in enumerate(lines):
        if depth == 0 and line.strip() and not re.match(PRINT, line):
            return count
        depth += sum(line.count(sign) for sign in "[(") - sum(line.count(sign) for sign in "])")
        depth = max(depth, 0)
    return len(lines)


PASTES: tuple[Kind, ...] = (
    replaced(IN_DOUBLE_QUOTES, lambda match: f"{match[1]}'{match[2]}'" if "\\" in match[2] else match[0]),
    replaced(REFERENCE, stand_in),
    replaced(ARGUMENT, stand_in, again=2),
    replaced(BRACES, lambda match: match[0].translate(str.maketrans("{}", "[]"))),
    replaced(QUESTION_MARK, lambda _: "_"),
    replaced(FENCE, lambda _: "", is_sure=True),
    replaced(DASH, lambda match: f"{match[1]}_"),
    replaced(UNDERLINE, lambda match: "#".ljust(len(match[0])), is_sure=True),
    assignments,
    replaced(CODE, lambda match: f" {match[1]} "),
    replaced(WIDE_COLON, lambda match: f"{match[1]}:"),
    replaced(INDENTING_TABS, lambda match: " " * len(match[0])),
    in_braces(replaced(JSON_COMMENT, lambda match: re.sub(r"[^\n]", " ", match[0]))),
    in_braces(replaced(JSON_LINE, lambda _: ",")),
    replaced(ROWS_WITH_SEMICOLON, lambda _: ","),
    replaced(BLANK_LINE, lambda match: " " * len(match[0])),
    replaced(INNER_TAB, lambda _: " "),
    replaced(SPACED_MINUS, lambda match: f"{match[1]} -"),
    separate_rows,
    indent_print,
    replaced(NO_START, lambda match: f"'{match[0]}'"),
)
"""The kinds of what is read without a word, in the order in which they are tried."""
