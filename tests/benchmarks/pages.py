"""Pages in a browser: what they weigh, and how soon they can be used, `python -m tests.benchmarks.pages`."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import click

from attncalc.worked.blocks import Document
from attncalc.worked.build_page_model import is_computed
from tests.helpers.browser import Browser, saved
from tests.helpers.bundled import NUMERIC, count_numbers, solved, worked
from tests.pages.test_html import many_heads

TURNS = 5
FIRST_CELL = "document.querySelector('.editable').dataset.k"
CHANGE = """
const [name, at] = {cell}.split(":"), place = `${{name}}[${{at.split(",").map((n) => Number(n) + 1)}}]`;
const begin = performance.now();
attncalc.change(place, 3.25);
document.body.getBoundingClientRect();
const end = performance.now();
attncalc.resetAll();
return end - begin;
"""
READY = "return performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
ELEMENTS = "return document.querySelectorAll('*').length"


@click.command()
def main() -> None:
    """Prints the smallest, a usual and the largest bundled problem, and twelve tokens with sixteen heads."""
    computed = sorted(filter(lambda name: is_computed(solved(name)), NUMERIC), key=count_numbers)
    chosen = {name: worked(name, pointed=True) for name in (computed[0], "dot-product-3", computed[-1])}
    click.echo(f"{'page':28}{'kB':>7}{'elements':>10}{'ready':>10}{'a change':>11}")
    with TemporaryDirectory() as folder:
        browser = Browser(Path(folder, "profile"))
        try:
            for name, page in {**chosen, "16 heads, 12 tokens": many_heads(12, 64, 16)}.items():
                click.echo(f"{name:28}{measured(browser, Path(folder), page)}")
        finally:
            browser.close()


def measured(browser: Browser, folder: Path, document: Document) -> str:
    """The weight of a page, its elements when its script has run, and the least times of some turns."""
    path = saved(folder, document)
    ready, change = [], []
    for _ in range(TURNS):
        browser.view(path)
        ready.append(browser.run(READY))
        change.append(browser.run(CHANGE.format(cell=FIRST_CELL)))
    elements = browser.run(ELEMENTS)
    return f"{path.stat().st_size / 1000:7.0f}{elements:10,}{min(ready):7.0f} ms{min(change):8.0f} ms"


if __name__ == "__main__":
    main()
