"""The repairs of YAML, a row each: what is typed or pasted against its rules, and what to write."""

from __future__ import annotations

import re

from attncalc.core.repair import Repair, Scan
from attncalc.exercise.yaml.brackets import closed_twice, rows_below, unclosed
from attncalc.exercise.yaml.scanners import (
    KEY,
    arguments,
    assignments,
    colon_missing,
    dash_behind_key,
    dash_missing,
    in_quotes,
    indent_print,
    indentation,
    keys_on_one_line,
    listed_keys,
    print_of_rows,
    separate_rows,
    stand_in,
    tabs,
    unindented,
    unquoted,
    unquoted_value,
    value_below,
    without_key,
)
from attncalc.exercise.yaml.try_repairs import Broken, Scanner, asking, everywhere, on_lines

STRAIGHT = str.maketrans({**dict.fromkeys("“”„‟«»", '"'), **dict.fromkeys("‘’‚‛", "'")})
SQUARE = str.maketrans("{}", "[]")
BRACE = r"\s*\{"
"""The start of a file in braces, such as JSON."""
PLAIN = r"[\w .+/-]*"


def quote_items(match: re.Match[str]) -> str:
    """Put those texts of a list in quotes that contain signs with a meaning in YAML."""
    items = [item.strip() for item in match["items"].split(",")]
    quoted = [item if re.fullmatch(PLAIN, item) else in_quotes(item.strip("'\"")) for item in items]
    return f"{match['key']}[{', '.join(quoted)}]"


def blank(match: re.Match[str]) -> str:
    """Replace every matched character by a space, except line ends."""
    return re.sub(r"[^\n]", " ", match[0])


SILENT: tuple[Repair | Scan[Broken], ...] = (
    Repair(
        r"((?:^|[\[{,:\-])\s*)\"([^\"'\n]*)\"", lambda m: f"{m[1]}'{m[2]}'" if "\\" in m[2] else m[0], "",
        'K: "\\sqrt{2}"\n', "K: '\\sqrt{2}'\n",
    ),
    Repair(
        r"(?<![\w\"'“”‘’])[A-Za-z]\w*\[\s*[0-9]+(?:\s*,\s*[0-9]+)*\s*\]", stand_in, "",
        "parts: [{part: a, show: S[1,2]}]\n", "parts: [{part: a, show: 'S[1,2]'}]\n",
    ),
    Scan(arguments, "{Q: [[sqrt{2}, 1]]}\n", "{Q: [['sqrt{2}', 1]]}\n"),
    Repair(
        r"\{\s*\{[^{}:]*\}(?:\s*,\s*\{[^{}:]*\})*\s*\}", lambda m: m[0].translate(SQUARE), "",
        "Q: {{1, 0}, {0, 1}}\n", "Q: [[1, 0], [0, 1]]\n",
    ),
    Repair(r"(?<=[\[,\s])\?(?=\s*[,\]])", "_", "", "A: [?, 1]\n", "A: [_, 1]\n"),
    Repair(r"(?m)^(?:```.*|Parameter containing:)$", "", "", "```\nQ: [[1]]\n```\n", "\nQ: [[1]]\n", True),
    Repair(r"(?m)(?<=:)( +)[-–—](?=[ \t]*$)", "{1}_", "", "S: -\nA: [[1]]\n", "S: _\nA: [[1]]\n"),
    Repair(
        r"(?m)^(?:[=*~_]{3,}|-{4,})[ \t]*$", lambda m: "#".ljust(len(m[0])), "",
        "Q: [[1]]\n=====\nK: [[1]]\n", "Q: [[1]]\n\nK: [[1]]\n", True,
    ),
    Scan(assignments, "Q = [[1, 0]];\n", "Q: [[1, 0]]\n"),
    Repair(r"(?m)(?<=: )`([^`\n]*)`(?=[ \t]*$)", " {1} ", "", "Q: `[[1, 0]]`\n", "Q: [[1, 0]]\n"),
    Repair(r"(?m)^([ ]*[A-Za-z]\w*)[：﹕](?=\s)", "{1}:", "", "Q： [[1, 0]]\n", "Q: [[1, 0]]\n"),
    Repair(r"(?m)^\t+", lambda m: " " * len(m[0]), "", "Q:\n\t- [1, 0]\n", "Q:\n - [1, 0]\n"),
    Repair(
        r"/\*[^*]*\*/|(?m:(?:^|(?<=[\s,\]}]))//.*$)", blank, "",
        '{"Q": [[1, 0]], // queries\n"z": 1}\n', '{"Q": [[1, 0]],\n"z": 1}\n', start=BRACE,
    ),
    Repair(
        r"(?m)(?<=[\]}\"'\w])$(?=\n\s*(?:\"[^\"\n]*\"|'[^'\n]*')\s*:)", ",", "",
        '{"Q": [[1, 0]]\n"K": [[1, 0]]}\n', '{"Q": [[1, 0]],\n"K": [[1, 0]]}\n', start=BRACE,
    ),
    Repair(r"(?<=\]);(?=\s*\[)", ",", "", "Q: [[1, 0]; [0, 1]]\n", "Q: [[1, 0], [0, 1]]\n"),
    Repair(r"(?m)^(?= *\t)[ \t]+$", blank, "", "Q: [[1]]\n \t \nK: [[1]]\n", "Q: [[1]]\n\nK: [[1]]\n"),
    Repair(r"(?<=\S)\t", " ", "", "parts:\n-\tshow: S\n", "parts:\n- show: S\n"),
    Repair(r"(?<=[\[,])(\s*)- (?=[0-9.])", "{1} -", "", "Q: [[- 1, 0]]\n", "Q: [[ -1, 0]]\n"),
    Scan(separate_rows, "Q: [[1. 0.]\n    [0. 1.]]\n", "Q: [[1. 0.],\n    [0. 1.]]\n"),
    Scan(indent_print, "Q:\n[[1. 0.]]\nz: 1\n", "Q: '\n\n  [[1. 0.]]'\nz: 1\n"),
    Repair(
        r"(?<=[\[{,:] )[>|@`%][^,\]}'\n]*", "'{0}'", "", "tokens: [a, @b]\n", "tokens: [a, '@b']\n"
    ),
)  # fmt: skip
"""Silent repairs of every match in the text: it can mean nothing else."""

