"""What an unknown key may be meant for, and what to write instead: only what is not in the file yet."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Sequence as Many

from attncalc.core.errors import Place, inert, nearest
from attncalc.core.graph.references import parse_reference
from attncalc.core.record import record
from attncalc.core.synonyms import find_meant, fold
from attncalc.exercise.keys.readers import matrix
from attncalc.exercise.mechanisms import KINDS, MECHANISMS, NUMBERED, is_step_name, reader_of
from attncalc.exercise.mechanisms.layers import OPTIONS
from attncalc.exercise.mechanisms.scale import SIZES
from attncalc.exercise.mechanisms.scores import NEEDS
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence, word_of, written

LINES = {
    **dict.fromkeys(("causal", "causalmask", "iscausal", "masked"), ("mask: causal", "mask: none")),
    "softmax": ("normalize: softmax", "normalize: none"),
    "exact": ("mode: exact", "mode: numeric"),
    "numeric": ("mode: numeric", "mode: exact"),
    "scaled": ("scale: 1/sqrt(d_k)", "scale: none"),
    "unscaled": ("scale: none", "scale: 1/sqrt(d_k)"),
    "columns": ("vectors: columns", "vectors: rows"),
    **{kind: (f"position: {kind}", "position: none") for kind in ("sinusoidal", "rope", "alibi")},
}
"""Words that are no keys, and the lines that say the same of what is on and of what is off."""
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
"""What is not said in a file."""
SPOKEN = {fold(word): kind.role for kind in reversed(KINDS) for word in kind.spoken if not kind.limit}
LONGEST_NAMING = 20
OF_SCORES = {key for keys in NEEDS.values() for key in keys}
"""The keys that only `score` makes use of."""
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
    """A key that is not known, all that is given in the file, and the keys that it has not used yet."""

    key: str
    given: Mapping[str, Node]
    free: list[str]

    @property
    def node(self) -> Node:
        """What stands under the key."""
        return self.given[self.key]


def find_hint(key: str, given: Mapping[str, Node], known: Iterable[str]) -> str:
    """What to write for a key that is not known."""
    useless = set() if "score" in given else OF_SCORES
    free = [name for name in known if name not in given and name not in useless]
    unknown = Unknown(key, given, free)
    found = next((hint for rule in RULES if (hint := rule(unknown))), "") or nearest(key, free)
    return found or ": put # before it if it is a comment"


def in_another_line(unknown: Unknown) -> str:
    """causal: true is mask: causal; ffn: {W_1: ..} is a step of a block."""
    is_off = find_meant(word_of(unknown.node) or "true", ("none",)) is not None
    step = None if find_meant(unknown.key, unknown.free) else find_meant(unknown.key, OPTIONS)
    if step and "block" in unknown.free and not is_off:
        is_bare = isinstance(unknown.node, Scalar)
        return f": write block: [{step if is_bare else f'{{{step}: {written(unknown.node)}}}'}]"
    line = LINES.get(fold(unknown.key), ("", ""))[is_off]
    return f": write {line}" if line.partition(":")[0] in unknown.free else ""


def not_needed(unknown: Unknown) -> str:
    """d_k is read off K."""
    reason = NEEDLESS.get(fold(unknown.key))
    return f": {reason}" if reason and isinstance(unknown.node, Scalar) else ""


def row_of_matrix(unknown: Unknown) -> str:
    """x1: [1, 0] and x2: [0, 1] are the rows of X; a matrix is that of a head."""
    match = re.fullmatch(ROW, unknown.key)
    name = match["letter"].upper() if match else ""
    if name not in unknown.free or (unknown.key[0] == name and not is_vector(unknown.node)):
        return ""
    if unknown.key != next(key for key in unknown.given if is_row(key, name)):
        return f": it is another row of {name}"
    rows = ", ".join(
        re.sub(r"transpose\((.*)\)", r"\1", written(node))
        for key, node in unknown.given.items()
        if is_row(key, name)
    )
    return f": it is a row of {name}: write {name}: [{rows}]"


def is_vector(node: Node) -> bool:
    """Whether a node is one row."""
    return isinstance(node, Sequence) and not any(isinstance(item, Sequence) for item in node.items)


def weights_of(unknown: Unknown) -> str:
    """W_query, query weights and q_proj are W_Q."""
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", unknown.key.replace("_", " ")).lower())
    kinds = [word for word in words if re.fullmatch(WEIGHTS, word)]
    others = [OF_WHAT.get(word, word.upper()) for word in words if word not in (*kinds, *FILLERS)]
    if not kinds or len(others) != 1:
        return ""
    name = f"{'b' if {'b', 'bias'} & {*kinds} else 'W'}_{others[0]}"
    return did_you_mean(name) if name in unknown.free else ""


def keys_inside(unknown: Unknown) -> str:
    """What stands indented under a word of its own: given: {Q: .., K: ..}."""
    if not isinstance(unknown.node, Mapped) or nearest(unknown.key, MAPPED):
        return ""
    names = [key.text for key, _ in unknown.node.items]
    head = re.fullmatch(r"head[\s_]*([1-9][0-9]?)", unknown.key, re.IGNORECASE)
    if head and names and all(name in NUMBERED for name in names):
        lines = ", ".join(f"{name}_{head[1]}" for name in names)
        return f": leave it out, and write {lines} at the start of their lines"
    return unindented(names) if any(name in unknown.free for name in names) else ""


def unindented(names: Iterable[str]) -> str:
    """What to do with keys that stand indented under another."""
    return f": leave it out, and start {', '.join(map(inert, names))} in column 1"


def named_inside(unknown: Unknown) -> str:
    """Q (2×2), matrix Q, $Q$ and 1. Q are Q."""
    names = [name for name in re.findall(r"[A-Za-z]\w*", unknown.key) if name in unknown.free]
    return did_you_mean(names[0]) if len(names) == 1 and len(unknown.key) <= LONGEST_NAMING else ""


def is_row(key: str, name: str) -> bool:
    """Whether a key is called like a row of a matrix."""
    match = re.fullmatch(ROW, key)
    return bool(match) and match["letter"].upper() == name  # type: ignore[index]


def with_number(unknown: Unknown) -> str:
    """W_Q1 is W_Q_1, and W_Q_0 is nothing."""
    if find_meant(unknown.key.removesuffix("0"), NUMBERED) and unknown.key.endswith("0"):
        return ": heads are numbered from 1"
    match = re.fullmatch(NUMBER, unknown.key)
    base = find_meant(match["base"], {*NUMBERED} - unknown.given.keys()) if match else None
    name = f"{base}_{match['number']}" if match and base else ""
    return did_you_mean(name) if name not in unknown.given else ""


def turned(unknown: Unknown) -> str:
    """K^T is K, transposed."""
    match = re.fullmatch(TURNED, unknown.key)
    base = match["base"] if match else ""
    return f": write {base}: transpose({written(unknown.node)})" if base in unknown.free else ""


def coming_in(unknown: Unknown) -> str:
    """dO is the gradient that comes into O."""
    step = unknown.key[1:]
    is_gradient = any(kind.has_gradient and kind.gradient.is_called(unknown.key) for kind in KINDS)
    is_free = is_gradient and "backward" in unknown.free
    return f": write backward: {{{step}: {written(unknown.node)}}}" if is_free else ""


def in_words(unknown: Unknown) -> str:
    """Query and queries are Q; a step that is computed may be an answer."""
    role = unknown.key if is_step_name(unknown.key) else SPOKEN.get(fold(unknown.key), "")
    is_begun = any(reader_of(key) is matrix for key in unknown.given)
    if role in unknown.free and not (role in RESUMED and is_begun):
        return did_you_mean(role)
    if not role or isinstance(unknown.node, Scalar) or "answers" not in unknown.free:
        return ""
    return f": {role} is computed; what is published is written answers: {{{role}: {written(unknown.node)}}}"


def of_a_norm(unknown: Unknown) -> str:
    """A row gamma or beta, or eps, belongs to a norm; one number gamma may be a decay."""
    is_decay = isinstance(unknown.node, Scalar) and find_meant(unknown.key, unknown.free)
    if is_decay or unknown.key not in OPTIONS["layer_norm"]:
        return ""
    return (
        f": it belongs to a norm, such as layer_norm: {{{unknown.key}: {written(unknown.node)}}} in the block"
    )


def did_you_mean(name: str) -> str:
    """The usual hint."""
    return f"; did you mean '{name}'?" if name else ""


RULES: tuple[Callable[[Unknown], str], ...] = (
    in_another_line,
    not_needed,
    row_of_matrix,
    with_number,
    turned,
    coming_in,
    in_words,
    of_a_norm,
    weights_of,
    keys_inside,
    named_inside,
)
"""What an unknown key may be, in the order in which it is tried; else it is a synonym, or misspelt."""


PART_LETTER = r"(?:part\s*)?\(?(?P<label>[a-z0-9]{1,3})\)?"
EXAMPLE = "[{part: b, show: S}]"


def listed_parts(node: Node) -> str:
    """Parts as they are to be written, from what stands in place of their list: {a: S}, or a step."""
    if isinstance(node, Mapped) and node.get("show") is not None:
        return f"[{written(node)}]"
    if isinstance(node, Mapped):
        pairs = [f"{{part: {inert(key.text)}, show: {in_quotes(value)}}}" for key, value in node.items]
        return f"[{', '.join(pairs)}]"
    labelled = re.fullmatch(rf"{PART_LETTER}[).:]?\s+(?P<shown>\S.*)", word_of(node))
    shown = Scalar(labelled["shown"], node.place) if labelled else node
    if not isinstance(shown, Scalar) or not parse_reference(shown.text):
        return EXAMPLE
    return f"[{{part: {labelled['label'] if labelled else 'a'}, show: {in_quotes(shown)}}}]"


def part_hint(item: Node, key: Scalar, known: Iterable[str]) -> str:
    """What to write for a part that starts with its letter, or for a key with no space behind its colon."""
    word, colon, rest = key.text.partition(":")
    if colon and word in known:
        return f": a space is missing behind the colon: write {word}: {inert(rest)}"
    label = re.fullmatch(PART_LETTER, key.text)
    if label and isinstance(item, Mapped) and len(item.items) == 1:
        return f": write {{part: {label['label']}, show: {in_quotes(item.items[0][1])}}}"
    return nearest(key.text, known)


def divided_hint(items: Many[Node], number: int) -> str:
    """How a part is written that fell into two, one for its letter and one for what it shows."""
    both = items[number : number + 2]
    pairs = [pair for item in both if isinstance(item, Mapped) for pair in item.items]
    if [key.text for key, _ in pairs] != ["part", "show"]:
        return ""
    (_, label), (_, shown) = pairs
    return f": write {{part: {written(label)}, show: {in_quotes(shown)}}}"


def in_quotes(node: Node) -> str:
    """The steps that a part shows, those with brackets in quotes."""
    shown = written(node)
    return f'"{shown}"' if isinstance(node, Scalar) and "[" in shown else shown


def show_hint(text: str) -> str:
    """How several steps, or a cell, are written that a part shows."""
    if fold(text) in SPOKEN:
        return f": write {SPOKEN[fold(text)]}"
    several = re.split(r"\s*(?:,|;|&|\band\b)\s*", text)
    if len(several) > 1 and all(map(parse_reference, several)):
        return f": write [{', '.join(in_quotes(Scalar(one, Place(''))) for one in several)}]"
    cell = re.fullmatch(r"(\w+)[\[(](\d+)(?:\D+(\d+))?[\])]", text)
    return f': write "{cell[1]}[{", ".join(filter(None, cell.groups()[1:]))}]"' if cell else ""
