"""A document as one HTML file that asks for nothing else: point at an entry and see where it comes from.

Every cell carries its key (`data-k`), and so does every entry and number in a worked line; the script
follows keys.  A page with a model computes: the script reads the rules, writes worked lines when they are
asked for, and works all steps again when a given number is changed.  Without it the page can be read, too.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

from attncalc.document.blocks import Document, Heading
from attncalc.formats import Page
from attncalc.formats.pages.html.blocks import Blocks
from attncalc.formats.pages.html.model import write_model
from attncalc.record import changed

POINTED = True
NO_TITLE = "attncalc"
MOST_DRAWN_AT_ONCE = 30
"""The sections up to which all of a page is laid out at once."""
SCRIPTS = (
    "functions", "terms", "evaluate", "matrices", "decimals", "notation", "lines",
    "markup", "working", "ways", "changes", "address", "play", "pictures", "arcs", "folds", "switches",
    "intervals", "trying", "start",
)  # fmt: skip
"""The files of the script, in the order in which they build on each other."""
PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main{kind}>
{body}
</main>
<aside id="working" aria-live="polite" aria-label="Working" hidden></aside>
{model}<script>{script}</script>
</body>
</html>
"""
MODEL = '<script type="application/json" id="model">{}</script>\n'
SCRIPT = '(() => {{\n"use strict";\n{}}})();\n'
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'; "
    "base-uri 'none'; form-action 'none'"
)
"""No request to anywhere, and no script but our own."""


def render(document: Document, _: Page) -> str:
    """The whole file."""
    script = whole_script()
    document = with_title(document)
    titles = [block.text for block in document.blocks if isinstance(block, Heading) and block.level == 1]
    blocks = Blocks(document)
    return PAGE.format(
        policy=POLICY.format(hash=b64encode(sha256(script.encode()).digest()).decode()),
        title=escape(titles[0] if titles else NO_TITLE),
        style=asset("page.css"),
        kind=' class="many"' if len(blocks.sections) > MOST_DRAWN_AT_ONCE else "",
        body="\n".join(blocks.body()),
        model=MODEL.format(write_model(document.model)) if document.model else "",
        script=script,
    )


def with_title(document: Document) -> Document:
    """A document that begins with its title."""
    has_one = any(isinstance(block, Heading) and block.level == 1 for block in document.blocks)
    if has_one or not document.title:
        return document
    return changed(document, blocks=(Heading(document.title, 1), *document.blocks))


def whole_script() -> str:
    """All files of the script as one, which leaves no names behind."""
    return SCRIPT.format("\n".join(asset(f"script/{name}.js") for name in SCRIPTS))


def asset(name: str) -> str:
    """A file of this folder."""
    return (files(__name__) / name).read_text("utf-8")
