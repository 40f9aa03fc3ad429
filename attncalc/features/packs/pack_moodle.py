"""An exercise as Cloze questions in Moodle XML: a blank for each cell, with feedback on mistakes."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from attncalc.core.errors import count_of
from attncalc.core.record import record
from attncalc.exercise.load import Source
from attncalc.exercise.solve.solve import solve
from attncalc.features.authoring.lint.wrong_answers import Exercise
from attncalc.features.packs.accepted_numbers import Blank, Blanks, Range, Wrong
from attncalc.features.packs.assignment import Assignment, Files
from attncalc.features.packs.form import Field, Form
from attncalc.marking.prepared import Prepared
from attncalc.marking.report.levels import Level
from attncalc.pages.typeset.hypertext import Hypertext, plain

FORM = "file"
HIDDEN = ("-inf", "-infinity", "-oo", "-∞", "−∞", "−inf", "−oo")
"""How −∞ is typed, with either minus."""
QUIZ = '<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n{}\n</quiz>\n'
CATEGORY = '<question type="category">\n<category><text>$course$/top/{}</text></category>\n</question>'
QUESTION = """\
<question type="cloze">
<name><text>{name}</text></name>
<questiontext format="html"><text><![CDATA[
{text}
]]></text></questiontext>
<generalfeedback format="html"><text></text></generalfeedback>
<penalty>0</penalty>
<hidden>0</hidden>
</question>"""


def pack(assignment: Assignment) -> Files:
    """One file: a question, or one for every variant in its own category."""
    title = assignment.source.problem.heading
    if not assignment.own:
        questions = [question(assignment.varied, title, assignment.level)]
    else:
        questions = [CATEGORY.format(plain(title.replace("/", "//")))]
        questions += (question(source, f"{title} {id_}", assignment.level) for id_, source in assignment.own)
    return {"questions.xml": QUIZ.format("\n".join(questions))}


def question(source: Source, name: str, level: Level) -> str:
    """One question."""
    form = Form(solve(source.problem))
    cloze = Cloze(form, Blanks(Exercise(Prepared(source.problem))), level)
    return QUESTION.format(name=plain(name), text="\n".join(cloze.text()))


@record
class Cloze:
    """Writes the text of one question, its blanks in it."""

    form: Form
    blanks: Blanks
    level: Level

    def text(self) -> Iterator[str]:
        """What is given and asked, and a table of blanks for each matrix, row or cell."""
        writer = Hypertext()
        for section in self.form.sections:
            yield writer.write(*section.blocks)
            for field in section.fields:
                blanks = [self.blanks.find(field.question.reference.step, at) for at in field.places()]
                yield f"<p>{writer.cell(field.called)} ={hint(blanks)}</p>"
                yield table(field, [write_blank(blank, self.level) for blank in blanks])


def hint(blanks: list[Blank]) -> str:
    """How far to round, and how −∞ is typed."""
    places = blanks[0].places
    said = [f"to {count_of(places, 'decimal')}; keep more until the end"] if places > 0 else []
    said += [f"{HIDDEN[0]} for −∞"] if any(blank.right is None for blank in blanks) else []
    return f" ({'; '.join(said)})" if said else ""


def table(field: Field, cells: list[str]) -> str:
    """Blanks in rows and columns with their labels."""
    corner = ["<th></th>"] * bool(field.labels)
    heads = [f"<th>{plain(head)}</th>" for head in field.heads]
    rows = ["".join([*corner, *heads])] if heads else []
    for row in range(field.rows):
        label = [f"<th>{plain(field.labels[row])}</th>"] if field.labels else []
        blanks = cells[row * field.columns : (row + 1) * field.columns]
        rows.append("".join([*label, *(f"<td>{blank}</td>" for blank in blanks)]))
    return "\n".join(["<table>", *(f"<tr>{row}</tr>" for row in rows), "</table>"])


def write_blank(blank: Blank, level: Level) -> str:
    """One blank: the correct value first, then the values of mistakes, then anything else."""
    if blank.right is None:
        return f"{{{blank.weight}:SHORTANSWER:{'~'.join(f'={word}' for word in HIDDEN)}}}"
    answers = [f"={write_range(blank.right)}"]
    if level.includes(Level.MISTAKE):
        answers += (f"%0%{write_range(wrong.range)}#{feedback(say(wrong))}" for wrong in blank.wrong)
    if level.includes(Level.FULL):
        answers.append(f"*#{feedback(f'The right value is {blank.right.middle:f}.')}")
    return f"{{{blank.weight}:NUMERICAL:{'~'.join(answers)}}}"


def write_range(range_: Range) -> str:
    """A number and its accepted distance, in the syntax of Cloze."""
    return f"{range_.middle:f}:{range_.leeway:f}"


def say(wrong: Wrong) -> str:
    """The feedback on the value of a mistake, which may have other reasons."""
    if len(wrong.sentences) > 1:
        return f"Mistakes that give this value: {' Or: '.join(wrong.sentences)}"
    return f"A mistake that gives this value: {wrong.sentences[0]} {wrong.question}".rstrip()


def feedback(text: str) -> str:
    """Text escaped for Cloze, and twice for HTML, because Moodle decodes entities once."""
    return "".join(f"&#{ord(c)};" if c in "{}~\\" else c for c in escape(escape(text)))
