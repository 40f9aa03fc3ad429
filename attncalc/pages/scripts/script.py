"""A solution as a program: the given matrices, then every step in a line or two, each checked.

A student replaces one of the lines by their own, and sees which step differs first.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from textwrap import wrap

import numpy as np

from attncalc.core.errors import fault, inert
from attncalc.core.fields import Numeric
from attncalc.core.graph.graph import number_of
from attncalc.core.notations.code import Arrays, Dialect, write_slices
from attncalc.core.ops.base import Piece
from attncalc.core.readings.subterms import matrices_of, sizes_of, without_idle
from attncalc.core.terms import Constant, Term, letters_of
from attncalc.exercise.mechanisms.mask import is_hidden
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.pages.step_results import Texts, map_nested, write_list
from attncalc.worked.view import Excerpt

WIDTH = 100
LARGEST_SCRIPT = 100_000
PRINTED_DIGITS = 10
"""Significant digits of the results, which are compared to six."""
PURPOSE = '"""Computes every step and checks it: put your own code in place of a line, and run it."""'
SOURCES = {"d_k": ("K", -1), "d_v": ("V", -1), "d_model": ("X", -1), "n_q": ("Q", -2)}
"""The matrix that a size is read off, and its axis."""


def script(excerpt: Excerpt, dialect: Dialect) -> str:
    """A program that computes the steps up to the last one asked for, and checks the steps asked for."""
    solution, steps = excerpt.solution, excerpt.steps
    if not steps:
        raise fault("has no steps to compute", solution.problem.place("parts"))
    checked = {step.name for step in steps}
    last = max(n for n, step in enumerate(solution.steps) if step.name in checked)
    computed = solution.steps[: last + 1]
    used = {name for step in computed for name in step.inputs}
    given = [name for name in solution.graph.given if name in used]
    refuse(solution, computed, [*given, *checked])
    matrices = ["# Given", *(write_given(solution, name, dialect) for name in given)]
    asked, found = autograd(solution, computed, given, dialect)
    steps_of_all = step_blocks(computed, checked, given, dialect)
    blocks = [words(solution), [*matrices, *asked], *steps_of_all, found]
    code = "\n\n".join("\n".join(block) for block in blocks if block)
    return "\n".join([*preamble(blocks, dialect), code, ""])


def step_blocks(
    steps: tuple[SolvedStep, ...], checked: set[str], given: list[str], dialect: Dialect
) -> Iterator[list[str]]:
    """The lines of every step; a named part that is unchanged is not computed again."""
    known, latest = [*given], [""]
    hides = any(is_hidden(matrix).any() for matrix in steps[0].graph.given.values())
    for step in steps:
        parts, lines = statements(step, dialect, hides)
        code = [*size_lines(step, known), *([] if parts == latest else parts), *lines]
        told = [check_call(step, step.name, dialect)] if step.name in checked else []
        yield [*headline(step), *map(fold_line, code), *told]
        latest = parts or latest
        known.append(step.name)


def autograd(
    solution: Solution, computed: tuple[SolvedStep, ...], given: list[str], dialect: Dialect
) -> tuple[list[str], list[str]]:
    """For a library with autograd: the lines that request the gradients of given matrices, and compare."""
    labels = solution.graph.labels
    own = {step.step.label.source.name: step.name for step in computed if step.step.label.of}
    wanted = {name: own[name] for name in given if name in own}
    start = next((name for name in given if labels[name].of), "")
    if not dialect.autograd or not wanted or not start:
        return [], []
    asked = dialect.autograd.tracked.format(", ".join(wanted))
    run = dialect.autograd.run.format(labels[start].source.name, start)
    checks = [
        f'check("{gradient} by {dialect.module}", {dialect.autograd.found.format(name)}, {gradient}.tolist())'
        for name, gradient in wanted.items()
    ]
    return [asked], [f"# What {dialect.module} finds by itself", run, *checks]


def refuse(solution: Solution, computed: tuple[SolvedStep, ...], written: list[str]) -> None:
    """Raise an error for a solution that cannot be written as a program with numbers."""
    numbers = sum(prod(solution.graph.shapes[name]) for name in written)
    if numbers > LARGEST_SCRIPT:
        message = f"is too large for a script: {numbers:,} numbers, at most {LARGEST_SCRIPT:,}"
        raise fault(message, solution.problem.place("X", "Q", "S"))
    trace = solution.trace
    for name in (*(step.name for step in computed), *written):
        if any(map(trace.field.is_open, trace.values[name].ravel())):
            raise fault(f"{name} has entries with free letters; a script computes with numbers only")
    limit = next((step for step in computed if step.step.label.limit), None)
    if limit is not None:
        raise fault(
            f"{limit.name} is a limit; a script computes with numbers only", solution.problem.place("limit")
        )


def preamble(blocks: list[list[str]], dialect: Dialect) -> list[str]:
    """The head of the file: its purpose, imports, and the functions that the code calls."""
    code = "\n".join(line for block in blocks for line in block if line[0] != "#")
    called = [text for name, text in dialect.helpers.items() if f"{name}(" in code]
    math = ["import math", ""] if any("math." in text for text in (code, *called)) else []
    return [PURPOSE, "", *math, dialect.imports, "", *"\n".join(called).splitlines(), "", ""]


def words(solution: Solution) -> list[str]:
    """The title and the like as comments.

    They stand below the second line: further up, a comment can change the encoding of the program.
    """
    problem = solution.problem
    found = (problem.title, problem.source, problem.setting, problem.note)
    return [line for text in found for line in comment(text)]


def comment(text: str) -> list[str]:
    """Text of a file as comments, which it cannot end."""
    return wrap(inert(text), WIDTH, initial_indent="# ", subsequent_indent="# ")


def headline(step: SolvedStep) -> list[str]:
    """The title of a step, the course's name for it, and its shape."""
    own = f" ({step.symbol})" if step.symbol != step.name else ""
    return comment(f"{step.title}{own}: {' x '.join(map(str, step.shape))}")


