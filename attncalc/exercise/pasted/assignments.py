"""Names with a sign and a value: Q = [[1, 0]], Q, K = .., W_Q = W_K = .., d_k = 2."""

from __future__ import annotations

import re

from attncalc.core.errors import inert
from attncalc.core.spellings import fold
from attncalc.exercise.keys.meant import SIZES, SWITCHES
from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.pasted.formulas import read_computed
from attncalc.exercise.pasted.literals import plain_entry, row_of
from attncalc.exercise.pasted.names import find_name, is_matrix_name
from attncalc.exercise.pasted.reader import Reader
from attncalc.exercise.pasted.rows import find_block
from attncalc.exercise.pasted.signs import BULLET
from attncalc.exercise.written_names import find_names, plain

MADE = r"(?:\w+\.)?(?P<function>eye|identity|zeros|ones)\(\(?(?P<sizes>[0-9]+(?:,\s*[0-9]+)?)\)?\)"
"""A matrix that a function makes: np.eye(2)."""
VALUE = r"(?i:[-+−]?[0-9.]+(?:[eE][-+]?[0-9]+)?|true|false|yes|no|on|off|none|null)|[\[({].*"
"""A value that a name without a meaning may not have: it may change the exercise."""
HARMLESS = (
    r"exercise|task|question|problem|aufgabe|[üu]bung|exercice|ejercicio|part|step|week|lecture|sheet|page|figure|"
    r"table|example|points?|marks?|total|credits?|score|grade|due|date|year|deadline|version|seed|random|"
    r"student|name|author|course|matriculation|student id|id|answer|batch_?size|b|device|dtype"
)
"""The first words of lines that say nothing of the numbers."""
OPERATOR = r"(?<![<>!=:+*/-])(?::=|:|=|<-|←)(?!=)"
CHAINED = r"\s*(?P<names>(?:[\w{}\\^]+\s*=(?!=)\s*)+)"
"""Further names before a value: W_K = in W_Q = W_K = eye(2)."""
FACTOR = (
    r"(?P<factor>[-−]?[0-9]+(?:\.[0-9]+)?(?:/[0-9]+)?|\\[dt]?frac\{?[0-9]+\}?\s*\{?[0-9]+\}?)"
    r"\s*[*·]?\s*(?=\\begin|\\left|[\[]|\w+\.\w+\()"
)
"""A number before a matrix, by which it is multiplied."""


def read_assigned(reader: Reader, start: int, end: int) -> bool:
    """Read Q = [[1, 0]], several with one sign, and what stands behind it on the line."""
    sign = re.compile(OPERATOR).search(reader.text, start, end)
    while sign and reader.text[start : sign.start()].count("(") > reader.text[start : sign.start()].count(
        ")"
    ):
        sign = re.compile(OPERATOR).search(reader.text, sign.end(), end)
    if not sign:
        return False
    written, line = reader.text[start : sign.start()], reader.line
    value = re.compile(r"[^\S\n]*\n?[^\S\n]*").match(reader.text, sign.end())
    at = value.end() if value else sign.end()
    name, before = find_name(written)
    if not name and re.compile(OPERATOR).search(reader.text, sign.end(), end):
        # Given: Q = [[..]].
        reader.read_words(written)
        reader.at = sign.end()
        return True
    if chained := re.match(CHAINED, reader.text[at:end]):
        # W_Q = W_K = eye(2): the first has what the last has.
        return read_chain(reader, name, before, chained["names"], at + chained.end(), end)
    if name and (front := re.match(FACTOR, reader.text[at:])):
        inner = reader.literal(at + front.end())
        if inner:
            reader.words_before(before)
            factor = plain_entry(front["factor"])
            reader.add(name, f"{factor} * {inner[0]}", line)
            reader.at = reader.skip_separators(inner[1])
            return True
    # Several names: Q, K = [[..]], [[..]].
    names = [plain(one) for one in written.split(",")]
    if len(names) > 1 and all(find_name(one)[0] and not find_name(one)[1] for one in names):
        return read_several(reader, names, at)
    if at < len(reader.text) and (found := reader.literal(at)):
        rest = re.match(r"[^\S\n]*(?:[-+*/@·×][^\n]*)?", reader.text[found[1] :])
        behind = rest[0].strip() if rest else ""
        if behind and re.search(
            r"@|[A-Za-z_]\w*(?!\()\b(?<!sqrt)", re.sub(r"\b(?:np|math|torch)\.|sqrt", "", behind)
        ):
            raise reader.refuse(f"{inert(written.strip())} is computed: write its numbers")
        if not name:
            name = name_of_matrix(reader, written)
            before = ""
        value_text = found[0] + (f" {behind}" if behind else "")
        reader.words_before(before)
        reader.add(name, value_text, line)
        reader.note_row(name, value_text, line)
        reader.at = reader.skip_separators(found[1] + (len(rest[0]) if rest and behind else 0))
        return True
    behind_sign = row_of(reader.text[at:end]) if is_matrix_name(name) else None
    if behind_sign and len(behind_sign) > 1 and (block := find_block(reader, at)):
        reader.words_before(before)
        reader.add(name, block[0], line)
        reader.at = block[1]
        return True
    if reader.text[at:end].strip() or (at < end):
        return read_value(reader, written, name, before, reader.text[at:end], line, end)
    block = find_block(reader, at)
    if block and name:
        reader.words_before(before)
        reader.add(name, block[0], line)
        reader.at = block[1]
        return True
    if name and is_matrix_name(name):
        reader.pending, reader.pending_line = name, line
        reader.words_before(before)
        reader.at = end + 1
        return True
    reader.read_words(reader.text[start:end])
    reader.at = end + 1
    return True


