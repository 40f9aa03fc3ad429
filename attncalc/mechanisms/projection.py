"""Queries, keys and values: given, or projected from the tokens."""

from __future__ import annotations

from attncalc.errors import fault
from attncalc.mechanisms.base import Building, Mechanism, Stage
from attncalc.ops.base import Op
from attncalc.ops.projection import Copy, Projection
from attncalc.readers import choice, matrix

TITLES = {"Q": "Queries", "K": "Keys", "V": "Values"}
SOURCES = {"Q": ("X_Q", "X"), "K": ("X_K", "X_KV", "X"), "V": ("X_V", "X_KV", "X")}
LETTERS = {"Q": "id", "K": "jd", "V": "jd"}


def build(building: Building) -> None:
    """Adds Q, K and V as far as they are known."""
    for name in ("Q", "K", "V"):
        found = building.give(name) or project(building, name)
        if found:
            building.roles[name] = found
    measure(building)


def project(building: Building, name: str) -> str | None:
    """The projection of the tokens that a name goes back to; without weights, the tokens themselves."""
    source = next(filter(None, map(building.give, SOURCES[name])), None)
    if source is None:
        return None
    weight, bias = building.give(f"W_{name}"), building.give(f"b_{name}")
    operands = [operand for operand in (source, weight, bias) if operand]
    op: Op = Copy()
    if weight:
        op = Projection(
            building.setting("vectors") == "columns",
            building.setting("weights") == "out-in",
            LETTERS[name][0],
        )
    return building.step(name, TITLES[name], op, operands, LETTERS[name])


def measure(building: Building) -> None:
    """The sizes that a scale may be written with."""
    for size, role, axis in (
        ("d_k", "K", -1),
        ("d_v", "V", -1),
        ("n_q", "Q", -2),
        ("n_k", "K", -2),
    ):
        if role in building.roles:
            building.sizes[size] = building.shapes[building.roles[role]][axis]
    width = next((building.shapes[x][-1] for x in ("X", "X_Q") if x in building.shapes), None)
    if width is not None:
        building.sizes["d_model"] = width
    building.sizes["heads"] = 1
    q, k = building.roles.get("Q"), building.roles.get("K")
    if (q is None) != (k is None):
        raise fault(f"{'K' if q else 'Q'} is missing", building.place(q or k or ""))


mechanism = Mechanism(
    stage=Stage.PROJECT,
    keys={
        **dict.fromkeys(("Q", "K", "V", "X", "X_Q", "X_K", "X_V", "X_KV"), matrix),
        **dict.fromkeys(("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V"), matrix),
        "vectors": choice("rows", "columns"),
        "weights": choice("in-out", "out-in"),
    },
    build=build,
)
