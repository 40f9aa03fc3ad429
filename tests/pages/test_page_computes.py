"""The page that computes: its numbers are the program's, before and after a change; its lines are true."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import attncalc
from attncalc.core.errors import ProblemError
from attncalc.core.fields import Array, Floats
from attncalc.core.notations.mathml import MathML
from attncalc.core.notations.unicode import write
from attncalc.core.record import replace
from attncalc.core.terms import Constant
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.exercise.solve.solve import solve_graph as solve_graph
from attncalc.mistakes import MISTAKES
from attncalc.pages.documents.html.interactive import interactive
from attncalc.worked.blocks import Equation
from attncalc.worked.build_page_model import is_computed
from attncalc.worked.view import View
from attncalc.worked.writer.steps import Writer
from tests.helpers.browser import NEEDS_BROWSER, Browser, browser, cell, page, saved
from tests.helpers.bundled import GRAPHS, NUMERIC, PROBLEMS, STATED, solved
from tests.helpers.quick_and_slow import SLOW
from tests.pages.test_html import MOST_ELEMENTS, many_heads

__all__ = ["browser"]
pytestmark = [NEEDS_BROWSER, SLOW]

COMPUTED = [name for name in NUMERIC if "limit" not in STATED[name]]
NUMBERS = "return attncalc.numbers({}).map((x) => (x === -Infinity ? null : x))"
TEXTS = "return {}.map(attncalc.line)"


def numbers_on(browser: Browser, step: SolvedStep) -> Floats:
    """The numbers of a step as the page has them."""
    found = browser.run(NUMBERS.format(json.dumps(step.symbol)))
    return np.array([-np.inf if x is None else x for x in found], float).reshape(step.shape)


def check_numbers(browser: Browser, solution: Solution) -> None:
    """Every step of the page is what the program makes of it."""
    for step in solution.steps:
        np.testing.assert_allclose(
            numbers_on(browser, step), step.value, rtol=1e-9, atol=1e-9, err_msg=step.name
        )


@pytest.mark.parametrize("name", COMPUTED)
def test_every_problem(name: str, browser: Browser, tmp_path: Path) -> None:
    """The numbers of all steps, and every worked line."""
    solution = solved(name)
    assert is_computed(solution)
    browser.view(page(tmp_path, name))
    check_numbers(browser, solution)
    check_lines(browser, solution)


@pytest.mark.parametrize("angle", ["pi/2", "-pi/3", "3*pi/4", "pi/12"])
def test_turns(angle: str, browser: Browser, tmp_path: Path) -> None:
    """Sines and cosines that are known by heart, negative ones and zeros among them, and others."""
    rows = [[1, 0, 0, 1], [3, -1, 1, 2], [1, 1, 2, 1], [2, 1, 0, 1]]
    solution = attncalc.solve(
        attncalc.problem(Q=rows, K=rows, V=rows, position={"rope": "interleaved", "angle": angle})
    )
    browser.view(saved(tmp_path, interactive(solution, View(pointed=True))))
    check_lines(browser, solution)


def test_hidden_keys_stay_hidden_through_a_softcap(browser: Browser, tmp_path: Path) -> None:
    """The page takes −∞ for −∞, too."""
    solution = attncalc.solve(attncalc.problem(S=[[0, "-inf", 2]], V=[[1], [2], [3]], softcap=5))
    browser.view(saved(tmp_path, interactive(solution, View(pointed=True))))
    check_numbers(browser, solution)
    check_lines(browser, solution)


def check_lines(browser: Browser, solution: Solution) -> None:
    """Every worked line of the page is the program's own."""
    written = dict(lines_of(solution))
    found = browser.run(TEXTS.format(json.dumps(list(written))))
    for wanted, text in zip(written.values(), map(unspaced, found), strict=True):
        assert text == "".join(sides_of(wanted))


def lines_of(solution: Solution) -> Iterator[tuple[str, Equation]]:
    """The worked lines of all cells, by their keys."""
    writer = Writer(solution, View())
    for step in solution.steps:
        for at in product(*map(range, step.shape)):
            yield f"{step.symbol}:{','.join(map(str, at))}", writer.line(step, at)


