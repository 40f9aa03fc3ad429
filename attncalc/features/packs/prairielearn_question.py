"""A question of PrairieLearn: what its server.py does, with the dictionary that PrairieLearn hands around."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from math import fsum, isfinite
from typing import Any

import numpy as np

from attncalc.core.errors import AttncalcError
from attncalc.core.graph.references import Reference
from attncalc.core.record import record, replace
from attncalc.exercise.load import Source, load_source
from attncalc.exercise.solve.points_per_step import masks
from attncalc.exercise.yaml.tree import Mapped, from_python
from attncalc.features.authoring.vary.vary import Variation
from attncalc.features.packs.accepted_numbers import share_out
from attncalc.features.packs.form import Field, Form
from attncalc.features.packs.report_gradescope import explain_step
from attncalc.marking.answers.files import unreadable
from attncalc.marking.answers.questions import BLANK
from attncalc.marking.checker import Checker
from attncalc.marking.follow.judge import Mark
from attncalc.marking.limits import TookTooLong, limited
from attncalc.marking.report.levels import Level, show
from attncalc.marking.report.report import Report, StepReport
from attncalc.marking.report.words import points
from attncalc.pages.typeset.hypertext import Hypertext

SECONDS = 10.0
TOO_LONG = "This takes too long to be marked."
UNREADABLE = "This cannot be read as a number."
DIGITS = ".12g"
"""The format of correct numbers: with more digits than are judged."""
FAR, FURTHER = 101, 7
"""The errors of the numbers in a wrong submission, each larger than the one before."""
Data = dict[str, Any]
"""What PrairieLearn hands around: `params`, `correct_answers`, `submitted_answers` and so on."""


@record
class Question:
    """A problem file in a question's folder, the level of feedback, and whether numbers are drawn."""

    problem: str
    level: str
    seed: int | None = None
    is_varied: bool = False

    def generate(self, data: Data) -> None:
        """Draw the numbers of a student, and set the words of the question and the correct answers."""
        source = self.draw(self.original(data), str(data["variant_seed"]))
        data["params"]["problem"] = source.text
        paper = Paper(source)
        data["params"].update(paper.words())
        data["correct_answers"].update(paper.right())

    def parse(self, data: Data) -> None:
        """Mark a submission as invalid if something in it is no number."""
        paper = self.paper(data)
        for field, names in paper.unread(paper.read(data)):
            for name in (*names, field.name):
                data["format_errors"].setdefault(name, UNREADABLE)

    def grade(self, data: Data) -> None:
        """Set the scores of all fields, with follow-through, and their feedback."""
        level, paper = Level(self.level), self.paper(data)
        try:
            with limited(SECONDS):
                report = paper.check(paper.read(data))
        except TookTooLong:
            data["format_errors"].update({field.name: TOO_LONG for field in paper.fields})
            return
        data["score"] = report.score / report.max_score if report.max_score else 0.0
        data["partial_scores"] = paper.scores(report, level) if level.includes(Level.STEP) else {}
        data["feedback"]["lines"] = [*paper.tell(report, level)]

    def test(self, data: Data) -> None:
        """Set a correct, wrong or invalid submission, and the scores or errors expected for it."""
        paper, kind = self.paper(data), data["test_type"]
        data["raw_submitted_answers"] = paper.fill_in(is_right=kind == "correct")
        data["partial_scores"], data["format_errors"] = {}, {}
        if kind == "invalid":
            field = paper.fields[0]
            data["raw_submitted_answers"][field.blank_names[0]] = "no number"
            data["format_errors"] = {field.blank_names[0]: UNREADABLE, field.name: UNREADABLE}
            return
        graded = deepcopy({**data, "feedback": {}})
        self.grade(graded)
        data["partial_scores"], data["score"] = graded["partial_scores"], graded["score"]

    def original(self, data: Data) -> Source:
        """The problem file as it was packed."""
        return load_source(os.path.join(data["options"].get("question_path", os.curdir), self.problem))

    def draw(self, source: Source, variant: str) -> Source:
        """The exercise with the numbers of a variant, or unchanged if there are none."""
        if self.is_varied:
            with suppress(AttncalcError):
                (found,) = Variation(source, self.seed or 0).make_all([variant])
                return found.source
        return source

    def paper(self, data: Data) -> Paper:
        """The exercise of one variant."""
        return Paper(replace(self.original(data), text=data["params"]["problem"]))


