"""Read a paste as a problem file: names with matrices, settings in words, and lines that say nothing else.

Every line is accounted for: it is part of a matrix or a setting, it is known to say nothing (imports, fences,
prints), or it is left out and said.  What might say more is refused.
"""

from __future__ import annotations

import re

from attncalc.exercise.pasted.assignments import read_assigned
from attncalc.exercise.pasted.code import read_attention_call, read_echo, read_softmax
from attncalc.exercise.pasted.names import is_matrix_name
from attncalc.exercise.pasted.reader import Reader
from attncalc.exercise.pasted.rows import read_below_name, read_further_rows, read_side_by_side
from attncalc.exercise.pasted.signs import SILENT
from attncalc.exercise.pasted.tables import read_named_cells, read_table
from attncalc.exercise.pasted.writing import Paste, write_problem

LONGEST_PASTE, LONGEST_LINE, MOST_LINES = 20_000, 1500, 1000
NESTED = "parts|answers|block|let|symbols|names|marks|goal|design|sample|vary|mask"
OF_YAML = rf"(?m)^[\"{{\s]*(?:{NESTED})\"?:\s*(?:$|[\[{{])"
"""Keys with others below them: such a file is no paste."""


def read_paste(text: str, file: str) -> Paste | None:
    """Return a paste as a problem file; None if it holds no matrix.  What might mean more is a fault."""
    lengths = [*map(len, text.splitlines())]
    if len(text) > LONGEST_PASTE or len(lengths) > MOST_LINES or max(lengths, default=0) > LONGEST_LINE:
        return None
    if re.search(OF_YAML, text):
        return None
    try:
        return read_all(Reader(text, file))
    except RecursionError:
        return None


def read_all(reader: Reader) -> Paste | None:
    """Read all lines."""
    while reader.at < len(reader.text):
        before = reader.at
        read_line(reader)
        if reader.at <= before:
            return None
    if reader.pending:
        reader.leave_out(reader.pending, reader.pending_line)
    if not any(is_matrix_name(name) for name in reader.found):
        return None
    return write_problem(reader)


def read_line(reader: Reader) -> None:
    """Read what starts here: a matrix with its name, a setting, a row, or words."""
    start = reader.at
    end = reader.text.find("\n", start)
    end = len(reader.text) if end < 0 else end
    line = reader.text[start:end]
    if re.fullmatch(rf"\s*(?:{SILENT})\s*", line):
        reader.at = end + 1
        reader.rows = reader.rows if line.strip() else []
        return
    if not (
        read_softmax(reader, start, line)
        or read_attention_call(reader, line, end)
        or read_echo(reader, line, end)
        or read_table(reader, start)
        or read_side_by_side(reader, line, end)
        or read_named_cells(reader, start, line)
        or read_assigned(reader, start, end)
        or read_below_name(reader, start, line)
        or read_further_rows(reader, line, end)
    ):
        reader.read_words(line)
        reader.at = end + 1
