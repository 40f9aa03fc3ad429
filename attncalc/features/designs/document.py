"""How a design and its goal are shown: what is to be found, and what it reaches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attncalc.core.fields import Array, Real
from attncalc.core.fields.lazy_sympy import algebra
from attncalc.core.record import replace
from attncalc.core.terms import Constant, Negative, Product, Sum, Term, has_function
from attncalc.core.terms.formulas import Equal, Maths, Name, Place, Stacked, Words
from attncalc.exercise.problem import Part
from attncalc.exercise.solve.solution import Solution
from attncalc.features.designs.goals import Reached, find_reached
from attncalc.pages.solutions.json import texts
from attncalc.worked.blocks import Answer, Block, Displays, Equation, Equations, Heading, Paragraph, Room
from attncalc.worked.worksheet import MOST_LINES, Sheet, blank_cells, enumerate_names
from attncalc.worked.writer.steps import Writer

LONGEST_BRIEF, LONGEST_WHOLE = 40, 180
TOO_LONG = "an expression too long to write"


def is_place(part: Part | None, solution: Solution) -> bool:
    """Whether the design belongs here: in the first part that shows a goal, else (None) around all steps."""
    parts = solution.problem.parts
    return part is next((each for each in parts if names_goal(each, solution)), None)


def names_goal(part: Part, solution: Solution) -> bool:
    """Whether a part shows a step that a goal is about."""
    goals = {solution.resolve(goal.reference).step for goal in solution.problem.goal}
    return any(solution.resolve(reference).step in goals for reference in part.steps)


def around(writer: Writer, part: Part | None) -> tuple[Iterable[Block], Iterable[Block]]:
    """The design before the steps that depend on it, and the goal after them; nothing in other parts."""
    return (describe_design(writer), describe_goal(writer)) if is_place(part, writer.solution) else ((), ())


def describe_design(writer: Writer) -> Iterator[Block]:
    """The problem's own design, one of many."""
    names = writer.solution.problem.design
    choice = enumerate_names([Name(writer.symbol(name)) for name in names])
    yield Heading("Design", 3)
    yield Paragraph(("There are many right answers. We choose ", *choice, " as follows:"))
    yield Displays(tuple(writer.display(name, writer.view.folded) for name in names))
    for lines in in_letters(writer):
        yield Equations(lines)


def in_letters(writer: Writer) -> Iterator[tuple[Equation, ...]]:
    """Every matrix of the design in terms of the vectors that the problem names, if it can be written so."""
    for name in writer.solution.problem.design:
        whole = [*writer.in_outer_products(name), *writer.in_one_row(name)]
        for block in whole or writer.in_named_vectors(name):
            if isinstance(block, Equations):
                yield block.lines


def answer(writer: Writer, part: Part | None) -> Answer | None:
    """The design, and what it reaches, as the answer of the part that asks for it."""
    if not is_place(part, writer.solution):
        return None
    lines = [line for lines in in_letters(writer) for line in lines]
    named = [
        (line.left, *(side for sign, maths in line.sides for side in (f" {sign} ", maths))) for line in lines
    ]
    shown = tuple(part for line in named for part in (", ", *line))[1:]
    names = writer.solution.problem.design
    given = () if shown else enumerate_names([Name(writer.symbol(name)) for name in names])
    goals = [equation(writer, each) for each in find_reached(writer.solution)]
    reached = tuple(part for goal in goals for part in (", ", *goal))[1:]
    displays = () if shown else tuple(replace(writer.display(name, True), of="") for name in names)
    as_below = (" as below",) if displays else ()
    return Answer((*shown, *given, *as_below, "; then ", *reached, "."), displays)


def describe_goal(writer: Writer) -> Iterator[Block]:
    """What the design reaches, which is what the question wants."""
    found = find_reached(writer.solution)
    off = max((each.within for each in found if not each.is_equal), default=0.0)
    near = (f", up to {off:g}",) if off else ()
    reached = enumerate_names([Words(equation(writer, each)) for each in found])
    yield Paragraph(("So ", *reached, ", as wanted", *near, "."))


def say_within(off: float) -> str:
    """The accepted distance from a goal, in words; empty for 0."""
    return f" within {off:g}" if off else ""


def name_goal(writer: Writer, reached: Reached) -> Maths:
    """The step, the row or the cell that a goal is about, as the course calls it."""
    step = writer.solution[reached.step]
    at = reached.reference.at
    if at and len(at) == len(step.shape) - 1:
        return writer.row_name(step, tuple(n - 1 for n in at))
    return Place(step.symbol, at, len(at) == len(step.shape)) if at else Name(step.symbol)