def sides_of(line: Equation) -> list[str]:
    """The sides of a line as a browser reads them out, with the relations before them."""
    notation = MathML()
    sides = (
        relation + "".join(sign + text for sign, text in notation.addends(term))
        for relation, term in line.sides
    )
    return [
        unspaced(html.unescape(re.sub("<[^>]*>", "", side))) for side in (write(line.left, notation), *sides)
    ]


def unspaced(text: str) -> str:
    """A text without blanks."""
    return re.sub(r"\s", "", text)


def changed_cells(name: str) -> dict[str, tuple[int, ...]]:
    """The last entry of every given matrix that is no mask."""
    graph = GRAPHS[name]
    given = {each: matrix for each, matrix in graph.given.items() if graph.labels[each].role != "mask"}
    return {each: tuple(size - 1 for size in matrix.shape) for each, matrix in given.items()}


def solve_changed(name: str, cells: Mapping[str, tuple[int, ...]], number: float) -> Solution:
    """A problem with some of its given entries replaced."""
    graph = GRAPHS[name]

    def put(matrix: Array, at: tuple[int, ...]) -> Array:
        found = matrix.copy()
        found[at] = Constant(number) if found.dtype == object else number
        return found

    given = {
        each: put(matrix, cells[each]) if each in cells else matrix for each, matrix in graph.given.items()
    }
    return solve_graph(PROBLEMS[name], replace(graph, given=given), "numeric")


def place(name: str, at: tuple[int, ...]) -> str:
    """A cell as an address has it."""
    return f"{name}[{','.join(str(n + 1) for n in at)}]"


@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.parametrize("number", [0.375, -40.5])
def test_every_change(name: str, number: float, browser: Browser, tmp_path: Path) -> None:
    """One number of every given matrix replaced, by the address alone: what follows is what the program makes."""
    cells = changed_cells(name)
    try:
        solution = solve_changed(name, cells, number)
    except ProblemError as error:
        pytest.skip(str(error))
    symbols = {each: GRAPHS[name].symbol(each, PROBLEMS[name].names) for each in cells}
    browser.view(page(tmp_path, name))
    address = "&".join(f"{place(symbols[each], at)}={number}" for each, at in cells.items())
    browser.run(f"location.hash = {json.dumps(address)}")
    browser.wait("return document.body.classList.contains('moved')")
    check_numbers(browser, solution)
    browser.run("attncalc.resetAll()")
    check_numbers(browser, solved(name))


@pytest.mark.parametrize("given", ["sink", "Q"])
def test_beyond_exponentials(given: str, browser: Browser, tmp_path: Path) -> None:
    """A huge sink, or huge scores beside one: exponentials and totals are shifted together."""
    name, cells = "learned-sink", {given: changed_cells("learned-sink")[given]}
    browser.view(page(tmp_path, name))
    browser.run(f"location.hash = {json.dumps(f'{place(given, cells[given])}=1200')}")
    browser.wait("return document.body.classList.contains('moved')")
    solution = solve_changed(name, cells, 1200)
    assert solution["T_2"].shifted and solution["E_2"].shifted
    check_numbers(browser, solution)


SHOWN = """
const cells = (selector) => [...document.querySelectorAll(selector)].map((e) => e.dataset.k).sort();
return {
  changed: [...new Set(cells("main td.changed"))],
  S: [...document.querySelectorAll('main td[data-k="S:0,0"]')].map((e) => e.textContent.replace(/\\s/g, "")),
  address: location.hash === "#%" ? "" : decodeURIComponent(location.hash),
  told: document.getElementById("changes").hidden ? "" : document.getElementById("changes").textContent.replace(/\\s+/g, ""),
};
"""
Q11 = cell("Q:0,0")


