"""Number systems: floats in NumPy, exact numbers, intervals."""

from collections.abc import Mapping

from attncalc.core.fields.base import Array, Field, Floats, Numbers, Real, Undecided, Values
from attncalc.core.fields.numeric import Numeric

__all__ = ["Array", "Field", "Floats", "Numbers", "Numeric", "Real", "Undecided", "Values", "field_named"]


def find_field(mode: str, letters: Mapping[str, str] = {}, limit: tuple[str, float] | None = None) -> Numbers:
    """The field of a mode, with its free letters; the exact field is imported only when it is used."""
    if mode == "numeric":
        return Numeric()
    from attncalc.core.fields.exact import Exact

    return Exact(letters, limit)
