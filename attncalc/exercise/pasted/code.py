"""Lines of code that are known: a call of attention, the definition of softmax, what Julia prints."""

from __future__ import annotations

import re

from attncalc.exercise.pasted.formulas import is_softmax
from attncalc.exercise.pasted.literals import split_arguments, split_keyword
from attncalc.exercise.pasted.reader import Reader
from attncalc.exercise.pasted.rows import find_block
from attncalc.exercise.written_names import find_names, plain

CALL_OF_TORCH = (
    r"\s*(?:(?P<name>\w+)\s*=\s*)?(?:F\.|(?:torch\.)?nn\.functional\.)?scaled_dot_product_attention"
    r"\((?P<arguments>.*)\)\s*(?:#.*)?"
)


def read_attention_call(reader: Reader, line: str, end: int) -> bool:
    """Read the settings of F.scaled_dot_product_attention(q, k, v, is_causal=True)."""
    call = re.fullmatch(CALL_OF_TORCH, line)
    if not call:
        return False
    arguments = [split_keyword(one) for one in split_arguments(call["arguments"])]
    values = [plain(value) for key, value in arguments if not key]
    named = {key: value for key, value in arguments if key}
    if [reader.resolve(value) for value in values] != ["Q", "K", "V"] or not all(
        any(find_names(name, [one]) for name in reader.found) for one in "QKV"
    ):
        raise reader.refuse_computed(call["name"] or "attention", line.strip(), reader.line)
    settings = {"is_causal": {"True": "mask: causal", "False": ""}, "attn_mask": {"None": ""},
                "dropout_p": {"0": "", "0.0": "", "0.": ""}}  # fmt: skip
    for key, value in named.items():
        factor = re.fullmatch(r"[0-9.]+(?:/[0-9.]+)?", value) if key == "scale" else None
        setting = f"scale: {value}" if factor else settings.get(key, {"None": ""}).get(value)
        if setting is None:
            raise reader.refuse_computed(call["name"] or "attention", line.strip(), reader.line)
        if setting:
            reader.set(setting, f"{key}={value}", reader.line)
    reader.leave_out(line, reader.line)
    reader.at = end + 1
    return True


def read_softmax(reader: Reader, start: int, line: str) -> bool:
    """Leave out the definition of the usual softmax of every row."""
    if not re.match(r"def \w*softmax\w*\(", line):
        return False
    body = re.compile(r"(?:[^\S\n]+\S[^\n]*(?:\n|$)|\n)*").match(reader.text, start + len(line) + 1)
    if not body or not is_softmax(body[0]):
        return False
    reader.leave_out(line, reader.line)
    reader.at = body.end()
    return True


def read_echo(reader: Reader, line: str, end: int) -> bool:
    """Leave out what Julia prints below an assignment: the same matrix again."""
    if not re.fullmatch(r"\s*[0-9]+×[0-9]+ (?:Matrix|Array)\{[\w, ]*\}:\s*", line) or not reader.found:
        return False
    block = find_block(reader, end + 1)
    if not block or entries_in(block[0]) != entries_in([*reader.found.values()][-1][0]):
        return False
    reader.at = block[1]
    return True


def entries_in(matrix: str) -> list[float]:
    """Return the numbers of a matrix in their order."""
    return [float(entry) for entry in re.findall(r"[-+]?[0-9.]+(?:e[-+]?[0-9]+)?", matrix) if entry != "."]
