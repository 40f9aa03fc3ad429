"""How a problem is computed: scores, scale, masks, positions, what comes after the heads."""

from __future__ import annotations

from tests.fuzzing.draft import Draft
from tests.fuzzing.writing import write_list, write_mapping

SCALES = (
    "none",
    "1/sqrt(d_k)",
    "1/8",
    "3/2",
    "-1",
    "0",
    "1/sqrt(d_model)",
    "ln(2)",
    "1/d_v",
    "n_q/n_k",
    "heads",
    "0.5",
)
SIZED = {"d_k": ("K", "X", "X_KV", "X_K"), "d_model": ("X", "X_Q"), "d_v": ("V", "X", "X_KV", "X_V")}
"""Which keys a size is known by, one of them or a numbered one."""


def sized(draft: Draft, scale: str) -> bool:
    """Whether a scale has nothing but sizes that the problem has."""
    if draft.letters and scale == "0.5":
        return False
    known = {*draft.keys, *(key[:-2] for key in draft.keys if key[-1].isdigit())}
    return all(size not in scale or known & {*keys} for size, keys in SIZED.items())


def tell_scale(draft: Draft) -> None:
    """Another scale than the usual one."""
    if draft.happens(0.5):
        draft.keys["scale"] = draft.choose([scale for scale in SCALES if sized(draft, scale)])
        if draft.keys["scale"] in ("0", "-1") and "-inf" in draft.keys.get("S", ""):
            draft.keys["scale"] = "3/2"


def tell_score(draft: Draft) -> None:
    """Another function of queries and keys than the dot product."""
    kind = draft.choose(["dot", "general", "additive", "concat", "keys first"])
    keys, width = draft.keys, draft.width
    keys["score"] = kind if kind != "keys first" else "{concat: [k, q]}"
    if kind == "general":
        keys["W_a"] = draft.pen.matrix(width, width)
    elif kind == "additive":
        keys |= {"W_1": draft.weight(width, 2), "W_2": draft.weight(width, 2), "v_a": draft.pen.vector(2)}
    elif kind != "dot":
        keys |= {"W_a": draft.weight(2 * width, 2), "v_a": draft.pen.vector(2)}


def one_mask(draft: Draft) -> str:
    """One mask."""
    rows, columns = draft.choose([draft.queries, draft.queries, 1]), draft.all_keys
    bits = [["1" if draft.happens(0.7) else "0" for _ in range(columns)] for _ in range(rows)]
    flags = write_list([write_list(row) for row in bits])
    bias = draft.pen.rows(rows, columns)
    if draft.happens(0.5):
        bias = write_list([write_list(["0" if bit == "1" else "-inf" for bit in row]) for row in bits])
    lengths = [str(draft.random.randint(1, columns)) for _ in draft.batch * 2 or (1,)]
    return draft.choose([
        "none", "causal", "causal", "{causal: lower-right}", "{causal: upper-left}", f"{{keep: {flags}}}",
        f"{{hide: {flags.translate({48: '1', 49: '0'})}}}", f"{{add: {bias}}}", f"{{window: {draft.random.randint(0, 2)}}}",
        f"{{window: [{draft.random.randint(0, 2)}, {draft.random.randint(0, 2)}]}}", f"{{lengths: {write_list(lengths)}}}",
    ])  # fmt: skip


def tell_mask(draft: Draft) -> None:
    """One mask or several."""
    if draft.happens(0.45):
        masks = [one_mask(draft) for _ in range(draft.choose([1, 1, 1, 2, 3]))]
        draft.keys["mask"] = masks[0] if len(masks) == 1 else write_list(masks)
        if draft.happens(0.9):
            draft.keys["masked_rows"] = draft.choose(["zero", "zero", "zero", "zero", "error"])


def tell_position(draft: Draft) -> None:
    """Where a token stands."""
    slopes = write_list(["1/2", "1/4", "2", "0.1"][: draft.heads])
    kinds = ["alibi", f"{{alibi: {slopes}}}", "none"]
    options = {
        **({"base": draft.choose(["100", "10000", "2", "1/2"])} if draft.happens(0.4) else {}),
        **({"offset": str(draft.random.randint(0, 3))} if draft.happens(0.4) else {}),
        **({"angle": draft.choose(["pi/6", "1", "1/2"])} if draft.happens(0.2) else {}),
    }
    pairs = draft.choose(["interleaved", "half"])
    if "X" in draft.keys:
        kinds += ["sinusoidal", write_mapping({"sinusoidal": pairs, **options})]
    if draft.width % 2 == 0 and "S" not in draft.keys:
        kinds += ["rope", write_mapping({"rope": pairs, **options})] * 2
    draft.keys["position"] = draft.choose(kinds)


def tell_softcap(draft: Draft) -> None:
    """A largest score."""
    draft.keys["softcap"] = draft.choose(["none", "2", "1/2", "30", "sqrt(2)"])