def write_given(solution: Solution, name: str, dialect: Dialect) -> str:
    """A given matrix, its numbers as they were typed."""
    arrays = Arrays(dialect)
    rows = map_nested(solution.graph.given[name].tolist(), lambda entry: write_number(entry, arrays))
    before, _, after = dialect.array.partition("{}")
    return spread_rows(f"{name} = {before}", rows, after)


def write_number(entry: Term | float, arrays: Arrays) -> str:
    """A given number as it was typed; a long expression as a float, if that is shorter."""
    if not isinstance(entry, Term):
        return arrays.float_text(entry)
    written = arrays.write(entry)[0]
    if isinstance(entry, Constant):
        return written
    return min(written, arrays.float_text(float(number_of(entry, Numeric()))), key=len)


def check_call(step: SolvedStep, found: str, dialect: Dialect) -> str:
    """The call that compares the computed step with its solution."""
    arrays = Arrays(dialect)
    rows = map_nested(step.value.tolist(), lambda x: arrays.float_text(float(f"{x + 0:.{PRINTED_DIGITS}g}")))
    return spread_rows(f'check("{step.name}", {found}, ', rows, ")")


def size_lines(step: SolvedStep, known: list[str]) -> list[str]:
    """The sizes that a step is the first to use, which are known from then on."""
    used = sorted({name for piece in step.pieces for name in sizes_of(piece.rule)}.difference(known))
    lines = [f"{name} = {size_text(name, step, known)}" for name in used]
    known += used
    return lines


def size_text(name: str, step: SolvedStep, known: list[str]) -> str:
    """A size read off the matrix that has it, else its number."""
    of, axis = SOURCES.get(name, ("", 0))
    size, shapes = step.graph.sizes[name], step.graph.shapes
    matrices = [own for own in (f"{of}_1", of) if own in known and shapes[own][axis] == size]
    return f"{matrices[0]}.shape[{axis}]" if matrices else str(size)


def statements(step: SolvedStep, dialect: Dialect, hides: bool) -> tuple[list[str], list[str]]:
    """The code of a step: the named parts, and the step itself; `hides` says whether keys are hidden."""
    pieces = [Piece(piece.axes, without_idle(piece.rule, hides)) for piece in step.pieces]
    arrays = Arrays(dialect, step.graph.shapes, [piece.rule for piece in pieces])
    texts = [arrays.within(tuple(axis.letter for axis in p.axes), p.rule)[0] for p in pieces]
    if not all(spans(step, piece) for piece in pieces) or not are_adjoining(pieces):
        put = [f"{step.name}{write_slices(p.axes, step.shape) or '[:]'}" for p in pieces]
        made = f"{step.name} = {dialect.zeros.format(step.shape)}"
        return arrays.lines, [made, *(f"{at} = {x}" for at, x in zip(put, texts, strict=True) if x != "0")]
    if len(texts) > 1:
        return arrays.lines, [
            spread_rows(f"{step.name} = {dialect.join}(", [*texts], f", {dialect.axis}=-1)")
        ]
    return arrays.lines, [f"{step.name} = {texts[0]}"]


def spans(step: SolvedStep, piece: Piece) -> bool:
    """Whether the array of a block has all batches and rows of its step, and all columns of the block."""
    leads = [step.graph.shapes[name][:-2] for name in matrices_of(piece.rule)]
    running = {axis.letter for axis in piece.axes} - {""}
    rows = piece.axes[0].size == step.shape[-2]
    return rows and running <= letters_of(piece.rule) and np.broadcast_shapes(*leads) == step.shape[:-2]


def are_adjoining(pieces: list[Piece]) -> bool:
    """Whether the columns of each block begin where those of the one before end."""
    columns = [piece.axes[1] for piece in pieces]
    ends = [0, *(axis.at(axis.size) for axis in columns)]
    return all(axis.start == end and axis.stride == 1 for axis, end in zip(columns, ends, strict=False))


def fold_line(line: str) -> str:
    """An assignment, in brackets over several lines if it is too long."""
    if len(line) <= WIDTH or "\n" in line:
        return line
    target, _, expression = line.partition(" = ")
    return "\n".join([f"{target} = (", *fill_lines(expression, "    ", "    "), ")"])


def fill_lines(text: str, first: str, then: str) -> list[str]:
    """A long text in lines that are broken at spaces only."""
    return wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=then,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def spread_rows(before: str, rows: Texts, after: str) -> str:
    """A matrix between two texts, on one line if it fits, else one line for each row."""
    line = f"{before}{write_list(rows)}{after}"
    if len(line) <= WIDTH:
        return line
    return "\n".join([f"{before}[", *(line for row in rows for line in row_lines(row, "    ")), f"]{after}"])


def row_lines(row: Texts, indent: str) -> list[str]:
    """A row, or a matrix of a batch, inside a list."""
    line = f"{write_list(row)},"
    if len(indent + line) <= WIDTH:
        return [indent + line]
    if not isinstance(row[0], list):
        return fill_lines(line, indent, indent + " ")
    rows = [line for inner in row for line in row_lines(inner, indent + "    ")]
    return [f"{indent}[", *rows, f"{indent}],"]
