"""Documents as Typst, and pages printed as PDF; with the package typst they are compiled."""

from __future__ import annotations

import re
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from attncalc.cli import print_pdf
from attncalc.core.families import names_in
from attncalc.core.notations.typst import Typst, escape
from attncalc.core.notations.unicode import write
from attncalc.core.terms import Apply, Constant, Entry
from attncalc.core.terms.formulas import Call, Maths, Minus, Name, Place, Plus, Stacked, Words
from attncalc.pages import formats_of
from attncalc.pages.typeset.layout import TEX, TYPST
from attncalc.pages.typeset.matrices import LaidOut
from attncalc.worked.blocks import Document
from tests.helpers.bundled import FEW, NAMES, explained_topic, key_report, sheet, worked
from tests.helpers.commands import run, run_fault
from tests.helpers.quick_and_slow import each
from tests.pages.test_latex_and_markdown import every_block, hostile_document

PAGE = formats_of("documents")["typst"]
typst = (
    pytest.importorskip("typst", reason="the package typst is not installed") if find_spec("typst") else None
)
compiles = pytest.mark.skipif(typst is None, reason="the package typst is not installed")


def complaints(text: str) -> list[str]:
    """What Typst says about a page."""
    assert typst is not None
    try:
        _, warnings = typst.compile_with_warnings(text.encode("utf-8"), format="pdf")
    except RuntimeError as error:
        return [str(error)]
    return [str(warning) for warning in warnings]


Q, K = Name("Q"), Name("K")
FORMULAS: list[tuple[Maths, str]] = [
    (Q @ K.T, "Q K^(⊤)"),
    (Name("Q_1") @ Name("K_R_1").T, "Q_(1) K_(R\\,1)^(⊤)"),
    (Q / Apply("sqrt", Entry("d_k")), "Q \\/ sqrt(d_(k))"),
    (Call("softmax", Q + Minus(Name("max"))), '"softmax"\\(Q − max\\)'),
    (Name("alpha_ij"), "α_(i j)"),
    (Name("mu1"), "μ 1"),
    (Name("num_heads"), 'mono("num_heads")'),
    (Name("dalpha"), "d α"),
    (Place("S", (3, 12)), "S_(3\\,12)"),
    (Place("A_1", (3,), whole=False), "\\(A_(1)\\)_(3\\,:)"),
    (Constant(1) / Constant(2), "frac(1, 2)"),
    (Plus((Stacked((Q, K)), Name("N1"))), '\\[Q\\, K\\] + "N1"'),
    (Words(('a "b" \\ $', Q)), '"a \\"b\\" \\\\ $"Q'),
]


@pytest.mark.parametrize(("formula", "text"), FORMULAS)
def test_formula(formula: Maths, text: str) -> None:
    """A formula; what a user names stands in quotes."""
    assert write(formula, Typst()) == text


@pytest.mark.parametrize(
    ("tex", "same"), [("x_{1}", "x_(1)"), (r"\frac{a b c}{d}", "frac(a b c, d)"), (r"\text{ab}", '"ab"')]
)
def test_widths_are_those_of_latex(tex: str, same: str) -> None:
    """A page breaks its lines where LaTeX does."""
    assert TEX.width(tex) == TYPST.width(same)


def test_a_matrix_with_labels() -> None:
    """Labels are outside the brackets, which the page draws."""
    sheet_ = LaidOut([["1", "2"]], ['"a"'], [], TYPST.width)
    assert TYPST.matrix(sheet_) == '#labelled((), ($"a"$,), (\n  ($1$, $2$,),\n))'


def test_page(golden: SnapshotAssertion) -> None:
    """The whole solution."""
    assert PAGE.render(worked("sum-normalised")) == golden


@compiles
@each("name", NAMES, quick=FEW)
def test_every_problem_compiles(name: str) -> None:
    """So does its worksheet."""
    for shown in (worked(name), sheet(name)):
        assert complaints(PAGE.render(shown)) == []


@compiles
@each("topic", [*names_in("topics")], quick=["scaling"])
def test_every_topic_compiles(topic: str) -> None:
    """The derivations as well."""
    assert complaints(PAGE.render(explained_topic(topic))) == []


@compiles
@pytest.mark.parametrize("which", ["solution", "worksheet", "blocks"])
def test_hostile_text_compiles(which: str) -> None:
    """No text from a file is a command."""
    assert complaints(PAGE.render(hostile_document(which))) == []


@compiles
def test_every_block_compiles() -> None:
    """So can every kind of block."""
    assert complaints(PAGE.render(every_block())) == []


@given(st.text(alphabet=st.sampled_from("\\#$*_`~<>@[]/=+-.:;(){}|&^%\"'! \n1a2bé😀https:"), max_size=14))
def test_any_text_is_inert(text: str) -> None:
    """Whatever a text holds, it has no sign of Typst that is not escaped, and compiles in every place."""
    assert not re.search(r"(?<!\\)(?:\\\\)*[#$*_`<>@\[\]]", re.sub(r'#"\d";', "", escape(text)))
    if typst is not None:
        formula = Typst().text(text)
        for source in (
            escape(text),
            f"= {escape(text)}",
            f"#emph[{escape(text)}]; {escape(text)}",
            f"${formula}_({formula})$",
        ):
            assert complaints(source) == []


# Printed


@compiles
@pytest.mark.parametrize(
    "more", [[], ["-f", "worksheet"], ["-f", "worksheet", "--flavor", "pdf"], ["-f", "pdf"]]
)
def test_a_pdf_by_its_name(more: list[str], tmp_path: Path) -> None:
    """The ending of the file is enough, and the same page has the same bytes."""
    files = [tmp_path / "one.pdf", tmp_path / "two.pdf"]
    for file in files:
        assert run("solve", "dot-product-3", *more, "-o", str(file)) == ""
    one, two = (file.read_bytes() for file in files)
    assert one.startswith(b"%PDF") and one == two


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="there is no LaTeX")
def test_a_pdf_without_typst(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Then LaTeX prints it."""
    monkeypatch.setattr(print_pdf, "find_spec", lambda _: None)
    monkeypatch.setattr(print_pdf, "LATEX", ("pdflatex",))
    run("solve", "dot-product-1", "-o", str(tmp_path / "key.pdf"))
    assert (tmp_path / "key.pdf").read_bytes().startswith(b"%PDF")


def test_a_pdf_without_anything(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A sentence says what to install, and no file is written."""
    monkeypatch.setattr(print_pdf, "find_spec", lambda _: None)
    monkeypatch.setattr(print_pdf, "LATEX", ())
    assert "pip install 'attncalc[pdf]'" in run_fault(
        "solve", "dot-product-1", "-o", str(tmp_path / "key.pdf")
    )
    assert not list(tmp_path.iterdir())


@compiles
def test_a_report_compiles() -> None:
    """A report is a page like any other."""
    from attncalc.marking.report.feedback import feedback
    from attncalc.marking.report.levels import Level
    from tests.helpers.bundled import checker_of

    told = feedback(key_report("dot-product-3"), checker_of("dot-product-3").solution, Level.FULL)
    assert isinstance(told, Document) and complaints(PAGE.render(told)) == []
