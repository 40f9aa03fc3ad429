"""A document as one self-contained HTML file: point at an entry to see where it comes from.

Every cell carries its key (`data-k`), and so does every entry and number in a worked line; the script
follows keys.  A page with a model computes: the script reads the rules, writes worked lines on demand, and
evaluates all steps again when a given number is changed.  Without the script the page can still be read.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from importlib.resources import files

import numpy as np

from attncalc.core.notations.data import Data, axis_data, to_data
from attncalc.core.ops.base import Piece
from attncalc.core.record import replace
from attncalc.core.terms.functions import FUNCTIONS
from attncalc.pages import Page
from attncalc.pages.documents.html.sections import Sections
from attncalc.worked.blocks import Document, Heading
from attncalc.worked.page_model import Given, Model, Rule, Switch


def write_model(model: Model) -> str:
    """The model as JSON for a page, in which nothing ends the element."""
    return json.dumps(model_object(model), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def model_object(model: Model) -> dict[str, object]:
    """The model as mappings, lists, numbers and text."""
    return {
        "given": [object_of_given(given) for given in model.given],
        "sizes": dict(model.sizes),
        "rules": [{**rule_object(rule), "share": model.shares[rule.name]} for rule in model.rules],
        "exact": {
            name: [None if term is None else to_data(term) for term in terms]
            for name, terms in model.exact.items()
        },
        "places": model.places,
        "digits": model.digits,
        "asked": model.asked,
        "marking": model.marking,
        "tokens": list(map(list, model.tokens)),
        "switches": [switch_object(switch) for switch in model.switches],
        "silent": [row.name for row in FUNCTIONS.values() if not row.is_written],
        "lookedUp": [row.name for row in FUNCTIONS.values() if row.is_looked_up],
    }


def switch_object(switch: Switch) -> dict[str, object]:
    """A mistake: its code, and the blocks of the steps that it changes."""
    pieces = {rule.name: pieces_data(rule.pieces) for rule in switch.rules}
    return {"code": switch.code, "pieces": pieces}


def object_of_given(given: Given) -> dict[str, object]:
    """A given matrix; null stands for −∞, which JSON does not have."""
    numbers = [None if np.isneginf(x) else x for x in given.numbers.ravel().tolist()]
    shape = list(given.numbers.shape)
    halves = {} if given.halves is None else {"halves": given.halves.ravel().tolist()}
    found = {"name": given.name, "stage": given.stage, "head": given.head, "shape": shape, "numbers": numbers}
    return {**found, **halves}


def rule_object(rule: Rule) -> dict[str, object]:
    """A step: its shape and its blocks; null stands for −∞ here too."""
    found: dict[str, object] = {
        "name": rule.name,
        "title": rule.title,
        "stage": rule.kind.stage,
        "head": rule.head,
        "shape": list(rule.shape),
        "axes": list(map(axis_data, rule.axes)),
        "pieces": pieces_data(rule.pieces),
    }
    if rule.kind.hides_by is not None:
        found["hidesBy"] = None if np.isneginf(rule.kind.hides_by) else rule.kind.hides_by
    return {**found, "shifted": pieces_data(rule.shifted)} if rule.shifted else found


def pieces_data(pieces: Iterable[Piece]) -> list[Data]:
    """Blocks: the axes of rows and columns, and the rule."""
    return [
        [[[axis.letter, axis.size, axis.start, axis.stride] for axis in piece.axes], to_data(piece.rule)]
        for piece in pieces
    ]


POINTED = True
NO_TITLE = "attncalc"
SCRIPTS = (
    "functions", "terms", "evaluate", "matrices", "decimals", "notation", "lengths", "lines",
    "markup", "working", "ways", "changes", "address", "play", "pictures", "arcs", "folds", "switches",
    "intervals", "boxes", "judging", "trying", "scrolling", "start",
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
    "default-src 'none'; style-src 'unsafe-inline'; script-src {scripts}; base-uri 'none'; form-action 'none'"
)
"""No network requests, and no script but our own."""


def render(document: Document, _: Page) -> str:
    """The whole file."""
    script = whole_script()
    return fill(document, asset("page.css"), script, script)


def render_framed(document: Document) -> str:
    """The page as a frame in a notebook, which holds style and script once for all frames."""
    script = asset("notebook/frame.js")
    return fill(document, "", script, script, whole_script())


def render_assets() -> str:
    """The notebook's script, which hands style and script to the frames."""
    assets = json.dumps({"style": asset("page.css"), "script": whole_script()}).replace("<", r"\u003c")
    return f"<script>{asset('notebook/notebook.js').replace('%s', assets)}</script>"


def fill(document: Document, style: str, script: str, *allowed: str) -> str:
    """Fill the page with a document, a style and a script; only the allowed scripts may run."""
    document = with_title(document)
    titles = [block.text for block in document.blocks if isinstance(block, Heading) and block.level == 1]
    sections = Sections(document)
    return PAGE.format(
        policy=POLICY.format(scripts=" ".join(map(fingerprint, allowed))),
        title=escape(titles[0] if titles else NO_TITLE),
        style=style,
        kind=' class="many"' if sections.is_long else "",
        body="\n".join(sections.body()),
        model=MODEL.format(write_model(document.model)) if document.model else "",
        script=script,
    )


def fingerprint(script: str) -> str:
    """The hash of a script for the content security policy."""
    return f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"


def with_title(document: Document) -> Document:
    """Put the title of a document first, unless it has one."""
    has_one = any(isinstance(block, Heading) and block.level == 1 for block in document.blocks)
    if has_one or not document.title:
        return document
    return replace(document, blocks=(Heading(document.title, 1), *document.blocks))


def whole_script() -> str:
    """All files of the script in one function, so that they define no globals, without comments."""
    lines = (line.strip() for name in SCRIPTS for line in asset(f"script/{name}.js").splitlines())
    return SCRIPT.format("".join(f"{line}\n" for line in lines if line and not line.startswith("//")))


def asset(name: str) -> str:
    """A file of this folder."""
    return (files(__name__) / name).read_text("utf-8")
