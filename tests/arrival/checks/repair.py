"""A repair of numbers is proposed in problems and in answers, because what it proposes can be read."""

from __future__ import annotations

import attncalc
from tests.arrival.warm import WARM, refusal

HINT = "a fraction has a stroke: write 3/2"

if __name__ == "__main__":
    assert HINT in refusal(heat="3over2")
    assert HINT in str(attncalc.check(attncalc.problem(**WARM), {"W[1,1]": "3over2"}))
