"""`attncalc vary`: every promise of a variant, checked on the variant itself; and classes of variants."""

from __future__ import annotations

import random
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

import attncalc
from attncalc.core.fields import Floats
from attncalc.exercise.load import Source, load, load_source
from attncalc.exercise.yaml.tree import Mapped
from attncalc.features.authoring.command_vary import ids_in
from attncalc.features.authoring.lint.batches import Sets
from attncalc.features.authoring.lint.lint import lint
from attncalc.features.authoring.lint.numbers import Work
from attncalc.features.authoring.vary.draw_numbers import find_matrix
from attncalc.features.authoring.vary.template import Template
from attncalc.features.authoring.vary.vary import Variant, Variation
from attncalc.marking.answers.questions import write_answers
from attncalc.marking.checker import Checker
from attncalc.marking.follow.truth import ROUGH
from attncalc.marking.verdicts import OverallVerdict
from attncalc.mistakes.softmax_base import exponentials_of
from tests.helpers.bundled import NAMES
from tests.helpers.commands import run, run_fault
from tests.helpers.many_variants import Crowd, Many
from tests.helpers.quick_and_slow import SLOW, each
from tests.helpers.single_mistakes import Student

pytestmark = SLOW

VARIED = [
    "alibi", "apple-to-eat", "causal-cache", "cross-attention-3x4", "deepml-131b", "deepml-53c", "deepml-94-test",
    "discussion-10-q1", "dot-product-3", "encoder-layer", "illustrated-self-attention", "journey", "linear-attention",
    "problem-set-4-q3", "random-transformer", "random-transformer-sqrt", "rope", "split-and-join", "temp-k",
    "udl-12-1",
]  # fmt: skip
"""Twenty of which there are a thousand variants."""
FEW = ["dot-product-3", "problem-set-4-q3"]


def ids(count: int) -> list[str]:
    """001, 002, …"""
    return [f"{number:03}" for number in range(1, count + 1)]


class Original:
    """What a variant is compared with, found apart from what makes it."""

    def __init__(self, name: str) -> None:
        self.source = load_source(name)
        self.changing = {one.name for one in Template(self.source).matrices}
        self.hidden = {
            one.mistake
            for one in lint(self.source).findings
            if one.code == "hidden" and one.kind == "structural"
        }
        self.checker = Checker(self.source.problem)
        self.work = Work(self.checker.graph, [*self.checker.graph.steps])
        self.largest, self.smallest, self.score, self.products = self.measure(self.checker.truth.floats, 1)

    def measure(self, values: dict[str, Floats], count: int) -> tuple[Floats, ...]:
        """The largest and the smallest weight of keys that are seen beside others, the largest score, the products."""
        graph = self.checker.graph
        shaped = {name: np.broadcast_to(values[name], (count, *graph.shapes[name])) for name in graph.shapes}
        weights, scores = [np.full((count, 1), np.nan)], [np.zeros((count, 1))]
        for step in graph.steps:
            exponentials = exponentials_of(step, graph)
            if exponentials:
                seen = np.isfinite(shaped[exponentials.inputs[0]])
                is_weighed = seen & (seen.sum(axis=-1, keepdims=True) > 1)
                weights.append(np.where(is_weighed, shaped[step.name], np.nan).reshape(count, -1))
            if step.role == "S":
                scores.append(np.abs(shaped[step.name]).reshape(count, -1))
        sizes = {name: ROUGH.constant(size)[None] for name, size in graph.sizes.items()}
        counts = self.work.count(Sets(count, {**sizes, **shaped}))
        together = np.concatenate(weights, axis=1)
        return (
            np.fmax.reduce(together, axis=1, initial=0),
            np.fmin.reduce(together, axis=1, initial=1),
            np.max(np.concatenate(scores, axis=1), axis=1),
            np.sum([one.reshape(count, -1).sum(axis=1) for one in counts.values()], axis=0),
        )

    def check_measures(self, values: dict[str, Floats], count: int) -> None:
        """Fails where weights, scores or the work are others than is promised."""
        largest, smallest, score, products = self.measure(values, count)
        assert (largest <= 0.99).all() or self.largest > 0.99
        assert (smallest >= 0.005).all() or self.smallest < 0.005
        assert (score <= 2 * self.score * (1 + 1e-12)).all()
        assert (np.abs(products - self.products) <= 0.15 * self.products).all()


