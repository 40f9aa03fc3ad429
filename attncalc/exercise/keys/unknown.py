"""Repairs of unknown keys: known keys that may be meant and are not in the file yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from attncalc.core.errors import inert, nearest
from attncalc.core.record import record, replace
from attncalc.core.repair import Proposal, Scan, choose_proposal
from attncalc.core.spellings import find_meant, fold
from attncalc.exercise.keys.readers import matrix
from attncalc.exercise.mechanisms import KINDS, MECHANISMS, NUMBERED, is_step_name, reader_of
from attncalc.exercise.mechanisms.base import parse_key
from attncalc.exercise.mechanisms.layers import OPTIONS
from attncalc.exercise.mechanisms.scores import NEEDS
from attncalc.exercise.problem import SIZES
from attncalc.exercise.written_names import find_names
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence, word_of, write_on_one_line

LINES = {
    **dict.fromkeys(("causal", "causalmask", "iscausal", "masked"), ("mask: causal", "mask: none")),
    "softmax": ("normalize: softmax", "normalize: none"),
    "exact": ("mode: exact", "mode: numeric"),
    "numeric": ("mode: numeric", "mode: exact"),
    "scaled": ("scale: 1/sqrt(d_k)", "scale: none"),
    "unscaled": ("scale: none", "scale: 1/sqrt(d_k)"),
    "columns": ("layout: columns", "layout: rows"),
    **{kind: (f"position: {kind}", "position: none") for kind in ("sinusoidal", "rope", "alibi")},
}
"""Words that are no keys, and the lines for them when switched on and when switched off."""
NEEDLESS = {
    **dict.fromkeys(map(fold, SIZES), "the sizes are read off the matrices: leave it out"),
    **dict.fromkeys(
        ("attention", "type", "kind"),
        "leave it out: X alone is self-attention, X_Q with X_KV is cross-attention",
    ),
    "multihead": "heads says how many heads there are: leave it out",
    **dict.fromkeys(("part", "show", "explain"), "it belongs to a part: indent it like its other keys"),
    "dropout": "nothing is dropped here: leave it out",
    "batch": "a batch is one more level of brackets: leave it out",
}
"""Keys that are not needed, and the reason."""
REASONS = {
    "softmax": "the softmax of every row of scores is taken, for a row belongs to a query; "
    "where a column belongs to one, transpose what is given",
    **dict.fromkeys(
        ("padding", "paddingmask", "keypaddingmask", "pad"),
        "say what 1 marks: write mask: {keep: [1, 0]} where it marks tokens, or mask: {hide: [0, 1]} "
        "where it marks padding, with the numbers of this file",
    ),
    "bias": "a bias is called after what it is added to: write b_Q, b_K, b_V or b_O",
    "activation": "it belongs to a feed-forward network: write it below feed_forward in block",
    "precision": "write places for decimals, digits for significant digits",
    "masked": "there are several masks: write mask: causal if later keys are hidden",
}
"""Keys that are not read, and why, with what to write."""
OF_TORCH = r".*(?:\.weight|_proj|proj\.).*|.*linear.*"
"""How layers of torch call their weights."""
SPOKEN = {fold(word): kind.role for kind in reversed(KINDS) for word in kind.spoken if not kind.limit}
LONGEST_NAMING = 20
OF_SCORES = {key for keys in NEEDS.values() for key in keys}
"""The keys that only `score` uses."""
RESUMED = {mechanism.resumes for mechanism in MECHANISMS}
WEIGHTS = r"w|weights?|proj(?:ection)?|linear|kernel|bias|b"
FILLERS = ("matrix", "of", "for", "the")
MAPPED = ("answers", "names", "let", "symbols", "marks", "sample", "goal", "mask", "position", "score")
"""The keys that have others under them."""
OF_WHAT = {"query": "Q", "key": "K", "value": "V", "output": "O", "out": "O"}
ROW = r"(?P<letter>[xqkvQKV])_?\{?(?P<number>[1-9][0-9]?)\}?"
NUMBER = r"(?P<base>.+?)[\s_^{(]*(?P<number>[1-9][0-9]?)[})]?"
TURNED = r"(?P<base>\w+?)(?:\^\{?(?:T|\\top)\}?|_?T|\.T|ᵀ|')"


@record
class Unknown:
    """An unknown key, all keys of the file with their values, and the known keys that it does not use."""

    key: str
    given: Mapping[str, Node]
    free: list[str]

    @property
    def node(self) -> Node:
        """The value of the key."""
        return self.given[self.key]

    def takes(self, line: str) -> bool:
        """Whether the key of a line is known, and not in the file yet."""
        key = line.partition(":")[0]
        label = parse_key(key)
        is_numbered = label.head is not None and label.role in NUMBERED
        return key in self.free or (is_numbered and key not in self.given)

    def rename(self, name: str) -> Proposal:
        """Propose another name for the key."""
        return Proposal(f"{name}: {write_on_one_line(self.node)}", did_you_mean(name))


MOST_KEYS = 500
"""No problem has more keys; in a file with more, hints would take long."""


def find_hint(key: str, given: Mapping[str, Node], known: Iterable[str], fits: Callable[[str], bool]) -> str:
    """Return the hint for an unknown key; `fits` says whether a key can read its value."""
    if len(given) > MOST_KEYS:
        return ""
    useless = set() if "score" in given else OF_SCORES
    free = [name for name in known if name not in given and name not in useless]
    unknown = Unknown(key, given, free)
    found = choose_proposal(chain.from_iterable(one.scan(unknown) for one in REPAIRS), unknown.takes)
    return found.because if found else nearest(key, free, fits) or ": put # before it if it is a comment"


def write(line: str) -> Proposal:
    """Propose another line."""
    return Proposal(line, f": write {line}")


def advise(advice: str) -> Proposal:
    """Propose to leave the line out, or to write it elsewhere."""
    return Proposal("", f": {advice}", is_sure=True)


def in_another_line(unknown: Unknown) -> Iterator[Proposal]:
    """causal: true is mask: causal; ffn: {W_1: ..} is a step of a block."""
    is_off = find_meant(word_of(unknown.node) or "true", ("none",)) is not None
    step = None if find_meant(unknown.key, unknown.free) else find_meant(unknown.key, OPTIONS)
    if step and not is_off:
        is_bare = isinstance(unknown.node, Scalar)
        yield write(f"block: [{step if is_bare else f'{{{step}: {write_on_one_line(unknown.node)}}}'}]")
    if fold(unknown.key) in LINES:
        yield write(LINES[fold(unknown.key)][is_off])


def with_reason(unknown: Unknown) -> Iterator[Proposal]:
    """Padding, bias and others, of which it must be said what is meant."""
    word = word_of(unknown.node)
    is_switch = fold(unknown.key) in LINES and find_meant(word or "true", ("none", "causal")) is not None
    if fold(unknown.key) in REASONS and not is_switch:
        yield advise(REASONS[fold(unknown.key)])


def given_twice(unknown: Unknown) -> Iterator[Proposal]:
    """num_heads, where there is heads already."""
    others = {key: node for key, node in unknown.given.items() if key != unknown.key}
    if (found := find_names(unknown.key, others)) and not find_meant(unknown.key, unknown.free):
        line = others[found[0]].place.line
        yield advise(f"it means {found[0]}, which already stands in line {line}: leave one of them out")


def weights_of_torch(unknown: Unknown) -> Iterator[Proposal]:
    """q_proj.weight is W_Q transposed, if it was taken from nn.Linear."""
    for found in weights_of(unknown) if re.fullmatch(OF_TORCH, unknown.key.lower()) else ():
        turned = "nn.Linear of torch keeps its transpose: with numbers from there, write weights: out-in, too"
        yield replace(found, because=f"{found.because} {turned}")


def not_needed(unknown: Unknown) -> Iterator[Proposal]:
    """d_k is read off K."""
    if fold(unknown.key) in NEEDLESS and isinstance(unknown.node, Scalar):
        yield advise(NEEDLESS[fold(unknown.key)])


def row_of_matrix(unknown: Unknown) -> Iterator[Proposal]:
    """x1: [1, 0] and x2: [0, 1] are the rows of X; Q_1 with a matrix is the Q of head 1."""
    match = re.fullmatch(ROW, unknown.key)
    name = match["letter"].upper() if match else ""
    if not match or (unknown.key[0] == name and not is_vector(unknown.node)):
        return
    rows = {key: write_on_one_line(node) for key, node in unknown.given.items() if is_row(key, name)}
    listed = ", ".join(re.sub(r"transpose\((.*)\)", r"\1", row) for row in rows.values())
    line = f"{name}: [{listed}]"
    is_first = unknown.key == next(iter(rows))
    because = f": it is a row of {name}: write {line}" if is_first else f": it is another row of {name}"
    yield Proposal(line, because)


def is_vector(node: Node) -> bool:
    """Whether a node is one row."""
    return isinstance(node, Sequence) and not any(isinstance(item, Sequence) for item in node.items)


def is_row(key: str, name: str) -> bool:
    """Whether a key is the name of a row of a matrix."""
    match = re.fullmatch(ROW, key)
    return bool(match) and match["letter"].upper() == name  # type: ignore[index]


def with_number(unknown: Unknown) -> Iterator[Proposal]:
    """W_Q1 is W_Q_1, and W_Q_0 does not exist."""
    if find_meant(unknown.key.removesuffix("0"), NUMBERED) and unknown.key.endswith("0"):
        yield advise("heads are numbered from 1")
    match = re.fullmatch(NUMBER, unknown.key)
    base = find_meant(match["base"], {*NUMBERED} - unknown.given.keys()) if match else None
    if match and base:
        yield unknown.rename(f"{base}_{match['number']}")


def transposed_key(unknown: Unknown) -> Iterator[Proposal]:
    """K^T is K, transposed."""
    if match := re.fullmatch(TURNED, unknown.key):
        yield write(f"{match['base']}: transpose({write_on_one_line(unknown.node)})")


def gradient_key(unknown: Unknown) -> Iterator[Proposal]:
    """dO is the gradient of O, where the backward pass starts."""
    if any(kind.has_gradient and kind.gradient.is_called(unknown.key) for kind in KINDS):
        yield write(f"backward: {{{unknown.key[1:]}: {write_on_one_line(unknown.node)}}}")


def in_words(unknown: Unknown) -> Iterator[Proposal]:
    """Query and queries are Q; a step that is computed may be an answer."""
    role = unknown.key if is_step_name(unknown.key) else SPOKEN.get(fold(unknown.key), "")
    is_begun = any(reader_of(key) is matrix for key in unknown.given)
    if role and not (role in RESUMED and is_begun):
        yield unknown.rename(role)
    if role and not isinstance(unknown.node, Scalar):
        line = f"answers: {{{role}: {write_on_one_line(unknown.node)}}}"
        yield Proposal(line, f": {role} is computed; what is published is written {line}")


def of_a_norm(unknown: Unknown) -> Iterator[Proposal]:
    """A row gamma or beta, or eps, belongs to a norm; one number gamma may be a decay."""
    is_decay = isinstance(unknown.node, Scalar) and find_meant(unknown.key, unknown.free)
    if not is_decay and unknown.key in OPTIONS["layer_norm"]:
        norm = f"layer_norm: {{{unknown.key}: {write_on_one_line(unknown.node)}}}"
        yield advise(f"it belongs to a norm, such as {norm} in the block")


def weights_of(unknown: Unknown) -> Iterator[Proposal]:
    """W_query, query weights and q_proj are W_Q."""
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", unknown.key.replace("_", " ")).lower())
    kinds = [word for word in words if re.fullmatch(WEIGHTS, word)]
    others = [OF_WHAT.get(word, word.upper()) for word in words if word not in (*kinds, *FILLERS)]
    if kinds and len(others) == 1:
        yield unknown.rename(f"{'b' if {'b', 'bias'} & {*kinds} else 'W'}_{others[0]}")


def keys_inside(unknown: Unknown) -> Iterator[Proposal]:
    """Keys that are indented under another word: given: {Q: .., K: ..}."""
    if not isinstance(unknown.node, Mapped) or nearest(unknown.key, MAPPED):
        return
    names = [key.text for key, _ in unknown.node.items]
    head = re.fullmatch(r"head[\s_]*([1-9][0-9]?)", unknown.key, re.IGNORECASE)
    if head and names and all(name in NUMBERED for name in names):
        lines = ", ".join(f"{name}_{head[1]}" for name in names)
        yield advise(f"leave it out, and write {lines} at the start of their lines")
    if any(name in unknown.free for name in names):
        yield Proposal("", hint_at_indented(names), is_sure=True)


def hint_at_indented(names: Iterable[str]) -> str:
    """Return the hint for keys that are indented under another."""
    return f": leave it out, and start {', '.join(map(inert, names))} in column 1"


def named_inside(unknown: Unknown) -> Iterator[Proposal]:
    """Q (2×2), matrix Q, $Q$ and 1. Q are Q."""
    names = [name for name in re.findall(r"[A-Za-z]\w*", unknown.key) if name in unknown.free]
    if len(names) == 1 and len(unknown.key) <= LONGEST_NAMING:
        yield unknown.rename(names[0])


def spoken_hint(name: str) -> str:
    """Return the hint that names the step which a word stands for."""
    return did_you_mean(SPOKEN.get(fold(name), ""))


def did_you_mean(name: str) -> str:
    """Return the usual hint; nothing without a name."""
    return f"; did you mean '{name}'?" if name else ""


REPAIRS: tuple[Scan[Unknown], ...] = (
    Scan(given_twice, "queries: [[1, 0]]", ""),
    Scan(with_reason, "padding: [1, 0]", ""),
    Scan(in_another_line, "causal: true", "mask: causal"),
    Scan(not_needed, "d_k: 2", ""),
    Scan(row_of_matrix, "v1: [1, 0]\nv2: [0, 1]", "V: [[1, 0], [0, 1]]"),
    Scan(with_number, "V1: [[1], [2]]", "V_1: [[1], [2]]"),
    Scan(transposed_key, "V^T: [[1, 2]]", "V: transpose([[1, 2]])"),
    Scan(gradient_key, "dA: [[1, 0]]", "backward: {A: [[1, 0]]}"),
    Scan(in_words, "values: [[1], [2]]", "V: [[1], [2]]"),
    Scan(of_a_norm, "beta: [1, 0]", ""),
    Scan(weights_of_torch, "o_proj: [[1, 0]]", "W_O: [[1, 0]]"),
    Scan(weights_of, "w_out: [[1, 0]]", "W_O: [[1, 0]]"),
    Scan(keys_inside, "given: {V: [[1], [2]]}", ""),
    Scan(named_inside, "matrix V: [[1], [2]]", "V: [[1], [2]]"),
)
"""Repairs of a key, in the order in which they are tried, before synonyms and near spellings."""
