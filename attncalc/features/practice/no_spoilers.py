"""The guard of all hints: none of them contains the correct value of an asked cell that is not found yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from math import isclose

from attncalc.core.fields import Numbers, Real
from attncalc.core.notations.unicode import Ascii, write
from attncalc.core.record import record
from attncalc.core.terms.formulas import Maths, Text
from attncalc.exercise.solve.selection import At
from attncalc.exercise.solve.solution import Solution
from attncalc.worked.blocks import Block, Equation, Equations, Heading, Law, Note, Paragraph, Verdict

PLACES = range(2, 11)
"""The numbers of decimals to which a correct value must not be shown."""
COMPARED_DIGITS = 20
LONGEST_COMPARED = 200
"""The size up to which an exact number is compared as text."""
DECIMAL = re.compile(r"(?<![\w.])(?:[0-9]+(?:\.[0-9]+)?e-[0-9]+|[0-9]*\.[0-9]{2,})")


@record
class Secret:
    """A correct value that must not be shown: without its sign, and in its exact form."""

    value: Decimal | None
    text: str


def keep_secret(number: Real, field: Numbers) -> Secret | None:
    """A number as a secret; None for -inf, which only says that a key is hidden."""
    if isinstance(number, float) and number == float("-inf"):
        return None
    is_short = field.name == "exact" and field.pieces(number) <= LONGEST_COMPARED
    written = write(field.term(number), Ascii()).lstrip("-") if is_short else ""
    value = None if field.is_open(number) else abs(field.decimal(number, COMPARED_DIGITS))
    return Secret(value, written)


class Guard:
    """The values that must not be shown."""

    def __init__(self, secrets: Iterable[Secret]) -> None:
        known = list(dict.fromkeys(secrets))
        self.values = [secret.value for secret in known if secret.value is not None]
        self.texts = {secret.text for secret in known if secret.text}

    def passes(self, blocks: Iterable[Block]) -> bool:
        """Whether some blocks give nothing away."""
        return not any(self.has_value(text) for block in blocks for text in texts_of(block)) and not any(
            self.is_result(side) for block in blocks for side in sides_of(block)
        )

    def has_value(self, text: str) -> bool:
        """Whether a text contains a correct value to two places or more, even inside another number."""
        numbers = [Decimal(found) for found in DECIMAL.findall(text)]
        return any(is_rounding_of(x, value) for value in self.values for x in numbers) or any(
            f"{value:.{places}f}" in text for value in self.values for places in PLACES if numbers
        )

    def is_result(self, side: Maths) -> bool:
        """Whether a side of a line is a correct value: as a plain number, or in exact form."""
        text = write(side, Ascii()).lstrip("-")
        is_plain = re.fullmatch(r"[0-9]+(?:\.[0-9]+)?", text)
        return text in self.texts or bool(
            is_plain and any(isclose(value, float(text)) for value in self.values)
        )


def guard_cells(solution: Solution, cells: Mapping[str, Iterable[At]]) -> Guard:
    """A guard for the correct values of some cells."""
    field, values = solution.trace.field, solution.trace.values
    numbers = (values[name][at] for name, places in cells.items() for at in sorted(places))
    return Guard(secret for number in numbers if (secret := keep_secret(number, field)))


def is_rounding_of(number: Decimal, value: Decimal) -> bool:
    """Whether a number is the value, rounded or truncated to the decimals of the number."""
    exponent = number.as_tuple().exponent
    places = max(PLACES[0], -exponent if isinstance(exponent, int) else 0)
    unit = Decimal(1).scaleb(-places)
    return 0 <= value - number < unit or abs(value - number) <= unit / 2


def texts_of(block: Block) -> Iterator[str]:
    """All texts of a block, in ASCII."""
    match block:
        case Paragraph(text) | Note(text) | Verdict(_, _, text) | Heading(text):
            yield to_ascii(text)
        case Equation(left, sides):
            yield write(left, Ascii())
            yield from (write(side, Ascii()) for _, side in sides)
        case Equations(lines):
            yield from (text for line in lines for text in texts_of(line))
        case Law(_, formula):
            yield write(formula, Ascii())


def sides_of(block: Block) -> Iterator[Maths]:
    """The sides of all equations of a block."""
    lines = block.lines if isinstance(block, Equations) else (block,)
    yield from (side for line in lines if isinstance(line, Equation) for _, side in line.sides)


def to_ascii(text: Text) -> str:
    """A text with its mathematics in ASCII."""
    if isinstance(text, str):
        return text
    return "".join(part if isinstance(part, str) else write(part, Ascii()) for part in text)
