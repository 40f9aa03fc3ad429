"""What a mechanism is, and the graph under construction that it adds to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from attncalc.core.errors import Place, fault
from attncalc.core.fields import Array
from attncalc.core.graph.graph import Graph, Step, shape_text
from attncalc.core.graph.labels import Kind, Label
from attncalc.core.ops.base import Operand, Operation, Shape, ShapeError
from attncalc.core.record import record, replace
from attncalc.core.terms.turned import turn_text
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import COMMA_HINT
from attncalc.exercise.problem import Problem

IN_COLUMNS = {"vectors": "columns", "weights": "out-in"}
"""The defaults of keys if a problem has a column for each token."""


@record
class Mechanism:
    """The keys that it reads, the kinds of steps that it adds, its place in the order, and its `build`.

    `given` has the kinds of given matrices that need a title, letters or a stage.

    It acts after the mechanisms in `after` and before those in `before`: once, or for `each_head` in turn.
    Keys in `numbered` may end in the number of a head: W_Q_1, W_Q_2.  A mechanism that `resumes` from a
    matrix is the first to act if that matrix is given; one that is `closing` acts after all others.
    """

    name: str
    keys: tuple[Key, ...]
    build: Callable[[Building], None]
    steps: tuple[Kind, ...] = ()
    given: tuple[Kind, ...] = ()
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    each_head: bool = False
    numbered: tuple[str, ...] = ()
    resumes: str = ""
    closing: bool = False


def parse_key(key: str) -> Label:
    """Return the label that a key of a problem file stands for: W_Q_2 is the W_Q of head 2."""
    numbered = re.fullmatch(r"(.+)_([1-9][0-9]?)", key)
    return Label(numbered[1], int(numbered[2])) if numbered else Label(key)


class Building:
    """A graph under construction: the given matrices, the steps so far, and the names of roles."""

    def __init__(self, problem: Problem, kinds: Iterable[Kind]) -> None:
        self.problem = problem
        self.kinds = {(kind.role, kind.limit): kind for kind in kinds}
        self.given: dict[str, Array] = {}
        self.sizes: dict[str, int] = {}
        self.steps: list[Step] = []
        self.shapes: dict[str, Shape] = {}
        self.labels: dict[str, Label] = {}
        self.named_kinds: dict[str, Kind] = {}
        self.learnt: set[str] = set()
        self.origins: dict[str, str] = {}
        self.read: set[str] = {"layout"}
        self.heads: list[dict[str, str]] = [{}]
        self.head: int | None = None
        self.tokens: str | None = None
        """The matrix that is projected, if it is not X."""
        self.stream: str | None = None
        """The matrix that a residual adds, if it is not X."""
        self.latest: str | None = None
        self.zero_rows = False

    @property
    def roles(self) -> dict[str, str]:
        """The name of each role in the current head.

        Roles are step names (Q, S, past_K), and words for the latest matrix of a kind: queries, keys, cached
        (keys that the scores take before the new ones), scores, weights, output.
        """
        return self.heads[(self.head or 1) - 1]

    def label(self, role: str, head: int | None = None) -> Label:
        """Return the label of a matrix of a head, by default the current one; 0 if all heads share it."""
        at_hand = self.head if len(self.heads) > 1 else None
        return Label(role, at_hand if head is None else head or None)

    def setting(self, key: str, default: Any = None) -> Any:
        """Return the value of a key, and note that the key was read."""
        self.read.add(key)
        usual = IN_COLUMNS.get(key, default) if self.problem.in_columns else default
        return self.problem.settings.get(key, usual)

    def give(self, role: str, head: int | None = None, learnt: bool = False) -> str | None:
        """Add the matrix under a key to the graph, if there is one."""
        label = Label(role, head)
        matrix = self.setting(label.name)
        return None if matrix is None else self.give_matrix(label, matrix, learnt=learnt)

    def give_matrix(self, label: Label, matrix: Array, origin: str = "", learnt: bool = False) -> str:
        """Add a given matrix to the graph; a parameter is `learnt`."""
        name = label.name
        if learnt and matrix.ndim > 2:
            only = "which only tokens, queries, keys and values have"
            raise fault(f"{name} has a batch axis, {only}", self.problem.place(origin or name))
        self.given[name] = matrix
        self.shapes[name] = matrix.shape
        self.labels[name] = label
        if (kind := self.kinds.get((label.role, label.limit))) and not label.of:
            self.named_kinds[name] = kind
        self.origins[name] = origin or name
        self.learnt |= {name} if learnt else set()
        return name

    def place(self, name: str) -> Place:
        """Return the place of the key that a matrix comes from."""
        return self.problem.place(self.origins.get(name, name))

    def operand(self, name: str) -> Operand:
        """A name as an operation sees it."""
        return Operand(name, self.shapes[name])

    def rows(self, name: str | None) -> int:
        """Return the number of rows of a matrix; 0 for None."""
        return self.operand(name).rows if name else 0

    def step(
        self,
        role: str,
        op: Operation,
        inputs: list[str],
        *notes: str,
        label: Label | None = None,
        layer: int | None = None,
        limit: bool = False,
        title: str = "",
    ) -> str:
        """Add a step, of the current head unless labelled; raise a fault if its operands do not fit."""
        kind = self.kinds[role, limit]
        label = replace(label or self.label(role), layer=layer, limit=limit)
        shape, shown = self.shape(op, inputs), title or kind.title
        if self.problem.in_columns:
            shown, notes = turn_text(shown), tuple(map(turn_text, notes))
        return self.add(Step(label, shown, op, tuple(inputs), shape, kind, notes))

    def add(self, step: Step) -> str:
        """Add a finished step."""
        name, label = step.name, step.label
        self.shapes[name], self.labels[name], self.named_kinds[name] = step.shape, label, step.kind
        self.origins[name] = self.origins[step.inputs[-1]] if step.inputs else name
        self.steps.append(step)
        if not label.limit and (label.head or len(self.heads) == 1):
            self.heads[(label.head or 1) - 1][step.role] = name
        return name

    def shape(self, op: Operation, inputs: list[str]) -> Shape:
        """Return the shape of a result, with the batch axes of its operands."""
        try:
            shape = op.shape(*map(self.operand, inputs))
            lead = np.broadcast_shapes(*(self.shapes[operand][:-2] for operand in inputs))
        except ShapeError as error:
            commas = any(self.origins[name] in self.problem.commas for name in inputs)
            raise fault(str(error) + (COMMA_HINT if commas else ""), self.place(inputs[-1])) from None
        except ValueError:
            sizes = " and ".join(f"{n} {shape_text(self.shapes[n])}" for n in inputs)
            raise fault(f"the batches differ: {sizes}", self.place(inputs[-1])) from None
        return (*lead, *shape)

    def graph(self) -> Graph:
        """The finished graph."""
        return Graph(
            self.given,
            self.sizes,
            tuple(self.steps),
            self.shapes,
            self.labels,
            tuple(self.heads),
            frozenset(self.learnt),
            self.named_kinds,
            self.problem.in_columns,
        )
