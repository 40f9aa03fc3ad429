"""Random problems, for laws that hold over all of them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NUMBERS = st.one_of(
    st.integers(-3, 3).map(str),
    st.sampled_from(["1/2", "-2/3", "sqrt(2)", "-sqrt(3)/2", "5/4"]),
)
SCALES = st.sampled_from([None, "none", "1/sqrt(d_k)", "1/8", "1*2", "1/d_k", "-1"])
MASKS = st.sampled_from(
    [None, "none", "causal", {"causal": "lower-right"}, {"window": 1}, {"window": [1, 0]}]
)


def matrices(rows: int, columns: int) -> st.SearchStrategy[list[list[str]]]:
    """Matrices of small exact numbers."""
    return st.lists(st.lists(NUMBERS, min_size=columns, max_size=columns), min_size=rows, max_size=rows)


@st.composite
def problems(draw: st.DrawFn, masked: bool = True) -> dict[str, Any]:
    """The keys of a problem: given or projected, scaled, masked, normalised in every way."""
    queries, keys = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    d_k, d_v, d_in = (draw(st.integers(1, 3)) for _ in range(3))
    kind = draw(st.sampled_from(["given", "self", "cross", "scores", "heads", "cache"]))
    found: dict[str, Any]
    if kind in ("given", "cache"):
        found = {
            "Q": draw(matrices(queries, d_k)),
            "K": draw(matrices(keys, d_k)),
            "V": draw(matrices(keys, d_v)),
        }
        if kind == "cache":
            past = draw(st.integers(1, 2))
            found |= {"past_K": draw(matrices(past, d_k)), "past_V": draw(matrices(past, d_v))}
    elif kind == "heads":
        found = draw(several_heads(queries, keys))
    elif kind == "scores":
        found = {"S": draw(matrices(queries, keys)), "V": draw(matrices(keys, d_v))}
    else:
        found = draw(projections(kind, queries, keys, (d_in, d_k, d_v)))
    mask, scale = draw(MASKS) if masked else None, draw(SCALES)
    if scale is not None and not (kind == "scores" and "d_k" in scale):
        found["scale"] = scale
    if mask is not None:
        found |= {"mask": mask, "masked_rows": "zero"}
    return found


@st.composite
def several_heads(draw: st.DrawFn, queries: int, keys: int) -> dict[str, Any]:
    """Two heads, split or numbered, sharing their keys or not, combined in every way."""
    if draw(st.booleans()):
        found: dict[str, Any] = {"heads": 2, "kv_heads": draw(st.sampled_from([1, 2]))}
        width = 2 * found["kv_heads"]
        found |= {
            "Q": draw(matrices(queries, 4)),
            "K": draw(matrices(keys, width)),
            "V": draw(matrices(keys, width)),
        }
    else:
        found = {"X_Q": draw(matrices(queries, 2)), "X_KV": draw(matrices(keys, 2))}
        found |= {f"W_{name}_{head}": draw(matrices(2, 2)) for name in "QV" for head in (1, 2)}
    found["combine"] = draw(st.sampled_from(["concat", "mean", "sum"]))
    if found["combine"] == "concat":
        found["W_O"] = draw(matrices(4, 2))
    return found


@st.composite
def projections(
    draw: st.DrawFn, kind: str, queries: int, keys: int, sizes: tuple[int, int, int]
) -> dict[str, Any]:
    """Tokens with weights and biases, in either convention."""
    d_in, d_k, d_v = sizes
    out_in = draw(st.booleans())
    found: dict[str, Any] = {"weights": "out-in"} if out_in else {}
    if draw(st.booleans()):
        found["vectors"] = "columns"
    if kind == "self":
        found["X"] = draw(matrices(queries, d_in))
    else:
        found |= {"X_Q": draw(matrices(queries, d_in)), "X_KV": draw(matrices(keys, d_in))}
    for name, width in (("Q", d_k), ("K", d_k), ("V", d_v)):
        shape = (width, d_in) if out_in else (d_in, width)
        found[f"W_{name}"] = draw(matrices(*shape))
        if draw(st.booleans()):
            found[f"b_{name}"] = draw(matrices(1, width))
    return found