def test_typing_a_number(browser: Browser, tmp_path: Path) -> None:
    """A click, digits, arrows for the last digit, Enter: all after it follows, and it can be set back."""
    browser.view(page(tmp_path, "dot-product-3"))
    browser.point(Q11, click=True)
    browser.type("7")
    seen = browser.run(SHOWN)
    assert seen["S"] == ["16"]
    assert {"Q:0,0", "S:0,0", "Z:0,1", "A:0,2", "C:0,0"} <= {*seen["changed"]}
    assert "S:1,0" not in seen["changed"]
    assert seen["told"].startswith("Changed:Q11=7was1") and "Exactformsgivewaytodecimals." in seen["told"]
    browser.press("Down", "Enter")
    seen = browser.run(SHOWN)
    assert (seen["S"], seen["address"]) == (["14"], "#Q[1,1]=6&Q[1,1]")
    assert browser.state()["focus"] == "Q:0,0"
    browser.press("Backspace", "Right")
    browser.type("-.5")
    browser.press("Escape")
    assert "#Q[1,1]=6" in browser.run(SHOWN)["address"], "Escape takes back what was typed last"
    browser.point("#changes .undo", click=True)
    seen = browser.run(SHOWN)
    assert (seen["S"], seen["changed"], seen["told"]) == (["4"], [], "")


def test_nonsense_changes_nothing(browser: Browser, tmp_path: Path) -> None:
    """What is no number is marked, and nothing follows from it."""
    browser.view(page(tmp_path, "dot-product-3"))
    browser.point(Q11, click=True)
    browser.type("x")
    assert browser.run("return document.activeElement.getAttribute('aria-invalid')") == "true"
    assert browser.run(SHOWN)["S"] == ["4"]


def test_mask_entries_switch(browser: Browser, tmp_path: Path) -> None:
    """A key is hidden by a click, and a row without any key is said to have no weights."""
    browser.view(page(tmp_path, "exact-causal"))
    browser.point(cell("mask:2,0"), click=True)
    assert browser.run("return attncalc.numbers('A')")[6:] == pytest.approx(
        [0, 1 / (1 + np.e), np.e / (1 + np.e)]
    )
    assert browser.run(f"return document.querySelector('{cell('mask:2,0')}').textContent") == "−∞"
    browser.point(cell("mask:0,0"), click=True)
    assert "dividesbyzero" in browser.run(SHOWN)["told"]
    browser.press("Enter")
    assert "dividesbyzero" not in browser.run(SHOWN)["told"]


def test_too_large(browser: Browser, tmp_path: Path) -> None:
    """What leaves the range of floats is no division by zero."""
    browser.view(page(tmp_path, "dot-product-3"))
    browser.run("attncalc.change('Q[1,1]', 1e308)")
    assert "Sistoolargetocomputewith." in browser.run(SHOWN)["told"]


def test_what_stays_the_same(browser: Browser, tmp_path: Path) -> None:
    """A shift of all scores of a row changes no weight, whatever floats make of it."""
    browser.view(page(tmp_path, "dot-product-3"))
    browser.run("attncalc.change('Q[1,2]', 5)")
    assert {key[0] for key in browser.run(SHOWN)["changed"]} == set("QSZET")


def test_what_does_not_follow_says_so(browser: Browser, tmp_path: Path) -> None:
    """Exact matrices give way to decimals; what speaks of the numbers as given is marked."""
    browser.view(page(tmp_path, "dot-product-3"))
    seen = "return [...document.querySelectorAll('.display')].filter((e) => e.querySelector('[data-k=\"Z:0,0\"]')).map((e) => [...e.querySelectorAll('table')].map((t) => t.offsetParent !== null))"
    assert browser.run(seen) == [[True, True]]
    browser.run("attncalc.change('Q[1,1]', 7)")
    assert browser.run(seen) == [[False, True]]
    browser.run("attncalc.resetAll()")
    assert browser.run(seen) == [[True, True]]


