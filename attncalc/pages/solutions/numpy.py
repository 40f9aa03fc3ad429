"""A solution as a NumPy script that computes every step and checks it."""

from __future__ import annotations

from attncalc.core.notations.code import Dialect
from attncalc.pages import Page
from attncalc.pages.scripts.script import script
from attncalc.worked.view import Excerpt

ENDING = "py"

NUMPY = Dialect(
    module="np",
    single="np",
    imports="import numpy as np",
    array="np.array({}, dtype=float)",
    zeros="np.zeros({})",
    counted="np.arange({}.0)",
    swapped="np.swapaxes({}, -1, -2)",
    join="np.concatenate",
    axis="axis",
    keep="keepdims",
    largest="max",
    check='''
def check(step, found, expected):
    """Stops at a step that differs from the solution."""
    differs = f"step {step} differs"
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9, err_msg=differs)
    print(f"{step} agrees")
''',
)


def render(excerpt: Excerpt, _: Page) -> str:
    """The script, which checks the steps asked for."""
    return script(excerpt, NUMPY)
