"""Agreement with the test cases of the ONNX Attention operator, if onnx is installed: `pip install onnx`."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import attncalc

onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install onnx")

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    node_cases = pytest.importorskip("onnx.backend.test.case.node", reason="onnx ships no test cases")
    CASES = [c for c in node_cases.collect_testcases("Attention") if len(c.model.graph.node) == 1]


def read(case: Any) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """The attributes, inputs and first output of a case."""
    node = case.model.graph.node[0]
    attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    arrays, outputs = case.data_sets[0]
    names = [name for name in node.input if name]
    return attributes, dict(zip(names, arrays, strict=True)), outputs[0]


def covered(case: Any) -> bool:
    """Single precision; padding by length is another alignment of the causal mask than any of ours."""
    _, inputs, output = read(case)
    return output.dtype == np.float32 and "nonpad_kv_seqlen" not in inputs


def mask_of(mask: Any) -> dict[str, Any]:
    """A mask of any rank as one with batch and heads in front."""
    shaped = mask[None] if mask.ndim == 3 else mask
    return {"keep": shaped.astype(int)} if mask.dtype == bool else {"add": shaped.astype(float)}


def problem_of(attributes: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    """The keys of the same problem."""
    keys: dict[str, Any] = {name: inputs[name].astype(float) for name in "QKV"}
    for ours, theirs in (("past_K", "past_key"), ("past_V", "past_value")):
        if theirs in inputs:
            past = inputs[theirs].astype(float)
            # Ours is laid out like K; theirs has always four axes.
            side_by_side = past.transpose(0, 2, 1, 3).reshape(past.shape[0], past.shape[2], -1)
            keys[ours] = side_by_side if keys["Q"].ndim == 3 else past
    masks: list[Any] = [mask_of(inputs["attn_mask"])] if "attn_mask" in inputs else []
    if attributes.get("is_causal"):
        masks.append("causal")
    sides = [attributes.get(f"{side}_window_size", -1) for side in ("left", "right")]
    if max(sides) >= 0:
        masks.append({"window": [side if side >= 0 else 10**6 for side in sides]})
    if masks:
        keys |= {"mask": masks, "masked_rows": "zero"}
    if "scale" in attributes:
        keys["scale"] = repr(float(attributes["scale"]))
    if attributes.get("softcap"):
        keys["softcap"] = repr(float(attributes["softcap"]))
    if keys["Q"].ndim == 3:
        keys |= {"heads": attributes["q_num_heads"], "kv_heads": attributes["kv_num_heads"]}
    return keys


@pytest.mark.parametrize("case", [case for case in CASES if covered(case)], ids=lambda case: case.name)
def test_attention_operator(case: Any) -> None:
    """Every case in single precision gives the same output."""
    attributes, inputs, expected = read(case)
    solution = attncalc.solve(attncalc.problem(**problem_of(attributes, inputs)), mode="numeric")
    if inputs["Q"].ndim == 3:
        found = solution["H" if "H" in solution else "O"].value
    else:
        found = np.stack([s.value for s in solution.steps if s.step.role == "O"], axis=1)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