def check_promises(original: Original, variant: Variant) -> str:
    """Fail if a promise is broken; return the asked values, to be compared with others."""
    checker = Checker(variant.source.problem)
    original.check_measures(checker.truth.floats, 1)
    assert checker.check_key().verdict is OverallVerdict.CORRECT
    check_words(original.source, variant.source)
    right, outcomes = Student(checker).all_hand_ins()
    assert {code for code, texts in outcomes.items() if texts == {right}} <= original.hidden
    return right


def check_all_promises(original: Original, variants: list[Variant]) -> None:
    """Fail if one of many variants breaks a promise; two of them are checked one by one."""
    texts = [variant.source.text for variant in variants]
    many = Many(original.source.text, texts, original.changing)
    many.check_words()
    many.check_kinds()
    values = many.values(original.checker)
    original.check_measures(values, many.count)
    many.check_keys(original.checker, values)
    crowd = Crowd(original.checker, values, many.count)
    assert len({row.tobytes() for row in crowd.right_rows}) == many.count
    hidden = crowd.find_hidden()
    assert {code for code, where in hidden.items() if where.any()} <= original.hidden
    for variant in (variants[0], variants[-1]):
        check_promises(original, variant)


def check_words(original: Source, variant: Source) -> None:
    """Only numbers of matrices and the key are others, and the numbers are of the same kind."""
    named = {one.name for one in Template(original).matrices}
    for key, node in original.root.items:
        other = variant.root.get(key.text)
        assert other is not None
        if key.text in named:
            before, after = (
                find_matrix(key.text, n, s.text, None) for n, s in ((node, original), (other, variant))
            )
            assert before and after
            check_kind([*map(list, before.numbers)], [*map(list, after.numbers)])
        elif key.text != "answers":
            assert texts_of(node) == texts_of(other)


def check_kind(before: list[list[Fraction]], after: list[list[Fraction]]) -> None:
    """The same range, the same step, as many zeros in a row."""
    old, new = ([number for row in rows for number in row] for rows in (before, after))
    assert min(old) <= min(new) and max(new) <= max(old)
    assert [row.count(Fraction(0)) for row in before] == [row.count(Fraction(0)) for row in after]
    halves, tenths = (all((n * size).denominator == 1 for n in old) for size in (2, 10))
    assert not halves or all((n * 2).denominator == 1 for n in new)
    assert not tenths or all((n * 10).denominator == 1 for n in new)


def texts_of(node: object) -> object:
    """What a node says, wherever it stands."""
    if isinstance(node, Mapped):
        return [(key.text, texts_of(value)) for key, value in node.items]
    items = getattr(node, "items", None)
    return [texts_of(item) for item in items] if items is not None else getattr(node, "text", None)


@pytest.mark.parametrize("name", FEW)
def test_a_few_variants_keep_every_promise(name: str) -> None:
    """Also with every mistake made one by one."""
    original = Original(name)
    made = [*Variation(load_source(name), 7).make_all(ids(4))]
    asked = [check_promises(original, variant) for variant in made]
    assert len({*asked}) == len(asked)
    check_all_promises(original, made)


@SLOW
@pytest.mark.parametrize("name", VARIED)
def test_many_variants_keep_every_promise(name: str) -> None:
    """A thousand each of twenty problems."""
    check_all_promises(Original(name), [*Variation(load_source(name), 1).make_all(ids(1000))])


@each(
    "name",
    [name for name in NAMES if name not in VARIED],
    quick=["attention-exploration-b", "deepml-94-example"],
)
def test_the_others_are_made_or_refused_with_a_reason(name: str) -> None:
    """No variant breaks a promise; if one cannot be kept, the command says so."""
    reasons = (
        "has letters",
        "has a design",
        "no numbers",
        "break the promise",
        "cannot be varied more than",
    )
    try:
        made = [*Variation(load_source(name), 1).make_all(ids(10))]
    except attncalc.ProblemError as error:
        why = str(error)
    else:
        original = Original(name)
        asked = {check_promises(original, variant) for variant in (made[0], made[-1])}
        why = "no numbers are asked twice" if len(asked) == 2 else "some are"
    assert any(reason in why for reason in reasons), why


