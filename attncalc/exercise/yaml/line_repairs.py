"""The slips that a hurried hand makes within one line, a row each."""

from __future__ import annotations

from attncalc.core.record import record


@record
class Slip:
    """A slip within one line: the fault is where the group `at` is, the line is to be as `mended` says."""

    pattern: str
    mended: str
    message: str


KEY = r"\s*(?:- +)?(?:[A-Za-z][\w^{}]*(?:\[[0-9, ]*\])?|\"[^\"]*\")"
SLIPS_OF_LINES = (
    Slip(
        rf"(?P<key>{KEY})(?P<at>=)(?P<rest>\S.*?)[;,]?\s*", "{key}: {rest}",
        "'{at}' stands where ':' is wanted"
    ),
    Slip(
        rf"\s*(?P<at>[(]?[a-z0-9]{{1,2}}[).])\s*(?P<key>{KEY})\s*[:=]\s*(?P<rest>\S.*)", "{key}: {rest}",
        "leave out the '{at}' before the key",
    ),
    Slip(
        rf"(?P<at>\*\*|__|`)(?P<key>{KEY})\s*[:=]?(?:\*\*|__|`)\s*[:=]?\s*(?P<rest>\S.*)", "{key}: {rest}",
        "leave out the '{at}' round the key",
    ),
    Slip(
        rf"\s*(?P<at>\$+|\\\[)\s*(?P<key>{KEY})\s*[:=]\s*(?P<rest>\S.*?)\s*(?:\$+|\\\])\s*", "{key}: {rest}",
        "leave out the '{at}' round the line",
    ),
    Slip(
        rf"(?P<key>{KEY})\s*(?P<at>:)(?P<rest>[^\s:].*)", "{key}: {rest}",
        "a space is missing behind the colon",
    ),
    Slip(r"(?P<key>\s*)(?P<at>-)(?P<rest>[\[{].*)", "{key}- {rest}", "a space is missing behind the dash"),
    Slip(r"(?P<key>\s*)(?P<at>[*•])\s+(?P<rest>.*)", "{key}- {rest}", "'{at}' stands where '-' is wanted"),
    Slip(
        rf"(?P<key>{KEY}:\s+\[[-+−.0-9,;/\s\[\]]*\])\s+(?P<at>\(?[A-Za-z][^\[\]:=]*)", "{key}",
        "leave out '{at}' behind the value",
    ),
    Slip(
        r"(?P<key>.*[\]}\"'])\s*(?P<at>[,;.]|\\+)\s*(?P<rest>#.*|)", "{key} {rest}",
        "leave out the '{at}' behind the value",
    ),
    Slip(
        r"(?P<key>.*[{,]\s*[A-Za-z_]\w*)\s*(?P<at>:)(?P<rest>[\[\"'].*)", "{key}: {rest}",
        "a space is missing behind the colon",
    ),
    Slip(
        rf"(?P<key>{KEY}|.*[{{,]\s*[A-Za-z_]\w*)(?P<at>\s+)(?P<rest>[\[\"'].*)", "{key}: {rest}",
        "a colon is missing",
    ),
    Slip(
        r"(?P<key>.*[:,\[{]\s*)(?P<at>\"+)(?P<rest>[^\"{},]*)\"*(?P<end>[}\]].*)", '{key}"{rest}"{end}',
        "its quotes do not fit",
    ),
    Slip(r"(?P<key>\s*)(?P<at>:)\s+(?P<rest>.*)", "{key}KEY: {rest}", "a key is missing before the colon"),
    Slip(r"(?P<key>.*\[)\s*(?P<at>,)\s*(?P<rest>.*)", "{key}{rest}", "leave out the comma before the rest"),
    Slip(r"(?P<key>.*?,)\s*(?P<at>,)(?P<rest>.*)", "{key}{rest}", "leave out one of the two commas"),
    Slip(
        r"(?P<key>\s*|.*[\]}],?\s+)(?P<at>//|%|--|/\*)\s*(?P<rest>.*)", "{key}# {rest}",
        "a comment starts with '#'",
    ),
    Slip(
        r"(?P<key>.*\{[^{}]*?:\s+[^\s,{}]+)(?P<at>\s+)(?P<rest>[a-z_]+:\s.*)", "{key}, {rest}",
        "a comma is missing between two keys",
    ),
    Slip(
        r"(?P<key>\s*- +)(?P<at>[a-z_]+:\s+[^{}\[\]]*,\s*[a-z_]+:\s.*)", "{key}{{{at}}}",
        "keys on one line stand in braces",
    ),
    Slip(
        r"(?P<key>\s*(?:- +)?(?:tokens|key_tokens|vocabulary|targets|show):\s+)(?P<at>['\"].*,.*)",
        "{key}[{at}]", "a list stands in brackets",
    ),
    Slip(
        r"(?P<key>\s*(?:- +)?(?:mask|score|position|let|names|symbols|marks|sample|answers):\s+)"
        r"(?P<at>[A-Za-z_]\w*)\s*:\s+(?P<rest>\S.*)",
        "{key}{{{at}: {rest}}}", "a key within a value stands in braces",
    ),
    Slip(
        rf"(?P<key>{KEY}:\s+)(?P<row>\[[^\[\];]*\])\s*(?P<at>\^\{{?(?:T|\\top)\}}?|\.T|'|ᵀ)\s*", "{key}{row}",
        "leave out the '{at}' behind a row",
    ),
    Slip(
        rf"(?P<key>{KEY}:\s+)(?P<matrix>\[.*\])\s*(?P<at>\^\{{?(?:T|\\top)\}}?|\.T|'|ᵀ)\s*",
        "{key}transpose({matrix})", "'{at}' is not read",
    ),
    Slip(
        rf"(?P<key>{KEY}:\s+)(?P<at>\[)(?P<rest>[^\[\]]*\](?:\s*,?\s*\[[^\[\]]*\])+)\s*", "{key}[[{rest}]",
        "the rows of a matrix stand in brackets of their own",
    ),
)  # fmt: skip
"""Slips within one line."""
