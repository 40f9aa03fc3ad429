"""One file per output format.

text, markdown, latex, html    `render(document, page)`: any document
json, svg, numpy, torch        `render(solution, steps)`: a solution, or the steps of it that are asked for
check_json, check_csv, …       `render(reports, feedback)`: what `check` found

typeset, mathematics and matrices are what LaTeX and Markdown share; script is what NumPy and torch share.
"""

from attncalc.record import record

PAGES = ("markdown", "latex", "html")
"""The formats beside text that can write any document."""


@record
class Page:
    """What a format may be asked for: a whole file instead of a fragment, or a flavour."""

    standalone: bool = False
    flavor: str = ""


FRAGMENT = Page()
LONGEST_LABEL = 24


def shortened(text: str, most: int = LONGEST_LABEL) -> str:
    """A label that is not too long for its place."""
    return text if len(text) <= most else text[: most - 1] + "…"
