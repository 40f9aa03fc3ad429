"""A solution as a document: which parts, steps and words come in which order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from attncalc.core.graph.references import Reference
from attncalc.core.record import replace
from attncalc.exercise.problem import Part
from attncalc.exercise.questions import question_of
from attncalc.exercise.solve.selection import At, Cells, all_cells, find_cells, with_sources
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.worked.answer import answer_of
from attncalc.worked.blocks import Answer, Block, Displays, Document, Heading, Note, Paragraph
from attncalc.worked.view import View
from attncalc.worked.writer.steps import Writer, is_copy

if TYPE_CHECKING:
    from attncalc.worked.page_model import Model

Shown: TypeAlias = tuple[SolvedStep, set[At], bool]
"""A step, the cells of it that are shown, and whether all of them have been shown before."""


def document(solution: Solution, view: View) -> Document:
    """Write the whole solution, its parts, or the steps that the user names."""
    return to_document(Worked(solution, view))


def to_document(writer: Worked, model: Model | None = None) -> Document:
    """Return the document of a writer, with the model of a page that computes."""
    problem = writer.solution.problem
    found = blocks(writer) if writer.view.pointed else unrepeated(blocks(writer))
    return Document(tuple(found), model, problem.heading)


def unrepeated(found: Iterable[Block]) -> Iterator[Block]:
    """Blocks without the matrices that the answer just below repeats; where one points, they are all kept."""
    held: list[Block] = []
    for block in found:
        shown = held[0] if held else None
        if isinstance(block, Answer) and isinstance(shown, Displays) and is_repeated(shown, block):
            yield from (*held[1:], replace(block, displays=shown.members))
            held = []
        elif held and isinstance(block, Note):
            held.append(block)
        else:
            yield from held
            held = [block]
    yield from held


def is_repeated(shown: Displays, answer: Answer) -> bool:
    """Whether an answer shows these matrices, in this form."""
    plain = tuple(replace(each, of="", shaded=False) for each in shown.members)
    return plain == answer.displays


def blocks(writer: Worked) -> Iterator[Block]:
    """Yield the blocks that are shown of a solution."""
    solution, view = writer.solution, writer.view
    parts = solution.problem.parts
    if view.references:
        yield from writer.write_references(view.references)
    elif view.parts:
        yield from writer.some_parts(parts)
    else:
        before, after = writer.around(None)
        steps = writer.parts(parts) if parts and view.row is None else writer.all()
        yield from (*writer.opening(), *before, *steps, *after)
        if not parts and view.row is None and view.head is None:
            yield from writer.answer(None)


class Worked(Writer):
    """Writes all steps of a solution, its parts, or the steps that the user names."""

    def all(self) -> Iterator[Block]:
        """Every step in order, or one query's row of each."""
        for step in self.solution.steps:
            if not self.is_shown(step):
                continue
            cells = None
            if self.view.row is not None and step.step.kind.letters[0] == "i":
                cells = {at for at in all_cells(step.shape) if at[-2] == self.view.row - 1}
            yield from self.step(step, cells, folded=True)

    def is_shown(self, step: SolvedStep) -> bool:
        """Whether a step belongs to the head that is shown, or to all heads."""
        return self.view.head is None or step.step.label.belongs_to(self.view.head)

    def parts(self, parts: Iterable[Part]) -> Iterator[Block]:
        """Each part with its asked steps, after those earlier steps that have not been shown yet."""
        for part, shown in self.choose_parts(parts):
            yield from self.part(part, shown)

    def some_parts(self, parts: Iterable[Part]) -> Iterator[Block]:
        """Only some parts, after the given matrices and earlier results that they use."""
        chosen = list(self.choose_parts(parts))
        steps = [step for _, shown in chosen for step, _, again in shown if not again]
        used = {name for step in steps for name in step.inputs} - {step.name for step in steps}
        yield from self.opening(bool(used & {*self.solution.graph.given}))
        before = [step.name for step in self.solution.steps if step.name in used]
        if before:
            yield Heading("From the parts before", 3)
            yield Displays(tuple(self.display(name, fold=True) for name in before))
        for part, shown in chosen:
            yield from self.part(part, shown)

    def choose_parts(self, parts: Iterable[Part]) -> Iterator[tuple[Part, list[Shown]]]:
        """The parts that are shown, each with the steps that it shows."""
        seen: Cells = {step.name: set() for step in self.solution.steps}
        for part in parts:
            shown = list(self.cells_of(part, seen))
            if self.view.shows(part.label):
                yield part, shown

    def cells_of(self, part: Part, seen: Cells) -> Iterator[Shown]:
        """The steps that a part shows, their cells, and whether all of these have been shown before."""
        references = [self.solution.resolve(reference) for reference in part.steps]
        wanted = find_cells(self.solution, references)
        sources = with_sources(self.solution, wanted)
        for step in filter(self.is_shown, self.solution.steps):
            missing = sources[step.name] - seen[step.name]
            is_known = not missing or self.view.detail == "brief" or (is_copy(step) and seen[step.name])
            if not wanted[step.name] and is_known:
                continue
            cells = wanted[step.name] | missing
            yield step, cells, not missing
            seen[step.name] |= cells

    def part(self, part: Part, shown: Iterable[Shown]) -> Iterator[Block]:
        """One part: its question, the steps that it shows, and answers in words."""
        yield Heading(f"({part.label})", 2)
        if part.ask:
            yield Paragraph(part.ask)
        before, after = self.around(part)
        yield from before
        for step, cells, again in shown:
            yield from self.step(step, cells, folded=True, again=again)
        yield from after
        for word in part.words:
            from attncalc.worked.words import word_named

            yield from word_named(word).show(self.solution)
        if part.explain:
            yield from self.explain_topic(part.explain)
        if part.note:
            yield Paragraph(part.note)
        yield from self.answer(part)

    def answer(self, part: Part | None) -> Iterator[Block]:
        """What answers a part, or a problem without parts."""
        if answer := answer_of(self, part):
            yield answer

    def around(self, part: Part | None) -> tuple[Iterable[Block], Iterable[Block]]:
        """Return the blocks before and after the steps of a part, or of all, that the question adds."""
        question = question_of(self.solution.problem)
        return question.around(self, part) if question else ((), ())

    def explain_topic(self, name: str) -> Iterator[Block]:
        """A topic, explained with this problem's steps if it has any."""
        from attncalc.worked.words import explain, topic_named

        topic = topic_named(name)
        blocks = (Heading(topic.title, 3), *explain(topic, self.solution))
        yield from map(self.in_own_letters, blocks)

    def write_references(self, references: tuple[Reference, ...]) -> Iterator[Block]:
        """The steps and rows that the user names; a cell with all cells that it is computed from."""
        wanted = find_cells(self.solution, references)
        single = [r for r in references if len(r.at) == len(self.solution[r.step].shape)]
        sources = with_sources(self.solution, find_cells(self.solution, single))
        for step in self.solution.steps:
            cells = wanted[step.name] | sources[step.name]
            if cells:
                yield from self.step(step, cells, folded=False)
