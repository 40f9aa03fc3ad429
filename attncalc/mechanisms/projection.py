"""Queries, keys and values, for one head or several: given, or projected from the tokens.

Two-dimensional matrices are split among the heads by columns; numbered ones (W_Q_1, Q_2) belong to one
head each, and beside them an unnumbered one is shared whole by all heads.
"""

from __future__ import annotations

import re

import numpy as np

from attncalc.errors import fault
from attncalc.inputs.readers import choice, matrix, whole
from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.ops.base import Operation, turned
from attncalc.ops.heads import HeadColumns
from attncalc.ops.projection import Copy, Projection

TITLES = {"Q": "Queries", "K": "Keys", "V": "Values"}
SOURCES = {"Q": ("X_Q", "X"), "K": ("X_K", "X_KV", "X"), "V": ("X_V", "X_KV", "X")}
LETTERS = {"Q": "id", "K": "jd", "V": "jd"}
NUMBERED = ("Q", "K", "V", "W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "past_K", "past_V")
MOST_HEADS = 64


def build(building: Building) -> None:
    """Adds Q, K and V as far as they are known, for every head."""
    numbers = [int(m[2]) for key in building.problem.settings if (m := numbered(key))]
    heads = building.setting("heads", max(numbers, default=1))
    if numbers and heads != max(numbers):
        raise fault(
            f"heads is {heads}, but {max(numbers)} heads are numbered", building.problem.place("heads")
        )
    arrays = {name: building.problem.settings.get(name) for name in ("Q", "K", "V", "past_K", "past_V")}
    if any(array is not None and array.ndim == 4 for array in arrays.values()):
        split_arrays(building)
    elif numbers or heads == 1:
        own_matrices(building, heads, bool(numbers))
    else:
        split_columns(building, heads)
    measure(building)


def numbered(key: str) -> re.Match[str] | None:
    """A key with the number of a head."""
    match = re.fullmatch(r"(.+)_([1-9][0-9]?)", key)
    return match if match and match[1] in NUMBERED else None


def own_matrices(building: Building, heads: int, numbering: bool) -> None:
    """One head, or heads with matrices of their own."""
    building.heads = [{} for _ in range(heads)]
    for name in ("Q", "K", "V") if building.problem.settings.get("S") is None else ("V",):
        shared: str | None = None
        for head in range(heads):
            suffix = f"_{head + 1}" if numbering else ""
            own = [f"{key}{suffix}" for key in (name, f"W_{name}", f"b_{name}")]
            if suffix and any(key in building.problem.settings for key in own):
                found = building.give(own[0]) or project(building, name, suffix, heads > 1)
            else:
                found = shared = shared or building.give(name) or project(building, name)
            if found:
                building.heads[head][name] = found
            past = f"past_{name}"
            cached = building.give(f"{past}{suffix}") or building.give(past)
            if cached:
                building.heads[head][past] = cached


def project(building: Building, name: str, suffix: str = "", several: bool = False) -> str | None:
    """The projection of the tokens that a name goes back to; without weights, the tokens themselves."""
    others = (building.give(key) for key in SOURCES[name] if key != "X")
    source = next(filter(None, others), None) or building.tokens or building.give("X")
    if source is None:
        return None
    weight = building.give(f"W_{name}{suffix}") or (building.give(f"W_{name}") if suffix else None)
    bias = building.give(f"b_{name}{suffix}") or (building.give(f"b_{name}") if suffix else None)
    op: Operation = Copy()
    if weight:
        columns = building.setting("vectors") == "columns"
        out_in = building.setting("weights") == "out-in"
        op = turned(Projection(columns, LETTERS[name][0]), (1,), out_in)
    operands = [operand for operand in (source, weight, bias) if operand]
    title = TITLES[name] + (f" of head {suffix[1:]}" if several else "")
    return building.step(f"{name}{suffix if several else ''}", title, op, operands, LETTERS[name])


def split_columns(building: Building, heads: int) -> None:
    """Queries, keys and values of all heads side by side, cut into blocks of columns."""
    building.heads = [{} for _ in range(heads)]
    shared = building.setting("kv_heads", heads)
    if heads % shared:
        raise fault(
            f"{heads} heads cannot share {shared} key heads evenly", building.problem.place("kv_heads")
        )
    for name in ("Q", "K", "V"):
        parts = heads if name == "Q" else shared
        whole_name = building.give(name) or project(building, name)
        if whole_name is None:
            continue
        width = head_width(building, whole_name, parts)
        past = building.setting(f"past_{name}")
        for part in range(parts):
            own = f"{name}_{part + 1}"
            title = f"{TITLES[name]} of head {part + 1}"
            building.step(own, title, HeadColumns(part * width, width), [whole_name], LETTERS[name])
            if past is not None:
                block = past[..., part * width : (part + 1) * width]
                building.give_matrix(f"past_{own}", block, f"past_{name}")
        for head in range(heads):
            own = f"{name}_{head * parts // heads + 1}"
            building.heads[head][name] = own
            if past is not None:
                building.heads[head][f"past_{name}"] = f"past_{own}"


def head_width(building: Building, name: str, parts: int) -> int:
    """The width of one head's block."""
    width = building.shapes[name][-1]
    if width % parts:
        raise fault(f"{name} is {width} wide, which {parts} heads do not divide", building.place(name))
    return width // parts


def split_arrays(building: Building) -> None:
    """Arrays (batch, heads, tokens, width), cut into heads."""
    counts = {}
    for name in ("Q", "K", "V", "past_K", "past_V"):
        array = building.setting(name)
        if array is None:
            continue
        if array.ndim != 4:
            raise fault(f"{name} needs four axes too: batch, heads, tokens, width", building.place(name))
        counts[name] = array.shape[1]
    heads = counts.get("Q", max(counts.values()))
    if building.setting("heads", heads) != heads:
        raise fault(f"heads disagrees with the {heads} heads of Q", building.problem.place("heads"))
    building.heads = [{} for _ in range(heads)]
    for name, count in counts.items():
        if heads % count:
            raise fault(f"{heads} heads cannot share the {count} of {name} evenly", building.place(name))
        array = np.asarray(building.setting(name))
        for part in range(count):
            own = f"{name}_{part + 1}" if heads > 1 else name
            building.give_matrix(own, array[:, part], name)
        for head in range(heads):
            own = f"{name}_{head * count // heads + 1}" if heads > 1 else name
            building.heads[head][name] = own


def measure(building: Building) -> None:
    """The sizes that a scale may be written with: those of one head."""
    roles = building.heads[0]
    for size, role in (("d_k", "K"), ("d_v", "V")):
        if role in roles:
            building.sizes[size] = building.shapes[roles[role]][-1]
    if "Q" in roles:
        building.sizes["n_q"] = building.rows(roles["Q"])
    if "K" in roles:
        building.sizes["n_k"] = building.rows(roles["K"]) + building.rows(roles.get("past_K"))
    width = next((building.shapes[x][-1] for x in ("X", "X_Q") if x in building.shapes), None)
    if width is not None:
        building.sizes["d_model"] = width
    building.sizes["heads"] = len(building.heads)
    if ("Q" in roles) != ("K" in roles):
        missing, there = ("K", "Q") if "Q" in roles else ("Q", "K")
        raise fault(f"{missing} is missing", building.place(roles[there]))


mechanism = Mechanism(
    stage=Stage.PROJECT,
    keys={
        **dict.fromkeys(("Q", "K", "V", "X", "X_Q", "X_K", "X_V", "X_KV", "past_K", "past_V"), matrix),
        **dict.fromkeys(("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"), matrix),
        "vectors": choice("rows", "columns"),
        "weights": choice("in-out", "out-in"),
        "heads": whole(1, MOST_HEADS),
        "kv_heads": whole(1, MOST_HEADS),
    },
    build=build,
    numbered=NUMBERED,
)
