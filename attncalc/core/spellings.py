"""Words that people write in place of the known ones, for "did you mean"."""

from __future__ import annotations

import re
from collections.abc import Iterable

OFF, ON = ("none", "zero"), ("causal", "1/sqrt(d_k)", "softmax", "full", "interleaved", "upper-left")
NAMES = {
    # Given matrices.
    "X": "embedding embeddings emb embs xs input inputmatrix inputembedding inputembeddings inputvectors "
    "tokenembeddings wordembeddings wordvectors tokenvectors hiddenstates sequence inputsequence",
    "X_Q": "xquery xqueries queryinput queryinputs decoderstates decoderhiddenstates decoderinput "
    "decoderinputs decoderstate decoderhidden targetsequence",
    "X_KV": "xkeyvalue xcontext contextinput memoryinput memory encoderstates encoderhiddenstates "
    "encoderoutput encoderoutputs encodermemory encoderhidden sourcesequence",
    "Q": "xwq xwquery query queries querymatrix queryvector queryvectors qmatrix qmat",
    "K": "xwk xwkey key keys keymatrix keyvector keyvectors kmatrix kmat",
    "V": "xwv xwvalue value values valuematrix valuevector valuevectors vmatrix vmat vals",
    "W_Q": "wquery wqueries queryweight queryweights queryweightmatrix weightquery weightsquery omegaq "
    "qweight qweights weightq weightsq weightmatrixq queryprojection queryprojectionmatrix",
    "W_K": "wkey wkeys keyweight keyweights keyweightmatrix weightkey weightskey omegak kweight kweights "
    "weightk weightsk weightmatrixk keyprojection keyprojectionmatrix",
    "W_V": "wvalue wvalues wval valueweight valueweights valueweightmatrix weightvalue weightsvalue omegav "
    "vweight vweights weightv weightsv weightmatrixv",
    "W_O": "wout woutput outputweight outputweights outputweightmatrix weightoutput weightsoutput oweight "
    "oweights weighto weightmatrixo outputprojection outputprojectionmatrix",
    "b_Q": "betaq biasq biasquery querybias bquery",
    "b_K": "betak biask biaskey keybias bkey",
    "b_V": "betav biasv biasvalue valuebias bvalue",
    "b_O": "betao biaso biasoutput outputbias bout boutput",
    "past_K": "pastkey pastkeys cachedkey cachedkeys cachek kcache keycache cachekeys oldk oldkeys",
    "past_V": "pastvalue pastvalues cachedvalue cachedvalues cachev vcache valuecache cachevalues oldv "
    "oldvalues",
    "W_U": "lmhead unembedding unembed wvocab wlogits",
    # Settings.
    "heads": "nheads nhead numheads numhead numberofheads numofheads numattentionheads nattentionheads "
    "attentionheads h",
    "kv_heads": "numkvheads nkvheads nkvhead numberofkvheads numkeyvalueheads",
    "scale": "scaling scalefactor scalingfactor softmaxscale attentionscale factor",
    "vocabulary": "vocab dictionary",
    "temperature": "temp tau",
    "position": "pe positionalencoding positions posenc",
    "places": "decimals round decimalplaces",
    "digits": "sigfigs significantdigits",
    # Steps.
    "S": "scores qkt qk qktop dotproducts attentionscores attnscores attscores rawscores attentionlogits "
    "unscaledscores similarityscores scorematrix",
    "Z": "qkt/sqrtdk s/sqrtdk scaledqkt qkt/sqrtd scaledscores scaledattentionscores scaledlogits "
    "scaleddotproducts",
    "A": "softmaxqkt/sqrtdk softmaxqkt softmaxs softmaxz softmaxscores softmaxscaledscores attn attnweights "
    "attnweight attentionweight attentionweights attweights alpha alphas attnprobs attentionprobs "
    "attentiondistribution attndistribution attentionmatrix attentionmap attnmatrix attentionprobabilities "
    "softmaxweights weightsa",
    "T": "sum sums rowsum rowsums sumofexponentials sumofexps sumexp expsum normalizer normaliser "
    "denominator denominators partitionfunction",
    "O": "softmaxqkt/sqrtdkv softmaxqktv attentionqkv result results out output outputs context av "
    "contextvector contextvectors contextmatrix attentionoutput attnoutput attentionout attnout attoutput "
    "finaloutput outputmatrix outputvectors",
    "loss": "crossentropy celoss meannll",
    "nll": "logprobs surprisal losses",
}  # fmt: skip
"""The names of keys and steps, and what else each is called, in lower case without punctuation.

A word stands for one name only: what may mean several is in SYNONYMS, the likeliest first.
"""
SYNONYMS: dict[str, tuple[str, ...]] = {
    # Switches.
    **dict.fromkeys(("", "false", "no", "off", "null", "nil", "~", "nothing", "without", "0"), OFF),
    **dict.fromkeys(("true", "yes", "on", "default", "standard", "usual"), ON),
    **{word: (name,) for name, words in NAMES.items() for word in words.split()},
    # Keys of a problem file.
    **dict.fromkeys(("labels", "words"), ("tokens",)),
    **dict.fromkeys(("rounding", "precision"), ("places", "digits")),
    **dict.fromkeys(("target", "nexttokens", "gold", "groundtruth", "y"), ("targets",)),
    **dict.fromkeys(("prelayernorm", "prelnorm", "preln", "prenormalization", "inputnorm"), ("pre_norm",)),
    **dict.fromkeys(("normalise", "normalization", "normalisation"), ("normalize", "layer_norm")),
    **dict.fromkeys(("attentionmask", "attnmask", "masking"), ("mask",)),
    **dict.fromkeys(("description", "comment", "remarks", "text", "question", "questions"), ("note",)),
    **dict.fromkeys(("name", "heading"), ("title", "student")),
    **dict.fromkeys(("id", "studentid", "matriculation"), ("student",)),
    **dict.fromkeys(("author", "course", "from", "reference"), ("source",)),
    **dict.fromkeys(("solution", "solutions", "answerkey", "expected"), ("answers",)),
    **dict.fromkeys(("points", "grades"), ("marks",)),
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
    "logits": ("L", "S"),
    "c": ("O",),
    "scaling": ("scale", "Z"),
    **dict.fromkeys(("probs", "probabilities"), ("p", "A")),
    **dict.fromkeys(("answer", "finalanswer"), ("answers", "Y", "H", "O")),
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
