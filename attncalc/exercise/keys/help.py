"""What a key of a problem file is for, said where the key is read."""

from __future__ import annotations

from attncalc.core.record import record
from attncalc.exercise.keys.schema_types import Form

BESIDE = {
    "Q": "Q: [[1, 2], [3, 1]], K: [[2, 1], [1, 1], [0, 1]], V: [[1, 2], [1, 1], [0, 1]]",
    "X": "X: [[1, 2], [3, 1]]",
    "S": "S: [[1, 2], [0, 1]]",
    "": "",
}
"""What may be given beside a key in its example."""


@record
class Help:
    """A key: what it is for in one sentence, an example and what stands beside it, and what it takes.

    What a reader knows itself, such as the words it takes, is not said again; `default` is what holds
    without the key.
    """

    sentence: str
    example: str = ""
    beside: str = "Q"
    takes: str = ""
    default: str = ""
    form: Form | None = None
    """What it looks like to other programs, where its reader does not say so."""

    @property
    def whole(self) -> str:
        """The example as a problem file of one line."""
        return f"{{{', '.join(filter(None, (BESIDE[self.beside], self.example)))}}}"
