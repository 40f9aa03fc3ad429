"""What a number is: floats in NumPy, or exact numbers."""

from attncalc.fields.base import Array, Field
from attncalc.fields.numeric import Numeric

__all__ = ["Array", "Field", "Numeric", "field_named"]


def field_named(mode: str) -> Field:
    """The field of a mode; the exact one is loaded only when it is used."""
    if mode == "numeric":
        return Numeric()
    from attncalc.fields.exact import Exact

    return Exact()