def tell_normalize(draft: Draft) -> None:
    """Other weights than a softmax."""
    draft.keys["normalize"] = draft.choose(["softmax", "sum", "none", "none"])


def way(draft: Draft) -> str:
    """How scores become weights."""
    is_mapped = draft.keys.get("feature_map", "none") != "none"
    return draft.keys.get("normalize", "sum" if is_mapped else "softmax")


def tell_feature_map(draft: Draft) -> None:
    """A function of queries and keys; of letters, whose sign is not known, only one without cases."""
    if "S" not in draft.keys:
        maps = ["none", "exp"] if draft.letters else ["none", "elu+1", "elu+1", "relu", "exp"]
        draft.keys["feature_map"] = draft.choose(maps)


def tell_decay(draft: Draft) -> None:
    """What scores lose with the distance, in all heads alike or in each."""
    if way(draft) != "softmax" and "-inf" not in draft.keys.get("S", ""):
        numbers = ["1/2", "0.9", "1", "2/3"][: draft.heads]
        draft.keys["decay"] = draft.choose(["none", "1/2", "0.5", write_list(numbers)])


def tell_sink(draft: Draft) -> None:
    """A score beside those of the keys: one for all heads, or one for each."""
    if way(draft) == "softmax":
        each = write_list([draft.pen.number() for _ in range(draft.heads)])
        draft.keys["sink"] = draft.choose(["none", draft.pen.number(), each, "1000"])


def tell_output(draft: Draft) -> None:
    """How heads are combined, and the output projection."""
    if draft.happens(0.3):
        draft.keys["combine"] = draft.choose(["concat", "mean", "sum"])
    width = draft.output_width
    if draft.keys.get("combine") in ("mean", "sum"):
        width //= draft.heads
    if draft.happens(0.3):
        wanted = draft.model if "X" in draft.keys or "X_Q" in draft.keys else draft.random.randint(1, 3)
        draft.keys["W_O"] = draft.weight(width, wanted)
        width = wanted
    if draft.happens(0.15):
        draft.keys["b_O"] = draft.pen.vector(width)
    draft.output_width = width


def tell_block(draft: Draft) -> None:
    """The steps after attention."""
    layers = [one_layer(draft) for _ in range(draft.random.randint(1, 4))]
    draft.keys["block"] = write_list(layers)


def one_layer(draft: Draft) -> str:
    """One step of a block; a residual only if the tokens are as wide."""
    residual = draft.output_width == draft.model and any(key in draft.keys for key in ("X", "X_Q"))
    kind = draft.choose(["layer_norm", "rms_norm", "feed_forward"] + ["residual"] * 2 * residual)
    if kind == "residual" or (kind != "feed_forward" and draft.happens(0.4)):
        return kind
    inside = network(draft) if kind == "feed_forward" else norm(draft, kind, draft.output_width)
    return write_mapping({kind: write_mapping(inside)})


def tell_pre_norm(draft: Draft) -> None:
    """A norm before the projections, where all is projected from X."""
    if "X" in draft.keys:
        kind = draft.choose(["layer_norm", "rms_norm"])
        told = write_mapping({kind: write_mapping(norm(draft, kind, draft.model))})
        draft.keys["pre_norm"] = draft.choose([kind, told, told, "none"])


def norm(draft: Draft, kind: str, width: int) -> dict[str, str]:
    """The parameters of a norm."""
    found = {}
    if draft.happens(0.5):
        found["gamma"] = draft.pen.vector(width)
    if kind == "layer_norm" and draft.happens(0.4):
        found["beta"] = draft.pen.vector(width)
    if kind == "layer_norm" and draft.happens(0.4):
        found["variance"] = draft.choose(["population", "sample"] if width > 1 else ["population"])
    if draft.happens(0.6):
        found["eps"] = draft.choose(["1e-5", "1e-12", "1", "1/10", "0"])
    if draft.happens(0.2):
        found["eps_in"] = draft.choose(["variance", "deviation", "deviation"])
    return found


def network(draft: Draft) -> dict[str, str]:
    """The parameters of a feed-forward network that keeps the width, or not."""
    width, hidden = draft.output_width, draft.random.randint(1, 3)
    after = width if draft.happens(0.7) else draft.random.randint(1, 3)
    found = {"W_1": draft.weight(width, hidden), "W_2": draft.weight(hidden, after)}
    found |= {"b_1": draft.pen.vector(hidden)} if draft.happens(0.4) else {}
    found |= {"b_2": draft.pen.vector(after)} if draft.happens(0.4) else {}
    if draft.happens(0.7):
        found["activation"] = draft.choose(["relu", "gelu", "gelu_tanh", "silu", "tanh"])
    if draft.happens(0.3):
        found["W_3"] = draft.weight(width, hidden)
        found |= {"b_3": draft.pen.vector(hidden)} if draft.happens(0.4) else {}
    draft.output_width = after
    return found
