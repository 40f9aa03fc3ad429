"""Pages and pictures: well formed, self-contained, inert, and every key on a page leads somewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest

import attncalc
from attncalc.core.errors import ProblemError
from attncalc.core.families import names_in
from attncalc.core.notations.mathml import MathML
from attncalc.core.notations.unicode import Notation, write
from attncalc.core.terms import Constant
from attncalc.core.terms.functions import FUNCTIONS, ON_PAGES
from attncalc.exercise.solve.solution import Solution
from attncalc.marking.report.feedback import feedback
from attncalc.marking.report.levels import Level
from attncalc.marking.verdicts import StepVerdict
from attncalc.pages import Page
from attncalc.pages.documents.html import SCRIPTS, asset, render, whole_script
from attncalc.pages.documents.html.cells import entries_of, is_running, key_of
from attncalc.pages.documents.html.interactive import interactive
from attncalc.pages.solutions import arcs, strip, svg
from attncalc.pages.typeset.shades import shade
from attncalc.worked.blocks import (
    Bars,
    Block,
    Document,
    Equations,
    Heading,
    Listing,
    Map,
    Note,
    Paragraph,
    Table,
    Verdict,
)
from attncalc.worked.overview import attention_map, find_hidden
from attncalc.worked.view import View
from tests.helpers.bundled import (
    FEW,
    GRAPHS,
    KEYED,
    NAMES,
    NUMERIC,
    PROBLEMS,
    checker_of,
    explained_topic,
    key_report,
    solved,
    worked,
)
from tests.helpers.quick_and_slow import each
from tests.helpers.solutions import excerpt

SVG = "{http://www.w3.org/2000/svg}"
MOST_BYTES, MOST_ELEMENTS = 1_000_000, 30_000
VOID = {"meta", "br", "hr", "img", "link", "input"}
POINTED = View(pointed=True)
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</style><script>alert(1)</script>",
    "</td></table>]]>&amp;&lt;b&gt;",
    "' onmouseover='alert(1)",
    "{script} %s ${x}",
    "\ufffe\U0001f600\u202e",
]


class Parsed(HTMLParser):
    """What is in a page: its ids, keys and links; tags that do not match fail at once."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        model = re.search(r'<script type="application/json" id="model">(.*?)</script>', page)
        self.model = json.loads(model[1]) if model else {}
        self.computed = {each["name"] for kind in ("given", "rules") for each in self.model.get(kind, ())}
        """The matrices whose lines the script writes."""
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), (tag, attrs)
        self.tags.append((tag, {**dict(attrs), "in": " ".join(self.open)}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, (tag, self.getpos())

    def values(self, attribute: str, *tags: str) -> list[str]:
        """The values of an attribute, of all elements or of some."""
        found = ((tag, names.get(attribute)) for tag, names in self.tags)
        return [value for tag, value in found if value is not None and (not tags or tag in tags)]


def parsed(page: str) -> Parsed:
    """A page, after what holds for every one of them."""
    found = Parsed(page)
    ids = found.values("id")
    assert len(set(ids)) == len(ids)
    assert {link[1:] for link in found.values("href")} <= set(ids)
    names = [name for _, names in found.tags for name in names]
    assert not [name for name in names if name.startswith("on")]
    assert not found.values("src")
    tags = [tag for tag, _ in found.tags]
    assert tags.count("style") == 1
    assert found.values("type", "script") == ["application/json"] * bool(found.model)
    assert tags.count("script") == 1 + bool(found.model)
    assert not {"img", "iframe", "link", "object", "form"} & set(tags)
    cells, lines, links = keys(found)
    computed = {key for key in cells if key.rpartition(":")[0] in found.computed}
    assert cells <= lines | computed, "every cell has a line"
    assert links <= cells | lines, "every link leads to a cell or a line"
    return found


def keys(page: Parsed) -> tuple[set[str], set[str], set[str]]:
    """The keys of cells, of lines, and of what stands in lines."""
    cells, lines = set(page.values("data-k", "td")), set(page.values("data-k", "div"))
    inside = page.values("data-k", "mrow", "msub", "mn", "mi")
    return cells, lines, {key for value in inside for key in value.split(" ")}


def check_size(page: str) -> Parsed:
    """A page that is light enough to be there at once."""
    assert len(page.encode()) < MOST_BYTES
    found = parsed(page)
    assert len(found.tags) < MOST_ELEMENTS
    return found


@each("name", NAMES, quick=FEW)
def test_every_problem_as_a_page(name: str) -> None:
    """Well formed and small; it computes if it can, else every worked line links to its sources."""
    found = worked(name, pointed=True)
    page = render(found, Page())
    assert len(page.encode()) < 300_000
    cells, lines, links = keys(seen := check_size(page))
    assert bool(seen.model) == (name in NUMERIC and not PROBLEMS[name].settings.get("limit"))
    if seen.model:
        graph, names = GRAPHS[name], PROBLEMS[name].names
        assert seen.computed == {graph.symbol(each, names) for each in graph.labels}
        return
    equations = [line for block in found.blocks if isinstance(block, Equations) for line in block.lines]
    sources = {
        key
        for line in equations
        if key_of(line.left) and len(line.sides) > 1
        for entry in entries_of(line.sides[0][1])
        if not is_running(entry) and (key := key_of(entry))
    }
    assert {key_of(line.left) for line in equations} - {None} <= lines
    missing = sources - links
    assert not missing & (cells | lines)
    assert not missing or len(solved(name).steps[-1].shape) > 2, "only in a batch are keys folded away"


@each(("tokens", "width", "heads"), [(4, 8, 4), (8, 16, 8), (12, 48, 12), (12, 64, 16)], quick=[(4, 8, 4)])
def test_many_heads(tokens: int, width: int, heads: int) -> None:
    """Rules and numbers stand in the page once; lines are written when they are asked for."""
    assert check_size(render(many_heads(tokens, width, heads), Page())).model


def many_heads(tokens: int, width: int, heads: int) -> Document:
    """A large layer, shown whole."""
    draw = np.random.default_rng(1).integers
    weights = {name: draw(-2, 3, (width, width)).tolist() for name in ("W_Q", "W_K", "W_V", "W_O")}
    x = draw(-2, 3, (tokens, width)).tolist()
    return interactive(attncalc.solve(attncalc.problem(X=x, **weights, heads=heads, mode="numeric")), POINTED)


def drawn(solution: Solution, *names: str) -> str:
    """The picture of a solution, or of some of its steps."""
    return svg.render(excerpt(solution, *names), Page())


@pytest.mark.parametrize("name", NAMES)
def test_every_problem_as_a_picture(name: str) -> None:
    """A square for every weight, with its number, or hatched if a mask hides it; else a fault."""
    solution = solved(name)
    maps = [block for block in attention_map(solution) if isinstance(block, Map)]
    if not maps:
        with pytest.raises(ProblemError, match="nothing to draw"):
            drawn(solution)
        return
    root = ElementTree.fromstring(drawn(solution))
    boxes = {
        kind: [box for box in root.iter(f"{SVG}rect") if box.get("class") == kind]
        for kind in ("cell", "hidden")
    }
    weights = [weight for block in maps for row in block.weights for weight in row]
    assert [box.get("fill-opacity") for box in boxes["cell"]] == [*map(shade, weights)]
    assert len(boxes["hidden"]) == sum(len(block.hidden) for block in maps)
    hidden = {(n, *at) for n, block in enumerate(maps) for at in block.hidden}
    assert all(maps[n].weights[i][j] == 0 for n, i, j in hidden)
    numbers = [text.text for text in root.iter(f"{SVG}text")]
    shown = [
        f"{weight:.2f}"
        for n, block in enumerate(maps)
        for i, row in enumerate(block.weights)
        for j, weight in enumerate(row)
        if (n, i, j) not in hidden
    ]
    assert sorted(shown) == sorted(text for text in numbers if text and re.fullmatch(r"\d\.\d\d", text))


def test_pictures_of_chosen_steps() -> None:
    """One head of two; and no weights among the steps."""
    solution = solved("two-heads-by-hand")
    one = drawn(solution, "A_1")
    assert one.count('class="cell"') == 9 < drawn(solution).count('class="cell"')
    with pytest.raises(ProblemError, match="no attention weights"):
        drawn(solution, "S_1", "O_1")


@pytest.mark.parametrize("name", ["the-cat-sat", "causal-cache"])
def test_arcs(name: str) -> None:
    """An arc for every weight; without weights there is nothing to draw."""
    root = ElementTree.fromstring(arcs.render(excerpt(solved(name)), Page()))
    titles = [path[0].text for path in root.iter(f"{SVG}path")]
    (block,) = (block for block in attention_map(solved(name)) if isinstance(block, Map))
    assert titles == [
        f"{row} attends to {column}: {weight:.2f}"
        for row, weights in zip(block.rows, block.weights, strict=True)
        for column, weight in zip(block.columns, weights, strict=True)
        if weight
    ]
    with pytest.raises(ProblemError, match="nothing to draw"):
        arcs.render(excerpt(solved("rope"), "S"), Page())


@each("name", NAMES, quick=["two-heads-by-hand", "exact-causal", "attention-exploration-b", "retention"])
def test_strips(name: str) -> None:
    """Every matrix on the way to the output, under its name; nothing is drawn if there are no numbers."""
    steps = (step for step in solved(name).steps if step.step.role == "A" and not step.step.label.limit)
    weights = [step for step in steps if np.isfinite(step.value).all()]
    if not weights:
        with pytest.raises(ProblemError, match="nothing to draw"):
            strip.render(excerpt(solved(name)), Page())
        return
    root = ElementTree.fromstring(strip.render(excerpt(solved(name)), Page()))
    names = ["".join(text.itertext()) for text in root.iter(f"{SVG}text") if text.get("class") == "name"]
    assert {Notation().name(step.symbol).replace("_", "") for step in weights} <= {*names}
    cells = [box for box in root.iter(f"{SVG}rect") if box.get("class") in ("above", "below", "hidden")]
    assert len(cells) >= sum(step.value.size for step in weights)
    hidden = sum(find_hidden(solved(name), step.step).sum() for step in weights)
    assert sum(box.get("class") == "hidden" for box in cells) >= hidden


def test_large_pictures() -> None:
    """Without numbers if they do not fit, and refused if nothing could be seen."""
    many = attncalc.solve(attncalc.problem(S=np.zeros((3, 40)), mode="numeric"))
    picture = drawn(many)
    ElementTree.fromstring(picture)
    assert "0.03" not in picture
    too_many = attncalc.solve(attncalc.problem(S=np.zeros((300, 400)), mode="numeric"))
    with pytest.raises(ProblemError, match="too large to draw"):
        drawn(too_many)


REPORTS = {(name, Level.FULL) for name in KEYED}
LEVELS = {("two-heads-by-hand", level) for level in Level}


@each(("name", "level"), sorted(REPORTS | LEVELS), quick=LEVELS | {(name, Level.FULL) for name in FEW})
def test_reports_as_pages(name: str, level: Level) -> None:
    """The published keys, marked; if cells are shown, the wrong ones are crossed."""
    report = key_report(name)
    page = parsed(render(feedback(report, checker_of(name).solution, level, pointed=True), Page()))
    crossed = [names for tag, names in page.tags if tag == "td" and names.get("class") == "wrong"]
    wrong = [s for s in report.steps if s.wrong_cells and len(s.wrong_cells[0]) == 2]
    assert len(crossed) == (sum(len(s.wrong_cells) for s in wrong) if level.includes(Level.CELLS) else 0)


def test_wrong_answers_point_at_what_they_come_from() -> None:
    """Each wrong cell has its line; the matrices that are given are there to be looked at."""
    report = attncalc.check(PROBLEMS["discussion-10-q1"], {"Q": [[2, 3, -5], [-1, 0, -2], [1, 7, 9]]})
    page = render(report.to_document(pointed=True), Page())
    cells, lines, links = keys(parsed(page))
    assert {"Q:2,1", "Q:2,2"} <= cells & lines
    assert {"X:2,0", "X:2,1", "W_Q:0,1", "W_Q:1,1", "W_Q:0,2"} <= links & cells
    assert page.count('aria-label="wrong"') == 2


def shown_everywhere(text: str) -> Iterator[Block]:
    """A text in every place where a text can stand."""
    yield Heading(text, 1)
    yield Heading(text, 2)
    yield Heading(text, 3)
    yield Heading(f"Step {text}", 3)
    yield Paragraph(text)
    yield Note(text)
    yield Verdict(StepVerdict.WRONG.sign, text, text)
    yield Listing(((text, text),))
    yield Table((text, text), ((text, text), ("total", text)))
    yield Bars(text, ((text, 3),))
    yield Map("A", (text,), (text, text), ((0.25, 0.75),))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_blocks(text: str) -> None:
    """Text is text wherever it stands."""
    parsed(render(Document(tuple(shown_everywhere(text))), Page()))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_problems(text: str) -> None:
    """Titles, notes and tokens of a problem do nothing but stand there."""
    problem = attncalc.problem(
        Q=[[1, 2]], K=[[1, 0], [0, 1]], V=[[3], [4]], title=text, source=text, note=text,
        tokens=[text], key_tokens=[text, "x"],
    )  # fmt: skip
    solution = attncalc.solve(problem)
    parsed(render(interactive(solution, POINTED), Page()))
    for written, more in ((drawn(solution), set()), (arcs.render(excerpt(solution), Page()), {"path"})):
        kinds = {box.tag.rpartition("}")[2] for box in ElementTree.fromstring(written).iter()}
        assert kinds == {"svg", "title", "style", "rect", "text", "g", *more}


def test_names_of_a_course() -> None:
    """Letters with a prime or of another script are names like any other."""
    problem = attncalc.problem(Q=[[1, 2]], K=[[1, 0]], V=[[3]], names={"S": "s'", "A": "α", "O": "выход"})
    found = parsed(render(interactive(attncalc.solve(problem), POINTED), Page()))
    assert {"s':0,0", "α:0,0", "выход:0,0"} <= keys(found)[0]
    assert {"s'", "α", "выход"} <= found.computed


@pytest.mark.parametrize("name", ["dot-product-1", "problem-set-4-q3", "attention-exploration-b"])
def test_what_is_said_of_given_numbers(name: str) -> None:
    """A page with numbers to change marks each answer and each remark on a row: they are of the given numbers."""
    answered = render(interactive(solved(name), POINTED), Page())
    asked = sum(bool(part.steps or part.words or part.explain) for part in PROBLEMS[name].parts)
    is_live = 'id="model"' in answered
    assert answered.count('<div class="answer fixed">') == asked * is_live
    assert answered.count('<div class="answer">') == asked * (not is_live)
    if is_live:
        assert answered.count(">Check: ") == answered.count('<p class="note fixed" dir="auto">Check: ') > 0


@pytest.mark.parametrize("name", names_in("topics"))
def test_topics_as_pages(name: str) -> None:
    """Derivations are pages too."""
    parsed(render(explained_topic(name), Page()))


def test_folded_matrices() -> None:
    """Of a large matrix only what is shown has lines, and all of that."""
    problem = attncalc.problem(X=[[n % 3, n % 2] for n in range(30)], mode="numeric")
    cells, lines, _ = keys(check_size(render(interactive(attncalc.solve(problem), POINTED), Page())))
    assert "S:29,29" in cells and "S:10,10" not in lines
    assert sum(key.startswith("S:") for key in cells) == 49


def test_nothing_is_fetched() -> None:
    """The policy allows no request, and no address stands in style or script."""
    page = render(Document(()), Page())
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy and policy[1].startswith(
        "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"
    )
    written = (asset("page.css") + whole_script()).replace('"http://www.w3.org/', "")
    assert not re.search(r"https?:|url\(|@import|eval|innerHTML", written)


def test_scripts_have_no_name_twice() -> None:
    """All of them run as one."""
    texts = [asset(f"script/{name}.js") for name in SCRIPTS]
    named = [
        name for text in texts for name in re.findall(r"^(?:const|let|function|class) (\w+)", text, re.M)
    ]
    listed = [name for text in texts for name in re.findall(r"^const .*?, ([A-Z_]+) =", text, re.M)]
    assert len({*named, *listed}) == len([*named, *listed]) > 100


def test_functions_of_the_script() -> None:
    """The script has just the functions that a page is said to compute."""
    table = asset("script/functions.js").partition("const FUNCTIONS = {")[2]
    assert {*re.findall(r"^  (\w+)[:,]", table, re.MULTILINE)} == ON_PAGES < {*FUNCTIONS}


def luminance(colour: tuple[float, ...]) -> float:
    """How light a colour is to the eye (WCAG)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def rgb(text: str) -> tuple[float, ...]:
    """#1f5fbf as three shares."""
    full = text if len(text) == 7 else "#" + "".join(c * 2 for c in text[1:])
    return tuple(int(full[n : n + 2], 16) / 255 for n in (1, 3, 5))


def contrast(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """How well one colour is read on another."""
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [0, 1])
def test_contrast(theme: int) -> None:
    """Text on paper, and a number on the densest shade, can be read in both themes."""
    blocks = re.findall(r":root \{(.*?)\}", asset("page.css"), re.DOTALL)
    colours = {name: rgb(value) for name, value in re.findall(r"--(\w+): (#\w+)", blocks[theme])}
    for name in ("ink", "soft", "accent", "wrong", "right", "doubt", "f0", "f1", "f2", "f3"):
        for paper in ("paper", "raised"):
            assert contrast(colours[name], colours[paper]) >= 4.5, (name, paper)
    layer, dense = rgb("#1f5fbf"), float(shade(1))
    mixed = tuple(dense * a + (1 - dense) * b for a, b in zip(layer, colours["paper"], strict=True))
    assert contrast(colours["ink"], mixed) >= 4.5
    assert "#1f5fbf" in svg.STYLE and "rgb(31 95 191 / var(--w" in asset("page.css")


@pytest.mark.parametrize("sign", ["", "-"])
def test_infinity_keeps_its_sign(sign: str) -> None:
    """What grows beyond all bounds is not what falls below them."""
    markup = write(Constant(float(f"{sign}inf")), MathML())
    assert "∞" in markup and ("−" in markup) == bool(sign)


def test_a_hidden_key_is_no_small_weight() -> None:
    """In a map it is hatched, and a weight that rounds to 0 is not; a batch has a map for each sequence."""
    x = [[[1, 0], [0, 1], [9, 9]], [[0, 1], [1, 1], [9, 0]]]
    problem = attncalc.problem(X=x, mask="causal", parts=[{"part": "a", "show": "map"}])
    page = render(interactive(attncalc.solve(problem), POINTED), Page())
    hatched = re.findall(r'<td data-k="A:(\d),(\d),(\d)"[^>]* class="hidden">', page)
    assert hatched == [(b, i, j) for b in "01" for i, j in ("01", "02", "12")]
    assert re.search(r'<td data-k="A:0,2,0" style="--w:[^"]*">0.00<', page)