def read_chain(reader: Reader, name: str, before: str, others: str, at: int, end: int) -> bool:
    """Read a value that several names have: W_Q = W_K = np.eye(2)."""
    names = [name, *(find_name(one)[0] for one in others.split("=")[:-1])]
    if not all(map(is_matrix_name, names)):
        raise reader.refuse("one of the names before this value is not known")
    line = reader.line
    reader.words_before(before)
    front = re.match(FACTOR, reader.text[at:end])
    found = reader.literal(at + (front.end() if front else 0)) if at < len(reader.text) else None
    code = re.split(r"[$;]|,(?!\s*[0-9])|\s#", reader.text[at:end])[0].strip().rstrip(".")
    made = re.fullmatch(MADE, code)
    unit = re.fullmatch(r"I|\\mathbf\{?I\}?|\\mathbb\{?I\}?", code)
    if not found and not made and not unit:
        raise reader.refuse_computed(" = ".join(names), code, line)
    factor = f"{plain_entry(front['factor'])} * " if front else ""
    value = f"{factor}{found[0]}" if found else f"{made['function']}({made['sizes']})" if made else "I"
    for one in names:
        reader.add(one, value, line)
    reader.at = reader.skip_separators(
        found[1] if found else at + len(reader.text[at:end].split(code)[0] + code)
    )
    return True


def read_several(reader: Reader, names: list[str], at: int) -> bool:
    """Read Q, K, V = [[..]], [[..]], [[..]]."""
    values, line = [], reader.line
    while found := reader.literal(at):
        values.append(found[0])
        match = re.compile(r"\s*,\s*\\?\s*").match(reader.text, found[1])
        at = match.end() if match and len(values) < len(names) else found[1]
        if len(values) == len(names):
            break
    if len(values) != len(names):
        raise reader.refuse(f"there are {len(names)} names for {len(values)} matrices")
    for name, value in zip(names, values, strict=True):
        reader.add(find_name(name)[0], value, line)
    reader.at = reader.skip_separators(at)
    return True


def read_value(reader: Reader, written: str, name: str, before: str, value: str, line: int, end: int) -> bool:
    """Read a number, a word, or a line of code behind a name."""
    code, _, comment = value.partition("#") if re.search(r"\s#", value) else (value, "", "")
    code = code.strip().rstrip(";,.").strip()
    if comment:
        reader.read_words(comment)
    reader.at = end + 1
    is_matrix = is_matrix_name(name)
    if (
        name
        and not is_matrix
        and (sentence := re.fullmatch(r"([0-9]+)(?:\s|[,;.](?=\s))+((?:[^\W\d]|\().*)", code))
    ):
        code = sentence[1]
        reader.read_words(sentence[2], line)
    names = {key: reader.resolve(key) for key in re.findall(r"[A-Za-z_]\w*", f"{written} {code}")}
    computed = read_computed(written.strip(), code, {key: found for key, found in names.items() if found})
    if computed is not None and not re.fullmatch(r"[\w.]+", code):
        if computed.setting:
            reader.computed.setdefault(computed.setting, line)
        reader.leave_out(f"{written.strip()} = {code}", line)
        return True
    if is_matrix and (made := re.fullmatch(MADE, code)):
        reader.words_before(before)
        reader.add(name, f"{made['function']}({made['sizes']})", line)
        return True
    if re.search(r"softmax|@|\bQK|matmul|\.dot\(", code):
        raise reader.refuse_computed(written, code, line)
    if name and not is_matrix and (fold(plain(name)) in (*SIZES, *SWITCHES) or find_names(name, KEYS)):
        if fold(plain(name)) in SIZES and not re.fullmatch("[0-9]+", code):
            raise reader.refuse(f"{inert(written.strip())} is computed: write its number", line)
        code = re.sub(r"^(?:True|False)$", lambda match: match[0].lower(), code)
        reader.words_before(before)
        reader.add(
            name,
            f"'{code}'" if re.search(r"[\\{}\[\]#:]", code) and "{" not in code[:1] + "[" else code,
            line,
        )
        return True
    if "(" in code or is_matrix:
        raise reader.refuse_computed(written, code, line)
    keep_value(reader, written, code, line)
    reader.read_words(f"{written}: {value}", line)
    return True


def keep_value(reader: Reader, written: str, code: str, line: int) -> None:
    """Keep an unknown name with a value, so that it is refused as a key, unless it is a heading."""
    name = plain(re.sub(rf"^{BULLET}", "", written, count=1)).strip("() ,.;")
    if not re.fullmatch(VALUE, code) or re.fullmatch(rf"(?i:(?:{HARMLESS})\b.*)|.*\bshape", name):
        return
    reader.add(name, code, line)


def name_of_matrix(reader: Reader, written: str) -> str:
    """Return the name of a matrix that no key is known for, so that it is refused; or the pending one."""
    word = plain(re.sub(rf"^{BULLET}", "", written, count=1)).strip()
    if reader.pending and not word:
        return reader.pending
    if not word:
        raise reader.refuse("this matrix has no name: write Q: before it, if it is Q")
    return word
