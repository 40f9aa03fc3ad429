"""Matrices as they stand in a paste: where one ends, and the same as this program's numbers are written."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

PAIRS = {"[": "]", "(": ")", "{": "}"}
KEPT = r"dtype|device|requires_grad|grad_fn|shape|weak_type|copy|name|ndmin|order"
"""Arguments of a call that say nothing of the numbers."""
WRAPPERS = frozenset(
    ("array", "tensor", "Tensor", "asarray", "constant", "Parameter", "Variable", "Array", "DeviceArray",
     "FloatTensor", "DoubleTensor", "matrix", "mat", "Matrix", "ImmutableMatrix", "MutableDenseMatrix",
     "float32", "list", "tuple", "as_tensor", "print")
)  # fmt: skip
"""Functions whose value is the matrix in their brackets."""
CALL = r"<?(?P<path>(?:[A-Za-z_]\w*\.)*)(?P<name>[A-Za-z_]\w*)\s*\("
METHODS = (
    r"\.(?:float|double|numpy|tolist|copy|clone|detach|cuda|cpu|requires_grad_|to|astype|type)\([^()\n]*\)"
)
TURNED = r"\s*(?:\.T\b|\.t\(\)|\^\{?\s*(?:T|\\top|\\intercal)\s*\}?|ᵀ|⊤|'(?!\w))"
SHAPED = r"\.(?:reshape|view)\(\(?\s*(?P<rows>-?[0-9]+)\s*,\s*(?P<columns>-?[0-9]+)\s*\)?\)"
MATRIX_ENDS = r"\\end\{(?:[bpvBV]?matrix|smallmatrix|array)\}(?:\s*\\right\s*(?:\\?[\])}|.]|\\rbrack))?"
MATRIX_STARTS = r"(?:\\left\s*(?:\\?[\[({|.]|\\lbrack)\s*)?\\begin\{(?:[bpvBV]?matrix|smallmatrix|array)\}"
COMMENT = r"[^\S\n]*(?:#|%|//).*"
NUMBER = r"[-+−–]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][-+]?[0-9]+)?(?:/[0-9]+)?|[-−]?(?:inf|∞)"
ENTRY = (
    rf"(?:{NUMBER}|[-−]?(?:sqrt\(?[0-9]+\)?|√[0-9]+)(?:/[0-9]+)?|\\frac\{{?[0-9]+\}}?\{{?[0-9]+\}}?|[½⅓⅔¼¾])"
)
OPENERS, CLOSERS = r"[\[({⎡⎢⎣⎛⎜⎝⌈⌊|]", r"[\])}⎤⎥⎦⎞⎟⎠⌉⌋|]"
ENTRIES = rf"{ENTRY}(?:[^\S\n]*[,;&|\t ][^\S\n]*{ENTRY})*"
ROW = rf"[^\S\n]*{OPENERS}*\s*(?P<row>{ENTRIES})\s*[,;]?\s*{CLOSERS}*\s*(?:[,;]|\\\\)?\s*"
"""A line that is a row of numbers."""


class Literal(NamedTuple):
    """A matrix as the numbers of a problem file are written, and where it ends in the paste."""

    text: str
    end: int


class NotRead(Exception):
    """A matrix that may mean several things, or is cut off: what is to be done, and where."""

    def __init__(self, message: str, at: int) -> None:
        self.message, self.at = message, at
        super().__init__(message)


def read_literal(text: str, start: int) -> Literal | None:
    """Return the matrix that starts here, if one does."""
    found = read_call(text, start) or read_latex(text, start) or read_bracketed(text, start)
    return with_methods(text, found) if found else None


def find_end(text: str, start: int) -> int:
    """Return the index behind the bracket that closes the one here; strings and comments are skipped."""
    open_brackets: list[str] = []
    skipped = re.compile(r"\"[^\"\n]*\"|(?<![\w\])}])'[^'\n]*'|(?<=\s)#[^\n]*|(?<=\s)//[^\n]*|[\[({\])}]")
    for match in skipped.finditer(text, start):
        sign = match[0]
        if sign in PAIRS:
            open_brackets.append(PAIRS[sign])
        elif sign in PAIRS.values():
            if not open_brackets or open_brackets.pop() != sign:
                raise NotRead(f"this '{sign}' closes another bracket", match.start())
            if not open_brackets:
                return match.end()
    raise NotRead(f"this '{text[start]}' is not closed", start)


def read_bracketed(text: str, start: int) -> Literal | None:
    """Read rows in brackets: [[1, 0], [0, 1]], [1 0; 0 1], {{1, 0}, {0, 1}}, ((1, 0), (0, 1))."""
    if tall := re.compile(r"[⎡⎢⎣⎛⎜⎝][^⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠\n]*[⎤⎥⎦⎞⎟⎠]").match(text, start):
        return Literal(f"[{', '.join(row_of(tall[0]) or [])}]", tall.end())
    if text[start] not in PAIRS:
        return None
    end = find_end(text, start)
    inside = drop_comments(text[start:end])
    if not re.search("[0-9½⅓⅔¼¾]", inside):
        return None
    if inside[0] == "(" and re.search(
        r"(?<!\\)\b(?!sqrt|frac|exp|log|inf|pi\b|float|tensor|array)[A-Za-z]{3,}", inside
    ):
        return None
    if inside[0] == "(" and len(row := row_of(inside) or []) > 1:
        return Literal(f"[{', '.join(row)}]", end)
    return Literal(on_one_line(inside), end)


def drop_comments(text: str) -> str:
    """Return code without the comments at the ends of its lines."""
    return "\n".join(re.sub(r"(?:^|(?<=[\s,;\])]))(?:#|//|%).*", "", line) for line in text.split("\n"))


def on_one_line(text: str) -> str:
    """Return a matrix on one line; the lines of one without inner brackets are its rows."""
    lines = [line.strip() for line in text.strip().split("\n") if line.strip()]
    if len(lines) > 1 and not re.search(r"[\[({]", text.strip()[1:]):
        joined = "; ".join(row.strip("[](){};, ") for row in lines)
        return f"[{joined.strip('; ')}]"
    return re.sub(r"[^\S\n]+", " ", " ".join(lines))


def read_latex(text: str, start: int) -> Literal | None:
    """Read a matrix in LaTeX, from \\begin or \\left to \\end or \\right."""
    if not re.compile(MATRIX_STARTS).match(text, start):
        return None
    ending = re.compile(MATRIX_ENDS).search(text, start)
    if not ending:
        raise NotRead("this matrix has no \\end", start)
    body = re.sub(
        r"^.*?\\begin\{[a-zA-Z]+\}(?:\{[lcr| ]*\})?", "", text[start : ending.end()], flags=re.DOTALL
    )
    body = re.sub(rf"{MATRIX_ENDS}\s*$", "", body)
    # A chat that shows Markdown loses one of two backslashes.
    ends = r"\\\\(?:\[[^\]]*\])?|\\cr\b" if "\\\\" in body or "\\cr" in body else r"\\\s*\n"
    rows = [row for row in re.split(ends, body.replace("\\hline", "")) if row.strip()]
    cells = [[plain_entry(cell.strip()) for cell in row.split("&")] for row in rows]
    return Literal(
        f"[{', '.join(f'[{chr(44).join(cells_)}]' for cells_ in cells)}]".replace(",", ", "), ending.end()
    )


def plain_entry(entry: str) -> str:
    r"""Return an entry in LaTeX without commands.

    >>> plain_entry(r"\frac12"), plain_entry(r"-\tfrac{3}{2}"), plain_entry(r"\sqrt2")
    ('1/2', '-3/2', 'sqrt(2)')
    """
    entry = re.sub(r"\\[dt]?frac\s*(?:\{([0-9.]+)\}|([0-9]))\s*(?:\{([0-9.]+)\}|([0-9]))", in_line, entry)
    return re.sub(r"\\sqrt\s*(?:\{([0-9.]+)\}|([0-9]))", lambda found: f"sqrt({found[1] or found[2]})", entry)


def in_line(found: re.Match[str]) -> str:
    """Return a fraction in one line."""
    return f"{found[1] or found[2]}/{found[3] or found[4]}"


def read_call(text: str, start: int) -> Literal | None:
    """Read a call whose value is a matrix: np.array([..]), torch.tensor([..]), matrix(c(..), nrow=2)."""
    match = re.compile(CALL).match(text, start)
    if not match:
        return None
    name, opened = match["name"], match.end() - 1
    if name not in WRAPPERS | READERS.keys():
        return None
    end = find_end(text, opened)
    arguments = split_arguments(drop_comments(text[opened + 1 : end - 1]))
    if text[start] == "<":
        end = text.find(">", end) + 1 or end
    keywords = {key: value for key, value in (split_keyword(one) for one in arguments) if key}
    values = [one for one in arguments if not split_keyword(one)[0]]
    if name in READERS and not (name == "matrix" and match["path"]):
        found = READERS[name](values, keywords)
        return Literal(found, end) if found else None
    unknown = [key for key in keywords if not re.fullmatch(KEPT, key)]
    if unknown:
        return None
    if len(values) == 3 and all(re.fullmatch("[0-9]+", value) for value in values[:2]):
        rows, columns = int(values[0]), int(values[1])
        return Literal(shape(entries_of(values[2]), rows, columns), end)
    if not values or (len(values) > 1 and not values[0].lstrip().startswith("[")):
        return None
    first = values[0].strip()
    if quoted := re.fullmatch(r"[\"']([^\"']*)[\"']", first):
        return Literal(f"[{quoted[1]}]" if ";" in quoted[1] else quoted[1], end)
    inner = read_literal(first, 0)
    return Literal(inner.text, end) if inner and not first[inner.end :].strip() else None


def split_arguments(text: str) -> list[str]:
    """Split at the commas that stand in no bracket and no string."""
    found, depth, last = [], 0, 0
    for match in re.finditer(r"\"[^\"\n]*\"|'[^'\n]*'|[\[({\])},]", text):
        sign = match[0]
        depth += (sign in PAIRS) - (sign in PAIRS.values())
        if sign == "," and depth == 0:
            found.append(text[last : match.start()])
            last = match.end()
    return [one.strip() for one in (*found, text[last:]) if one.strip()]


def split_keyword(argument: str) -> tuple[str, str]:
    """Separate the name of an argument from its value."""
    match = re.match(r"([A-Za-z_]\w*)\s*=(?!=)\s*(.*)", argument, re.DOTALL)
    return (match[1], match[2].strip()) if match else ("", argument)


def entries_of(text: str) -> list[str]:
    """Return the entries of a flat list: c(1, 0), [1, 0]."""
    if counted := re.fullmatch(r"\s*(-?[0-9]{1,4}):(-?[0-9]{1,4})\s*", text):
        first, last = int(counted[1]), int(counted[2])
        return [*map(str, range(first, last + 1))]
    inner = re.fullmatch(r"\s*(?:c\s*)?[\[(](.*)[\])]\s*", text, re.DOTALL)
    return split_arguments(inner[1]) if inner else []


def shape(entries: list[str], rows: int, columns: int) -> str:
    """Return a flat list as rows of a size."""
    rows = len(entries) // columns if rows < 0 and columns > 0 else rows
    columns = len(entries) // rows if columns < 0 and rows > 0 else columns
    if rows < 1 or columns < 1 or rows * columns != len(entries):
        raise NotRead(f"has {len(entries)} entries for {rows}×{columns}", 0)
    listed = (", ".join(entries[n * columns : (n + 1) * columns]) for n in range(rows))
    return f"[{', '.join(f'[{row}]' for row in listed)}]"


def read_r_matrix(values: list[str], keywords: dict[str, str]) -> str:
    """Read a matrix of R, which goes down the columns unless byrow says otherwise."""
    entries = entries_of(values[0]) if values else entries_of(keywords.get("data", ""))
    numbers = [value for value in values[1:] if re.fullmatch("[0-9]+", value)]
    rows = int(keywords.get("nrow") or (numbers[0] if numbers else -1))
    columns = int(keywords.get("ncol") or (numbers[1] if len(numbers) > 1 else -1))
    if not entries or (rows < 0 and columns < 0):
        return ""
    by_row = keywords.get("byrow", "F").upper() in ("T", "TRUE")
    return shape(entries, rows, columns) if by_row else f"transpose({shape(entries, columns, rows)})"


def read_rows_of_r(values: list[str], _: dict[str, str]) -> str:
    """Read rows bound together: rbind(c(1, 0), c(0, 1))."""
    rows = [entries_of(split_keyword(value)[1]) for value in values]
    return f"[{', '.join(f'[{chr(44).join(row)}]' for row in rows)}]" if all(rows) else ""


def read_columns_of_r(values: list[str], keywords: dict[str, str]) -> str:
    """Read columns bound together: cbind(c(1, 0), c(0, 1))."""
    rows = read_rows_of_r([*values, *keywords.values()], {})
    return f"transpose({rows})" if rows else ""


READERS: dict[str, Callable[[list[str], dict[str, str]], str]] = {
    "matrix": read_r_matrix,
    "rbind": lambda values, keywords: read_rows_of_r([*values, *keywords.values()], {}),
    "cbind": read_columns_of_r,
    "c": lambda values, _: f"[{', '.join(values)}]",
}
"""Functions of R, which have their own rules."""


def with_methods(text: str, found: Literal) -> Literal:
    """Apply what follows a matrix and changes no number: .float(), .T, .reshape(2, 2)."""
    written, end = found
    while True:
        if match := re.compile(METHODS).match(text, end):
            end = match.end()
        elif match := re.compile(TURNED).match(text, end):
            written, end = f"transpose({written})", match.end()
        elif match := re.compile(SHAPED).match(text, end):
            written, end = shape(entries_of(written), int(match["rows"]), int(match["columns"])), match.end()
        else:
            return Literal(written, end)


def row_of(line: str) -> list[str] | None:
    """Return the entries of a line that is a row of numbers."""
    match = re.fullmatch(ROW, line)
    if not match:
        return None
    row = match["row"]
    separated = (
        r"\t|;|\||&|,\s+|,(?=\s)" if re.search(r"[\t;|&]|,\s", row) else r"\s+" if " " in row.strip() else ","
    )
    entries = [entry for piece in re.split(separated, row) for entry in piece.split()]
    return [entry.strip().replace("∞", "inf") for entry in entries if entry.strip()]