def test_the_same_bytes_however_many_are_made() -> None:
    """Alone, among others, in another order; another seed, file or id gives others."""
    name = "dot-product-3"

    def make(seed: int, *who: str, text: str = "") -> dict[str, str]:
        source = load_source(name)
        found = Variation(Source(source.text + text, source.name, source.folder), seed)
        return {one.id: one.source.text for one in found.make_all(who)}

    many = make(7, *ids(6))
    assert make(7, "005") == {"005": many["005"]} and make(7, *reversed(ids(6))) == many
    assert len({*many.values(), *make(8, "001").values(), *make(7, "001", text="# more\n").values()}) == 8
    digest = sha256(many["001"].encode()).hexdigest()
    assert digest == "f7bdd4603056150242192198effa030235a5fd9b0b23218da6c1e91036cd0969", (
        "other bytes than on other machines and before"
    )


def test_chance_of_the_platform_does_not_matter() -> None:
    """What others draw in between changes nothing."""
    random.seed(1)
    before = [one.source.text for one in Variation(load_source("dot-product-3"), 1).make_all(ids(2))]
    random.random()
    assert before == [one.source.text for one in Variation(load_source("dot-product-3"), 1).make_all(ids(2))]


SMALL = "Q: [[1, 2], [3, 1]]\nK: [[2, 1], [1, 1], [0, 1]]\nV: [[1, 2], [1, 1], [0, 1]]\nscale: none\n"


def variants_of(text: str, count: int = 5) -> list[Source]:
    """Variants of the text of a file."""
    made = Variation(Source(text, "problem.yaml", "."), 3).make_all(ids(count))
    return [variant.source for variant in made]


def test_the_file_says_what_may_change() -> None:
    """Names, ranges, and names from let, which are followed; variants keep the key."""
    for one in variants_of(SMALL + "vary: [V]\n"):
        assert "Q: [[1, 2], [3, 1]]\nK: [[2, 1], [1, 1], [0, 1]]" in one.text and "vary: [V]" in one.text
    wide = variants_of(SMALL + "vary: {V: {from: 10, to: 90}}\n")
    assert all(10 <= number <= 90 for one in wide for number in numbers_of(one, "V") if number)
    let = "let: {u: [0.5, 2.3], v: [1.9, 1.1]}\nQ: [u, v]\nK: [[2, 1], [1, 1], [0, 1]]\nV: [[1, 2], [1, 1], [0, 1]]\n"
    followed = variants_of(let + "scale: none\nvary: [Q]\n")
    assert len({one.text.partition("\n")[0] for one in followed}) > 1
    assert all("Q: [u, v]\nK: [[2, 1], [1, 1], [0, 1]]" in one.text for one in followed)


def numbers_of(source: Source, name: str) -> list[Fraction]:
    """The numbers of a matrix."""
    found = find_matrix(name, source.root.get(name), source.text, None)  # type: ignore[arg-type]
    assert found
    return [slot.number for slot in found.slots]


def drawn_from(source: Source, seed: int | str) -> Source:
    """A file with other numbers."""
    template = Template(source)
    return template.write(template.draw(random.Random(seed)))


KINDS = {
    "[[1, 0], [0, 1]]": "[[1, 0], [0, 1]]",
    "[[1, 1], [1, 1]]": "[[1, 1], [1, 1]]",
    "[[0, 1], [1, 0], [0, 0]]": "[[0, 1], [1, 0], [0, 0]]",
}
"""Patterns that do not change."""


@pytest.mark.parametrize("matrix", KINDS)
def test_patterns_stay(matrix: str) -> None:
    """An identity, ones, and what picks rows."""
    source = Source(f"X: {matrix}\n", "p", ".")
    assert drawn_from(source, "a").text == f"X: {KINDS[matrix]}\n"


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("[[1.50, 2.25], [0.75, 3.00]]", r"\d\.\d\d"),
        ("[[1/2, 2], [-1, 3/2]]", r"-?(\d|\d/2)"),
        ("[[1.5, 2.0], [0.5, 3.0]]", r"\d\.[05]"),
        ("'[1 2; 3 4]'", r"[1-4]"),
        ("[1 2; 3 4]", r"[1-4]"),
    ],
)
def test_numbers_are_written_as_before(written: str, form: str) -> None:
    """Decimals keep their places, halves stay halves, other notations stay too."""
    import re

    source = Source(f"X: {written}\n", "p", ".")
    for seed in range(20):
        drawn = drawn_from(source, seed)
        (matrix,) = Template(drawn).matrices
        assert all(re.fullmatch(form, slot.text) for slot in matrix.slots), drawn.text
        assert re.sub(r"[-\d./ ]", "", drawn.text) == re.sub(r"[-\d./ ]", "", source.text)


