"""A solution as a workbook: a sheet with live formulas, and one that explains names and conventions.

XlsxWriter writes it, because it stores the value of a formula beside it: programs that do not compute, such
as previews, show the numbers.  Reading needs no library: see `kind_xlsx`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from io import BytesIO
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from attncalc.core.errors import fault, inert
from attncalc.core.fields import Floats
from attncalc.core.graph.references import Reference, count_from_one
from attncalc.core.record import record
from attncalc.core.terms import Constant, Term
from attncalc.exercise.solve.selection import Cells, all_cells, find_cells
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.features.spreadsheets.formulas import HIDDEN, MOST_COLUMNS, Formulas, column_letters
from attncalc.features.spreadsheets.layout import (
    GIVEN,
    Band,
    Block,
    Group,
    by_head,
    lay_out,
    plain,
    solution_groups,
)
from attncalc.worked.rounding import SHOWN_PLACES, Rounding
from attncalc.worked.view import Excerpt, View
from attncalc.worked.writer.steps import Writer

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

MOST_CELLS = 50_000
MISSING = "needs XlsxWriter: pip install 'attncalc[xlsx]'"
SHEET, NAMES = "Attention", "Names"
BLOCK, GIVEN_BLOCK, IN_BATCH = "step_", "given_", ".."
"""How the names of blocks begin, without which some would be names of cells: N1; and the sign for a batch."""
CREATED = datetime(2000, 1, 1)
"""The same problem gives the same bytes."""
COLUMN_WIDTH, LABEL_LENGTH = 8.6, 14
WORDS_HEIGHT = 32
STYLES: dict[str, dict[str, object]] = {
    "title": {"bold": True, "font_size": 15},
    "note": {"font_color": "#5B6270", "italic": True},
    "heading": {"bold": True, "font_size": 12, "font_color": "#1F3864", "bottom": 1},
    "name": {"bold": True},
    "law": {"font_color": "#1F3864", "font_name": "Cambria"},
    "words": {"font_color": "#5B6270", "font_size": 9, "text_wrap": True, "valign": "top"},
    "label": {"font_color": "#5B6270", "align": "center"},
    "given": {"bg_color": "#FFF6D6", "font_color": "#1F4FBF", "border": 1, "border_color": "#C9B36A"},
    "step": {"border": 1, "border_color": "#B8BEC9"},
    "blank": {"border": 1, "border_color": "#5B6270"},
    "shut": {"bg_color": "#E4E7EC", "border": 1, "border_color": "#B8BEC9"},
    "text": {"text_wrap": True, "valign": "top"},
}
WEIGHT_COLOUR = "#7FB0E6"
OF_SOLUTION = (
    "Yellow cells are given: change a number in them, and every step follows.",
    "Every other entry is a formula: click it to see what it is computed from.",
    f"{HIDDEN} is the score of a hidden key: a text, because a spreadsheet has no such number. Its power of "
    "e is 0.",
    "Numbers are shown rounded and computed with all their digits.",
)
OF_WORKSHEET = (
    "Yellow cells are given. Fill in the white ones with a border, by numbers or by formulas of your own.",
    "Grey cells are not asked for; what stands in them is read all the same. A cell left empty is blank.",
    f"Write -inf or {HIDDEN} for the score of a hidden key. Rows and columns may be moved, and others added.",
)
LAYOUTS = {
    False: "A row is a token: rows of Q are queries, rows of K and V are keys and values.",
    True: "A column is a token: columns of Q are queries, columns of K and V are keys and values.",
}


@record
class Page:
    """What a workbook shows: groups of matrices, and for a worksheet the cells that are to be filled in."""

    solution: Solution
    groups: tuple[Group, ...]
    view: View = View()
    blanks: Cells | None = None
    is_protected: bool = False

    @property
    def has_laws(self) -> bool:
        """Whether it says how each step is computed: on a worksheet only if that is asked for."""
        return self.blanks is None or self.view.detail == "steps"

    @property
    def steps(self) -> list[SolvedStep]:
        """The steps that it shows."""
        names = {name for _, names in self.groups for name in names}
        return [step for step in self.solution.steps if step.name in names]


def solution_page(excerpt: Excerpt) -> Page:
    """Return the page of a solution: the steps that are asked for, and all that they are computed from."""
    solution, chosen = excerpt.solution, {step.name for step in excerpt.steps}
    last = max((n for n, step in enumerate(solution.steps) if step.name in chosen), default=-1)
    groups = solution_groups(solution, solution.steps[: last + 1])
    return Page(solution, tuple(groups), excerpt.view)


def worksheet_page(excerpt: Excerpt) -> Page:
    """Return the page of a worksheet: the given matrices, and blanks for what is asked for."""
    solution, view, problem = excerpt.solution, excerpt.view, excerpt.solution.problem
    if problem.design:
        raise fault("has many right designs: a sheet takes one right number each", problem.place("design"))
    groups: list[Group] = [(GIVEN, [*solution.graph.given])]
    references = [*view.references]
    parts = [] if references else [part for part in problem.parts if view.shows(part.label)]
    seen: set[str] = set()
    for part in parts:
        asked = [solution.resolve(reference) for reference in part.steps]
        names = [name for name in dict.fromkeys(one.step for one in asked) if name not in seen]
        groups += [(f"({part.label})  {part.ask}".strip(), names)] if names else []
        seen |= {*names}
        references += asked
    if not parts:
        references = references or [Reference(step.name) for step in solution.steps]
        wanted = {one.step for one in references}
        steps = [step for step in solution.steps if step.name in wanted]
        groups += [(heading, [step.name for step in some]) for heading, some in by_head(steps)]
    blanks = find_cells(solution, references)
    return Page(solution, tuple(groups), view, blanks)


def write_workbook(page: Page) -> bytes:
    """Return the bytes of the workbook."""
    refuse(page)
    try:
        from xlsxwriter import Workbook
    except ImportError:
        raise fault(MISSING) from None
    data = BytesIO()
    book = Workbook(data, {"in_memory": True, "strings_to_urls": False})
    book.set_properties({"created": CREATED})
    Sheet(page, book).write()
    book.close()
    return data.getvalue()


def refuse(page: Page) -> None:
    """Raise an error for a solution that a sheet of numbers cannot show."""
    solution = page.solution
    if not page.steps:
        raise fault("has no steps to compute", solution.problem.place("parts"))
    cells = sum(prod(solution.graph.shapes[step.name]) for step in page.steps)
    if cells > MOST_CELLS:
        message = f"is too large for a spreadsheet: {cells:,} entries, at most {MOST_CELLS:,}"
        raise fault(message, solution.problem.place("X", "Q", "S"))
    for step in page.steps:
        if any(map(solution.trace.field.is_open, step.numbers.ravel())):
            raise fault(f"{step.name} has entries with free letters; a spreadsheet has numbers only")
        if step.step.label.limit:
            place = solution.problem.place("limit")
            raise fault(f"{step.name} is a limit; a spreadsheet computes with numbers only", place)


class Sheet:
    """Writes the two sheets of a workbook."""

    def __init__(self, page: Page, book: Any) -> None:
        self.page, self.book, self.solution = page, book, page.solution
        self.writer = Writer(page.solution, View(rounding=page.view.rounding))
        self.bands = lay_out(page.solution, page.groups, self.writer, page.has_laws)
        self.blocks = {block.name: block for band in self.bands for block in band.blocks}
        self.formulas = Formulas({name: block.placed for name, block in self.blocks.items()}, ())
        self.formulas.hiding |= {*self.find_hiding()}
        self.styles: dict[tuple[str, str], Format] = {}
        self.sheet: Worksheet = book.add_worksheet(SHEET)

    def find_hiding(self) -> Iterator[str]:
        """Yield the matrices whose entries may be −∞; `formulas` learns each before the next is asked."""
        graph = self.solution.graph
        for name, matrix in graph.given.items():
            floats = self.solution.trace.field.floats(self.solution.trace.values[name])
            if graph.is_mask(name) or (matrix.size and np.isneginf(floats).any()):
                self.formulas.hiding.add(name)
                yield name
        for step in self.page.steps:
            if any(self.formulas.hides(piece.rule) for piece in step.pieces):
                self.formulas.hiding.add(step.name)
                yield step.name

    def style(self, name: str, number: str = "General") -> Format:
        """Return a format with a way of writing numbers, made once."""
        if (name, number) not in self.styles:
            self.styles[name, number] = self.book.add_format({**STYLES[name], "num_format": number})
        return self.styles[name, number]

    def write(self) -> None:
        """Write everything."""
        columns = max(block.left + block.width for block in self.blocks.values())
        if columns > MOST_COLUMNS:
            raise fault(f"is too large for a spreadsheet: {columns:,} columns, at most {MOST_COLUMNS:,}")
        self.sheet.set_column(0, columns, COLUMN_WIDTH)
        self.write_top()
        for band in self.bands:
            self.write_band(band)
        self.sheet.hide_gridlines(2)
        self.sheet.set_landscape()
        self.sheet.fit_to_pages(1, 0)
        self.write_names()

    def write_top(self) -> None:
        """Write the title and the line for the student, which stay in sight."""
        problem = self.solution.problem
        self.sheet.write_string(0, 0, inert(problem.heading), self.style("title"))
        about = "Yellow cells can be changed: every other entry is a formula."
        if self.page.blanks is None:
            self.sheet.write_string(1, 0, about, self.style("note"))
            self.sheet.write_string(2, 0, inert(problem.source), self.style("note"))
        else:
            self.sheet.write_string(1, 0, "problem", self.style("label"))
            self.sheet.write_string(1, 1, inert(problem.called), self.style("name"))
            if self.page.view.code:
                self.sheet.write_string(1, 5, "code", self.style("label"))
                self.sheet.write_string(1, 6, inert(self.page.view.code), self.style("name"))
            self.sheet.write_string(2, 0, "student", self.style("label"))
            self.sheet.merge_range(2, 1, 2, 4, "", self.style("blank"))
        self.sheet.write_string(3, 0, inert(problem.setting), self.style("note"))
        self.sheet.freeze_panes(3, 0)

    def write_band(self, band: Band) -> None:
        """Write blocks side by side, below their heading."""
        if band.heading:
            for column in range(max(block.left + block.width for block in band.blocks) - 1):
                self.sheet.write_blank(band.row, column, None, self.style("heading"))
            self.sheet.write_string(band.row, 0, band.heading, self.style("heading"))
        for block in band.blocks:
            if block.words:
                self.sheet.set_row(block.top + 2, WORDS_HEIGHT)
            self.write_block(block)

    def write_block(self, block: Block) -> None:
        """Write a matrix with its name, its law, its sentence and its labels."""
        top, left, right = block.top, block.left, block.left + block.width - 2
        self.sheet.write_string(top, left, inert(block.heading), self.style("name"))
        self.sheet.write_string(top + 1, left, inert(block.law), self.style("law"))
        if block.words:
            self.sheet.merge_range(top + 2, left, top + 2, right, inert(block.words), self.style("words"))
        for n, label in enumerate(block.column_labels):
            self.sheet.write_string(block.placed.row - 1, left + 1 + n, shorten(label), self.style("label"))
        for n, label in enumerate(block.row_labels):
            self.sheet.write_string(block.placed.row + n, left, shorten(label), self.style("label"))
        if block.name in self.solution.graph.shapes:
            self.write_matrix(block)
        else:
            size = self.solution.graph.sizes[block.name]
            self.sheet.write_number(block.placed.row, block.placed.column, size, self.style("step"))

    def write_matrix(self, block: Block) -> None:
        """Write the entries: numbers that can be changed, formulas, or blanks."""
        solution, name = self.solution, block.name
        values = solution.trace.field.floats(solution.trace.values[name])
        number = number_format(values, self.page.view.rounding)
        matrix = solution.graph.given.get(name)
        for at in all_cells(values.shape):
            where = block.placed.find(at)
            if matrix is not None:
                self.write_given(where, matrix[at], float(values[at]), self.style("given", number))
            elif self.page.blanks is not None:
                is_asked = at in self.page.blanks.get(name, set())
                self.sheet.write_blank(*where, None, self.style("blank" if is_asked else "shut"))
            else:
                formula = self.formulas.formula(self.rule(solution[name], at))
                self.write_formula(where, formula, float(values[at]), self.style("step", number))
        self.name_block(block, values.shape)
        if solution.graph.stage(name) == "weights":
            end = (block.placed.row + block.rows - 1, block.placed.column + block.columns - 1)
            self.sheet.conditional_format(
                block.placed.row, block.placed.column, *end,
                {
                    "type": "2_color_scale", "min_type": "num", "max_type": "num", "min_value": 0,
                    "max_value": 1, "min_color": "#FFFFFF", "max_color": WEIGHT_COLOUR,
                },
            )  # fmt: skip

    def name_block(self, block: Block, shape: tuple[int, ...]) -> None:
        """Give the cells of a step a name, or those of each sequence of a batch: step_S, step_S..2."""
        last = (shape[-2] - 1, shape[-1] - 1)
        for batch in np.ndindex(shape[:-2]):
            ends = (block.placed.find((*batch, *at)) for at in ((0, 0), last))
            area = ":".join(f"${column_letters(column)}${row + 1}" for row, column in ends)
            number = f"{IN_BATCH}{count_from_one(batch).replace(',', '.')}" if batch else ""
            self.book.define_name(
                f"{GIVEN_BLOCK if block.is_given else BLOCK}{block.name}{number}", f"={SHEET}!{area}"
            )

    def rule(self, step: SolvedStep, at: tuple[int, ...]) -> Term:
        """Return the rule of a cell, its sums not written out."""
        return self.writer.in_batch(step.cell(at, expand=False), at)

    def write_given(self, where: tuple[int, int], entry: Term | float, value: float, style: Format) -> None:
        """Write a given number as it was typed: 1/3 and sqrt(2) are formulas."""
        if np.isneginf(value):
            self.sheet.write_string(*where, HIDDEN, style)
        elif isinstance(entry, Term) and not is_number(entry):
            self.write_formula(where, self.formulas.formula(entry), value, style)
        else:
            self.sheet.write_number(*where, value, style)

    def write_formula(self, where: tuple[int, int], formula: str, value: float, style: Format) -> None:
        """Write a formula, and the value that it has now."""
        shown = HIDDEN if np.isneginf(value) else value + 0
        self.sheet.write_formula(*where, formula, style, shown)

    # Names and conventions

    def write_names(self) -> None:
        """Write the second sheet: what each matrix is, and the conventions."""
        sheet: Worksheet = self.book.add_worksheet(NAMES)
        for column, width in enumerate((14, 30, 44, 60, 12)):
            sheet.set_column(column, column, width)
        for column, word in enumerate(("name", "is", "law", "in words", "shape")):
            sheet.write_string(0, column, word, self.style("heading"))
        row = 1
        for block in self.blocks.values():
            symbol, _, title = block.heading.partition("  ")
            for column, text in enumerate((symbol, title or "given", block.law, block.words)):
                sheet.write_string(row, column, inert(text), self.style("text"))
            sheet.write_string(row, 4, f"{block.rows} × {block.columns}", self.style("text"))
            row += 1
        conventions = OF_SOLUTION if self.page.blanks is None else OF_WORKSHEET
        for text in (*conventions, LAYOUTS[self.solution.graph.in_columns], *self.notes()):
            row += 1
            sheet.write_string(row, 0, inert(text))
        sheet.freeze_panes(1, 0)

    def notes(self) -> Iterator[str]:
        """The notes on the steps, each once."""
        notes: Mapping[str, None] = dict.fromkeys(
            note for step in self.page.steps for note in step.step.notes
        )
        yield from map(plain, notes)


def is_number(entry: Term) -> bool:
    """Whether a given entry is a decimal, which needs no formula."""
    return isinstance(entry, Constant) and (entry.places is not None or float(entry.value).is_integer())


def number_format(values: Floats, rounding: Rounding) -> str:
    """Return how the numbers of a matrix are shown: whole ones as they are, others with some decimals."""
    finite = values[np.isfinite(values)]
    if np.array_equal(finite, np.round(finite)) and not rounding.places:
        return "General"
    largest = np.abs(finite).max(initial=0)
    if not 10.0**-SHOWN_PLACES <= largest < 10.0**9:
        return "0.00E+00"
    places = SHOWN_PLACES if rounding.places is None else rounding.places
    return f"0.{'0' * places}" if places else "0"


def shorten(label: str) -> str:
    """Return a label that fits above a column."""
    text = inert(label)
    return text if len(text) <= LABEL_LENGTH else f"{text[: LABEL_LENGTH - 1]}…"