def test_addresses(browser: Browser, tmp_path: Path) -> None:
    """Every state has an address; Back goes back; nonsense in an address does nothing."""
    path = page(tmp_path, "dot-product-3")
    browser.view(path)
    browser.point(cell("S:1,2"), click=True)
    assert browser.run(SHOWN)["address"] == "#S[2,3]"
    browser.point('#working .line [data-k="K:2,1"]', click=True)
    assert browser.run(SHOWN)["address"] == "#K[3,2]"
    browser.run("history.back()")
    browser.wait("return location.hash.includes('S')")
    assert browser.state()["on"] == ["S:1,2"]
    browser.point(cell("Z:0,0"), click=True)
    browser.run("history.back()")
    browser.wait("return location.hash.includes('S')")
    browser.run("history.back()")
    browser.wait("return location.hash === ''")
    assert not browser.state()["open"]
    browser.run("attncalc.change('Q[1,1]', 7); document.querySelector('nav a').click()")
    browser.wait("return /^#s[0-9]+$/.test(location.hash)")
    assert browser.run(SHOWN)["S"] == ["16"], "a link to a section changes nothing"
    browser.send("/url", {"url": "about:blank"})
    browser.send("/url", {"url": path.as_uri() + "#Q[1,1]=7&Z[1,2]"})
    assert browser.state()["on"] == ["Z:0,1"]
    assert browser.run(SHOWN)["S"] == ["16"]
    for address in (
        "#Q[9,1]=7",
        "#Q[1,1]=alert(1)",
        "#X[1,1]=3",
        "#S[1,1]=3",
        "#%",
        "#S[0,0]",
        "#[1]",
        "#Q[1,1]=1e999",
        "#Q[1,1]=-inf",
    ):
        browser.send("/url", {"url": "about:blank"})
        browser.send("/url", {"url": path.as_uri() + address})
        assert browser.run(SHOWN)["changed"] == []
    assert not [entry for entry in browser.log("browser") if entry["level"] == "SEVERE"]


def test_inside_a_notebook(browser: Browser, tmp_path: Path) -> None:
    """A frame without an address and without a store computes all the same."""
    path = tmp_path / "notebook.html"
    frame = attncalc.solve(PROBLEMS["dot-product-3"])._repr_html_()
    path.write_text(f"<!doctype html><title>notebook</title>{frame}", "utf-8")
    browser.view(path)
    browser.send("/frame", {"id": 0})
    browser.wait("return document.querySelector('#working .hint') !== null")
    browser.run("attncalc.change('Q[1,1]', 7); document.querySelector('#try button').click()")
    assert browser.run("return attncalc.numbers('S')")[0] == 16
    browser.send("/frame", {"id": None})


def test_play(browser: Browser, tmp_path: Path) -> None:
    """One button walks a row, entry by entry, to its end."""
    browser.view(page(tmp_path, "dot-product-3"))
    browser.point(cell("S:0,0"), click=True)
    browser.point("#working .play button", click=True)
    browser.wait("return location.hash === '#S[1,3]'")
    browser.wait("return document.querySelector('#working .play button').textContent.includes('Play')")
    assert browser.state()["on"] == ["S:0,2"]


def test_picture(browser: Browser, tmp_path: Path) -> None:
    """Small matrices that lead to their steps; a cell lights all that it comes from."""
    browser.view(page(tmp_path, "two-heads-by-hand"))
    names = "return [...document.querySelectorAll('#picture a')].map((e) => e.getAttribute('aria-label'))"
    assert {"Given X", "Queries of head 1 Q1", "Scores S2"} <= {*browser.run(names)}
    browser.point('#picture [data-k="A_2:1,1"]')
    lit = browser.run("return [...document.querySelectorAll('#picture .kin')].map((e) => e.dataset.k)")
    assert {"S_2:1,0", "Q_2:1,1", "K_2:2,0", "X:1,3", "X:2,0"} <= {*lit}
    assert not {key for key in lit if key.startswith(("V", "A_1", "S_1", "O"))}
    assert not {"Q_2:0,0", "S_2:0,0"} & {*lit}
    browser.run("attncalc.change('X[1,1]', 9)")
    assert browser.run("return document.querySelector('#picture [data-k=\"X:0,0\"]').textContent") == "9"


@pytest.mark.parametrize("name", ["apple-to-eat", "two-heads-by-hand", "grouped-cache", "llama-block"])
def test_pictures_are_seen_whole(name: str, browser: Browser, tmp_path: Path) -> None:
    """Nothing is cut off, names stand above their matrices, and heads of a group share keys and values."""
    browser.view(page(tmp_path, name))
    assert browser.run("const p = document.querySelector('#picture'); return p.scrollWidth <= p.clientWidth")
    above = "return [...document.querySelectorAll('.small')].every(({children: [name, grid]}) => name.getBoundingClientRect().bottom <= grid.getBoundingClientRect().top + 1)"
    assert browser.run(above)
    keys = "return [...document.querySelectorAll('.head')].map((row) => row.querySelectorAll('.small')[1].textContent.trim().slice(0, 2))"
    shared = {"grouped-cache": ["K1", "K1", "K2", "K2"], "llama-block": ["K1", "K1"]}
    assert name not in shared or browser.run(keys) == shared[name]