class Paper:
    """The exercise of one student."""

    def __init__(self, source: Source) -> None:
        self.checker = Checker(source.problem)
        self.solution = self.checker.solution
        self.form = Form(self.solution)
        self.sections = self.form.sections
        self.fields = [field for section in self.sections for field in section.fields]

    def words(self) -> Data:
        """The words of every section and the name of every field, as HTML."""
        writer = Hypertext()
        sections = {f"section{n}": writer.write(*one.blocks) for n, one in enumerate(self.sections)}
        return sections | {f"called_{field.name}": f"{writer.cell(field.called)} =" for field in self.fields}

    def right(self) -> Data:
        """The correct answers: matrices in PrairieLearn's form, or texts if −∞ is among them."""
        found: Data = {}
        for field in self.fields:
            if self.form.is_finite(field):
                cells = np.array(self.numbers(field)).reshape(field.rows, field.columns)
                found[field.name] = {"_type": "ndarray", "_value": cells.tolist(), "_dtype": str(cells.dtype)}
            else:
                found |= {name: f"{x:{DIGITS}}" for name, x in self.cells(field)}
        return found

    def numbers(self, field: Field) -> list[float]:
        """The correct numbers of a field."""
        value = self.solution[field.question.reference.step].value
        return [float(value[at]) for at in field.places()]

    def cells(self, field: Field) -> Iterator[tuple[str, float]]:
        """The correct numbers of a field, each with the name of its blank."""
        return zip(field.blank_names, self.numbers(field), strict=True)

    def fill_in(self, is_right: bool) -> dict[str, str]:
        """A fully correct submission, or a fully wrong one."""
        every = [cell for field in self.fields for cell in self.cells(field)]
        if is_right:
            return {name: f"{x:{DIGITS}}" for name, x in every}
        off = (FAR + FURTHER * n * n for n in range(len(every)))
        return {
            name: str(more + (round(x) if isfinite(x) else 0))
            for (name, x), more in zip(every, off, strict=True)
        }

    def read(self, data: Data) -> dict[str, str]:
        """The typed text under every name: raw, else as PrairieLearn's elements parsed it."""
        typed, parsed = data.get("raw_submitted_answers", {}), data.get("submitted_answers", {})
        found: dict[str, str] = {}
        for field in self.fields:
            matrix = np.ravel(unpack(parsed.get(field.name)))
            known = dict(zip(field.blank_names, matrix.tolist(), strict=False)) | parsed | typed
            found |= {name: to_text(known.get(name)) for name in field.blank_names}
        return found

    def check(self, typed: dict[str, str]) -> Report:
        """The report on a submission."""
        told = {field.question.key(self.solution): arrange(field, typed) for field in self.fields}
        root = from_python(told, "answers")
        assert isinstance(root, Mapped)
        return self.checker.check(root, "answers")

    def unread(self, typed: dict[str, str]) -> Iterator[tuple[Field, list[str]]]:
        """The fields with numbers that cannot be read, and these."""
        for field in self.fields:
            step, cells = field.question.reference.step, zip(field.blank_names, field.places(), strict=True)
            names = [name for name, at in cells if self.is_unread(step, at, typed[name])]
            if names:
                yield field, names

    def is_unread(self, step: str, at: tuple[int, ...], text: str) -> bool:
        """Whether the text typed in a cell is no number."""
        root = from_python({str(Reference.to_cell(step, at)): text}, "answers")
        assert isinstance(root, Mapped)
        answers = self.checker.prepared[0].reader.read(root, "answers")
        return bool(answers.faults) or any(one.cells.shape or [*unreadable(one)] for one in answers.entries)

    def scores(self, report: Report, level: Level) -> Data:
        """The score and the weight of every field, and which cells are correct if the level shows it."""
        steps = {step.step: step for step in report.steps}
        wanted = masks(self.solution, [field.question.reference for field in self.fields])
        weights = share_out(self.checker.prepared[0].marks.worth, wanted)
        found: Data = {}
        for field in self.fields:
            name = field.question.reference.step
            earned = [*find_earned(steps.get(name), field)]
            weight = weights[name] * len(earned)
            found[field.name] = {"score": fsum(earned) / len(earned), "weight": weight}
            if level.includes(Level.CELLS):
                marks = ("correct" if one else "incorrect" for one in find_right(steps.get(name), field))
                found[field.name]["feedback"] = dict(zip(field.blank_names, marks, strict=True))
        return found

    def tell(self, report: Report, level: Level) -> Iterator[str]:
        """The feedback on a submission, line by line."""
        found = show(report, level, lambda: self.solution)
        yield points(found)
        for step in found.steps:
            first, *others = explain_step(step).splitlines()
            yield from (f"{step.symbol}: {first}", *others)


def arrange(field: Field, typed: dict[str, str]) -> Any:
    """The texts typed in a field, in its shape."""
    cells = [typed[name] for name in field.blank_names]
    rows = [cells[n : n + field.columns] for n in range(0, len(cells), field.columns)]
    return (rows, rows[0], rows[0][0])[len(field.question.reference.at)]


def unpack(thing: Any) -> Any:
    """A number or an array out of the mapping that PrairieLearn keeps it in."""
    return unpack(thing["_value"]) if isinstance(thing, dict) and "_value" in thing else thing


def to_text(thing: Any) -> str:
    """A typed text or a number as text; an empty one is a blank."""
    value = unpack(thing)
    return ("" if value is None else str(value).strip()) or BLANK


def find_earned(step: StepReport | None, field: Field) -> Iterator[float]:
    """What each cell of a field earns, from 0 to 1."""
    for at in field.places():
        if step is None or step.implied:
            yield float(step is not None)
        else:
            yield 0.0 if step.earned is None else float(step.earned[at])


def find_right(step: StepReport | None, field: Field) -> Iterator[bool]:
    """Which cells of a field are right, or right given what was wrong before."""
    judged = step.judged if step else None
    for at in field.places():
        if judged is None:
            yield bool(step and step.implied)
        else:
            yield Mark.CORRECT <= judged.marks[at] <= Mark.FOLLOWS
