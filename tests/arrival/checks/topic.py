"""Warmth is explained, on a problem too, in every page format; it is listed, and a part may ask for it."""

from __future__ import annotations

import attncalc
from attncalc.pages import formats_of
from tests.arrival.warm import FILE, WARM
from tests.helpers.commands import run

if __name__ == "__main__":
    assert "warmth" in run("explain")
    assert "tempered scores of this problem" in run("explain", "warmth", FILE)
    for name in formats_of("documents"):
        assert "Warmth" in run("explain", "warmth", "-f", name)
    part = attncalc.problem(**WARM, parts=[{"part": "a", "explain": "warmth"}])
    assert "makes the ratio of their weights" in str(attncalc.solve(part))
