"""A document as one HTML file that asks for nothing else: point at an entry and see where it comes from.

Every cell carries its key (`data-k`), and so does every entry and number in a worked line; the script
does nothing but follow keys.  What the page says is all in the markup, and can be read without it.
"""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files

from attncalc.document.blocks import Document, Heading
from attncalc.formats import Page
from attncalc.formats.pages.html.blocks import Blocks

POINTED = True
NO_TITLE = "attncalc"
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
<main>
{body}
</main>
<aside id="working" aria-live="polite" aria-label="Working" hidden></aside>
<script>{script}</script>
</body>
</html>
"""
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{hash}'; "
    "base-uri 'none'; form-action 'none'"
)
"""No request to anywhere, and no script but our own."""


def render(document: Document, _: Page) -> str:
    """The whole file."""
    script = asset("page.js")
    titles = [block.text for block in document.blocks if isinstance(block, Heading) and block.level == 1]
    return PAGE.format(
        policy=POLICY.format(hash=b64encode(sha256(script.encode()).digest()).decode()),
        title=escape(titles[0] if titles else NO_TITLE),
        style=asset("page.css"),
        body="\n".join(Blocks(document).body()),
        script=script,
    )


def asset(name: str) -> str:
    """A file of this folder."""
    return (files(__name__) / name).read_text("utf-8")
