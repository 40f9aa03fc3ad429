"""Read a student's design: which matrices, under which names, and what cannot be accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from attncalc.core.errors import AttncalcError, Fault, fault, inert
from attncalc.core.fields import Array, Floats, Numeric
from attncalc.core.graph.graph import Graph, number_of
from attncalc.core.graph.references import Reference
from attncalc.core.record import record
from attncalc.core.terms import Constant, Entry, entries
from attncalc.exercise.keys.readers import ONE_NUMBER, UNDEFINED, Context, read_matrix
from attncalc.exercise.numbers.matrices import MATRICES, Value
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.letters import Values, values_of
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar
from attncalc.marking.answers.answer import fitted, misfit
from attncalc.marking.answers.cells import BLANKS
from attncalc.marking.answers.files import Answer
from attncalc.marking.answers.headings import unwrapped
from attncalc.marking.answers.names import spell_plainly
from attncalc.worked.blocks import BLANK

NOTHING: Array = np.empty(0, dtype=object)
"""A design that is left blank."""
NOISE = 1e-9
"""An entry smaller than this, and than this share of the largest, is taken for 0: programs print 2.2e-16."""
IDENTITY = "I"


@record
class ToldDesign:
    """The matrices that a student designed, what is wrong with others, and the rest of the answers."""

    matrices: Mapping[str, Array]
    missing: tuple[str, ...]
    """The designs that are not answered, by the course's names: they are the file's own."""
    unfinished: tuple[str, ...]
    """Those among them of which some rows are answered."""
    misfits: tuple[str, ...]
    remarks: tuple[str, ...]
    faults: tuple[Fault, ...]
    rest: Mapped

    @property
    def is_whole(self) -> bool:
        """Whether the design can be tried: some of it is answered, and all that is answered is accepted."""
        return bool(self.matrices) and not (self.unfinished or self.misfits or self.faults)


def read_design(root: Mapped, problem: Problem, graph: Graph) -> ToldDesign:
    """Read the design in some answers; faults are collected, not raised."""
    return Draft(problem, graph).read(root)


class Draft:
    """Reads one design, key by key."""

    def __init__(self, problem: Problem, graph: Graph) -> None:
        self.problem, self.graph = problem, graph
        self.known: dict[str, Value] = {
            **{name: Entry(name) for name in problem.symbols},
            **problem.let,
            "_": BLANK,
        }
        self.rows: dict[str, dict[tuple[int, ...], Array]] = {name: {} for name in problem.design}
        """The answered matrix of each design, under (), or its rows, each under its number."""
        self.misfits: list[str] = []
        self.faults: list[Fault] = []

    def symbol(self, name: str) -> str:
        """The course's name for a design."""
        return self.graph.symbol(name, self.problem.names)

    def read(self, root: Mapped) -> ToldDesign:
        """Read all answers; those that are not about a design go into `rest`."""
        rest = tuple((key, node) for key, node in unwrapped(root) if not self.accept(key, node))
        answered = {name: matrix for name in self.rows if (matrix := self.whole(name)) is not None}
        cleared = {name: clear_noise(matrix, self.problem) for name, matrix in answered.items()}
        return ToldDesign(
            {name: matrix for name, (matrix, _) in cleared.items()},
            tuple(self.symbol(name) for name in self.rows if name not in answered),
            tuple(self.symbol(name) for name, rows in self.rows.items() if rows and name not in answered),
            tuple(self.misfits),
            tuple(self.say_cleared(name, places) for name, (_, places) in cleared.items() if places),
            tuple(self.faults),
            Mapped(rest, root.place),
        )

    def say_cleared(self, name: str, places: list[tuple[int, ...]]) -> str:
        """The remark that some entries are taken for 0."""
        symbol = self.symbol(name)
        if len(places) == 1:
            cell = Reference.to_cell(symbol, places[0])
            return f"{cell} is so small beside other entries that it is taken for 0."
        return f"{len(places)} entries of {symbol} are so small beside others that they are taken for 0."

    def accept(self, key: Scalar, node: Node) -> bool:
        """Accept the answer under a key, if it is about a design; return whether it is."""
        reference = self.find(key.text)
        try:
            if reference is None:
                return self.accept_under_step(key, node)
            self.store(reference, self.matrix(key, node, reference), key)
        except AttncalcError as error:
            self.faults += [Fault(f"{inert(key.text)}: {self.say(one)}", one.place) for one in error.faults]
        return True

    def find(self, key: str) -> Reference | None:
        """The design, or the row of a design, that a key names: W_Q, w_q, W_{Q}, q₁, Q[1]."""
        steps = self.graph.course(self.problem.names)
        if key in {*self.problem.let, *self.problem.symbols, *steps, *steps.values()}:
            return None
        return dict(reversed([*self.names()])).get(fold_name(key))

    def names(self) -> Iterator[tuple[str, Reference]]:
        """All names of designs and of their rows; of two equal names the first counts."""
        both = [(name, called) for name in self.problem.design for called in (name, self.symbol(name))]
        yield from ((fold_name(called), Reference(name)) for name, called in both)
        for name, called in both:
            for row in range(1, self.graph.shapes[name][-2] + 1):
                yield fold_name(f"{called}{row}"), Reference(name, (row,))

    def accept_under_step(self, key: Scalar, node: Node) -> bool:
        """Accept a design under the name of the step that uses it, if the shape fits only the design."""
        step = self.graph.step(spell_plainly(key.text))
        inputs, shape = (step.inputs, step.shape) if step else ((), ())
        for name in self.problem.design:
            if name in inputs and self.shape(name) != shape:
                matrix = self.try_matrix(key, node, Reference(name))
                if matrix is not None and matrix.shape == self.shape(name):
                    self.store(Reference(name), matrix, key)
                    return True
        return False

    def try_matrix(self, key: Scalar, node: Node, reference: Reference) -> Array | None:
        """The matrix under a key; None if it cannot be read."""
        try:
            return self.matrix(key, node, reference)
        except AttncalcError:
            return None

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape that a design must have: that of the problem's own design."""
        own: Array = self.problem.settings[name]
        return own.shape

    def store(self, reference: Reference, answer: Array, key: Scalar) -> None:
        """Store a matrix or a row, if it fits; it must not be answered twice."""
        wanted = self.shape(reference.step)[len(reference.at) :]
        # A single vector may be written as a column.
        is_vector = answer.size in answer.shape and wanted[:-1] == (1,)
        matrix = fitted(answer.ravel() if is_vector else answer, wanted)
        rows = self.rows[reference.step]
        if answer is NOTHING:
            return
        if matrix is None:
            named = Reference(self.symbol(reference.step), reference.at)
            self.misfits.append(misfit(Answer(named, answer, key.place), wanted))
        elif reference.at in rows or () in rows or (rows and not reference.at):
            raise fault("is given twice", key.place)
        else:
            rows[reference.at] = matrix

    def whole(self, name: str) -> Array | None:
        """A design that is answered as one matrix, or in all its rows; else None."""
        rows, count = self.rows[name], self.shape(name)[-2]
        if () in rows:
            return rows[()]
        return np.stack([rows[n + 1,] for n in range(count)]) if len(rows) == count else None

    def matrix(self, key: Scalar, node: Node, reference: Reference) -> Array:
        """Read one matrix, complete or all blank; it cannot refer to a file."""
        if isinstance(node, Mapped):
            raise fault("is not a matrix", node.place)
        if isinstance(node, Scalar) and node.text in BLANKS:
            return NOTHING
        rows, columns = self.shape(reference.step)[-2:]
        eye = {IDENTITY: MATRICES["identity"](Constant(rows))} if rows == columns and not reference.at else {}
        matrix = read_matrix(node, Context("", {**eye, **self.known}), hidden=False)
        blank = [BLANK in entries(term) for term in matrix.flat] if matrix.dtype == object else [False]
        if any(blank) and not all(blank):
            raise fault("has blanks: a design is answered whole", key.place)
        return NOTHING if all(blank) else matrix

    def say(self, one: Fault) -> str:
        """The message of a fault without `let` and `symbols`, which students do not know."""
        if one.message.startswith(ONE_NUMBER):
            return f"{ONE_NUMBER}; of two vectors, u v is a number and u vᵀ a matrix"
        names = ", ".join(name for name in self.known if name != "_")
        return one.message.replace(UNDEFINED, f"; what is known here is {names}")


def fold_name(name: str) -> str:
    """A name without regard to case, brackets and underscores."""
    return re.sub(r"[\s_{}()\[\]]", "", spell_plainly(name)).casefold()


def clear_noise(matrix: Array, problem: Problem) -> tuple[Array, list[tuple[int, ...]]]:
    """Set entries to 0 that are tiny beside 1 and beside the largest; return the matrix and their places."""
    sizes = [np.abs(floats_of(matrix, values)) for values in values_of(problem)]
    small = np.all([(size > 0) & (size < NOISE * min(1.0, size.max())) for size in sizes], axis=0)
    cleared = matrix.copy()
    cleared[small] = Constant(0) if matrix.dtype == object else 0.0
    return cleared, [tuple(map(int, at)) for at in np.argwhere(small)]


def floats_of(matrix: Array, values: Values) -> Floats:
    """A matrix as floats, with numbers for its letters."""
    if matrix.dtype != object:
        return matrix
    field = Numeric({name: float(x.value) for name, x in values.items()})
    with np.errstate(all="ignore"):
        return np.array([number_of(term, field) for term in matrix.flat]).reshape(matrix.shape)
