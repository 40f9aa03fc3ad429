"""Multi-head attention as a program: the functions of a module in idiomatic torch."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf
from textwrap import indent

from attncalc.core.record import record
from attncalc.core.terms import Constant
from attncalc.core.terms.formulas import Text, sentence

LAYERS = {"Q": "W_q", "K": "W_k", "V": "W_v"}
LENGTHS = {"Q": "qk_length", "K": "qk_length", "V": "value_length"}
BY_THE_ROOT = " / math.sqrt(self.qk_length)"
CLASS = '''class MultiHeadAttention(nn.Module):
    """Attention in several heads at once."""

'''


@record
class ModuleFunction:
    """A function of the module and its description; the parts in braces differ between problems."""

    title: str
    sentence: Text
    text: str


FUNCTIONS = {
    "init": ModuleFunction(
        "The layers of multi-head attention",
        "Four layers: one each for queries, keys and values, as wide as all heads side by side, and one "
        "that takes the joined heads back to the width of the tokens.",
        '''def __init__(self, num_heads, embedding_dim, qk_length, value_length):
    """Makes the layers, each for all heads side by side."""
    super().__init__()
    self.num_heads = num_heads
    self.embedding_dim = embedding_dim
    self.qk_length = qk_length
    self.value_length = value_length
{layers}''',
    ),
    "split_heads": ModuleFunction(
        "Splitting into heads, as code",
        "The last axis is viewed as two, heads and width; then heads and tokens change places. To view it "
        "as (B, num_heads, T, vec_length) at once gives the same shape, but mixes the tokens up.",
        '''def split_heads(self, x, vec_length):
    """(B, T, num_heads * vec_length) -> (B, num_heads, T, vec_length)"""
    B, T, _ = x.shape
    return x.view(B, T, self.num_heads, vec_length).transpose(1, 2)''',
    ),
    "scaled_dot_product_attention": ModuleFunction(
        "Scaled dot-product attention, as code",
        sentence(
            "The scores, scaled; where there is a mask, it is added: 0 for a key that may be seen, {} for "
            "one that may not. Their softmax over the keys, which are the last axis; times the values. Batch "
            "and heads stand in front and go along.",
            Constant(-inf),
        ),
        '''def scaled_dot_product_attention(self, Q, K, V, mask=None):
    """The values, weighted by how well their keys match the queries."""
    scores = Q @ K.transpose(-2, -1){scale}
    if mask is not None:
        scores = scores + mask
    return torch.softmax(scores, dim=-1) @ V''',
    ),
    "combine_heads": ModuleFunction(
        "Joining the heads, as code",
        "Splitting undone. After heads and tokens have changed places, the numbers of a token no longer lie "
        "side by side in memory: contiguous() puts them there, so that view can join them.",
        '''def combine_heads(self, x):
    """(B, num_heads, T, value_length) -> (B, T, num_heads * value_length)"""
    B, _, T, _ = x.shape
    x = x.transpose(1, 2).contiguous()
    return x.view(B, T, self.num_heads * self.value_length)''',
    ),
    "forward": ModuleFunction(
        "The forward pass, as code",
        "Project, split, attend, join, project. In self-attention the Q, K and V that come in are all X.",
        '''def forward(self, Q, K, V, mask=None):
    """(B, T, embedding_dim) for each of the three -> (B, T, embedding_dim)"""
    Q = self.split_heads(self.W_q(Q), self.qk_length)
    K = self.split_heads(self.W_k(K), self.qk_length)
    V = self.split_heads(self.W_v(V), self.value_length)
    attention = self.scaled_dot_product_attention(Q, K, V, mask)
    return {output}''',
    ),
}
USUAL_LAYERS = [
    *(f"{layer} = nn.Linear(embedding_dim, num_heads * {LENGTHS[role]})" for role, layer in LAYERS.items()),
    "W_o = nn.Linear(num_heads * value_length, embedding_dim)",
]


def write_functions(
    layers: Iterable[str] = USUAL_LAYERS, scale: str = BY_THE_ROOT, has_output: bool = True
) -> dict[str, str]:
    """The functions by name, with these layers, this scale, and an output layer or none."""
    joined = "self.combine_heads(attention)"
    parts = {
        "layers": "\n".join(f"    self.{line}" for line in layers),
        "scale": scale,
        "output": f"self.W_o({joined})" if has_output else joined,
    }
    return {name: function.text.format(**parts) for name, function in FUNCTIONS.items()}


def write_class(layers: Iterable[str], scale: str, has_output: bool) -> str:
    """The module as a whole."""
    functions = write_functions(layers, scale, has_output).values()
    return CLASS + "\n\n".join(indent(text, "    ") for text in functions)