def test_arcs(browser: Browser, tmp_path: Path) -> None:
    """Where tokens are named, an arc for every weight."""
    browser.view(page(tmp_path, "the-cat-sat"))
    titles = browser.run("return [...document.querySelectorAll('#arcs title')].map((e) => e.textContent)")
    weights = solved("the-cat-sat")["A"].value
    words = ("the", "cat", "sat")
    assert titles == [
        f"{a} attends to {b}: {weights[i, j]:.2f}" for i, a in enumerate(words) for j, b in enumerate(words)
    ]
    browser.view(page(tmp_path, "dot-product-3"))
    assert browser.run("return document.querySelectorAll('#arcs svg').length") == 0


def test_folded_matrices_open(browser: Browser, tmp_path: Path) -> None:
    """All of a large matrix can be shown, and follows changes like the rest."""
    problem = attncalc.problem(X=[[n % 3, n % 2] for n in range(20)], mode="numeric")
    solution = attncalc.solve(problem)
    browser.view(saved(tmp_path, interactive(solution, View(pointed=True))))
    browser.run("attncalc.change('X[11,1]', 5)")
    count = "return document.querySelectorAll('main td[data-k^=\"S:\"]').length"
    assert browser.run(count) == 49
    browser.run(
        "[...document.querySelectorAll('.display')].find((e) => e.querySelector('[data-k=\"S:0,0\"]')).querySelector('.unfold').click()"
    )
    assert browser.run(count) == 400
    middle = f"return document.querySelector('{cell('S:10,10')}').textContent"
    assert browser.run(middle) == "25"
    browser.run("attncalc.resetAll()")
    assert float(browser.run(middle)) == solution["S"].value[10, 10]
    browser.point(cell("S:10,11"), click=True)
    assert browser.state()["text"].startswith("ScoresS")


def test_a_large_page_stays_light(browser: Browser, tmp_path: Path) -> None:
    """Twelve tokens and sixteen heads: also after its script has run, and after a change."""
    browser.view(saved(tmp_path, many_heads(12, 64, 16)))
    browser.run("attncalc.change('X[1,1]', 5)")
    assert browser.run("return document.querySelectorAll('*').length") < MOST_ELEMENTS


def mistaken(name: str, code: str) -> Solution:
    """A problem solved with a mistake in all heads."""
    graph = GRAPHS[name]
    mistake = next(each for each in MISTAKES if each.code == code)
    found = [next(mistake.variations(step, graph), None) for step in graph.steps]
    changes = {step.name: step for each in found if each for step in (each.step, *each.others)}
    steps = tuple(changes.get(step.name, step) for step in graph.steps)
    return solve_graph(PROBLEMS[name], replace(graph, steps=steps), "numeric")


EXACT = "return [...document.querySelectorAll('.lines.fixed .line')].map((line) => line.textContent)"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("dot-product-3", "scale-missing"),
        ("two-heads-by-hand", "softmax-columns"),
        ("deepml-131a", "mask-missing"),
        ("four-words", "scores-swapped"),
    ],
)
def test_what_if(name: str, code: str, browser: Browser, tmp_path: Path) -> None:
    """A mistake switched on: the numbers that it gives, the right ones beside them, said in its sentence."""
    browser.view(page(tmp_path, name))
    exact = browser.run(EXACT)
    browser.point(f'#switches input[name="{code}"]', click=True)
    check_numbers(browser, mistaken(name, code))
    seen = browser.run(SHOWN)
    assert seen["changed"] and seen["told"].startswith("Whatif:") and seen["address"] == f"#if:{code}"
    below = "return [...document.querySelectorAll('td.changed .right')].filter((e) => e.offsetParent).map((e) => e.getBoundingClientRect().top - e.parentElement.getBoundingClientRect().top)"
    assert min(browser.run(below)) > 12, "the right one stands below"
    assert browser.run(EXACT) == exact, "exact entries are those of the numbers as given"
    browser.point("#changes .reset", click=True)
    check_numbers(browser, solved(name))
    assert browser.run(SHOWN)["changed"] == []


