"""Documents as pages: LaTeX, Markdown and worksheets; with pdflatex they are compiled."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from syrupy.assertion import SnapshotAssertion

import attncalc
from attncalc.core.families import names_in
from attncalc.core.fields import Numeric
from attncalc.core.graph.graph import number_of
from attncalc.core.notations.latex import Latex, MathJax, escape
from attncalc.core.notations.unicode import Ascii, write
from attncalc.core.record import replace
from attncalc.core.terms import Constant, Entry, Term, members
from attncalc.core.terms.formulas import Name, Words
from attncalc.exercise.solve.solution import Solution
from attncalc.features.sampling.document import spread
from attncalc.marking.report.feedback import feedback
from attncalc.marking.report.levels import Level
from attncalc.marking.verdicts import StepVerdict
from attncalc.pages import Page, formats_of
from attncalc.pages.documents.latex import CODE_POINT
from attncalc.pages.typeset.layout import TEX
from attncalc.pages.typeset.mathematics import Mathematics
from attncalc.pages.typeset.matrices import LaidOut
from attncalc.worked.blocks import (
    BLANK,
    Answer,
    Bars,
    Block,
    Code,
    Display,
    Displays,
    Document,
    Equation,
    Equations,
    Grid,
    Heading,
    Law,
    Listing,
    Map,
    Note,
    Paragraph,
    Room,
    Table,
    Verdict,
)
from attncalc.worked.document import document
from attncalc.worked.overview import cost, shapes
from attncalc.worked.prose import pieces
from attncalc.worked.view import View
from attncalc.worked.worksheet import worksheet
from attncalc.worked.writer.steps import Writer
from tests.helpers.bundled import (
    FEW,
    KEYED,
    NAMES,
    PROBLEMS,
    WORKED,
    explained_topic,
    key_report,
    sheet,
    solved,
    worked,
)
from tests.helpers.quick_and_slow import each

HOSTILE = r"""\input{/etc/passwd} $$x$$ $y$ \$z 100% #1 <script>alert(1)</script> `code` **b** _i_ ~~s~~
[l](javascript:alert(1)) ![i](x.png) \begin{align}a\end{align} \(a\) \[b\] & ^ {x} | a | :smile: h_1 x^2
- item שלום 😀 日本 ‮rtl &lt; <img src=x onerror=alert(1)> ```math \end{document} -- '' ?` "q" \\"""
SAMPLE = ("dot-product-3", "problem-set-4-q3", "encoder-layer", "d2l-valid-lens")
AGAIN = r"(?:changed|rerunfilecheck|[Rr]erun)"
"""What a second run would settle."""
OVERFULL = 5.0
"""How far a line may reach into the margin, in points."""

PAGES = formats_of("documents")
ALL_AT_ONCE = Page(standalone=True, flavor="github", width=30, ascii=True, colour=True)
ASKED = {f"{name}, all at once": (format_, ALL_AT_ONCE) for name, format_ in PAGES.items()}
"""The formats that there are, with all that they may be asked for."""
FORMS = {
    **{name: (format_, Page()) for name, format_ in PAGES.items()},
    "standalone": (PAGES["latex"], Page(standalone=True)),
    "github": (PAGES["markdown"], Page(flavor="github")),
    **ASKED,
}
"""The same, as they are, and with what some of them are asked for most."""


@cache
def hostile() -> Solution:
    """A problem whose every text would like to be more than text."""
    return attncalc.solve(
        attncalc.problem(
            title=HOSTILE, source=f"# {HOSTILE}", note=f"- {HOSTILE}", tokens=[HOSTILE, "1. b"], names={"A": "ωé'"},
            Q=[[1, 0], [0, 1]], K=[[1, 0], [0, 1]], V=[[1, 0], [0, 1]],
            parts=[{"part": HOSTILE, "show": ["A", "O[1]", "O[1,2]", "map", "attends", "shapes", "cost"]}],
        )
    )  # fmt: skip


def every_block() -> Document:
    """One block of each kind."""
    grid = Grid(((Constant(1), None), (Entry("_"), Constant(-2))), ("a", "b"), (), frozenset({(1, 1)}))
    blocks: tuple[Block, ...] = (
        Heading(HOSTILE, 1), Heading("Scores S", 3), Paragraph(HOSTILE), Note(HOSTILE), Code("def f(x):\n    return x @ x"),
        Law(Name("S"), Name("Q") @ Name("K").T, (("Q", (1, 2)),), ("S", (1, 1))), Equation(Words(("your ", Name("S"))), (("=", Constant(1)),)),
        Equations((Equation(Entry("S"), (("≈", Constant(1)),)),)), Displays((Display("your S", (("=", grid),)),)),
        Verdict(StepVerdict.WRONG.sign, "S", HOSTILE), Listing(((HOSTILE, HOSTILE),)), Bars(HOSTILE, ((HOSTILE, 3), ("b", 1))), Table(("a", HOSTILE), ((HOSTILE, "1"),)), Room(3), Room(words=("Name", HOSTILE)),
        Answer(HOSTILE, (Display("A", (("=", grid),)),)),
        Map("A", (HOSTILE, "b"), ("a", "b"), ((0.0, 1.0), (0.5, 0.5))),
    )  # fmt: skip
    return Document(blocks)


def written(told: Document, form: str) -> str:
    """A document in one of the forms."""
    format_, page = FORMS[form]
    return format_.render(told, page)


# All of them


def sound(text: str) -> None:
    """Braces and environments close in order."""
    bare = re.sub(r"\\[\\{}]", "", text)
    depth = 0
    for brace in re.findall(r"[{}]", bare):
        depth += 1 if brace == "{" else -1
        assert depth >= 0
    assert depth == 0
    opened: list[str] = []
    for word, name in re.findall(r"\\(begin|end)\{([a-z*]+)\}", text):
        if word == "begin":
            opened.append(name)
        else:
            assert opened.pop() == name
    assert not opened
    assert text.count(r"\left") == text.count(r"\right")


def well_formed(text: str, form: str) -> None:
    """What every reader of a form relies on."""
    format_, page = FORMS[form]
    # No row is parted from the one that it continues: by a page, or by a display that ends.
    assert not re.search(r"\\begin\{align\S*\n&(?! )", text)
    if format_.name == "latex":
        sound(text)
        assert not re.search(r"\\\\\n&(?! )", text)
        assert text.isascii()
        assert (r"\documentclass" in text) == page.standalone
        assert not re.search(r"\\begin\{align(?:(?!\\end\{align)[\s\S])*\n\n", text)
    if format_.name == "markdown":
        well_fenced(text, page.flavor == "github")
    assert text.strip()


def well_fenced(text: str, github: bool) -> None:
    """Formulas stand between their fences, line by line."""
    fence = ("```math", "```") if github else ("$$", "$$")
    assert not github or "$$" not in text
    inside = ""
    for line in text.split("\n"):
        if inside:
            assert line and line[0] not in "+-#=>"
            assert line == fence[1] or r"\\" not in line.removesuffix(r"\\")
        if line == (fence[1] if inside else fence[0]):
            inside = "" if inside else line
    assert not inside
    for block in re.findall(
        rf"(?:^|\n\n){re.escape(fence[0])}\n([\s\S]*?)\n{re.escape(fence[1])}(?:\n\n|\n?$)", text
    ):
        sound(block)
        assert r"\operatorname" not in block


@each("form", FORMS, quick=ASKED.keys() - {"html, all at once"})  # test_html.py has pages of its own
@each("name", NAMES, quick=FEW)
def test_every_problem(name: str, form: str) -> None:
    """Every bundled problem can be written in every form, and so can its worksheet."""
    for told in (worked(name, FORMS[form][0].is_pointed), sheet(name)):
        well_formed(written(told, form), form)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("topic", names_in("topics"))
def test_every_topic(topic: str, form: str) -> None:
    """So can every topic."""
    well_formed(written(explained_topic(topic), form), form)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_worksheet(form: str) -> None:
    """So can a sheet, whose formulas have no shapes and leave no room for them."""
    text = written(sheet("sum-normalised"), form)
    well_formed(text, form)
    assert '<span class="shapes"></span>' not in text


@pytest.mark.parametrize("form", FORMS)
def test_every_block(form: str) -> None:
    """So can every kind of block."""
    well_formed(written(every_block(), form), form)


@each("name", NAMES, quick=FEW)
def test_matrices_read_back(name: str) -> None:
    """A matrix as LaTeX is a matrix of the grammar that problem files are written in."""
    maths = Mathematics(Latex(), 80, 40)
    displays = [block for block in worked(name).blocks if isinstance(block, Displays)]
    for grid in [display.grids[0][1] for block in displays for display in block.members]:
        terms = [cell for row in grid.cells for cell in row]
        if None in terms or any(map(has_letters, terms)):
            continue
        cells = [[maths.entry(grid, i, j) for j in range(len(row))] for i, row in enumerate(grid.cells)]
        found = attncalc.problem(S=TEX.matrix(LaidOut(cells, [], [], TEX.width))).settings["S"]
        np.testing.assert_allclose(values(found.ravel()), values(terms))


def has_letters(term: Term | None) -> bool:
    """Whether a number has a free letter in it."""
    return (isinstance(term, Entry) and term.of != "pi") or any(
        map(has_letters, members(term) if term else ())
    )


def values(terms: Any) -> list[float]:
    """The values of terms."""
    return [float(number_of(term, Numeric())) for term in terms]


# Formulas


@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    """Whatever a text holds, it is ASCII, closed and free of commands that were not meant."""
    for tex in (escape(text), Latex().name(text), Latex().text(text)):
        assert tex.isascii()
        sound(tex)
        assert not re.search(r"(?<!\\)[$%#&]", tex)
    drawn = MathJax().text(text)
    sound(drawn)
    assert not set(drawn) & set("$#%&~<>`|*")
    assert not re.search(r"[_^](?! \{)", drawn)


@pytest.mark.parametrize("tex", [r"\frac{e^{2\sqrt{2}}}{e + 1}", r"Q_{11} \cdot K_{11}", "-2.5000"])
def test_width_of_a_fraction(tex: str) -> None:
    """A fraction is as wide as its longer part."""
    assert TEX.width(rf"\frac{{{tex}}}{{2}}") == TEX.width(tex)


# Text from files is inert


def tokens(found: list[Token]) -> Iterator[Token]:
    """All tokens, also those inside others."""
    for token in found:
        yield token
        yield from tokens(token.children or [])


@pytest.mark.parametrize("form", ["markdown", "github"])
@pytest.mark.parametrize("told", ["solution", "worksheet", "blocks"])
def test_inert_in_markdown(told: str, form: str) -> None:
    """Nothing in a title is markup, a link, an element or a formula."""
    text = written(hostile_document(told), form)
    for formula in (r"(?s)\$\$\n.*?\n\$\$", r"(?s)```math\n.*?\n```", r"\$`[^`$]+`\$", r"\$[^$<>]+\$"):
        text = re.sub(formula, "", text)
    parsed = list(tokens(MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)))
    kinds = {token.type.removesuffix("_open").removesuffix("_close") for token in parsed}
    assert kinds <= {
        "inline", "text", "strong", "heading", "paragraph", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "html_inline", "fence",
    }  # fmt: skip
    assert {token.content for token in parsed if token.type == "html_inline"} <= {"<span>", "</span>"}
    # Where notebooks look for formulas once more, what could start one stands alone between its tags.
    assert {
        token.content for token in parsed if token.type == "text" and re.search(r"[\\$]", token.content)
    } == {"\\", "$"}


def hostile_document(told: str) -> Document:
    """The documents with hostile text in them."""
    if told == "blocks":
        return every_block()
    return document(hostile(), View()) if told == "solution" else worksheet(hostile(), View())


@pytest.mark.parametrize("told", ["solution", "worksheet", "blocks"])
def test_inert_in_latex(told: str) -> None:
    """Nothing in a title is a command."""
    text = written(hostile_document(told), "latex")
    assert not re.search(r"\\(?:input|script|end\{document\}|begin\{align\})", text)
    assert not re.search(r"(?<!\\)[#%]", text.removeprefix("% needs").replace(CODE_POINT, ""))
    assert "$$" not in text


@pytest.mark.parametrize("program", ["pdflatex", "lualatex", "xelatex"])
def test_emoji_compile(program: str, tmp_path: Path) -> None:
    """With every program; the page says which of them show the characters and not their code points."""
    if not shutil.which(program):
        pytest.skip(f"{program} is not installed")
    (tmp_path / "page.tex").write_text(written(Document((Heading("The 😀 日", 1),)), "standalone"))
    command = [program, "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    subprocess.run(command, cwd=tmp_path, stdout=-1, timeout=60, check=True)
    assert "lualatex and xelatex show emoji" in (tmp_path / "page.tex").read_text()


# Worksheets


@each("name", NAMES, quick=FEW)
def test_worksheet_is_blank(name: str) -> None:
    """After what is given there are laws and blanks, and no result in the text."""
    solution = solved(name)
    blocks = sheet(name).blocks
    start = 1 + len(list(Writer(solution, View()).opening()))
    grids = [
        grid
        for block in blocks[start:]
        if isinstance(block, Displays)
        for m in block.members
        for _, grid in m.grids
    ]
    assert all(cell in (BLANK, None) for grid in grids for row in grid.cells for cell in row)
    lines = [line for block in blocks[start:] if isinstance(block, Equations) for line in block.lines]
    assert all(line.sides == (("=", BLANK),) for line in lines)
    said = " ".join(
        write(Words(tuple(pieces(b.text))), Ascii()) for b in blocks if isinstance(b, Paragraph | Note)
    )
    decimals = {
        f"{abs(x):.{n}f}" for step in solution.steps for x in step.value.ravel() for n in (2, 3, 4, 5)
    }
    assert decimals.isdisjoint(re.findall(r"\d+\.\d+", said))


def test_a_worksheet_gives_nothing_away() -> None:
    """Sheets of two problems with other numbers differ in what is given only."""
    keys = {
        "scale": "none",
        "mask": "causal",
        "parts": [{"part": "a", "show": ["S", "A[2]", "O[1,2]", "cost"]}],
    }
    one, other = (
        worksheet(
            attncalc.solve(attncalc.problem(Q=q, K=[[1, 2], [3, 4]], V=[[5, 6], [7, v]], **keys)), View()
        ).blocks
        for q, v in (([[1, 0], [0, 1]], 8), ([[2, 1], [1, 3]], 9))
    )
    assert [n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b] == [2]


def test_worksheet_leaves_out_what_may_tell() -> None:
    """Title, source and setting are on the sheet; a note may speak of results."""
    told = replace(solved("softcap").problem, setting="The query is q.")
    said = {block.text for block in worksheet(attncalc.solve(told), View()).blocks if hasattr(block, "text")}
    assert {told.title, told.source, told.setting} <= said
    assert told.note and told.note not in said


def marked(detail: str = "cells") -> list[Block]:
    """A sheet with points, which a step that two parts ask for has once."""
    problem = attncalc.problem(
        Q=[[1, 0], [0, 1]], K=[[1, 2], [3, 4]], V=[[5, 6], [7, 8]], marks={"S": 2, "A": 3, "O": 1},
        parts=[{"part": "a", "show": ["S", "A[1]"]}, {"part": "b", "show": ["A", "O"]}],
    )  # fmt: skip
    return [*worksheet(attncalc.solve(problem), View(detail)).blocks]


def test_worksheet_has_a_name_and_points() -> None:
    """Every point of the exercise is a point of one part."""
    assert Room(words=("Name", "Points, of 6")) in marked()
    assert [block.text for block in marked() if isinstance(block, Note)] == ["3.5 points", "2.5 points"]


def test_worksheet_has_room_by_what_is_asked() -> None:
    """A line for every entry, as far as there is a page for it."""
    assert [block.lines for block in marked() if isinstance(block, Room) and not block.words] == [4, 2, 4, 4]


def test_worksheet_without_laws() -> None:
    """The laws, which may be what another part asks for, stand there only on request."""
    whole, usual = marked("steps"), marked()
    assert [block for block in whole if not isinstance(block, Equation)] == usual != whole


# Golden files


@pytest.mark.parametrize("form", ["latex", "markdown"])
@pytest.mark.parametrize("name", ["sum-normalised", "exact-causal"])
def test_page(name: str, form: str, golden: SnapshotAssertion) -> None:
    """The whole solution."""
    assert written(worked(name), form) == golden


@pytest.mark.parametrize("form", ["standalone", "github"])
@pytest.mark.parametrize("name", ["sum-normalised", "problem-set-4-q3"])
def test_worksheet(name: str, form: str, golden: SnapshotAssertion) -> None:
    """The sheet to hand out."""
    assert written(sheet(name), form) == golden


# What LaTeX says


def complaints(text: str, folder: Path) -> list[str]:
    """Errors, lines and displays that reach into the margin, and missing letters of a compiled article."""
    (folder / "page.tex").write_text(text, "utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
    said = subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout.decode(
        "utf-8", "replace"
    )
    wide = [
        f"{points}pt"
        for points in re.findall(r"Overfull \\[hv]box \(([\d.]+)pt", said)
        if float(points) > OVERFULL
    ]
    return wide + re.findall(rf"(?m)^!.*|Missing character.*|.*Warning(?!.*{AGAIN}).*", said)


def through_pandoc(texts: Iterable[str], to: str = "latex") -> str:
    """Markdown as what pandoc makes of it, all texts in one."""
    command = ["pandoc", "--standalone", "--from=markdown", f"--to={to}"]
    text = "\n\n".join(texts).encode()
    return subprocess.run(command, input=text, capture_output=True, check=True).stdout.decode()


needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
needs_pandoc = pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is not installed")


@needs_latex
@pytest.mark.parametrize("told", [worked, sheet])
@each("name", NAMES, quick=SAMPLE)
def test_compiles(name: str, told: Callable[[str], Document], tmp_path: Path) -> None:
    """Solution and worksheet as articles, exact or not, every line inside the margins."""
    assert not complaints(written(told(name), "standalone"), tmp_path)


@needs_latex
def test_hostile_text_compiles(tmp_path: Path) -> None:
    """Text from files compiles, however wide it may be."""
    for told in ("solution", "worksheet", "blocks"):
        said = complaints(written(hostile_document(told), "standalone"), tmp_path)
        assert all(one.endswith("pt") for one in said)


GLANCES: dict[str, Callable[[str], Iterable[Block]]] = {
    "shapes": lambda name: shapes(solved(name)),
    "cost": lambda name: cost(solved(name)),
    "sample": lambda name: spread([PROBLEMS[name]]).blocks if PROBLEMS[name].sample else (),
    "check": lambda name: (
        feedback(key_report(name), solved(name), Level.MISTAKE).blocks if name in KEYED else ()
    ),
}
"""What is said of a problem besides its solution."""
TOLD: dict[str, Callable[[], Iterable[Document]]] = {
    "solve": lambda: map(worked, NAMES),
    "worksheet": lambda: map(sheet, NAMES),
    "explain": lambda: map(explained_topic, names_in("topics")),
    **{
        word: lambda blocks=blocks: (Document(tuple(blocks(name))) for name in WORKED)  # type: ignore[misc]
        for word, blocks in GLANCES.items()
    },
}
"""All that commands write of all bundled problems."""


@needs_latex
@needs_pandoc
@each("command", TOLD, quick=("explain",))
def test_pandoc_makes_a_page_of_it(command: str, tmp_path: Path) -> None:
    """Markdown compiles by way of pandoc, every line inside the margins and every letter in a font."""
    texts = [written(told, "markdown") for told in TOLD[command]() if told.blocks]
    assert not complaints(through_pandoc(texts), tmp_path)


@needs_latex
@needs_pandoc
@pytest.mark.parametrize("told", ["solution", "worksheet", "blocks"])
def test_inert_for_pandoc(told: str, tmp_path: Path) -> None:
    """Nothing in a title is a list, a link, a citation or raw LaTeX; what Latin letters it has compile."""
    text = written(hostile_document(told), "markdown")
    blocks = json.loads(through_pandoc([text], "json"))["blocks"]
    assert kinds_in(blocks) <= {
        "Header", "Para", "Plain", "BlockQuote", "CodeBlock", "Str", "Space", "Span", "Quoted", "DoubleQuote", "SingleQuote", "Math", "InlineMath",
        "DisplayMath", "Table", "AlignLeft", "AlignRight", "AlignDefault", "ColWidth", "ColWidthDefault",
    }  # fmt: skip
    said = complaints(through_pandoc([re.sub(r"[^\x00-\u024f\u2010-\u2026]", "", text)]), tmp_path)
    assert [one for one in said if not one.endswith("pt") and "PDF string" not in one] == []


def kinds_in(node: Any) -> set[str]:
    """The kinds of all that pandoc has read."""
    inner = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    own = {node["t"]} if isinstance(node, dict) and "t" in node else set()
    return own.union(*map(kinds_in, inner))


@needs_latex
@pytest.mark.parametrize("command", ["explain", *GLANCES])
@pytest.mark.slow
def test_all_else_compiles(command: str, tmp_path: Path) -> None:
    """So does what other commands write as LaTeX."""
    told = Document(tuple(block for one in TOLD[command]() for block in one.blocks))
    assert not complaints(written(told, "standalone"), tmp_path)
