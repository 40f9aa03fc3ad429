"""Agreement with torch, if it is installed: `pip install torch==2.13.0`, then `pytest tests/exercise/test_against_torch.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.helpers.models import Model
from tests.helpers.quick_and_slow import sizes
from tests.helpers.solutions import solve_keys

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch==2.13.0")
F = torch.nn.functional

CLOSE: dict[str, Any] = {"rtol": 1e-9, "atol": 1e-9}


def random(*shape: int, seed: int = 0) -> Any:
    """Numbers from a normal distribution."""
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape)


def heads_of(solution: Any, name: str) -> Any:
    """A step of all heads, stacked behind the batch."""
    found = [
        s.value
        for s in solution.steps
        if s.name == name or (s.name.startswith(f"{name}_") and s.name[len(name) + 1 :].isdigit())
    ]
    return np.stack(found, axis=-3)


ATTENTIONS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({}, {}),
    ({"mask": "causal"}, {"is_causal": True}),
    ({"scale": "1/8"}, {"scale": 0.125}),
    ({"mask": {"add": random(5, 7)}}, {"attn_mask": torch.tensor(random(5, 7))}),
    (
        {"mask": {"keep": (random(2, 3, 5, 7) > -1).astype(int)}},
        {"attn_mask": torch.tensor(random(2, 3, 5, 7) > -1)},
    ),
]


@pytest.mark.parametrize(("ours", "theirs"), ATTENTIONS)
def test_scaled_dot_product_attention(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Four axes: batch, heads, tokens, width; the values are wider than the keys."""
    q, k, v = random(2, 3, 5, 4), random(2, 3, 7, 4), random(2, 3, 7, 6)
    solution = solve_keys("numeric", Q=q, K=k, V=v, **ours)
    expected = F.scaled_dot_product_attention(*map(torch.tensor, (q, k, v)), **theirs)
    np.testing.assert_allclose(heads_of(solution, "O"), expected.numpy(), **CLOSE)


def test_grouped_heads() -> None:
    """Fewer key heads than query heads."""
    q, k, v = random(2, 6, 5, 4), random(2, 2, 7, 4), random(2, 2, 7, 4)
    expected = F.scaled_dot_product_attention(*map(torch.tensor, (q, k, v)), enable_gqa=True)
    np.testing.assert_allclose(heads_of(solve_keys("numeric", Q=q, K=k, V=v), "O"), expected.numpy(), **CLOSE)


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("cross", [False, True])
def test_multihead_attention(bias: bool, masked: bool, cross: bool) -> None:
    """torch.nn.MultiheadAttention with its weights, masks, key padding, other key and value widths, biases."""
    width, heads, n_q, n_k = 6, 3, 4, 5 if cross else 4
    sizes = {"kdim": 4, "vdim": 5} if cross else {}
    module = torch.nn.MultiheadAttention(
        width, heads, bias=bias, batch_first=True, dtype=torch.float64, **sizes
    )
    if bias:
        torch.nn.init.normal_(module.in_proj_bias)
        torch.nn.init.normal_(module.out_proj.bias)
    x_q = random(2, n_q, width)
    x_k, x_v = (random(2, n_k, 4), random(2, n_k, 5, seed=1)) if cross else (x_q, x_q)
    weights = (
        [module.q_proj_weight, module.k_proj_weight, module.v_proj_weight]
        if cross
        else module.in_proj_weight.chunk(3)
    )
    keys: dict[str, Any] = {"X_Q": x_q, "X_K": x_k, "X_V": x_v, "heads": heads, "weights": "out-in"}
    keys |= {f"W_{n}": w.detach().numpy() for n, w in zip("QKV", weights, strict=True)}
    keys["W_O"] = module.out_proj.weight.detach().numpy()
    if bias:
        keys |= {
            f"b_{n}": b.detach().numpy() for n, b in zip("QKV", module.in_proj_bias.chunk(3), strict=True)
        }
        keys["b_O"] = module.out_proj.bias.detach().numpy()
    options: dict[str, Any] = {}
    if masked:
        hide = np.triu(np.ones((n_q, n_k)), 2).astype(bool)
        options = {
            "attn_mask": torch.tensor(hide),
            "key_padding_mask": torch.tensor([[False] * n_k, [False] * (n_k - 1) + [True]]),
        }
        keys["mask"] = [{"hide": hide.astype(int)}, {"lengths": [n_k, n_k - 1]}]
    inputs = map(torch.tensor, (x_q, x_k, x_v))
    output, weight = module(*inputs, average_attn_weights=False, **options)
    solution = solve_keys("numeric", **keys)
    np.testing.assert_allclose(solution["Y"].value, output.detach().numpy(), **CLOSE)
    np.testing.assert_allclose(heads_of(solution, "A"), weight.detach().numpy(), **CLOSE)


