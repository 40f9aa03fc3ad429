"""The sections of a document: headings, contents, and steps that fold."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from attncalc.core.notations.unicode import write
from attncalc.core.record import record
from attncalc.core.terms.formulas import Name
from attncalc.pages.documents.html.blocks import Blocks
from attncalc.worked.blocks import Block, Displays, Document, Equation, Heading, Law, Map

MOST_IN_LINE = 10
"""Up to this number, links stand in lines; more are folded, in columns."""
KEPT_RIGHT = (Displays, Map, Law, Equation)
FEWEST_LISTED = 4
"""From this number of headings on there is a table of contents."""


@record
class Section:
    """A heading and the blocks below it."""

    heading: Heading | None
    blocks: list[Block]


def sections(document: Document) -> list[Section]:
    """Split a document at its headings."""
    found = [Section(None, [])]
    for block in document.blocks:
        if isinstance(block, Heading):
            found.append(Section(block, []))
        else:
            found[-1].blocks.append(block)
    return found


class Sections(Blocks):
    """Writes a document section by section."""

    def __init__(self, document: Document) -> None:
        super().__init__(document)
        self.sections = sections(document)

    def body(self) -> Iterator[str]:
        """All sections, the contents after the first heading, and the lines for cells one points at."""
        listed = False
        for number, section in enumerate(self.sections):
            if section.heading and section.heading.level > 1 and not listed:
                yield from self.contents()
                listed = True
            yield from self.section(number, section)
        yield "<div hidden>"
        for name, line, why in self.cells.find_unworked():
            yield self.line(line, name, why)
        yield "</div>"
        if self.model:
            sentences = (
                f'<span data-if="{switch.code}">{self.prose(switch.sentence)}</span>'
                for switch in self.model.switches
            )
            names = map(self.mark_name, self.model.spoken)
            yield f'<div id="names" hidden>{"".join((*names, *sentences))}</div>'

    def mark_name(self, name: str) -> str:
        """A name, marked for the script."""
        return f'<math data-of="{escape(name)}">{write(Name(name), self.notation)}</math>'

    def contents(self) -> Iterator[str]:
        """The links to parts and steps, folded if they are many."""
        headed = ((number, section.heading) for number, section in enumerate(self.sections))
        listed = [(n, heading) for n, heading in headed if heading and (heading.level == 2 or heading.symbol)]
        if len(listed) < FEWEST_LISTED:
            return
        links = f'<nav aria-label="Steps">{" ".join(self.link(n, heading) for n, heading in listed)}</nav>'
        summary = f"<summary>Contents <small>{len(listed)}</small></summary>"
        is_short = len(listed) <= MOST_IN_LINE
        yield links if is_short else f'<details class="contents">{summary}{links}</details>'

    def link(self, number: int, heading: Heading) -> str:
        """A link to a section."""
        words, symbol = self.heading_parts(heading)
        kind = "" if symbol else ' class="part"'
        return f'<a href="#s{number}"{kind}>{words} {symbol}</a>'

    def section(self, number: int, section: Section) -> Iterator[str]:
        """A step folds; everything else stands open."""
        heading, level = section.heading, section.heading.level if section.heading else 0
        text = " ".join(self.heading_parts(heading)) if heading else ""
        if level == 3:
            kind = "step" if self.follows(section) else "step fixed"
            tag = f"h{self.rank(number)}"
            yield f'<details class="{kind}" id="s{number}" open><summary><{tag}>{text}</{tag}></summary>'
        elif level:
            yield f'<h{level} id="s{number}" dir="auto">{text}</h{level}>'
        for block in section.blocks:
            yield from self.block(block)
        if level == 3:
            yield "</details>"

    def rank(self, number: int) -> int:
        """The rank of a step's heading: below the part that it belongs to, if there is one."""
        before = self.sections[:number]
        return 3 if any(section.heading and section.heading.level == 2 for section in before) else 2

    def follows(self, section: Section) -> bool:
        """Whether the script keeps a section up to date, or nothing is computed."""
        return self.model is None or any(isinstance(block, KEPT_RIGHT) for block in section.blocks)
