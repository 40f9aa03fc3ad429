"""An exercise as a question folder of PrairieLearn: matrix inputs, marked by attncalc on the server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from uuid import UUID

import numpy as np

from attncalc.core.errors import AttncalcError, fault, inert
from attncalc.exercise.solve.solve import solve
from attncalc.features.authoring.lint.wrong_answers import Exercise
from attncalc.features.authoring.vary.vary import Variation
from attncalc.features.packs.accepted_numbers import Blanks
from attncalc.features.packs.assignment import FOLDER, Assignment, Files, files_of, name_of
from attncalc.features.packs.form import Field, Form
from attncalc.marking.prepared import Prepared
from attncalc.marking.report.levels import Level

FORM = "folder"
TOPIC = "Attention"
SERVER = '''\
"""Questions and marks by attncalc, which must be among the course's server files (serverFilesCourse)."""

from attncalc.interface.prairielearn import Question

question = Question({problem!r}, {level!r}, {seed!r}, {varied!r})


def generate(data):
    question.generate(data)


def parse(data):
    question.parse(data)


def grade(data):
    question.grade(data)


def test(data):
    question.test(data)
'''
WORDS = "<pl-question-panel>\n{{{{{{params.section{}}}}}}}\n</pl-question-panel>"
MATRIX = (
    '<pl-matrix-component-input answers-name="{name}" label="{{{{params.called_{name}}}}}" '
    'comparison="decdig" digits="{digits}" allow-blank="true" allow-feedback="true">'
    "</pl-matrix-component-input>"
)
TEXT = (
    '<pl-string-input answers-name="{name}" size="8" remove-leading-trailing="true" allow-blank="true" '
    'show-help-text="false" show-score="false"></pl-string-input>'
)
FEEDBACK = """\
<pl-submission-panel>
<div class="mathjax_ignore">
{{#feedback.lines}}
<p>{{.}}</p>
{{/feedback.lines}}
</div>
</pl-submission-panel>
"""


def pack(assignment: Assignment) -> Files:
    """The three files of a question, and the problem file that they read."""
    source = assignment.source
    if assignment.own:
        raise fault("PrairieLearn makes its own variants: pack the exercise that they are variants of")
    problem, varied = source.problem, is_varied(assignment)
    form = Form(solve(problem))
    title = problem.heading
    identity = sha256(f"{inert(problem.called)} {title} {assignment.seed}".encode()).digest()
    info = {
        "uuid": str(UUID(bytes=identity[:16], version=4)),
        "title": title,
        "topic": TOPIC,
        "tags": ["attncalc"],
        "type": "v3",
        "singleVariant": not varied,
        "showCorrectAnswer": assignment.level.includes(Level.FULL),
    }
    name, level = name_of(source), str(assignment.level)
    read = f"{FOLDER}/{name}"
    return {
        "info.json": json.dumps(info, indent=2, ensure_ascii=False) + "\n",
        "question.html": "\n".join(page(form, Blanks(Exercise(Prepared(problem))))),
        "server.py": SERVER.format(problem=read, level=level, seed=assignment.seed, varied=varied),
        **files_of({name: source}),
    }


def is_varied(assignment: Assignment) -> bool:
    """Whether every student gets other numbers; an error if a seed asks for them and there are none."""
    if assignment.seed is not None:
        Variation(assignment.source, assignment.seed).draw("1")
        return True
    with suppress(AttncalcError):
        Variation(assignment.source, 0).draw("1")
        return True
    return False


def page(form: Form, blanks: Blanks) -> Iterator[str]:
    """The template: the words of each section come with a student's numbers, its inputs stand below them."""
    for number, section in enumerate(form.sections):
        yield WORDS.format(number)
        for field in section.fields:
            places = blanks.places(field.question.reference.step)
            if form.is_finite(field):
                yield MATRIX.format(name=field.name, digits=max(0, places))
            else:
                yield from texts(field)
    yield FEEDBACK


def texts(field: Field) -> Iterator[str]:
    """A table of inputs that take −∞ as well."""
    names = np.array(field.blank_names).reshape(field.rows, field.columns)
    yield f"<p>{{{{{{params.called_{field.name}}}}}}} (-inf for −∞)</p>"
    yield "<table>"
    for row in names:
        yield f"<tr>{''.join(f'<td>{TEXT.format(name=name)}</td>' for name in row)}</tr>"
    yield "</table>"
