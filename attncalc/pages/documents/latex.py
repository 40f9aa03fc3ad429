"""A document as LaTeX: a fragment for another document, or a whole article."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attncalc.core.notations.latex import BLANK, RARE_LETTER, Latex, escape
from attncalc.pages import Page
from attncalc.pages.typeset.blocks import Row, Typeset
from attncalc.pages.typeset.layout import environment
from attncalc.pages.typeset.mathematics import CONTINUED, Mathematics
from attncalc.pages.typeset.shades import share_of
from attncalc.worked.blocks import Displays, Document, Room

ON_A_PAGE, ANYWHERE = 78, 62
"""The characters of a formula that fit on a line of the article below, and of one with the usual margins."""
USUAL_COLUMNS = 10
"""The number of columns that LaTeX allows in a matrix by default."""
ENDING = "tex"
KEEP, CLOSE = "\\nopagebreak\n", "\\csname @nobreaktrue\\endcsname\n"
"""Before a sentence, and a heading, that stays on the page of the sentence before it."""
ROOMY = (
    "\\allowdisplaybreaks",
    "\\setlength{\\jot}{5pt}",
    "\\renewcommand{\\arraystretch}{1.2}",
    *(f"\\setlength{{\\{side}displayskip}}{{4pt plus 2pt}}" for side in ("above", "below")),
    *(f"\\setlength{{\\{side}displayshortskip}}{{2pt plus 2pt}}" for side in ("above", "below")),
)
HEADING = re.compile(r"\\(sub)*section\*")
BREAK = "\\vskip 0pt plus %s\\textheight\\penalty-200\\vskip 0pt plus -%s\\textheight"
"""A page break, unless the text up to the next such place fits, or too much of the page would stay empty."""
LEFT_FREE = 0.2
"""The share of a page that may stay empty to keep a step together; on a worksheet, all of it."""
FONTS = (
    "Noto Sans CJK SC", "Noto Serif CJK SC", "PingFang SC", "Microsoft YaHei", "Noto Emoji", "Segoe UI Emoji",
    "Apple Color Emoji", "DejaVu Sans",
)  # fmt: skip
"""Where lualatex and xelatex look for other characters."""
RARE = rf"""%% lualatex and xelatex show emoji, CJK and the like; pdflatex prints their code points.
\ifdefined\Umathcode
\usepackage{{fontspec}}
\newcommand\tryfont[3]{{%%
\IfFontExistsTF{{#2}}{{{{\fontspec{{#2}}\iffontchar\font"#1 \char"#1\else#3\fi}}}}{{#3}}}}
\newcommand{RARE_LETTER}[1]{{%s}}
\fi
"""
CODE_POINT = f"\\providecommand{RARE_LETTER}[1]{{[U+#1]}}"
NEEDS = "% needs \\usepackage{amsmath,amssymb,colortbl}"
ARTICLE = r"""\documentclass[a4paper,fleqn]{article}
\usepackage[margin=2.5cm]{geometry}
\usepackage{amsmath,amssymb,colortbl}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.4\baselineskip}
\setlength{\emergencystretch}{3em}
\makeatletter
\def\near#1#2#3{\@startsection{#1}{#2}{0pt}{2ex plus 1ex}{0.2ex}{\normalfont#3\bfseries}}
\renewcommand\section{\near{section}{1}{\Large}}
\renewcommand\subsection{\near{subsection}{2}{\large}}
\renewcommand\subsubsection{\near{subsubsection}{3}{}}
\makeatother
%s\begin{document}
%s
\end{document}"""


def render(document: Document, page: Page) -> str:
    """The document as a fragment, or as a file that compiles."""
    writer = LatexPage(ON_A_PAGE if page.standalone else ANYWHERE)
    # A display belongs to the paragraph before it.
    body = "\n\n".join(writer.pieces(document)).replace("\n\n\\begin{align", "\n\\begin{align")
    is_rare = RARE_LETTER in body
    fragment = "\n".join(["\\begingroup", *settings(document), *[CODE_POINT] * is_rare, body, "\\endgroup"])
    return ARTICLE % (fonts() if is_rare else "", fragment) if page.standalone else f"{NEEDS}\n{fragment}"


def fonts() -> str:
    """The part of the preamble that finds a font for other characters."""
    shown = "[U+#1]"
    for font in reversed(FONTS):
        shown = f"\\tryfont{{#1}}{{{font}}}{{{shown}}}"
    return RARE % shown


def settings(document: Document) -> list[str]:
    """Settings that hold for this document only."""
    displays = [block for block in document.blocks if isinstance(block, Displays)]
    grids = [grid for block in displays for member in block.members for _, grid in member.grids]
    most = max((len(grid.cells[0]) for grid in grids), default=0)
    wide = [f"\\setcounter{{MaxMatrixCols}}{{{most}}}"] if most > USUAL_COLUMNS else []
    return [*ROOMY, *wide]


class LatexPage(Typeset):
    """Writes blocks for a printed page."""

    def __init__(self, room: int) -> None:
        self.maths = Mathematics(Latex(), room, tallest=36)

    def pieces(self, document: Document) -> Iterator[str]:
        """The text of every block; a step is kept on one page if it fits."""
        share = 1.0 if any(isinstance(block, Room) for block in document.blocks) else LEFT_FREE
        before, is_shown, is_asked = "", False, False
        for piece in super().pieces(document):
            is_next = bool(HEADING.match(piece)) or (BLANK in before and BLANK not in piece)
            if is_next and is_shown:
                yield BREAK % (share, share)
            # The first sentence under a heading, such as a question, stays on the page of what follows.
            is_heading, is_display = bool(HEADING.match(piece)), piece.startswith("\\begin{align")
            yield ("" if not is_asked or is_display else CLOSE if is_heading else KEEP) + piece
            is_asked = bool(HEADING.match(before)) and not is_heading and not is_display
            before, is_shown = piece, not is_next and (is_shown or "\\begin{" in piece)

    def escape(self, text: str) -> str:
        return escape(text)

    def inline(self, formula: str) -> str:
        return f"${formula}$"

    def heading(self, text: str, level: int) -> str:
        return f"\\{'sub' * (level - 1)}section*{{{text}}}"

    def strong(self, text: str) -> str:
        return f"\\textbf{{{text}}}"

    def boxed(self, text: str) -> str:
        # A display in a box would be as wide as the page, and numbered as the others are.
        inner = text.replace("\\begin{align*}", "\\[\\begin{aligned}").replace(
            "\\end{align*}", "\\end{aligned}\\]"
        )
        width = "\\dimexpr\\linewidth-2\\fboxsep-2\\fboxrule\\relax"
        return f"\\fbox{{\\parbox{{{width}}}{{{inner}}}}}"

    def note(self, text: str) -> str:
        return f"\\emph{{{text}}}"

    def code(self, text: str) -> str:
        return f"\\begin{{verbatim}}\n{text}\n\\end{{verbatim}}"

    def code_name(self, name: str) -> str:
        return f"\\texttt{{{escape(name)}}}"

    def room(self, lines: int) -> str:
        return f"\\vspace*{{{lines}\\baselineskip}}"

    def write_rules(self, words: list[str]) -> str:
        return "\\quad ".join(f"{word}: \\hrulefill" for word in words)

    def align(self, rows: list[str], pairs: int) -> str:
        text = environment("alignat*", rows, f"{{{pairs}}}") if pairs > 1 else environment("align*", rows)
        # A row stays on the page of the one that it continues.
        return re.sub(rf"\\\\\n(?={CONTINUED.pattern})", r"\\\\*\n", text)

    def table(self, heads: Row, rows: list[Row], columns: str) -> str:
        lines = [" & ".join(row) for row in (heads, *rows)]
        lines[1] = f"\\hline\n{lines[1]}"
        return environment("flushleft", [environment("tabular", lines, f"{{{columns}}}")])

    def write_shaded(self, weight: float) -> str:
        return f"\\cellcolor[gray]{{{1 - 0.5 * share_of(weight):.2f}}}{weight:.2f}"

    def bar(self, share: float) -> str:
        return f"\\rule{{{10 * share:.2f}em}}{{1.2ex}}"
