"""Words that people write in place of the known ones, for "did you mean"."""

from __future__ import annotations

import re
from collections.abc import Iterable

OFF, ON = ("none", "zero"), ("causal", "1/sqrt(d_k)", "softmax", "full", "interleaved", "upper-left")
SYNONYMS = {
    # Switches.
    **dict.fromkeys(("", "false", "no", "off", "null", "nil", "~", "nothing", "without", "0"), OFF),
    **dict.fromkeys(("true", "yes", "on", "default", "standard", "usual"), ON),
    # Keys of a problem file.
    **dict.fromkeys(("embedding", "embeddings", "input", "xs", "sequence"), ("X",)),
    **dict.fromkeys(("nheads", "numheads", "numberofheads", "h"), ("heads",)),
    **dict.fromkeys(("numkvheads", "nkvheads"), ("kv_heads",)),
    **dict.fromkeys(("labels", "words"), ("tokens",)),
    **dict.fromkeys(("wout", "woutput", "outputweights"), ("W_O",)),
    **dict.fromkeys(("lmhead", "unembedding", "unembed", "wvocab", "wlogits"), ("W_U",)),
    **dict.fromkeys(("vocab", "dictionary"), ("vocabulary",)),
    **dict.fromkeys(("target", "nexttokens", "gold", "groundtruth", "y"), ("targets",)),
    **dict.fromkeys(("temp", "tau"), ("temperature",)),
    **dict.fromkeys(("prelayernorm", "prelnorm", "preln", "prenormalization", "inputnorm"), ("pre_norm",)),
    **dict.fromkeys(("normalise", "normalization", "normalisation"), ("normalize", "layer_norm")),
    **dict.fromkeys(("attentionmask", "attnmask", "masking"), ("mask",)),
    **dict.fromkeys(("description", "comment", "remarks", "text", "question", "questions"), ("note",)),
    **dict.fromkeys(("name", "heading"), ("title", "student")),
    **dict.fromkeys(("id", "studentid", "matriculation"), ("student",)),
    **dict.fromkeys(("author", "course", "from", "reference"), ("source",)),
    **dict.fromkeys(("solution", "solutions", "answerkey", "expected"), ("answers",)),
    **dict.fromkeys(("decimals", "round", "rounding", "precision", "decimalplaces"), ("places",)),
    **dict.fromkeys(("sigfigs", "significantdigits"), ("digits",)),
    **dict.fromkeys(("points", "grades"), ("marks",)),
    **dict.fromkeys(("pe", "positionalencoding", "positions", "posenc"), ("position",)),
    **dict.fromkeys(("scaling", "scalefactor", "factor"), ("scale",)),
    **dict.fromkeys(("scorefunction", "scoring"), ("score",)),
    **dict.fromkeys(("sinks", "attentionsink", "attentionsinks", "sinklogit"), ("sink",)),
    **dict.fromkeys(("phi", "kernel", "kernelmap"), ("feature_map",)),
    **dict.fromkeys(("gamma", "decayrate", "forgetting"), ("decay",)),
    **dict.fromkeys(("constants", "define", "definitions", "where"), ("let",)),
    **dict.fromkeys(("variables", "letters", "unknowns"), ("symbols",)),
    **dict.fromkeys(("steps", "find", "compute"), ("show",)),
    **dict.fromkeys(("gradient", "gradients", "grad", "backprop", "upstream"), ("backward",)),
    **dict.fromkeys(("label",), ("part",)),
    "v": ("v_a", "V"),
    # Choices.
    **dict.fromkeys(("dotproduct", "scaleddotproduct", "scaled", "dotproductattention"), ("dot",)),
    **dict.fromkeys(("luong", "multiplicative", "bilinear"), ("general",)),
    **dict.fromkeys(("bahdanau", "mlp"), ("additive", "feed_forward")),
    **dict.fromkeys(("elu", "1+elu", "elu1"), ("elu+1",)),
    **dict.fromkeys(("concatenate", "concatenated", "concatenation", "cat"), ("concat",)),
    **dict.fromkeys(("average", "avg"), ("mean",)),
    **dict.fromkeys(("add", "added"), ("residual", "sum")),
    **dict.fromkeys(("skip", "residualconnection", "skipconnection"), ("residual",)),
    **dict.fromkeys(("norm", "ln"), ("layer_norm",)),
    **dict.fromkeys(("ffn", "ff", "feedforwardnetwork"), ("feed_forward",)),
    **dict.fromkeys(("swish", "swiglu"), ("silu",)),
    **dict.fromkeys(("std", "stddev", "standarddeviation", "sigma"), ("deviation",)),
    **dict.fromkeys(("lowertriangular", "uppertriangular", "triangular", "tril", "triu"), ("causal",)),
    **dict.fromkeys(("lookahead", "autoregressive", "decoder", "future"), ("causal",)),
    **dict.fromkeys(("padding", "pad"), ("lengths",)),
    **dict.fromkeys(("sin", "sine", "sincos", "absolute"), ("sinusoidal",)),
    "rotary": ("rope",),
    **dict.fromkeys(("numerical", "float", "floats", "decimal", "approximate"), ("numeric",)),
    **dict.fromkeys(("symbolic", "fractions"), ("exact",)),
    **dict.fromkeys((">0", "pos"), ("positive",)),
    **dict.fromkeys(("any", "number", "reals"), ("real",)),
    # Steps.
    **dict.fromkeys(("qkt", "qk", "qktop", "dotproducts"), ("S",)),
    "logits": ("L", "S"),
    **dict.fromkeys(("qkt/sqrtdk", "s/sqrtdk", "scaledqkt", "qkt/sqrtd"), ("Z",)),
    **dict.fromkeys(("softmaxqkt/sqrtdk", "softmaxqkt", "softmaxs", "softmaxz"), ("A",)),
    **dict.fromkeys(("attn", "attnweights", "alpha", "p"), ("A",)),
    **dict.fromkeys(("probs", "probabilities"), ("p", "A")),
    **dict.fromkeys(("crossentropy", "celoss", "meannll"), ("loss",)),
    **dict.fromkeys(("logprobs", "surprisal", "losses"), ("nll",)),
    **dict.fromkeys(("answer", "finalanswer"), ("answers", "Y", "H", "O")),
    **dict.fromkeys(("softmaxqkt/sqrtdkv", "softmaxqktv", "attentionqkv"), ("O",)),
    **dict.fromkeys(("result", "out", "av", "contextvector", "contextvectors"), ("O",)),
    # Names in expressions.
    **dict.fromkeys(("eye",), ("identity",)),
    **dict.fromkeys(("root", "squareroot"), ("sqrt",)),
    **dict.fromkeys(("d", "dim", "dimk", "dkey", "dhead"), ("d_k",)),
    **dict.fromkeys(("n", "seqlen"), ("n_k",)),
}  # fmt: skip
"""From a word in lower case without punctuation to the words that may be meant, the likeliest first."""


def fold(word: str) -> str:
    """A word or formula in lower case without punctuation, for comparison.

    >>> fold("d_k"), fold("QK^T / √d_k")
    ('dk', 'qkt/sqrtdk')
    """
    plain = word.lower().replace("ᵀ", "t").replace("√", "sqrt").replace("α", "alpha")
    return re.sub(r"[\s_^{}()\[\]@*·.,\\-]+", "", plain)


def find_meant(word: str, known: Iterable[str]) -> str | None:
    """The known word that another word means, or that differs from it only in case and punctuation."""
    words = list(known)
    meant = (other for other in SYNONYMS.get(fold(word), ()) if other in words)
    same = (other for other in words if fold(other) == fold(word))
    return next(meant, None) or next(same, None)