def test_encoder_layer() -> None:
    """A whole torch.nn.TransformerEncoderLayer by hand: attention, residuals, norms, feed-forward."""
    layer = torch.nn.TransformerEncoderLayer(
        6, 2, 8, dropout=0.0, activation="gelu", batch_first=True, dtype=torch.float64
    )
    x = random(2, 4, 6)
    n = {name: p.detach().numpy() for name, p in layer.named_parameters()}
    w, b = np.split(n["self_attn.in_proj_weight"], 3), np.split(n["self_attn.in_proj_bias"], 3)
    feed = {
        "W_1": n["linear1.weight"],
        "b_1": n["linear1.bias"],
        "W_2": n["linear2.weight"],
        "b_2": n["linear2.bias"],
    }
    norms = [{"layer_norm": {"gamma": n[f"norm{k}.weight"], "beta": n[f"norm{k}.bias"]}} for k in (1, 2)]
    solution = solve_keys(
        "numeric", X=x, heads=2, weights="out-in",
        W_Q=w[0], W_K=w[1], W_V=w[2], b_Q=b[0], b_K=b[1], b_V=b[2],
        W_O=n["self_attn.out_proj.weight"], b_O=n["self_attn.out_proj.bias"],
        block=["residual", norms[0], {"feed_forward": {**feed, "activation": "gelu"}}, "residual", norms[1]],
    )  # fmt: skip
    expected = layer(torch.tensor(x)).detach().numpy()
    assert solution.output == "N2"
    np.testing.assert_allclose(solution["N2"].value, expected, **CLOSE)


@pytest.mark.parametrize(
    ("name", "ours"), [("relu", "relu"), ("silu", "silu"), ("gelu", "gelu"), ("gelu_tanh", "gelu_tanh")]
)
def test_activations(name: str, ours: str) -> None:
    """The activations of a feed-forward network, and the RMS norm."""
    x, w = random(3, 4), np.eye(4)
    theirs = {"gelu_tanh": lambda t: F.gelu(t, approximate="tanh")}.get(name) or getattr(F, name)
    solution = solve_keys(
        "numeric", X=x, O=x, block=[{"feed_forward": {"W_1": w, "W_2": w, "activation": ours}}, "rms_norm"]
    )
    expected = theirs(torch.tensor(x))
    np.testing.assert_allclose(solution["F1"].value, expected.numpy(), **CLOSE)
    rms = F.rms_norm(expected, (4,), eps=1e-5).numpy()
    np.testing.assert_allclose(solution["N1"].value, rms, **CLOSE)


def test_zero_and_bias_keys() -> None:
    """add_zero_attn and add_bias_kv are keys that were there before the first token."""
    module = torch.nn.MultiheadAttention(
        6, 3, bias=False, add_bias_kv=True, add_zero_attn=True, batch_first=True, dtype=torch.float64
    )
    x = random(2, 4, 6)
    past = {
        name: np.concatenate([bias.detach().numpy().reshape(1, 1, 6), np.zeros((1, 1, 6))], axis=1)
        for name, bias in (("past_K", module.bias_k), ("past_V", module.bias_v))
    }
    weights = {
        f"W_{n}": w.detach().numpy() for n, w in zip("QKV", module.in_proj_weight.chunk(3), strict=True)
    }
    inputs = torch.tensor(x)
    output, _ = module(
        inputs, inputs, inputs, attn_mask=torch.tensor(np.triu(np.ones((4, 4)), 1).astype(bool))
    )
    solution = solve_keys(
        "numeric", X=x, heads=3, weights="out-in", mask="causal", W_O=module.out_proj.weight.detach().numpy(), **weights, **past
    )  # fmt: skip
    np.testing.assert_allclose(solution["Y"].value, output.detach().numpy(), **CLOSE)


def test_sinks_are_a_further_column() -> None:
    """As gpt-oss has it: a learnt score for each head beside the keys, dropped after the softmax."""
    q, k, v, sinks = random(2, 3, 5, 4), random(2, 3, 5, 4, seed=1), random(2, 3, 5, 6), random(3)
    scores = torch.tensor(q) @ torch.tensor(k).mT / 2
    scores = scores.masked_fill(torch.ones(5, 5).triu(1).bool(), -torch.inf)
    column = torch.tensor(sinks).reshape(1, 3, 1, 1).expand(2, 3, 5, 1)
    weights = torch.softmax(torch.cat([scores, column], dim=-1), dim=-1)[..., :-1]
    solution = solve_keys("numeric", Q=q, K=k, V=v, sink=sinks, mask="causal")
    np.testing.assert_allclose(heads_of(solution, "A"), weights.numpy(), **CLOSE)
    np.testing.assert_allclose(heads_of(solution, "O"), (weights @ torch.tensor(v)).numpy(), **CLOSE)


