"""A design and its goal on paper: what was to be found, and what it reaches."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.document.blocks import Block, Displays, Heading, Paragraph, Table
from attncalc.document.steps import Writer
from attncalc.fields import Array
from attncalc.inputs.problem import Part
from attncalc.solution.designs import Reached, find_reached
from attncalc.solution.solution import Solution
from attncalc.terms.formulas import Maths, Name, Place, Stacked

LONGEST_EXACT = 40


def has_goal(part: Part, solution: Solution) -> bool:
    """Whether a part is the first that asks for what the design must reach."""
    first = next((each for each in solution.problem.parts if names_goal(each, solution)), None)
    return part is first


def names_goal(part: Part, solution: Solution) -> bool:
    """Whether a part shows a step that a goal is about."""
    goals = {solution.resolved(goal.reference).step for goal in solution.problem.goal}
    return any(solution.resolved(reference).step in goals for reference in part.steps)


def is_apart(solution: Solution) -> bool:
    """Whether there is a design of which no part asks what it must reach."""
    problem = solution.problem
    return bool(problem.design) and not any(names_goal(part, solution) for part in problem.parts)


def describe_design(writer: Writer) -> Iterator[Block]:
    """The design of the file, which is one of many."""
    names = writer.solution.problem.design
    yield Heading("Design", 3)
    yield Paragraph("Every design that reaches the goal is right. One of them:")
    yield Displays(tuple(writer.display(name, writer.view.folded) for name in names))
    for name in names:
        products = list(writer.in_outer_products(name))
        yield from products or writer.in_named_vectors(name)


def describe_goal(writer: Writer) -> Iterator[Block]:
    """What the design had to reach, and what it reaches."""
    found = find_reached(writer.solution)
    yield Heading("Goal", 3)
    rows = (
        (name_goal(writer, each), say_numbers(writer, each.wanted), say_numbers(writer, each.numbers))
        for each in found
    )
    yield Table(("goal", "wanted", "reached"), tuple(rows))
    if all((each.numbers == each.wanted).all() for each in found):
        yield Paragraph("The design reaches its goal.")
    elif within := writer.solution.problem.within:
        yield Paragraph(f"The design reaches its goal within {within:g}.")


def name_goal(writer: Writer, reached: Reached) -> Maths:
    """The step, the row or the cell that a goal is about, as the course calls it."""
    step = writer.solution[reached.reference.step]
    whole = len(reached.reference.at) == len(step.shape)
    return Place(step.symbol, reached.reference.at, whole) if reached.reference.at else Name(step.symbol)


def say_numbers(writer: Writer, numbers: Array) -> Maths:
    """A number, a vector by the names that the problem gives or by its numbers, or several such."""
    if numbers.size == 1:
        number = numbers.flat[0]
        return writer.shown.exact(number, LONGEST_EXACT) or writer.shown.decimal(number)
    if numbers.ndim > 1:
        rows = tuple(say_numbers(writer, row) for row in numbers)
        return rows[0] if len(rows) == 1 else Stacked(rows, below=True)
    named = writer.in_names(numbers[None]).get((0,))
    return named or Stacked(tuple(say_numbers(writer, x) for x in numbers[:, None]), round=True)
