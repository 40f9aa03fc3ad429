"""What a mechanism is, and the graph under construction that it adds to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import Any

import numpy as np

from attncalc.errors import Place, fault
from attncalc.fields import Array
from attncalc.graph.graph import Graph, Step
from attncalc.inputs.problem import Problem
from attncalc.inputs.readers import COMMA_HINT, Reader
from attncalc.ops.base import Operand, Operation, Shape, ShapeError
from attncalc.record import record


class Stage(IntEnum):
    """The order in which mechanisms act; those from ROTATE to LIMIT act on each head in turn."""

    POSITION = 1
    PROJECT = 2
    ROTATE = 3
    SCORE = 4
    SCALE = 5
    CAP = 6
    MASK = 7
    NORMALIZE = 8
    OUTPUT = 9
    LIMIT = 10
    COMBINE = 11
    BLOCK = 12

    @property
    def per_head(self) -> bool:
        """Whether it is done head by head."""
        return Stage.ROTATE <= self <= Stage.LIMIT


@record
class Mechanism:
    """The keys of a problem file that it reads, and how it adds its steps.

    Keys in `numbered` may also carry the number of a head: W_Q_1, W_Q_2.
    """

    stage: Stage
    keys: Mapping[str, Reader]
    build: Callable[[Building], None]
    numbered: tuple[str, ...] = ()


class Building:
    """A graph under construction: what is given, the steps so far, and which name plays which role."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.given: dict[str, Array] = {}
        self.sizes: dict[str, int] = {}
        self.steps: list[Step] = []
        self.shapes: dict[str, Shape] = {}
        self.origins: dict[str, str] = {}
        self.read: set[str] = set()
        self.heads: list[dict[str, str]] = [{}]
        self.tokens: str | None = None
        self.head = 0
        self.zero_rows = False

    @property
    def roles(self) -> dict[str, str]:
        """Which name plays which role in the head at hand: Q, K, V, past_K, scores, weights, output."""
        return self.heads[self.head]

    def name(self, base: str) -> str:
        """The name of a step of the head at hand: with its number where there are several heads."""
        return f"{base}_{self.head + 1}" if len(self.heads) > 1 else base

    def setting(self, key: str, default: Any = None) -> Any:
        """What the problem says under a key."""
        self.read.add(key)
        return self.problem.settings.get(key, default)

    def give(self, key: str) -> str | None:
        """Takes the matrix under a key into the graph, if there is one."""
        matrix = self.setting(key)
        return None if matrix is None else self.give_matrix(key, matrix)

    def give_matrix(self, name: str, matrix: Array, origin: str | None = None) -> str:
        """Takes a matrix into the graph."""
        self.given[name] = matrix
        self.shapes[name] = matrix.shape
        self.origins[name] = origin or name
        return name

    def place(self, name: str) -> Place:
        """Where the key stands that a name goes back to."""
        return self.problem.place(self.origins.get(name, name))

    def operand(self, name: str) -> Operand:
        """A name as an operation sees it."""
        return Operand(name, self.shapes[name])

    def rows(self, name: str | None) -> int:
        """How many rows a name has; nothing has none."""
        return self.operand(name).rows if name else 0

    def step(self, name: str, title: str, op: Operation, inputs: list[str], letters: str, *notes: str) -> str:
        """Adds a step; operands that do not fit are a fault of the key they go back to."""
        try:
            shape = op.shape(*map(self.operand, inputs))
            lead = np.broadcast_shapes(*(self.shapes[operand][:-2] for operand in inputs))
        except ShapeError as error:
            commas = any(self.origins[name] in self.problem.commas for name in inputs)
            raise fault(str(error) + (COMMA_HINT if commas else ""), self.place(inputs[-1])) from None
        except ValueError:
            sizes = " and ".join(f"{n} {'×'.join(map(str, self.shapes[n]))}" for n in inputs)
            raise fault(f"the batches differ: {sizes}", self.place(inputs[-1])) from None
        self.shapes[name] = (*lead, *shape)
        self.origins[name] = self.origins[inputs[-1]] if inputs else name
        self.steps.append(Step(name, title, op, tuple(inputs), self.shapes[name], letters, tuple(notes)))
        return name

    def graph(self) -> Graph:
        """The finished graph."""
        return Graph(self.given, self.sizes, tuple(self.steps), self.shapes)
