"""Tiny language models in plain torch, as GPT-2, Llama and gpt-oss have them; each with its problem file as keys.

Every number of a model is a tensor that asks for a gradient, under the name that a graph gives it: W_Q, gamma_N0,
W_1_F1.  `Model.run` goes from the tokens to the loss and returns the results by the names of steps.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install torch==2.13.0")
F = torch.nn.functional
Tensor: TypeAlias = Any
Tensors: TypeAlias = dict[str, Tensor]
ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "silu", "tanh")


class Plan(NamedTuple):
    """What a model is made of."""

    tokens: int
    width: int
    heads: int
    groups: int
    """The key and value heads."""
    head_width: int
    hidden: int
    labels: int
    norm: str
    eps: float
    eps_in: str
    position: str
    window: tuple[int, int] | None
    activation: str
    is_gated: bool
    has_biases: bool
    is_turned: bool
    """Whether weights are stored as (out, in), as torch does."""
    temperature: float
    targets: list[int | None]
    has_sinks: bool
    """Whether every head has a learnt score beside its keys."""


def draw_plan(random: np.random.Generator) -> Plan:
    """A small model by chance."""
    tokens, labels = int(random.integers(1, 5)), int(random.integers(2, 6))
    heads = int(random.choice([1, 2, 4]))
    targets: list[int | None] = [int(random.integers(labels)) for _ in range(tokens)]
    if tokens > 1 and random.random() < 0.3:
        targets[int(random.integers(tokens))] = None
    window = (int(random.integers(0, 3)), int(random.integers(0, 2)))
    return Plan(
        tokens,
        int(random.integers(2, 7)),
        heads,
        int(random.choice([n for n in (1, 2, 4) if heads % n == 0])),
        int(random.choice([2, 4])),
        int(random.integers(1, 7)),
        labels,
        str(random.choice(["layer_norm", "rms_norm"])),
        float(random.choice([1e-5, 1e-6, 0.1])),
        str(random.choice(["variance", "variance", "deviation"])),
        str(random.choice(["none", "interleaved", "half"])),
        window if random.random() < 0.3 else None,
        str(random.choice(ACTIVATIONS)),
        bool(random.random() < 0.5),
        bool(random.random() < 0.5),
        bool(random.random() < 0.3),
        float(random.choice([1.0, 1.0, 0.5, 2.0])),
        targets,
        bool(random.random() < 0.3),
    )


class Model:
    """One model: its plan and its numbers."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.plan = plan = draw_plan(self.random)
        self.tensors: Tensors = {}
        queries, keys = plan.heads * plan.head_width, plan.groups * plan.head_width
        self.draw("X", plan.tokens, plan.width)
        self.draw_norm("N0")
        for role, size in (("Q", queries), ("K", keys), ("V", keys)):
            self.draw_layer(f"W_{role}", f"b_{role}", plan.width, size)
        if plan.has_sinks:
            self.draw("sink", 1, plan.heads)
        self.draw_layer("W_O", "b_O", queries, plan.width)
        self.draw_norm("N1")
        self.draw_layer("W_1_F1", "b_1_F1", plan.width, plan.hidden)
        if plan.is_gated:
            self.draw_layer("W_3_F1", "b_3_F1", plan.width, plan.hidden)
        self.draw_layer("W_2_F1", "b_2_F1", plan.hidden, plan.width)
        self.draw_norm("N2")
        self.draw_layer("W_U", "b_U", plan.width, plan.labels)

    # Numbers

    def draw(self, name: str, *shape: int) -> None:
        """Numbers from a normal distribution."""
        self.tensors[name] = torch.tensor(self.random.standard_normal(shape), requires_grad=True)

    def draw_layer(self, weight: str, bias: str, rows: int, columns: int) -> None:
        """A linear layer, with a bias if the model has one."""
        self.draw(weight, *((columns, rows) if self.plan.is_turned else (rows, columns)))
        if self.plan.has_biases:
            self.draw(bias, 1, columns)

    def draw_norm(self, name: str) -> None:
        """The parameters of a norm."""
        self.draw(f"gamma_{name}", 1, self.plan.width)
        if self.plan.norm == "layer_norm":
            self.draw(f"beta_{name}", 1, self.plan.width)

    # The model

    def linear(self, x: Tensor, weight: str, bias: str) -> Tensor:
        """x W + b"""
        w = self.tensors[weight]
        return x @ (w.T if self.plan.is_turned else w) + self.tensors.get(bias, torch.zeros(1))

    def norm(self, x: Tensor, name: str) -> Tensor:
        """A norm with its parameters."""
        plan = self.plan
        if plan.norm == "layer_norm":
            x = x - x.mean(-1, keepdim=True)
        spread = x.square().mean(-1, keepdim=True)
        is_under = plan.eps_in == "variance"
        root = torch.sqrt(spread + plan.eps) if is_under else torch.sqrt(spread) + plan.eps
        return x / root * self.tensors[f"gamma_{name}"] + self.tensors.get(f"beta_{name}", torch.zeros(1))

    def split(self, x: Tensor) -> Tensor:
        """Heads first: (heads, tokens, width)."""
        return x.view(self.plan.tokens, -1, self.plan.head_width).transpose(0, 1)

    def rotated(self, x: Tensor) -> Tensor:
        """Queries or keys of all heads, turned by their positions as complex numbers."""
        if self.plan.position == "none":
            return x
        pairs = self.plan.head_width // 2
        frequencies = 10000.0 ** (-torch.arange(pairs, dtype=torch.float64) / pairs)
        angles = torch.arange(self.plan.tokens, dtype=torch.float64)[:, None] * frequencies
        is_half = self.plan.position == "half"
        real, imaginary = (x[..., :pairs], x[..., pairs:]) if is_half else (x[..., 0::2], x[..., 1::2])
        found = torch.complex(real, imaginary) * torch.polar(torch.ones_like(angles), angles)
        if is_half:
            return torch.cat([found.real, found.imag], dim=-1)
        return torch.stack([found.real, found.imag], dim=-1).flatten(-2)

    def attention(self, x: Tensor) -> Tensor:
        """All heads, joined and projected."""
        plan = self.plan
        q, k, v = (self.split(self.linear(x, f"W_{role}", f"b_{role}")) for role in "QKV")
        rows, columns = torch.arange(plan.tokens)[:, None], torch.arange(plan.tokens)
        keep = columns <= rows
        if plan.window:
            left, right = plan.window
            keep = keep & (columns >= rows - left) & (columns <= rows + right)
        q, k = self.rotated(q), self.rotated(k)
        if plan.has_sinks:
            found = self.attend_beside_sinks(q, k, v, keep)
        else:
            found = F.scaled_dot_product_attention(q, k, v, attn_mask=keep, enable_gqa=True)
        return self.linear(found.transpose(0, 1).flatten(1), "W_O", "b_O")

    def attend_beside_sinks(self, q: Tensor, k: Tensor, v: Tensor, keep: Tensor) -> Tensor:
        """A further column of scores, which takes weight and is dropped after the softmax."""
        k, v = (x.repeat_interleave(self.plan.heads // self.plan.groups, dim=0) for x in (k, v))
        scores = (q @ k.mT / self.plan.head_width**0.5).masked_fill(~keep, -torch.inf)
        sinks = self.tensors["sink"].T[:, :, None].expand(-1, self.plan.tokens, 1)
        return torch.cat([scores, sinks], dim=-1).softmax(-1)[..., :-1] @ v

    def network(self, x: Tensor) -> Tensor:
        """The feed-forward network, gated or not."""
        hidden = self.linear(x, "W_1_F1", "b_1_F1")
        name = self.plan.activation
        if name == "gelu_tanh":
            active = F.gelu(hidden, approximate="tanh")
        else:
            active = getattr(torch if name == "tanh" else F, name)(hidden)
        gate = self.linear(x, "W_3_F1", "b_3_F1") if self.plan.is_gated else 1
        return self.linear(active * gate, "W_2_F1", "b_2_F1")

    def run(self) -> Tensors:
        """From the tokens to the loss."""
        found = {"N0": self.norm(self.tensors["X"], "N0")}
        found["Y"] = self.attention(found["N0"])
        found["R1"] = self.tensors["X"] + found["Y"]
        found["N1"] = self.norm(found["R1"], "N1")
        found["F1"] = self.network(found["N1"])
        found["R2"] = found["R1"] + found["F1"]
        found["N2"] = self.norm(found["R2"], "N2")
        found["L"] = self.linear(found["N2"], "W_U", "b_U")
        logits = found["L"] / self.plan.temperature
        found["p"] = logits.softmax(-1)
        targets = torch.tensor([-100 if target is None else target for target in self.plan.targets])
        found["nll"] = F.cross_entropy(logits, targets, reduction="none")[:, None]
        found["loss"] = F.cross_entropy(logits, targets)[None, None]
        found["perplexity"] = found["loss"].exp()
        return found

    # The problem

    def keys(self) -> dict[str, Any]:
        """The same model as the keys of a problem file."""
        plan = self.plan
        arrays = {name: tensor.detach().numpy() for name, tensor in self.tensors.items()}
        inside = ("_N0", "_N1", "_N2", "_F1")
        keys: dict[str, Any] = {name: x for name, x in arrays.items() if not name.endswith(inside)}
        n0, n1, n2, f1 = (self.layer(ending, arrays) for ending in inside)
        mask: list[Any] = ["causal", *([{"window": list(plan.window)}] if plan.window else [])]
        if plan.has_sinks:
            keys["sink"] = keys["sink"][0]
        return {
            **keys,
            "heads": plan.heads,
            "kv_heads": plan.groups,
            "weights": "out-in" if plan.is_turned else "in-out",
            "position": "none" if plan.position == "none" else {"rope": plan.position},
            "mask": mask,
            "pre_norm": {plan.norm: n0},
            "block": [
                "residual",
                {plan.norm: n1},
                {"feed_forward": {**f1, "activation": plan.activation}},
                "residual",
                {plan.norm: n2},
            ],
            "targets": ["_" if target is None else target + 1 for target in plan.targets],
            "temperature": plan.temperature,
        }

    def layer(self, ending: str, arrays: dict[str, Any]) -> dict[str, Any]:
        """The parameters of one layer."""
        found = {name.removesuffix(ending): x for name, x in arrays.items() if name.endswith(ending)}
        return found if ending == "_F1" else {**found, "eps": self.plan.eps, "eps_in": self.plan.eps_in}
