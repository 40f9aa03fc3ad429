"""The page in a browser: pointing, walking and following, on a wide screen and on a phone."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

import attncalc
from attncalc.worked.blocks import Document
from tests.helpers.browser import NEEDS_BROWSER, Browser, browser, cell, link, page, saved
from tests.helpers.quick_and_slow import SLOW
from tests.pages.test_html import shown_everywhere

__all__ = ["browser"]
pytestmark = [NEEDS_BROWSER, SLOW]

FITS = "return document.documentElement.scrollWidth <= document.documentElement.clientWidth"
UNCOVERED = """const cell = document.querySelector('{}').getBoundingClientRect();
const sheet = document.querySelector("#working").getBoundingClientRect();
return sheet.height > 0 && (cell.bottom <= sheet.top || cell.top >= sheet.bottom);"""
SOURCES = ["K:2,0", "K:2,1", "Q:1,0", "Q:1,1"]


def test_pointing(browser: Browser, tmp_path: Path) -> None:
    """The mouse over an entry: its working, and the row and the row that it comes from."""
    browser.view(page(tmp_path, "dot-product-3"))
    assert not browser.state()["open"]
    browser.point(cell("S:1,2"))
    state = browser.state()
    assert state["text"].startswith("ScoresS")
    assert "S23=Q21·K31+Q22·K32=3·0+1·1=1" in state["text"]
    assert (state["on"], state["from"]) == (["S:1,2"], SOURCES)
    browser.point(link("K:2,1"))
    assert browser.state()["at"] == ["K:2,1"]
    browser.point(cell("Q:0,0"))
    assert "given" in browser.state()["text"]


def test_keyboard(browser: Browser, tmp_path: Path) -> None:
    """Tab reaches a matrix, arrows walk in it, Enter goes into the working, Escape closes."""
    browser.view(page(tmp_path, "dot-product-3"))
    browser.run(f"document.querySelector('{cell('V:0,0')}').focus()")
    browser.press("Tab")
    assert browser.state()["focus"] == "SUMMARY"
    while browser.state()["focus"] != "S:0,0":
        browser.press("Tab")
    assert "S11=" in browser.state()["text"]
    browser.press("Up", "Down", "Left", "Right", "Right", "Right")
    state = browser.state()
    assert (state["focus"], state["on"], state["from"]) == ("S:1,2", ["S:1,2"], SOURCES)
    browser.press("Enter")
    assert browser.state()["focus"] == "Q:1,0"
    browser.press("Tab", "Enter")
    state = browser.state()
    assert (state["focus"], state["on"]) == ("K:2,0", ["K:2,0"])
    browser.press("Backspace")
    assert browser.state()["on"] == ["S:1,2"]
    browser.press("Escape")
    state = browser.state()
    assert (state["open"], state["on"], state["from"], state["focus"]) == (False, [], [], "S:1,2")
    focused = "const s = getComputedStyle(document.activeElement); return [s.outlineStyle, s.outlineWidth]"
    assert browser.run(focused) == ["solid", "2px"]


def test_one_stop_for_each_matrix(browser: Browser, tmp_path: Path) -> None:
    """Only one cell of a matrix is in the order of Tab, and it is the one last visited."""
    browser.view(page(tmp_path, "dot-product-3"))
    stops = "return [...document.querySelectorAll('main table')].map((t) => t.querySelectorAll('[tabindex=\"0\"]').length)"
    assert set(browser.run(stops)) == {1}
    browser.point(cell("S:1,1"), click=True)
    assert set(browser.run(stops)) == {1}
    assert browser.run(f"return document.querySelector('{cell('S:1,1')}').tabIndex") == 0


def test_following_back_to_the_inputs(browser: Browser, tmp_path: Path) -> None:
    """Entry by entry from the output to what is given, and back."""
    browser.view(page(tmp_path, "problem-set-4-q3"))
    browser.point(cell("O:2,1"), click=True)
    for key in ("A:2,1", "E:2,1", "S:2,1", "Q:2,0", "X:2,3"):
        browser.point(link(key), click=True)
        state = browser.state()
        assert (state["focus"], state["on"]) == (key, [key])
    assert "given" in state["text"]
    assert state["text"].startswith("‹BackO32›A32›E32›S32›Q31›X34")
    seen = "const b = document.activeElement.getBoundingClientRect(); return b.top >= 0 && b.bottom <= innerHeight"
    assert browser.run(seen)
    browser.point("#working .back", click=True)
    assert browser.state()["on"] == ["Q:2,0"]
    browser.point("#working .trail button:nth-of-type(2)", click=True)
    assert browser.state()["on"] == ["O:2,1"]
    browser.point("#working .close", click=True)
    assert not browser.state()["open"]


def test_a_held_entry_stays(browser: Browser, tmp_path: Path) -> None:
    """Once an entry is chosen, the mouse can cross others on its way to the panel."""
    browser.view(page(tmp_path, "dot-product-3"))
    browser.point(cell("S:0,1"), click=True)
    browser.point(cell("S:0,2"))
    assert browser.state()["on"] == ["S:0,1"]


def test_part_by_part(browser: Browser, tmp_path: Path) -> None:
    """A matrix that is shown several times lights up everywhere; an entry without a matrix has its line."""
    browser.view(page(tmp_path, "discussion-10-q1"))
    browser.point(cell("a:2,0"), click=True)
    state = browser.state()
    assert "a31=" in state["text"] and state["from"] == ["E:2,0"]
    browser.point(link("T:2,0"), click=True)
    state = browser.state()
    assert "T3=" in state["text"] and state["from"] == ["E:2,0", "E:2,1", "E:2,2"]
    browser.view(page(tmp_path, "problem-set-4-q3"))
    browser.point(cell("O:2,0"), click=True)
    browser.point(link("A:2,0"), click=True)
    shown = browser.run("return document.querySelectorAll('main td[data-k=\"A:2,0\"]').length")
    assert browser.run("return document.querySelectorAll('main td.on').length") == shown > 1


def test_folded_steps_open(browser: Browser, tmp_path: Path) -> None:
    """An entry inside a folded step is unfolded when it is gone to."""
    browser.view(page(tmp_path, "dot-product-3"))
    browser.run("document.querySelector('.step').open = false")
    browser.point(cell("S:0,0"), click=True)
    browser.point(link("Q:0,0"), click=True)
    assert browser.run("return document.querySelector('.step').open")
    assert browser.state()["focus"] == "Q:0,0"


def test_wrong_answers(browser: Browser, tmp_path: Path) -> None:
    """A report: the student's wrong entry shows its working and where it comes from."""
    problem = attncalc.load("discussion-10-q1")
    report = attncalc.check(problem, {"Q": [[2, 3, -5], [-1, 0, 2], [1, -2, 8]]})
    browser.view(saved(tmp_path, report.to_document(pointed=True)))
    browser.point("td.wrong")
    state = browser.state()
    assert "Q23=(WQ)13·X21+(WQ)23·X22=2·(−1)+(−3)·0" in state["text"]
    assert "Youhave2." in state["text"] and "hasthewrongsign." in state["text"]
    assert state["from"] == ["W_Q:0,2", "W_Q:1,2", "X:1,0", "X:1,1"]
    first = "return document.querySelector('h1').nextElementSibling"
    assert browser.run(f"{first}.textContent.replace(/\\s/g, '')") == "Q23hasthewrongsign."
    assert browser.run(f"{first}.className") == "reason wrong"