FILL = """
for (const [key, text] of Object.entries({})) {{
  const input = document.querySelector(`main td[data-k="${{key}}"] input`);
  input.value = text;
  input.dispatchEvent(new Event("input"));
}}
"""
MARKED = "return Object.fromEntries([...document.querySelectorAll('main td:has(.mark)')].map((e) => [e.dataset.k, e.querySelector('.mark').textContent]))"


def fill(browser: Browser, step: str, numbers: list[list[str]]) -> None:
    """Types a matrix into its blanks."""
    cells = {f"{step}:{i},{j}": text for i, row in enumerate(numbers) for j, text in enumerate(row) if text}
    browser.run(FILL.format(json.dumps(cells)))


def test_try_it(browser: Browser, tmp_path: Path) -> None:
    """Blanks, marked row by row: right, right from one's own numbers, near, or not; kept and saved."""
    browser.view(page(tmp_path, "dot-product-3"))
    browser.point("#try button", click=True)
    seen = browser.run("return document.querySelector('main').innerText")
    assert "0.5760" not in seen and "16.9188" not in seen
    fill(browser, "S", [["4", "3", ""], ["7", "4", "2"]])
    assert browser.run(MARKED) == {"S:1,0": "✓", "S:1,1": "✓", "S:1,2": "✗"}
    fill(browser, "S", [["4", "3", "2"]])
    fill(browser, "Z", [["2.83", "2.12", "1.41"], ["4.95", "2.83", "1.42"]])
    marks = browser.run(MARKED)
    assert [marks[f"Z:{i},{j}"] for i in range(2) for j in range(3)] == ["✓"] * 5 + ["~"]
    fill(browser, "Z", [[], ["4.95", "2.83", "1.41"]])
    assert browser.run(MARKED)["Z:1,2"] == "→"
    fill(browser, "A", [["0.58", "0.34", "0.14"]])
    assert [browser.run(MARKED)[f"A:0,{j}"] for j in range(3)] == ["✓", "✗", "✓"]
    browser.point('main td[data-k="S:0,2"]')
    browser.run("document.querySelector('main td[data-k=\"S:0,2\"] input').focus()")
    browser.point("#working .hint-button", click=True)
    assert browser.state()["text"].endswith("S13=Q11·K31+Q12·K32=1·0+2·1"), "the law, and no result"
    told = browser.run("return attncalc.answers()")
    assert (
        told.startswith("S: [[4, 3, 2], [7, 4, 2]]\nZ: ") and "A: [[0.58, 0.34, 0.14], [_, _, _]]\n" in told
    )
    browser.send("/refresh", {})
    assert browser.run("return attncalc.answers()") == told
    browser.run("localStorage.clear()")


def test_notes_that_tell(browser: Browser, tmp_path: Path) -> None:
    """What an author says of the results is hidden with them; all else stays."""
    seen = "return [...document.querySelectorAll('main > p')].some((e) => e.offsetParent && e.textContent.includes('{}'))"
    for name, words, stays in (("code-lab-a", "1.66048", False), ("gpt2-block", "0.00001", True)):
        browser.view(page(tmp_path, name))
        browser.point("#try button", click=True)
        assert browser.run(seen.format(words)) == stays


@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.parametrize("places", [2, 4])
def test_honest_rounding_is_right(name: str, places: int, browser: Browser, tmp_path: Path) -> None:
    """Our own solution, every step rounded, has no wrong cell on the page, as it has none for the checker."""
    browser.view(page(tmp_path, name))
    browser.run("localStorage.clear()")
    browser.send("/refresh", {})
    browser.point("#try button", click=True)
    shown = browser.run(
        "return [...new Set([...document.querySelectorAll('main td:has(input)')].map((e) => e.dataset.k))]"
    )
    values = {step.symbol: step.value for step in solved(name).steps}
    told = {}
    for key in shown:
        step, _, at = key.rpartition(":")
        value = values[step][tuple(map(int, at.split(",")))] if step in values else None
        if value is not None:
            told[key] = "-inf" if np.isneginf(value) else f"{value:.{places}f}"
    browser.run(FILL.format(json.dumps(told)))
    marks = browser.run(MARKED)
    assert marks and not [key for key, mark in marks.items() if mark in "✗→"]
    browser.run("localStorage.clear()")
