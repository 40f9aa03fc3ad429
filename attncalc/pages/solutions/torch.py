"""A solution as a torch script that computes every step and checks it."""

from __future__ import annotations

from attncalc.core.notations.code import Autograd, Dialect
from attncalc.pages import Page
from attncalc.pages.scripts.module import module
from attncalc.pages.scripts.script import script
from attncalc.worked.view import Excerpt

ENDING = "py"

TORCH = Dialect(
    module="torch",
    single="math",
    imports="import torch",
    array="torch.tensor({}, dtype=torch.float64)",
    zeros="torch.zeros({}, dtype=torch.float64)",
    counted="torch.arange({}).double()",
    swapped="{}.mT",
    join="torch.cat",
    axis="dim",
    keep="keepdim",
    largest="amax",
    check='''
def check(step, found, expected):
    """Stops at a step that differs from the solution."""
    expected = torch.tensor(expected, dtype=found.dtype)
    found = found.reshape(expected.shape) if found.numel() == expected.numel() == 1 else found
    torch.testing.assert_close(
        found, expected, rtol=1e-6, atol=1e-9, msg=lambda why: f"step {step} differs: {why}"
    )
    print(f"{step} agrees")
''',
    autograd=Autograd("for given in ({},):\n    given.requires_grad_()", "{}.backward({})", "{}.grad"),
)


def render(excerpt: Excerpt, page: Page) -> str:
    """The script, which checks the steps asked for; or a module, which checks its functions' results."""
    return module(excerpt.solution, TORCH) if page.module else script(excerpt, TORCH)