def equation(writer: Writer, reached: Reached) -> tuple[str | Maths, ...]:
    """A goal and what is reached: c_limit[2] = u_b."""
    sign, said = say_reached(writer, reached)
    return name_goal(writer, reached), f" {sign} ", said


def say_reached(writer: Writer, reached: Reached) -> tuple[str, Maths]:
    """What a design reaches, after = or ≈; the wanted numbers if they count as equal."""
    if reached.is_equal:
        same = (reached.numbers == reached.wanted).all()
        return "=" if same else "≈", say_numbers(writer, reached.wanted)
    sign = "≈" if is_rounded(writer, reached.numbers) else "="
    return sign, say_numbers(writer, reached.numbers)


def say_numbers(writer: Writer, numbers: Array) -> Maths:
    """A number, a vector in the names of the problem or in numbers, or several of these."""
    if numbers.size == 1:
        return say_number(writer, numbers.flat[0])
    if numbers.ndim > 1:
        rows = tuple(say_numbers(writer, row) for row in numbers)
        return rows[0] if len(rows) == 1 else Stacked(rows, below=True)
    named = writer.in_names(numbers[None]).get((0,))
    return named or Stacked(tuple(say_numbers(writer, x) for x in numbers[:, None]), round=True)


def say_number(writer: Writer, number: Real) -> Maths:
    """A number, exact if that is short; a polynomial has rounded coefficients."""
    shown = writer.shown
    if (exact := say_briefly(writer, number)) is not None:
        return exact
    if not shown.field.is_open(number):
        return shown.decimal(number)
    factors = algebra.coefficients(number)
    if factors is None:
        return shown.exact(number, LONGEST_WHOLE) or Words((TOO_LONG,))
    rounded = [(shown.decimal(factor), algebra.term(letters)) for letters, factor in factors.items()]
    seen = tuple(times(factor, letters) for factor, letters in rounded if factor != Constant(0))
    return Sum(seen) if len(seen) > 1 else (*seen, Constant(0))[0]


def say_briefly(writer: Writer, number: Real) -> Term | None:
    """A number written exactly, if that is short and shows its size, as e^20/(e^20 + 1) does not."""
    exact = writer.shown.exact(number, LONGEST_BRIEF)
    return None if exact is None or has_function(exact, "exp") else exact


def times(factor: Term, letters: Term) -> Term:
    """factor · letters, with the sign in front."""
    if isinstance(factor, Constant) and factor.value < 0:
        return Negative(times(Constant(-factor.value), letters))
    return factor if letters == Constant(1) else Product((factor, letters))


def is_rounded(writer: Writer, numbers: Array) -> bool:
    """Whether some of these numbers are shown rounded."""
    shown = writer.shown
    long = [x for x in numbers.ravel() if say_briefly(writer, x) is None]
    return any(
        algebra.coefficients(x) is not None
        if shown.field.is_open(x)
        else not shown.is_exact(x, shown.decimal(x))
        for x in long
    )


def to_data(solution: Solution) -> dict[str, object]:
    """The design of the file, and every goal."""
    return {
        "design": {name: texts(solution.trace.values[name], solution) for name in solution.problem.design},
        "goal": [goal_object(reached, solution) for reached in find_reached(solution)],
    }


def goal_object(reached: Reached, solution: Solution) -> dict[str, object]:
    """One goal of a design: what is wanted, what is reached, and whether that is near enough."""
    return {
        "step": reached.reference.step,
        "at": list(reached.reference.at),
        "wanted": texts(reached.wanted, solution),
        "value": texts(reached.numbers, solution),
        "reached": reached.is_reached,
    }


def ask(sheet: Sheet, part: Part | None) -> Iterator[Block]:
    """What to find, the goal, the laws that lead to it, and room for the answer; nothing in other parts."""
    if not is_place(part, sheet.solution):
        return
    writer, names = sheet.writer, sheet.solution.problem.design
    found = find_reached(sheet.solution)
    goals = (Equal(name_goal(writer, each), say_numbers(writer, each.wanted)) for each in found)
    if part is None or not part.ask:
        designs = enumerate_names([Name(writer.symbol(name)) for name in names])
        yield Paragraph(("Find ", *designs, " such that ", *enumerate_names(list(goals)), "."))
    yield from sheet.laws_of({each.reference.step for each in found})
    yield Room(MOST_LINES)
    yield Displays(tuple(blank_cells(writer.display(name, fold=False)) for name in names))
