"""Multi-head attention as an nn.Module in idiomatic torch, run on the numbers of a problem."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.errors import fault
from attncalc.core.fields import Numeric
from attncalc.core.graph.labels import Stage
from attncalc.core.notations.code import Dialect
from attncalc.core.ops.scores import Scale
from attncalc.core.readings.value import evaluate
from attncalc.core.record import record
from attncalc.core.terms import Apply, Constant, Entry, Quotient
from attncalc.exercise.mechanisms.base import IN_COLUMNS
from attncalc.exercise.problem import Problem
from attncalc.exercise.solve.solution import Solution, SolvedStep
from attncalc.pages.scripts.module_functions import BY_THE_ROOT, LAYERS, LENGTHS, write_class
from attncalc.pages.scripts.script import check_call, refuse, words, write_given

PURPOSE = '"""Multi-head attention as a module; below it, its numbers checked."""'
HELD = {
    "X", "X_Q", "X_KV", "X_K", "X_V", "W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V", "b_O",
    "heads", "scale", "mask", "layout", "vectors", "weights", "masked_rows",
}  # fmt: skip
"""The keys of problems that such a module supports."""
DEFAULTS = {"combine": "concat", "normalize": "softmax", "score": "dot"}
"""The values that other keys may have."""
VARIABLES: dict[Stage | None, str] = {
    "queries": "Q", "keys": "K", "values": "V", "output": "O", "combined": "H", "projected": "Y",
}  # fmt: skip
"""The variables that hold what the functions give, by stage."""
JOINED = ("combined", "projected")
"""The stages behind all heads."""
USUAL_SCALE = Quotient(Constant(1), Apply("sqrt", Entry("d_k")))


def module(solution: Solution, dialect: Dialect) -> str:
    """The class, with the problem's numbers in its layers, and every function run and checked."""
    refuse_others(solution)
    refuse(solution, solution.steps, [*solution.graph.given])
    written = Module(solution, dialect)
    math = ["import math", ""] if "math." in written.text() else []
    head = [
        PURPOSE,
        "",
        *math,
        "import torch",
        "from torch import nn",
        "",
        *dialect.check.rstrip().split("\n"),
    ]
    blocks = [words(solution), written.given(), written.write_module(), written.run(), written.checks()]
    code = "\n\n".join("\n".join(block) for block in blocks if block)
    return "\n".join([*head, "", "", written.text(), "", "", code, ""])


def refuse_others(solution: Solution) -> None:
    """Raise an error for keys that such a module does not support."""
    problem, given = solution.problem, solution.graph.given
    others = [key for key in problem.settings if key not in HELD and not is_usual(problem, key)]
    if others:
        raise fault(f"{others[0]} is not in a module of multi-head attention", problem.place(others[0]))
    missing = next((name for name in ("W_Q", "W_K", "W_V") if name not in given), None)
    if missing:
        raise fault(
            f"a module needs {missing}: it projects tokens to queries, keys and values", problem.place("X")
        )
    masks = {name: matrix for name, matrix in given.items() if solution.graph.is_mask(name)}
    if any(solution.graph.labels[name].head or matrix.ndim > 2 for name, matrix in masks.items()):
        raise fault("a module has one mask, not one for every head or sequence", problem.place("mask"))


def is_usual(problem: Problem, key: str) -> bool:
    """Whether a key has its default value."""
    return key in DEFAULTS and bool(problem.settings[key] == DEFAULTS[key])


