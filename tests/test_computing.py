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

from attncalc.document.blocks import Equation
from attncalc.document.computed import is_computed
from attncalc.document.steps import View, Writer
from attncalc.errors import ProblemError
from attncalc.fields import Array, Floats
from attncalc.notations.mathml import MathML
from attncalc.notations.unicode import write
from attncalc.record import changed
from attncalc.solution.solution import Solution, SolvedStep
from attncalc.solution.solve import solved as solve_graph
from attncalc.terms import Constant
from tests.browsing import NEEDS_BROWSER, Browser, browser, page
from tests.bundled import FEW, GRAPHS, NUMERIC, PROBLEMS, solved
from tests.samples import each

__all__ = ["browser"]
pytestmark = NEEDS_BROWSER

COMPUTED = [name for name in NUMERIC if not PROBLEMS[name].settings.get("limit")]
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


@each("name", COMPUTED, quick=[name for name in COMPUTED if name in FEW][:6])
def test_every_problem(name: str, browser: Browser, tmp_path: Path) -> None:
    """The numbers of all steps; and every worked line begins and ends like the program's, most are the same."""
    solution = solved(name)
    assert is_computed(solution)
    browser.view(page(tmp_path, name))
    check_numbers(browser, solution)
    written = dict(lines_of(solution))
    found = browser.run(TEXTS.format(json.dumps(list(written))))
    same = 0
    for wanted, text in zip(written.values(), map(unspaced, found), strict=True):
        assert text.startswith(sides_of(wanted)[0] + "=") or len(wanted.sides) == 1
        assert re.split("[=≈]", text)[-1] == sides_of(wanted)[-1], (wanted, text)
        same += text == unspaced("".join(sides_of(wanted, relations=True)))
    assert same >= 0.75 * len(written)


def lines_of(solution: Solution) -> Iterator[tuple[str, Equation]]:
    """The worked lines of all cells, by their keys."""
    writer = Writer(solution, View())
    for step in solution.steps:
        for at in product(*map(range, step.shape)):
            yield f"{step.symbol}:{','.join(map(str, at))}", writer.line(step, at)


def sides_of(line: Equation, relations: bool = False) -> list[str]:
    """The sides of a line as a browser reads them out, perhaps with the relations before them."""
    notation = MathML()
    sides = ((relation if relations else "") + write(term, notation) for relation, term in line.sides)
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
    return solve_graph(PROBLEMS[name], changed(graph, given=given), "numeric")


def place(name: str, at: tuple[int, ...]) -> str:
    """A cell as an address has it."""
    return f"{name}[{','.join(str(n + 1) for n in at)}]"


@each("name", COMPUTED, quick=[name for name in COMPUTED if name in FEW][:6])
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
