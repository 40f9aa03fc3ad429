"""Pages as assistive technology meets them: axe-core finds nothing to complain of, in light and in dark."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.helpers.browser import NEEDS_BROWSER, Browser, browser
from tests.helpers.commands import run
from tests.helpers.quick_and_slow import SLOW

__all__ = ["browser"]

FOLDERS = os.environ.get("NODE_PATH", "node_modules").split(os.pathsep)
AXE = next((file for folder in FOLDERS if (file := Path(folder, "axe-core", "axe.min.js")).is_file()), None)
NO_AXE = "axe-core is not installed: npm install axe-core, and name node_modules in NODE_PATH"
pytestmark = [NEEDS_BROWSER, SLOW, pytest.mark.skipif(AXE is None, reason=NO_AXE)]

ANSWERS = """\
S: [[4, 3, 2], [7, 4, 1]]
Z: [[4, 3, 2], [7, 4, 1]]
A: [[0.67, 0.24, 0.09], [0.95, 0.05, 0.00]]
"""
PAGES = {
    "solve dot-product-3": 0,
    "solve problem-set-4-q3": 0,
    "solve two-heads-by-hand": 0,
    "solve encoder-layer": 0,
    "solve the-cat-sat": 0,
    "solve attention-exploration-d": 0,
    "solve d2l-valid-lens": 0,
    "solve gpt2-backward": 0,
    "solve transformer-pseudocode": 0,
    "solve dot-product-3 --cell S[2,1]": 0,
    "solve two-heads-by-hand -f worksheet --flavor html": 0,
    "check dot-product-3 class/ann.yaml --feedback full": 1,
    "check dot-product-3 class/ann.yaml --feedback step": 1,
    "check dot-product-3 class": 1,
    "explain softmax": 0,
    "explain gradient dot-product-3": 0,
    "cost two-heads-by-hand": 0,
    "list": 0,
}
"""Commands that write pages, and their exit codes."""
DEEDS = (
    "",
    "document.querySelector('td.wrong')?.click()",
    "[...document.querySelectorAll('.step td[data-k]:not(.editable)')].at(-1)?.click()",
    "document.querySelector('.editable')?.click()",
    "document.querySelector('#try button')?.click()",
    "for (const fold of document.querySelectorAll('.roster details')) fold.open = true",
)
"""What a reader does, one after the other."""
SPARED = {"aria-allowed-role"}
"""A formula with links inside is a group: as mathematics it would hide them."""
SETTLED = "return new Promise((settled) => setTimeout(settled, 250))"
"""What scrolls is found out a moment after the page has changed."""
FINDINGS = """
return axe.run(document, {resultTypes: ["violations"]}).then((result) =>
  result.violations.map(({impact, id, nodes}) => [impact, id, nodes.map((node) => node.html)]))
"""


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
@pytest.mark.parametrize("command", PAGES)
def test_nothing_to_complain_of(
    command: str, scheme: str, width: int, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page when it is opened, and after a reader's actions."""
    monkeypatch.chdir(tmp_path)
    for name, last in (("ann", 1), ("bob", 2)):
        Path("class").mkdir(exist_ok=True)
        Path("class", f"{name}.yaml").write_text(f"{ANSWERS}C: [[1, 2, 3], [4, 5, {last}]]\n", "utf-8")
    form = [] if " -f " in command else ["-f", "html"]
    run(*command.split(), *form, "-o", "page.html", code=PAGES[command])
    browser.view(tmp_path / "page.html", width, scheme=scheme)
    assert AXE is not None
    for deed in DEEDS:
        browser.run(deed)
        browser.run(SETTLED)
        found = browser.run(AXE.read_text("utf-8") + FINDINGS)
        assert [finding for finding in found if finding[1] not in SPARED] == [], deed