@record
class Module:
    """Writes the parts of one program."""

    solution: Solution
    dialect: Dialect

    @property
    def is_batch(self) -> bool:
        """Whether tokens come in several sequences already."""
        return any(len(self.solution.graph.given[name].shape) > 2 for name in self.inputs().values())

    def inputs(self) -> dict[str, str]:
        """The tokens that queries, keys and values are projected from."""
        first = {VARIABLES.get(step.step.kind.stage): step for step in reversed(self.solution.steps)}
        return {variable: first[variable].inputs[0] for variable in LAYERS}

    def sizes(self) -> dict[str, int]:
        """The arguments of the module."""
        sizes = self.solution.graph.sizes
        names = {"num_heads": "heads", "embedding_dim": "d_model", "qk_length": "d_k", "value_length": "d_v"}
        return {name: sizes[size] for name, size in names.items()}

    def text(self) -> str:
        """The class."""
        has_output = "W_O" in self.solution.graph.given
        return write_class([*self.layers()], self.scale(), has_output)

    def layers(self) -> Iterator[str]:
        """The layers, each with or without a bias."""
        for role, layer in LAYERS.items():
            width = self.width(self.inputs()[role])
            yield f"{layer} = nn.Linear({width}, num_heads * {LENGTHS[role]}{self.bias(f'b_{role}')})"
        if "W_O" in self.solution.graph.given:
            width = self.width(self.solution.output)
            yield f"W_o = nn.Linear(num_heads * value_length, {width}{self.bias('b_O')})"

    def width(self, name: str) -> str:
        """The width of a matrix: that of the embedding, or a number."""
        found = self.solution.graph.shapes[name][-1]
        return "embedding_dim" if found == self.sizes()["embedding_dim"] else str(found)

    def bias(self, name: str) -> str:
        """The argument of a layer without a bias."""
        return "" if name in self.solution.graph.given else ", bias=False"

    def scale(self) -> str:
        """The code that scales the scores."""
        op = next((step.step.op for step in self.solution.steps if isinstance(step.step.op, Scale)), None)
        if op is None:
            return ""
        if op.factor == USUAL_SCALE:
            return BY_THE_ROOT
        sizes = {name: Numeric().constant(size) for name, size in self.solution.graph.sizes.items()}
        return f" * {float(evaluate(op.factor, sizes, Numeric())):.10g}"

    def given(self) -> list[str]:
        """The numbers of the problem."""
        return [
            "# Given",
            *(write_given(self.solution, name, self.dialect) for name in self.solution.graph.given),
        ]

    def write_module(self) -> list[str]:
        """The module, with the problem's numbers in its layers, whose weights are (out, in)."""
        graph = self.solution.graph
        sizes = ", ".join(f"{name}={size}" for name, size in self.sizes().items())
        problem = self.solution.problem
        usual = IN_COLUMNS["weights"] if problem.in_columns else "in-out"
        turned = "" if problem.settings.get("weights", usual) == "out-in" else ".T"
        pairs = {**{f"W_{role}": layer for role, layer in LAYERS.items()}, "W_O": "W_o"}
        weights = [
            f"    module.{layer}.weight.copy_({name}{turned})"
            for name, layer in pairs.items()
            if name in graph.given
        ]
        biases = {name.replace("W_", "b_"): layer for name, layer in pairs.items()}
        added = [
            f"    module.{layer}.bias.copy_({name}.flatten())"
            for name, layer in biases.items()
            if name in graph.given
        ]
        return [f"module = MultiHeadAttention({sizes}).double()", "with torch.no_grad():", *weights, *added]

    def run(self) -> list[str]:
        """The calls of all functions on the tokens, as a batch of one sequence if there is no batch."""
        named = self.inputs()
        tokens = {role: name if self.is_batch else f"{name}[None]" for role, name in named.items()}
        mask = ", mask" if "mask" in self.solution.graph.given else ""
        splits = [
            f"    {role} = module.split_heads(module.{layer}({tokens[role]}), module.{LENGTHS[role]})"
            for role, layer in LAYERS.items()
        ]
        return [
            "with torch.no_grad():",
            *splits,
            f"    O = module.scaled_dot_product_attention(Q, K, V{mask})",
            "    H = module.combine_heads(O)",
            f"    Y = module({', '.join(tokens.values())}{mask})",
        ]

    def checks(self) -> list[str]:
        """The comparisons of the functions' results with the steps of the solution."""
        return [line for step in self.solution.steps for line in self.check(step)]

    def check(self, step: SolvedStep) -> Iterator[str]:
        """The comparison of one step, if a function returns it."""
        lead, label, kind = ":" if self.is_batch else "0", step.step.label, step.step.kind
        variable = VARIABLES.get(kind.stage)
        if variable and (label.head or self.sizes()["num_heads"] == 1) and kind.stage not in JOINED:
            yield check_call(step, f"{variable}[{lead}, {(label.head or 1) - 1}]", self.dialect)
        elif variable and kind.stage in JOINED:
            yield check_call(step, f"{variable}[{lead}]" if lead == "0" else variable, self.dialect)
