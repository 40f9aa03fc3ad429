"""The variant of a problem that a code names, made again."""

from __future__ import annotations

from attncalc.exercise.load import Source
from attncalc.features.authoring.vary.codes import read_code
from attncalc.features.authoring.vary.vary import Variation


def remake(source: Source, code: str) -> Source:
    """The problem file of the variant with this code."""
    found = read_code(code, source.text)
    return Variation(source, found.seed).remake(found)
