"""Text in the encoding and the characters of another keyboard or program, as plain UTF-8."""

from __future__ import annotations

import re

from attncalc.core.record import record

OLD = "cp1252"
"""The encoding in which programs on Windows saved text before UTF-8; it includes Latin-1."""
BINARY = rb"[\x00-\x08\x0b\x0e-\x1f\x7f]"
WIDE = {ord("０") + n: ord("0") + n for n in range(10)}
WIDE |= {ord("Ａ") + n: ord("A") + n for n in range(26)} | {ord("ａ") + n: ord("a") + n for n in range(26)}
WIDE |= str.maketrans("：＝［］（），．－＋＊／＿；％＾", ":=[](),.-+*/_;%^")
"""The wide letters, digits and signs of East Asian keyboards; an ideographic comma is one, too."""


@record
class Plain:
    """The bytes of a text in UTF-8, and what is said if they were in another encoding."""

    data: bytes
    said: str = ""


def to_plain_utf8(data: bytes) -> Plain:
    """A text in UTF-8 with plain letters and signs; bytes that are no text are left as they are.

    >>> to_plain_utf8("Ａ：１".encode()).data, to_plain_utf8("José".encode("cp1252")).data.decode()
    (b'A:1', 'José')
    """
    if data.isascii():
        return Plain(data)
    try:
        return Plain(data.decode().translate(WIDE).encode())
    except UnicodeDecodeError:
        pass
    try:
        text = "" if re.search(BINARY, data) else data.decode(OLD)
    except UnicodeDecodeError:
        text = ""
    return Plain(text.encode(), "is not UTF-8: read as Windows-1252") if text else Plain(data)