@pytest.mark.parametrize(
    "name", ["discussion-10-q1", "two-heads-by-hand", "encoder-layer", "d2l-valid-lens", "flash-tiles"]
)
def test_phone(name: str, browser: Browser, tmp_path: Path) -> None:
    """The page never scrolls sideways, and the sheet does not cover the entry that it explains."""
    browser.view(page(tmp_path, name), 360, 640)
    assert browser.run(FITS)
    browser.run("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert browser.run(FITS)
    browser.point("details:nth-of-type(3) td[data-k]", click=True)
    assert browser.run(FITS)
    free = """const cell = document.activeElement.getBoundingClientRect();
    const sheet = document.querySelector("#working").getBoundingClientRect();
    const isFree = cell.bottom <= sheet.top || cell.top >= sheet.bottom;
    return sheet.height > 0 && cell.top >= 0 && cell.bottom <= innerHeight && isFree;"""
    assert browser.run(free)


def test_long_words_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    """Words without end are broken, cut, or scroll in their own box."""
    browser.view(saved(tmp_path, Document(tuple(shown_everywhere("word" * 60)))), 360, 640)
    assert browser.run(FITS)


def test_twice_as_large(browser: Browser, tmp_path: Path) -> None:
    """At 200 % no entry is covered by its own panel, wherever it stands: pointed at, chosen or changed."""
    browser.view(page(tmp_path, "dot-product-3"), 640, 450)
    for key in ("Q:0,0", "S:1,1", "C:0,2"):
        for block in ("start", "center", "end"):
            browser.press("Escape", "Escape")
            browser.run(f"document.querySelector('{cell(key)}').scrollIntoView({{block: '{block}'}})")
            x, y = browser.run(
                f"const b = document.querySelector('{cell(key)}').getBoundingClientRect(); return [b.x + 5, b.y + 5]"
            )
            for pressed in ([], [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]):
                browser.act("pointer", [{"type": "pointerMove", "x": round(x), "y": round(y)}, *pressed])
                assert browser.run(UNCOVERED.format(cell(key))), (key, block, bool(pressed))


def test_sheet_gives_way_to_the_mouse(browser: Browser, tmp_path: Path) -> None:
    """In a small window an entry at the lower edge is explained at the upper one."""
    browser.view(page(tmp_path, "dot-product-3"), 700, 500)
    x, y = browser.run(f"""const cell = document.querySelector('{cell("S:1,1")}');
    cell.scrollIntoView({{block: "end"}}); scrollBy(0, -40);
    const b = cell.getBoundingClientRect(); return [b.x + 5, b.y + 5]""")
    browser.act("pointer", [{"type": "pointerMove", "x": round(x), "y": round(y)}])
    covered = "return document.querySelector('#working').getBoundingClientRect().bottom"
    assert browser.state()["on"] == ["S:1,1"]
    assert browser.run(covered) < y


def test_paper(browser: Browser, tmp_path: Path) -> None:
    """Printing opens what is folded, and folds it again."""
    browser.view(page(tmp_path, "exact-causal"))
    closed = "return document.querySelectorAll('details:not([open])').length"
    before = browser.run(closed)
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert before and browser.run(closed) == 0
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert browser.run(closed) == before
    pdf = base64.b64decode(browser.devtools("Page.printToPDF", {})["data"])
    assert pdf.startswith(b"%PDF")
    browser.devtools("Emulation.setEmulatedMedia", {"media": "print"})
    hidden = "return getComputedStyle(document.querySelector('#working')).display"
    assert browser.run(hidden) == "none"
    browser.devtools("Emulation.setEmulatedMedia", {"media": ""})


def test_silence(browser: Browser, tmp_path: Path) -> None:
    """Nothing is complained of, nothing is fetched, and a script that got in would not run."""
    for kind in ("browser", "performance"):
        browser.log(kind)
    path = page(tmp_path, "two-heads-by-hand")
    browser.view(path)
    browser.point(cell("S_1:0,0"), click=True)
    browser.point(link("Q_1:0,0"), click=True)
    assert browser.log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.log("performance")]
    urls = {e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"}
    assert urls == {path.as_uri()}
    browser.run(
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.body.append(s)"
    )
    browser.run("new Image().src = 'http://127.0.0.1:9/x.png'")
    assert browser.run("return window.ran ?? 0") == 0
    assert all("Content Security Policy" in entry["message"] for entry in browser.log("browser"))


SMALL = """
const targets = document.querySelectorAll("main a, main button, main summary, main label, main td[data-k], #working button");
const sizes = [...targets].filter((e) => e.offsetParent).map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()]);
return sizes.filter(([, box]) => Math.min(box.width, box.height) < 44).map(([markup]) => markup);
"""


@pytest.mark.parametrize("name", ["two-heads-by-hand", "the-cat-sat", "encoder-layer"])
def test_room_for_a_thumb(name: str, browser: Browser, tmp_path: Path) -> None:
    """On a touch screen all that can be touched is 44 pixels wide and high, results and blanks alike."""
    browser.devtools("Emulation.setTouchEmulationEnabled", {"enabled": True})
    try:
        browser.view(page(tmp_path, name), 390, 844)
        assert browser.run(SMALL) == []
        browser.run("document.querySelector('#try button').click()")
        assert browser.run(SMALL) == []
    finally:
        browser.devtools("Emulation.setTouchEmulationEnabled", {"enabled": False})
