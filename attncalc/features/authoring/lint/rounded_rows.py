"""Numbers in units of the last asked decimal, in which answers are compared."""

from __future__ import annotations

import numpy as np

from attncalc.core.fields import Floats
from attncalc.marking.policy import POLICY

FINE = 6
"""Decimals of a number in units beyond which float noise is cut off."""


def to_units(numbers: Floats, unit: float) -> Floats:
    """Numbers in units, rounded to the unit or to the digits that are judged; 0 and −0 are the same."""
    size = np.where(np.isfinite(numbers) & (numbers != 0), np.abs(numbers), 1)
    judged = np.maximum(unit, 10.0 ** (np.floor(np.log10(size)) - POLICY.judged_digits + 1))
    return np.asarray(np.rint(np.round(numbers / judged, FINE)) * (judged / unit) + 0.0)


def to_bytes(rows: Floats) -> list[bytes | None]:
    """Rounded rows as bytes, for comparison; None for a row with NaN."""
    is_none = np.asarray((np.isnan(rows) | np.isposinf(rows)).any(axis=-1))
    return [None if none else row.tobytes() for row, none in zip(rows, is_none, strict=True)]