LINES = (
    Repair(
        rf"(?P<key>{KEY})(?P<at>=)(?P<rest>\S.*?)[;,]?\s*", "{key}: {rest}",
        "'{at}' stands where ':' is wanted",
        "Q=[[1, 0]]", "Q: [[1, 0]]",
    ),
    Repair(
        rf"\s*(?P<at>[(]?[a-z0-9]{{1,2}}[).])\s*(?P<key>{KEY})\s*[:=]\s*(?P<rest>\S.*)", "{key}: {rest}",
        "leave out the '{at}' before the key",
        "a) Q: [[1, 0]]", "Q: [[1, 0]]",
    ),
    Repair(
        rf"(?P<at>\*\*|__|`)(?P<key>{KEY})\s*[:=]?(?:\*\*|__|`)\s*[:=]?\s*(?P<rest>\S.*)", "{key}: {rest}",
        "leave out the '{at}' round the key",
        "**Q:** [[1, 0]]", "Q: [[1, 0]]",
    ),
    Repair(
        rf"\s*(?P<at>\$+|\\\[)\s*(?P<key>{KEY})\s*[:=]\s*(?P<rest>\S.*?)\s*(?:\$+|\\\])\s*", "{key}: {rest}",
        "leave out the '{at}' round the line",
        "$Q = [[1, 0]]$", "Q: [[1, 0]]",
    ),
    Repair(
        rf"(?P<key>{KEY})\s*(?P<at>:)(?P<rest>[^\s:].*)", "{key}: {rest}",
        "a space is missing behind the colon",
        "Q:[[1, 0]]", "Q: [[1, 0]]",
    ),
    Repair(
        r"(?P<key>\s*)(?P<at>-)(?P<rest>[\[{].*)", "{key}- {rest}", "a space is missing behind the dash",
        "-[1, 0]", "- [1, 0]",
    ),
    Repair(
        r"(?P<key>\s*)(?P<at>[*•])\s+(?P<rest>.*)", "{key}- {rest}", "'{at}' stands where '-' is wanted",
        "* [1, 0]", "- [1, 0]",
    ),
    Repair(
        rf"(?P<key>{KEY}:\s+\[[-+−.0-9,;/\s\[\]]*\])\s+(?P<at>\(?[A-Za-z][^\[\]:=]*)", "{key}",
        "leave out '{at}' behind the value",
        "Q: [[1, 0]] rows", "Q: [[1, 0]]", asks=True,
    ),
    Repair(
        r"(?P<key>.*[\]}\"'])\s*(?P<at>[,;.]|\\+)\s*(?P<rest>#.*|)", "{key} {rest}",
        "leave out the '{at}' behind the value",
        "Q: [[1, 0]].", "Q: [[1, 0]]",
    ),
    Repair(
        r"(?P<key>.*[{,]\s*[A-Za-z_]\w*)\s*(?P<at>:)(?P<rest>[\[\"'].*)", "{key}: {rest}",
        "a space is missing behind the colon",
        "{Q:[[1, 0]]}", "{Q: [[1, 0]]}",
    ),
    Repair(
        rf"(?P<key>{KEY}|.*[{{,]\s*[A-Za-z_]\w*)(?P<at>\s+)(?P<rest>[\[\"'].*)", "{key}: {rest}",
        "a colon is missing",
        "Q [[1, 0]]", "Q: [[1, 0]]",
    ),
    Repair(
        r"(?P<key>.*[:,\[{]\s*)(?P<at>\"+)(?P<rest>[^\"{},]*)\"*(?P<end>[}\]].*)", '{key}"{rest}"{end}',
        "its quotes do not fit",
        'tokens: [a, "b]', 'tokens: [a, "b"]',
    ),
    Repair(
        r"(?P<key>\s*)(?P<at>:)\s+(?P<rest>.*)", "{key}KEY: {rest}", "a key is missing before the colon",
        ": [[1, 0]]", "KEY: [[1, 0]]", asks=True,
    ),
    Repair(
        r"(?P<key>.*\[)\s*(?P<at>,)\s*(?P<rest>.*)", "{key}{rest}", "leave out the comma before the rest",
        "Q: [, 1]", "Q: [1]", asks=True,
    ),
    Repair(
        r"(?P<key>.*?,)\s*(?P<at>,)(?P<rest>.*)", "{key}{rest}", "leave out one of the two commas",
        "Q: [1,, 2]", "Q: [1, 2]", asks=True,
    ),
    Repair(
        r"(?P<key>\s*|.*[\]}],?\s+)(?P<at>//|%(?!YAML|TAG)|--|/\*)\s*(?P<rest>.*)", "{key}# {rest}",
        "a comment starts with '#'",
        "% queries", "# queries",
    ),
    Repair(
        r"(?P<key>.*\{[^{}]*?:\s+[^\s,{}]+)(?P<at>\s+)(?P<rest>[a-z_]+:\s.*)", "{key}, {rest}",
        "a comma is missing between two keys",
        "- {part: a show: S}", "- {part: a, show: S}",
    ),
    Repair(
        r"(?P<key>\s*- +)(?P<at>[a-z_]+:\s+[^{}\[\]]*,\s*[a-z_]+:\s.*)", "{key}{{{at}}}",
        "keys on one line stand in braces",
        "- part: a, show: S", "- {part: a, show: S}",
    ),
    Repair(
        r"(?P<key>\s*(?:- +)?(?:tokens|key_tokens|vocabulary|targets|show):\s+)(?P<at>['\"].*,.*)",
        "{key}[{at}]", "a list stands in brackets",
        "tokens: 'a', 'b'", "tokens: ['a', 'b']",
    ),
    Repair(
        r"(?P<key>\s*(?:- +)?(?:mask|score|position|let|names|symbols|marks|sample|answers):\s+)"
        r"(?P<at>[A-Za-z_]\w*)\s*:\s+(?P<rest>\S.*)",
        "{key}{{{at}: {rest}}}", "a key within a value stands in braces",
        "mask: window: 1", "mask: {window: 1}",
    ),
    Repair(
        rf"(?P<key>{KEY}:\s+)(?P<row>\[[^\[\];]*\])\s*(?P<at>\^\{{?(?:T|\\top)\}}?|\.T|'|ᵀ)\s*", "{key}{row}",
        "leave out the '{at}' behind a row",
        "k: [1, 0]^T", "k: [1, 0]",
    ),
    Repair(
        rf"(?P<key>{KEY}:\s+)(?P<matrix>\[.*\])\s*(?P<at>\^\{{?(?:T|\\top)\}}?|\.T|'|ᵀ)\s*",
        "{key}transpose({matrix})", "'{at}' is not read",
        "K: [[1, 0], [0, 1]]^T", "K: transpose([[1, 0], [0, 1]])",
    ),
    Repair(
        rf"(?P<key>{KEY}:\s+)(?P<at>\[)(?P<rest>[^\[\]]*\](?:\s*,?\s*\[[^\[\]]*\])+)\s*", "{key}[[{rest}]",
        "the rows of a matrix need their own brackets",
        "Q: [1, 0], [0, 1]", "Q: [[1, 0], [0, 1]]",
    ),
)  # fmt: skip
"""Repairs of one line."""
CURLY = Repair(
    r"[^“”„‟«»‘’‚‛]*(?P<at>[“”„‟«»‘’‚‛]).*",
    lambda m: m[0].translate(STRAIGHT),
    "YAML knows straight quotes only",
    "title: “a: b”",
    'title: "a: b"',
)
ITEMS = Repair(
    r"(?P<key>\s*(?:- +)?[^\s:]+:\s+)(?P<at>)\[(?P<items>[^\[\]{}]*)\]\s*",
    quote_items,
    "a text with such signs needs quotes",
    "tokens: [a, @b]",
    "tokens: [a, '@b']",
)
SPOKEN: tuple[Scan[Broken], ...] = (
    Scan(listed_keys, "- Q: [[1]]\n- K: [[1]]\n", "Q: [[1]]\nK: [[1]]\n"),
    Scan(tabs, "parts:\n  - part: a\n\t  show: S\n", "parts:\n  - part: a\n    show: S\n"),
    Scan(unclosed, "Q: [[1, 0]\nK: [[1, 0]]\n", "Q: [[1, 0]]\nK: [[1, 0]]\n"),
    Scan(closed_twice, "Q: [[1, 0]]]\nK: [[1, 0]]\n", "Q: [[1, 0]]\nK: [[1, 0]]\n"),
    Scan(keys_on_one_line, "Q: [[1, 0]], K: [[1, 0]]\n", "Q: [[1, 0]]\nK: [[1, 0]]\n"),
    Scan(on_lines(*LINES), f"{LINES[0].typed}\n", f"{LINES[0].meant}\n"),
    Scan(rows_below, "Q: [1, 0],\n   [0, 1]\n", "Q: [[1, 0],\n   [0, 1]]\n"),
    Scan(on_lines(CURLY), f"{CURLY.typed}\n", f"{CURLY.meant}\n"),
    Scan(indentation, "Q: [[1]]\n  K: [[1]]\n", "Q: [[1]]\nK: [[1]]\n"),
    Scan(unindented, "note: some\nwords\nQ: [[1]]\n", "note: some\n  words\nQ: [[1]]\n"),
    Scan(on_lines(ITEMS), f"{ITEMS.typed}\n", f"{ITEMS.meant}\n"),
    Scan(unquoted, "title: a: b\n", "title: 'a: b'\n"),
    Scan(colon_missing, "Q\n  - [1, 0]\n", "Q:\n  - [1, 0]\n"),
    Scan(dash_behind_key, "Q: - [1, 0]\n   - [0, 1]\n", "Q:\n   - [1, 0]\n   - [0, 1]\n"),
    Scan(dash_missing, "Q:\n  - [1, 0]\n    [0, 1]\n", "Q:\n  - [1, 0]\n  - [0, 1]\n"),
    Scan(print_of_rows, "Q:\n  [[1, 0]\n  0, 1]]\n", "Q:\n  [[1, 0], [0, 1]]\n"),
    Scan(value_below, "Q:\n{a: 1}\nK: [[1]]\n", "Q:\n  {a: 1}\nK: [[1]]\n"),
    Scan(without_key, "Q: [[1]]\nsome words\nK: [[1]]\n", "Q: [[1]]\n# some words\nK: [[1]]\n", True),
    Scan(unquoted_value, "Q: [[1, 0], 2*[0, 1]]\n", "Q: '[[1, 0], 2*[0, 1]]'\n"),
)
"""Repairs that a message asks the author to make."""
SCANNERS: tuple[Scanner, ...] = tuple(
    everywhere(one) if isinstance(one, Repair) else asking(one.scan) if one.asks else one.scan
    for one in (*SILENT, *SPOKEN)
)
"""All repairs, in the order in which they are tried."""
