"""What a mechanism is, and the graph under construction that it adds to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from attncalc.errors import Place, fault
from attncalc.fields import Array
from attncalc.graph import Graph, Step
from attncalc.ops.base import Op, Operand, Shape, ShapeError
from attncalc.readers import COMMA_HINT, Reader
from attncalc.record import record

if TYPE_CHECKING:
    from attncalc.problem_file import Problem


class Stage(IntEnum):
    """The order in which mechanisms act."""

    PROJECT = 1
    SCORE = 2
    SCALE = 3
    MASK = 4
    NORMALIZE = 5
    OUTPUT = 6


@record
class Mechanism:
    """The keys of a problem file that it reads, and how it adds its steps."""

    stage: Stage
    keys: Mapping[str, Reader]
    build: Callable[[Building], None]


class Building:
    """A graph under construction: what is given, the steps so far, and which name plays which role."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.given: dict[str, Array] = {}
        self.sizes: dict[str, int] = {}
        self.steps: list[Step] = []
        self.shapes: dict[str, Shape] = {}
        self.origins: dict[str, str] = {}
        self.roles: dict[str, str] = {}
        self.read: set[str] = set()
        self.zero_rows = False

    def setting(self, key: str, default: Any = None) -> Any:
        """What the problem says under a key."""
        self.read.add(key)
        return self.problem.get(key, default)

    def give(self, key: str) -> str | None:
        """Takes the matrix under a key into the graph, if there is one."""
        matrix = self.setting(key)
        return None if matrix is None else self.give_matrix(key, matrix)

    def give_matrix(self, name: str, matrix: Array) -> str:
        """Takes a matrix into the graph."""
        self.given[name] = matrix
        self.shapes[name] = matrix.shape
        self.origins[name] = name
        return name

    def place(self, name: str) -> Place:
        """Where the key stands that a name goes back to."""
        return self.problem.place(self.origins.get(name, name))

    def operand(self, name: str) -> Operand:
        """A name as an operation sees it."""
        return Operand(name, self.shapes[name])

    def rows(self, name: str) -> int:
        """How many rows a name has."""
        return self.operand(name).rows

    def step(self, name: str, title: str, op: Op, inputs: list[str], letters: str, *notes: str) -> str:
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
        self.origins[name] = self.origins[inputs[-1]]
        self.steps.append(Step(name, title, op, tuple(inputs), self.shapes[name], letters, tuple(notes)))
        return name

    def graph(self) -> Graph:
        """The finished graph."""
        return Graph(self.given, self.sizes, tuple(self.steps), self.shapes)