def test_diagonal_matrices_stay_diagonal_and_equal_ones_equal() -> None:
    """Zeros of a pattern keep their places."""
    source = Source("K: [[8, 0], [0, 9]]\nV: [[1, 2], [3, 4]]\nQ: [[1, 2], [3, 4]]\n", "p", ".")
    for seed in range(10):
        diagonal, first, second = Template(drawn_from(source, seed)).matrices
        assert [[n == 0 for n in row] for row in diagonal.numbers] == [[False, True], [True, False]]
        assert first.numbers == second.numbers


REFUSED = {
    "vary: [W]": "'W' is no matrix of this file",
    "vary: {Q: {from: 3, to: 1}}": "from must be less than to",
    "vary: {Q: 3}": "must name what may change",
    "vary: {Q: {from: 1}}": "is written {from: -3, to: 3}",
    "vary: {Q: {from: sqrt(2), to: 3}}": "must be a plain number",
    "vary: [scale]": "no numbers that may be others",
}


def test_numbers_that_another_has_are_drawn_again() -> None:
    """A variant does not depend on how many are made."""
    variation = Variation(load_source("softcap"), 1)
    many = {variant.id: variant.source.text for variant in variation.make_all(ids(20))}
    alone = {id_: next(iter(variation.make_all([id_]))).source.text for id_ in ids(20)}
    assert [id_ for id_ in many if many[id_] != alone[id_]] == ["013"]
    keys = {id_: text.split("answers:")[1] for id_, text in many.items()}
    assert alone["013"].endswith(keys["005"]) and len({*keys.values()}) == len(keys)
    assert {one.id: one.source.text for one in variation.make_all(ids(14))}.items() <= many.items()


@pytest.mark.parametrize("key", REFUSED)
def test_what_cannot_change_is_refused(key: str) -> None:
    """In a sentence with its place."""
    with pytest.raises(attncalc.ProblemError, match=REFUSED[key].replace("{", r"\{")):
        variants_of(SMALL + key + "\n")


@pytest.mark.parametrize(
    "text", ["{Q: [[1, 2]], K: [[1, 2], [2, 1]], V: [[1, 3], [2, 1]]}\n", f"{SMALL}...\n"]
)
def test_a_file_that_no_key_can_be_added_to_is_refused(text: str) -> None:
    """With what to do, not with a fault in a file that no user wrote."""
    with pytest.raises(attncalc.ProblemError, match="must have each key on its own line"):
        variants_of(text)


def test_a_promise_that_cannot_be_kept_is_named() -> None:
    """And nothing is made."""
    few = "Q: [[1, 2]]\nK: [[1, 2], [2, 1]]\nV: [[1], [2]]\nscale: none\n"
    with pytest.raises(
        attncalc.ProblemError, match=r"more than \d+ times: of 500 draws for \d+, all that keep"
    ):
        variants_of(few, 40)
    even = "Q: [[1, 1], [1, 1]]\nK: [[1, 2], [2, 1]]\nV: [[1, 2], [3, 1]]\nscale: none\nvary: {K: {from: 50, to: 90}}\n"
    with pytest.raises(
        attncalc.ProblemError, match=r"\d+ of 500 draws break the promise that no weight is above 0.99"
    ):
        variants_of(even)


