"""Lint and check never disagree: students make every mistake, and `check` says what lint says it would."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.fields import Floats
from attncalc.core.graph.graph import Step
from attncalc.core.graph.references import Reference
from attncalc.exercise.load import Source, load_source
from attncalc.exercise.yaml.tree import Mapped, from_python
from attncalc.features.authoring.lint.findings import Lint
from attncalc.features.authoring.lint.lint import lint
from attncalc.features.authoring.vary.vary import Variation
from attncalc.marking.checker import Checker
from attncalc.mistakes.base import Variation as Wrong
from tests.helpers.bundled import NUMERIC, STATED, checker_of
from tests.helpers.quick_and_slow import each
from tests.helpers.single_mistakes import Mistaken, rounded

ASKING = [name for name in NUMERIC if "design" not in STATED[name]]
FEW = ["dot-product-3", "softcap", "d2l-valid-lens"]


class Heard(NamedTuple):
    """What check says to one student."""

    is_wrong: bool
    names: frozenset[str]


Sheet = tuple[dict[str, Any], bytes] | None


class Writer(Mistaken[Sheet]):
    """Writes an answers file with one mistake; beside it the values of all steps."""

    def write(self, values: dict[str, Floats]) -> dict[str, Any] | None:
        """Every asked step, row or cell, to the asked decimals; None if one is no number."""
        found = {}
        for step, at in self.asked:
            if all(n < size for n, size in zip(at, values[step].shape, strict=False)):
                part = np.asarray(values[step][at])
                texts = [self.text(float(number), step) for number in part.ravel()]
                if "" in texts:
                    return None
                key = str(Reference(step, tuple(n + 1 for n in at)))
                found[key] = np.array(texts, dtype=object).reshape(part.shape).tolist()
        return found

    def text(self, number: float, step: str) -> str:
        """One number as it is handed in."""
        text = rounded(number, self.places(step))
        return "" if text == "no number" else f"{float(text):.{max(0, self.places(step))}f}"

    def hand_in(self, values: dict[str, Floats]) -> Sheet:
        """What is handed in, and the values of all steps to six digits."""
        sheet = self.write(values)
        steps = [values[step.name].ravel() for step in self.graph.steps]
        return (
            None if sheet is None else (sheet, "".join(f"{x:.5e} " for x in np.concatenate(steps)).encode())
        )

    def make(self, variation: Wrong) -> Sheet:
        reached = self.carry_on(self.right.floats, variation, [*self.graph.steps])
        return self.hand_in({**self.right.floats, **reached})

    def put(self, step: Step, variation: Wrong) -> Sheet:
        found = self.carry_on(self.right.floats, variation, [step])[step.name]
        return self.hand_in({**self.right.floats, step.name: found})


class Class:
    """Students who make every mistake in every way, and what check says to each."""

    def __init__(self, checker: Checker) -> None:
        self.checker, self.known = checker, dict[str, Heard]()
        self.heard: dict[str, list[Heard]] = {}
        self.steps: dict[str, set[bytes]] = {}
        for mistake, handed in Writer(checker).hand_ins():
            if handed is not None:
                sheet, steps = handed
                self.heard.setdefault(mistake.code, []).append(self.check(sheet))
                self.steps.setdefault(mistake.code, set()).add(steps)

    def check(self, sheet: dict[str, Any]) -> Heard:
        """What check says to an answers file."""
        if str(sheet) not in self.known:
            root = from_python(sheet, "answers")
            assert isinstance(root, Mapped)
            report = self.checker.check(root, "student")
            wrong = any(step.is_bad for step in report.steps)
            self.known[str(sheet)] = Heard(wrong, frozenset(report.mistakes))
        return self.known[str(sheet)]

    def is_seen(self, code: str) -> bool:
        """Whether it is ever called wrong."""
        return any(one.is_wrong for one in self.heard[code])

    def is_named(self, code: str, *others: str) -> bool:
        """Whether just this name is ever given, or others that are allowed."""
        return any(one.is_wrong and one.names and one.names <= {code, *others} for one in self.heard[code])

    def names(self, code: str) -> set[str]:
        """All other names that are given where it is called wrong."""
        return {name for one in self.heard[code] if one.is_wrong for name in one.names} - {code}

    def same(self, code: str) -> list[str]:
        """The mistakes that lead to the same numbers in all steps."""
        return [other for other, steps in self.steps.items() if self.steps[code] <= steps]


def disagreements(found: Lint, students: Class) -> Iterator[str]:
    """What lint says, and check does not."""
    seen = [code for code in students.heard if students.is_seen(code)]
    if (found.applicable, found.seen) != (len(students.heard), len(seen)):
        yield f"{found.seen} of {found.applicable} are seen, and not {len(seen)} of {len(students.heard)}"
    hidden = {one.mistake for one in found.findings if one.code == "hidden"}
    yield from (f"{code} is hidden" for code in hidden & {*seen})
    yield from (f"{code} is not hidden" for code in students.heard.keys() - {*seen} - hidden)
    mixed = [one for one in found.findings if one.code in ("alike", "unnamed")]
    yield from (f"{one.mistake} is {one.code}" for one in mixed if students.is_named(one.mistake))
    for one in mixed:
        if {*one.alike} != students.names(one.mistake):
            yield f"{one.mistake} is named {one.alike}, and not {students.names(one.mistake)}"
    said = {name for one in mixed for name in (one.mistake, *one.alike)}
    apart = [code for code in seen if students.is_named(code, *students.same(code))]
    yield from (f"{code} is told apart" for code in seen if code not in said and code not in apart)
    if not sum(map(students.is_named, seen)) <= found.apart <= len(apart):
        yield f"{found.apart} are told apart, and not {len(apart)}"


@each("name", ASKING, quick=FEW)
def test_what_lint_says_is_what_check_says(name: str) -> None:
    """Hidden: never called wrong; told apart: named exactly, in one of its ways; alike: by just these names."""
    assert [*disagreements(lint(load_source(name)), Class(checker_of(name)))] == []


COURSE = "Q: [[1, 2], [3, 1], [0, 2]]\nK: [[2, 1], [1, 1], [0, 1]]\nV: [[1, 2], [1, 1], [0, 1]]\nscale: 1/sqrt(d_k)\n"


PRECISIONS = ["", "places: 1\n", "places: 2\n", "places: 4\n", "digits: 3\n"]
CAUSAL = "mask: {causal: upper-left}\n"
MORE = ["", CAUSAL, f"{CAUSAL}parts: [{{show: [A, O]}}]\n"]


@each(
    ("places", "more"),
    [*product(PRECISIONS, MORE)],
    quick=[("places: 1\n", ""), ("digits: 3\n", "")],
)
def test_at_every_precision(places: str, more: str) -> None:
    """At the asked rounding, also where hidden scores were set to 0."""
    source = Source(COURSE + places + more, "problem.yaml", ".")
    assert [*disagreements(lint(source), Class(Checker(source.problem)))] == []


@each("name", [name for name in ASKING if "vary" not in STATED[name]], quick=["dot-product-3"])
def test_a_step_to_ask_shows_what_was_hidden(name: str) -> None:
    """Where lint names a step, check calls the mistake wrong if that is answered as well."""
    for finding in lint(load_source(name)).findings:
        if finding.ask:
            writer = Writer(checker_of(name))
            writer.asked = [one for one in writer.asked if one[0] != finding.ask] + [(finding.ask, ())]
            students = [sheet for one, sheet in writer.hand_ins() if one.code == finding.mistake]
            checked = Class.__new__(Class)
            checked.checker, checked.known = writer.checker, {}
            assert any(checked.check(sheet[0]).is_wrong for sheet in students if sheet)


@each("name", ["dot-product-3", "problem-set-4-q3", "two-heads-by-hand", "encoder-layer", "causal-cache"],
      quick=["dot-product-3"])  # fmt: skip
def test_variants_show_what_the_original_shows(name: str) -> None:
    """Every variant, to check as well."""
    found = lint(load_source(name))
    structural = {one.mistake for one in found.findings if (one.code, one.kind) == ("hidden", "structural")}
    for variant in Variation(load_source(name), 3).make_all(["001", "002", "003"]):
        students = Class(Checker(variant.source.problem))
        assert {code for code in students.heard if not students.is_seen(code)} <= structural
