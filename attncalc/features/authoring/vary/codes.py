"""The code of a variant: what is needed to make it again from the problem.

8F3C-7-12-ada    a check of the problem and of the rest, the seed, the number of the draw, and the id
"""

from __future__ import annotations

import re
from hashlib import sha256

from attncalc.core.errors import fault, quote
from attncalc.core.record import record, replace
from attncalc.worked.blocks import Block, Document, Heading, Note

WRITTEN = re.compile(r"(?P<check>[0-9A-Fa-f]{4})-(?P<seed>\d{1,20})-(?P<draw>\d{1,3})-(?P<id>\S{1,100})")


@record
class Code:
    """The seed of a class, the id of a student, and which of their draws was taken."""

    seed: int
    draw: int
    id: str

    def check(self, text: str) -> str:
        """Four digits that depend on the text of the problem, too."""
        return sha256(f"{self.seed} {self.draw} {self.id} {text}".encode()).hexdigest()[:4].upper()

    def write(self, text: str) -> str:
        """The code as it stands on a sheet."""
        return f"{self.check(text)}-{self.seed}-{self.draw}-{self.id}"


def read_code(written: str, text: str) -> Code:
    """Read a code of a variant of a problem; raise an error if it is mistyped, or that of another problem."""
    found = WRITTEN.fullmatch(written.strip())
    if not found:
        raise fault(f"{quote(written)} is not a code: copy it from the sheet, such as 8F3C-7-12-ada")
    code = Code(int(found["seed"]), int(found["draw"]), found["id"])
    if code.check(text) != found["check"].upper():
        raise fault(
            f"{quote(written)} is not a code of this problem: it is mistyped, or the file has changed since"
        )
    return code


def with_code(document: Document, code: str) -> Document:
    """A document with the code under its title."""
    at = next((n + 1 for n, block in enumerate(document.blocks) if isinstance(block, Heading)), 0)
    line: tuple[Block, ...] = (Note(f"Code {code}"),)
    return replace(document, blocks=(*document.blocks[:at], *line, *document.blocks[at:]))