def test_the_command(tmp_path: Path) -> None:
    """Problem files, worksheets and keys in a folder; each solves and checks."""
    folder = tmp_path / "made"
    run(
        "vary",
        "dot-product-3",
        "--count",
        "2",
        "--seed",
        "7",
        "-o",
        str(folder),
        "--sheets",
        "--keys",
        "-f",
        "html",
    )
    assert sorted(path.name for path in folder.iterdir()) == [
        "001-key.html", "001-sheet.html", "001.yaml", "002-key.html", "002-sheet.html", "002.yaml",
    ]  # fmt: skip
    assert "correct" in run("check", str(folder / "001.yaml"), "-f", "json")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("ada\n\nADA\n", "roster.txt: 'ADA' stands here twice"),
        ("", "must hold from 1 to 100,000 students"),
        ("Name,ID\nA,x/y\nB,x y\n", "'x-y' would name two files"),
        ("a,b,c\nd,e,f\n", "roster.txt:1:1: has no heading such as Name or ID in its first line"),
    ],
)
def test_rosters(lines: str, message: str, tmp_path: Path) -> None:
    """An id a line, each once, and nothing is written outside the folder."""
    roster = tmp_path / "roster.txt"
    roster.write_text(lines)
    assert message in run_fault(
        "vary", "dot-product-3", "--roster", str(roster), "-o", str(tmp_path / "made")
    )
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("../x\n.hidden\n", ["x", "hidden"]),
        ('Name,ID\n"Jones, Amy",12\nBob,13\n', ["12", "13"]),
        ("Vorname;Name\nJürgen;Groß\n", ["Jürgen-Groß"]),
        ("姓名\n李 小龙\n", ["李-小龙"]),
        ("jones, amy\nbrown, bob\n", ["amy-jones", "bob-brown"]),
        (
            'Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n"Jones, Amy",4,s,j,1\n',
            ["4"],
        ),
    ],
)
def test_rosters_are_read_as_check_reads_them(lines: str, names: list[str], tmp_path: Path) -> None:
    """Ids, else names, as names of files inside the folder."""
    roster = tmp_path / "roster.csv"
    roster.write_text(lines)
    assert ids_in(str(roster)) == names


def test_count_and_folder_are_required(tmp_path: Path) -> None:
    """In a sentence each."""
    assert "--count, or for whom with --roster" in run_fault(
        "vary", "dot-product-3", "-o", str(tmp_path / "made")
    )
    assert "-o FOLDER" in run_fault("vary", "dot-product-3", "--count", "2")


def test_a_class_of_variants(tmp_path: Path) -> None:
    """Each student is marked against their own: by name in the file, else by the file's name."""
    made, answers = tmp_path / "made", tmp_path / "answers"
    roster = tmp_path / "roster.txt"
    roster.write_text("ada\nbea\ncyd\n")
    run("vary", "dot-product-3", "--roster", str(roster), "-o", str(made))
    answers.mkdir()
    right = {who: own_answers(made / f"{who}.yaml") for who in ("ada", "bea", "cyd")}
    (answers / "ada.yaml").write_text(right["ada"])
    (answers / "second.yaml").write_text(f"student: bea\n{right['bea']}")
    (answers / "cyd.yaml").write_text(right["ada"])
    (answers / "dan.yaml").write_text(right["ada"])
    line = ("check", str(made), str(answers), "-f", "json")
    whole = run(*line, code=2)
    assert attncalc_json(whole) == {
        "ada": "correct", "cyd": "incorrect", "dan": "unread", "second": "correct",
    }  # fmt: skip
    record = tmp_path / "kept.jsonl"
    assert run(*line, "--resume", str(record), code=2) == whole
    record.write_text("".join(record.read_text().splitlines(keepends=True)[:2]))
    assert run(*line, "--resume", str(record), code=2) == whole
    each_ = tmp_path / "each"
    run("check", str(made), str(answers), "--each", str(each_), "--feedback", "full", code=2)
    assert "Everything is right" in (each_ / "ada.html").read_text()
    assert "Not right" not in run("check", str(made), str(answers / "second.yaml"))
    assert "name answers" in run_fault("check", str(made))
    assert "holds no problems" in run_fault("check", str(answers.parent / "each"), str(answers))
    (made / "bea.yaml").write_text((made / "ada.yaml").read_text())
    assert "as it was" in run_fault(*line, "--resume", str(record))


def own_answers(file: Path) -> str:
    """The right answers to a variant, as its student writes them."""
    solution = attncalc.solve(load(str(file)))
    assert "C: [[_" in write_answers(solution)
    rows = [[f"{value:.3f}" for value in row] for row in solution["O"].value]
    return f"C: [{', '.join('[' + ', '.join(row) + ']' for row in rows)}]\n"


def attncalc_json(text: str) -> dict[str, str]:
    """The verdicts by file."""
    import json

    return {Path(one["answers"]).stem: one["verdict"] for one in json.loads(text)}