def test_gradient_of_a_sink() -> None:
    """dsink, and what comes back to queries and keys past it."""
    q, k, v, sinks = random(3, 4), random(5, 4), random(5, 2), random(2)
    given = [torch.tensor(x, requires_grad=True) for x in (q, k, v, sinks)]
    parts = [torch.chunk(x, 2, dim=-1) for x in given[:3]]
    outputs = []
    for queries, keys, values, sink in zip(*parts, given[3], strict=True):
        scores = torch.cat([queries @ keys.mT, sink.expand(3, 1)], dim=-1)
        outputs.append(torch.softmax(scores, dim=-1)[:, :-1] @ values)
    torch.cat(outputs, dim=-1).sum().backward()
    solution = solve_keys("numeric", Q=q, K=k, V=v, sink=sinks, heads=2, scale="none", backward={"H": "ones"})
    for name, tensor in zip(("dQ", "dK", "dV"), given[:3], strict=True):
        np.testing.assert_allclose(solution[name].value, tensor.grad.numpy(), **CLOSE)
    np.testing.assert_allclose(solution["dsink"].value[0], given[3].grad.numpy(), **CLOSE)


@pytest.mark.parametrize("kind", ["elu+1", "relu", "exp"])
def test_linear_attention(kind: str) -> None:
    """Causal, by the sums of outer products, and its gradients."""
    maps = {"elu+1": lambda x: F.elu(x) + 1, "relu": F.relu, "exp": torch.exp}
    q, k, v = (
        torch.tensor(random(4, 3, seed=n) + 2 * (kind == "relu"), requires_grad=True) for n in range(3)
    )
    queries, keys = map(maps[kind], (q, k))
    states = torch.cumsum(keys[:, :, None] * v[:, None, :], dim=0)
    below = (queries * torch.cumsum(keys, dim=0)).sum(-1, keepdim=True)
    output = (queries[:, None, :] @ states)[:, 0] / below
    output.sum().backward()
    given = {name: x.detach().numpy() for name, x in zip("QKV", (q, k, v), strict=True)}
    solution = solve_keys("numeric", **given, feature_map=kind, mask="causal", backward={"O": "ones"})
    np.testing.assert_allclose(solution["O"].value, output.detach().numpy(), **CLOSE)
    for name, x in zip("QKV", (q, k, v), strict=True):
        np.testing.assert_allclose(solution[f"d{name}"].value, x.grad.numpy(), **CLOSE)


def test_retention() -> None:
    """The parallel form with the decay matrix, and its gradients."""
    q, k, v = (torch.tensor(random(4, 3, seed=n), requires_grad=True) for n in range(3))
    distance = torch.arange(4)[:, None] - torch.arange(4)
    decay = torch.where(distance >= 0, 0.9 ** distance.double(), 0.0)
    output = (q @ k.mT * decay) @ v
    output.sum().backward()
    given = {name: x.detach().numpy() for name, x in zip("QKV", (q, k, v), strict=True)}
    solution = solve_keys(
        "numeric", **given, decay="0.9", normalize="none", scale="none", backward={"O": "ones"}
    )
    np.testing.assert_allclose(solution["D"].value, decay.numpy(), **CLOSE)
    np.testing.assert_allclose(solution["O"].value, output.detach().numpy(), **CLOSE)
    for name, x in zip("QKV", (q, k, v), strict=True):
        np.testing.assert_allclose(solution[f"d{name}"].value, x.grad.numpy(), **CLOSE)


@sizes(count=(20, 500))
def test_language_models(count: int) -> None:
    """GPT-2 and Llama kinds, every step from the first norm to the loss."""
    for seed in range(count):
        model = Model(seed)
        solution = solve_keys("numeric", **model.keys())
        for name, expected in model.run().items():
            message = f"{name}, seed {seed}"
            np.testing.assert_allclose(
                solution[name].value, expected.detach().numpy(), **CLOSE, err_msg=message
            )


WITHIN = ("p", "nll", "loss", "perplexity")
"""What the loss is differentiated with as a whole, and what comes after it."""


@sizes(count=(10, 500))
def test_gradients_of_language_models(count: int) -> None:
    """What autograd finds, of every number of a model and of every step on the way, from the loss back."""
    for seed in range(count):
        model = Model(seed)
        solution = solve_keys("numeric", **model.keys(), backward="loss")
        steps = {name: tensor for name, tensor in model.run().items() if name not in WITHIN[:2]}
        tensors = {**steps, **model.tensors}
        for tensor in tensors.values():
            tensor.retain_grad()
        steps["loss"].backward()
        for name, tensor in tensors.items():
            if name not in WITHIN:
                message = f"d{name}, seed {seed}"
                found = solution[f"d{name}"].value
                np.testing.assert_allclose(found, tensor.grad.numpy(), **CLOSE, err_msg=message)
