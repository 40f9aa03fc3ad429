"""Read the keys of a file as they are meant: W_query as W_Q, causal: true as mask: causal, k1 and k2 as K.

A key is taken for another only if exactly one reading fits: the name, the value, and the rest of the file.
What was taken is said in one line each; every other unknown key stays, and is refused when it is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeAlias

from attncalc.core.errors import AttncalcError, Fault, inert, quote
from attncalc.core.record import record, replace
from attncalc.core.spellings import fold
from attncalc.exercise.keys.decimal_commas import find_points
from attncalc.exercise.keys.meant_values import find_lines, matrix_meant, source_of
from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.keys.readers import Context, matrix, scores
from attncalc.exercise.keys.unknown import MOST_KEYS
from attncalc.exercise.mechanisms import MECHANISMS, NUMBERED, reader_of
from attncalc.exercise.mechanisms.scores import NEEDS
from attncalc.exercise.problem import Claim
from attncalc.exercise.written_names import find_names, plain, split_number
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence, word_of, write_on_one_line

SWITCHES = {
    **dict.fromkeys(
        ("causal", "causalmask", "iscausal", "usecausalmask", "autoregressive", "lookaheadmask", "lookahead"),
        ("mask", "causal", "none"),
    ),
    **dict.fromkeys(("scaled", "isscaled"), ("scale", "1/sqrt(d_k)", "none")),
    **dict.fromkeys(("unscaled", "isunscaled"), ("scale", "none", "1/sqrt(d_k)")),
    "softmax": ("normalize", "softmax", "none"),
    "exact": ("mode", "exact", "numeric"),
    "numeric": ("mode", "numeric", "exact"),
    **{kind: ("position", kind, "none") for kind in ("sinusoidal", "rope", "alibi")},
}
"""Words that are no keys: the key that each means, and its value when the word is switched on and off."""
SIZES = {
    **dict.fromkeys(("dk", "dkey", "dhead", "headdim", "keydim", "dimk", "sizeofkeys"), ("d_k",)),
    **dict.fromkeys(("dv", "dvalue", "valuedim", "dimv"), ("d_v",)),
    **dict.fromkeys(("dmodel", "embdim", "embeddim", "embeddingdim", "hiddensize", "din"), ("d_model",)),
    **dict.fromkeys(("d", "dim"), ("d_k", "d_model")),
    **dict.fromkeys(("n", "t", "seqlen", "sequencelength", "numtokens", "ntokens"), ("n_q", "n_k")),
    "nq": ("n_q",),
    "nk": ("n_k",),
}
"""Sizes that are read off the matrices: what is said of them must agree."""
WRAPPERS = frozenset(
    ("given", "data", "matrices", "problem", "exercise", "inputs", "weights", "parameters", "params", "setup",
     "tensors", "settings", "config")
)  # fmt: skip
"""Words with the keys of a problem below them."""
ROW_OF = ("Q", "K", "V", "X")
"""The matrices whose rows are often given one by one."""
RESUMED = {mechanism.resumes for mechanism in MECHANISMS}
OF_SCORES = {key for keys in NEEDS.values() for key in keys}
"""The keys that only `score` uses."""
MATRIX_KEYS = {"inputs": "X", "tokens": "X"}
"""Keys that take words, and the matrix that is meant if they hold one."""
COLUMNS = ("Omega", "beta", "Ω", "β", "omega")
TURNED = r"(?P<base>[A-Za-z]\w*?)(?:\^\{?(?:T|\\top)\}?|_T|\.T|ᵀ|')"
TURNED_ROW = r"\s*(?:transpose\()?(?P<row>[\[(][^\[\]()]*[\])])\)?\s*(?:ᵀ|\^\{?(?:T|\\top)\}?|\.T|')?\s*"
COLUMN = r"\[\s*[^\[\],;]+(?:;[^\[\],;]+)+\]"
AROUND = r"\s*(?:\(\s*[0-9]+\s*[x×,]\s*[0-9]+\s*\)|∈.*|\\in\b.*)\s*$"
"""The size behind a name: Q (2×3)."""
ON = frozenset(("", "true", "yes", "on", "1"))
OFF = frozenset(("false", "no", "off", "0", "none"))
WORDS_AROUND = frozenset(
    (
        "the",
        "of",
        "a",
        "matrix",
        "matrices",
        "vector",
        "vectors",
        "tensor",
        "input",
        "given",
        "weight",
        "weights",
    )
)
Items: TypeAlias = "list[tuple[Scalar, Node]]"


@record
class Meant:
    """The root of a file with its keys as they are meant, how they were read, and what is said of sizes."""

    root: Mapped
    readings: tuple[Fault, ...] = ()
    claims: tuple[Claim, ...] = ()


def read_keys(root: Mapped, folder: str) -> Meant:
    """Return the root of a file with every key that has one reading renamed."""
    if len(root.items) > MOST_KEYS:
        return Meant(root)
    draft = Draft(root, folder)
    if all(is_known(key.text) and draft.reads(key.text, node) for key, node in root.items) and not any(
        map(has_named_rows, root.items)
    ):
        return Meant(root)
    draft.rewrite()
    return Meant(replace(root, items=tuple(draft.items)), tuple(draft.readings), tuple(draft.claims))


def is_known(key: str) -> bool:
    """Whether a key is read as it is."""
    return key in KEYS or reader_of(key) is not None


def is_matrix_key(key: str) -> bool:
    """Whether a key holds a matrix."""
    return reader_of(key) in (matrix, scores)


def is_nested(node: Sequence) -> bool:
    """Whether a list holds rows."""
    return any(isinstance(item, Sequence) for item in node.items)


def is_matrix(node: Node) -> bool:
    """Whether a value is written as a matrix."""
    return isinstance(node, Sequence) or (isinstance(node, Scalar) and node.text.lstrip()[:1] in ("[", "("))


def has_named_rows(item: tuple[Scalar, Node]) -> bool:
    """Whether the rows of a matrix stand under names: the: [1, 0]."""
    key, node = item
    rows = [value for _, value in node.items] if isinstance(node, Mapped) else []
    return is_matrix_key(key.text) and len(rows) > 1 and all(map(is_row, rows))


def is_row(node: Node) -> bool:
    """Whether a node is one row of numbers."""
    if isinstance(node, Sequence):
        return not any(isinstance(item, Sequence | Mapped) for item in node.items)
    return isinstance(node, Scalar) and bool(re.fullmatch(TURNED_ROW, node.text))


class Draft:
    """The keys and values of a file while they are rewritten."""

    def __init__(self, root: Mapped, folder: str) -> None:
        self.items = [*root.items]
        self.context = Context(folder, {})
        self.readings: list[Fault] = []
        self.claims: list[Claim] = []

    @property
    def names(self) -> set[str]:
        """The keys as they are now."""
        return {key.text for key, _ in self.items}

    def say(self, key: Scalar, message: str) -> None:
        """Note how a key was read."""
        self.readings.append(Fault(message, key.place))

    def rewrite(self) -> None:
        """Rewrite the keys under wrappers, then rows, then every other key."""
        self.items = [item for pair in self.items for item in self.lift(*pair)]
        self.put_points()
        self.gather_rows()
        self.items = [item for pair in self.items for item in self.name_rows(*pair)]
        for key, node in [*self.items]:
            if not is_known(key.text) or not self.reads(key.text, node):
                self.replace(key, node)

    def put_points(self) -> None:
        """[1,5 0; 0 2,5] has decimal commas, where only these make rows of one length."""
        keys = {
            key.text: node
            for key, node in self.items
            if is_matrix(node) and any(map(is_matrix_key, find_names(key.text, KEYS)))
        }
        points = find_points({name: source_of(node) for name, node in keys.items()})
        for n, (key, node) in enumerate(self.items):
            if key.text in points:
                self.items[n] = key, Scalar(points[key.text], node.place)
                if "." in points[key.text]:
                    self.say(
                        key, f"the commas between digits in {inert(key.text)} are read as decimal points"
                    )

    def replace(self, key: Scalar, node: Node) -> None:
        """Put the key that is meant in the place of an unknown one, if there is one."""
        others = self.size, self.switch, self.other_name, self.of_a_head, self.transposed, self.with_words
        for rule in (self.value, self.matrix, *(() if is_known(key.text) else others)):
            if (found := rule(key, node)) is not None:
                at = next(n for n, (other, _) in enumerate(self.items) if other is key)
                self.items[at : at + 1] = found
                return

    def is_free(self, name: str) -> bool:
        """Whether a key may stand in the file: it does not yet, nor what makes it useless."""
        is_begun = any(is_matrix_key(key) and key != "V" for key in self.names)
        useless = name in OF_SCORES and "score" not in self.names
        return name not in self.names and not useless and not (is_begun and name in (*RESUMED, "S"))

    def fits(self, name: str, node: Node) -> bool:
        """Whether a key can hold a value."""
        if is_matrix_key(name) and isinstance(node, Sequence):
            # A wrong entry is said when the matrix is read.
            return bool(re.search("[0-9]", source_of(node)) or self.names & {"let", "symbols"})
        return self.reads(name, node)

    def reads(self, name: str, node: Node) -> bool:
        """Whether the reader of a key reads a value."""
        reader = KEYS[name].read if name in KEYS else reader_of(name)
        if reader is None:
            return False
        try:
            reader(node, self.context)
        except AttncalcError:
            return False
        return True

    def find(self, written: str, node: Node, names: Iterable[str]) -> str | None:
        """Return the only free key that a name may stand for and that can hold the value."""
        found = [name for name in find_names(written, names) if self.is_free(name) and self.fits(name, node)]
        return found[0] if len(found) == 1 else None

    def value(self, key: Scalar, node: Node) -> Items | None:
        """mask: look-ahead is mask: causal."""
        found = find_lines(key.text, node)
        others = self.names - {key.text}
        if not found or any(name in others or not self.fits(name, value) for name, value in found):
            return None
        lines = " and ".join(f"{name}: {write_on_one_line(value)}" for name, value in found)
        self.say(key, f"{quote(f'{key.text}: {write_on_one_line(node)}')} is read as {lines}")
        return [(Scalar(name, key.place), value) for name, value in found]

    def matrix(self, key: Scalar, node: Node) -> Items | None:
        """K: same as Q, W_Q: identity, and inputs: [[1, 0]], whose key takes words."""
        names = [name for name in find_names(key.text, KEYS) if is_matrix_key(name)]
        if key.text in MATRIX_KEYS and isinstance(node, Sequence) and is_nested(node):
            name = MATRIX_KEYS[key.text]
            return self.rename(key, node, name) if self.is_free(name) and self.fits(name, node) else None
        if len(names) != 1 or (names[0] != key.text and not self.is_free(names[0])):
            return None
        given = {other.text: value for other, value in self.items if value is not node and is_matrix(value)}
        meant = matrix_meant(names[0], node, given, self.width())
        if not meant or not self.fits(names[0], meant):
            return None
        self.say(
            key, f"{quote(f'{key.text}: {write_on_one_line(node)}')} is read as {write_on_one_line(meant)}"
        )
        return [(Scalar(names[0], key.place), meant)]

    def width(self) -> int | None:
        """Return the width of the inputs, if they are given."""
        for key, node in self.items:
            name = MATRIX_KEYS.get(key.text) or next(iter(find_names(key.text, KEYS)), "")
            if name in ("X", "X_Q", "X_KV"):
                try:
                    return int(matrix(node, self.context).shape[-1])
                except AttncalcError:
                    return None
        return None

    def size(self, key: Scalar, node: Node) -> Items | None:
        """d_k: 2 says nothing new, but must agree with the matrices."""
        sizes = SIZES.get(fold(plain(key.text)))
        if not sizes or not re.fullmatch(r"[1-9][0-9]{0,5}", word_of(node)):
            return None
        self.claims.append(Claim(key.text, sizes, int(word_of(node)), key.place))
        return []

    def switch(self, key: Scalar, node: Node) -> Items | None:
        """causal: true is mask: causal."""
        found = SWITCHES.get(fold(key.text))
        word = word_of(node).lower() if isinstance(node, Scalar) else "?"
        if not found or found[0] in self.names or word not in ON | OFF:
            return None
        name, value = found[0], found[1 if word in ON else 2]
        self.say(key, f"{quote(f'{key.text}: {word}')} is read as {name}: {value}")
        return [(Scalar(name, key.place), Scalar(value, node.place))]

    def other_name(self, key: Scalar, node: Node) -> Items | None:
        """W_query is W_Q."""
        name = self.find(key.text, node, KEYS)
        if not name and fold(key.text) == "logits" and {"targets", "vocabulary", "vocab"} & self.names:
            name = "L" if self.is_free("L") and self.fits("L", node) else None
        return self.rename(key, node, name) if name else None

    def rename(self, key: Scalar, node: Node, name: str) -> Items:
        """Give a key another name."""
        drawn = key.text.lstrip("\\$").startswith(COLUMNS)
        columns = "; where vectors are columns, its transpose is meant: write weights: out-in then"
        self.say(key, f"{quote(key.text)} is read as {name}{columns if drawn and name[0] == 'W' else ''}")
        return [(Scalar(name, key.place), node)]

    def of_a_head(self, key: Scalar, node: Node) -> Items | None:
        """W_Q1 is the W_Q of head 1, where it is a matrix."""
        written = split_number(key.text)
        if written.number is None or (is_row(node) and not written.of_head):
            return None
        bases = [name for name in find_names(written.base, NUMBERED) if self.fits(name, node)]
        name = f"{bases[0]}_{written.number}" if len(bases) == 1 else ""
        return self.rename(key, node, name) if name and name not in self.names else None

    def transposed(self, key: Scalar, node: Node) -> Items | None:
        """K^T holds the transpose of K."""
        match = re.fullmatch(TURNED, plain(key.text))
        source = node.source if isinstance(node, Sequence) else ""
        turned = Scalar(f"transpose({source})", node.place)
        name = self.find(match["base"], turned, KEYS) if match and source else None
        if not name or not is_matrix_key(name):
            return None
        self.say(key, f"{quote(key.text)} is read as the transpose of {name}")
        return [(Scalar(name, key.place), turned)]

    def with_words(self, key: Scalar, node: Node) -> Items | None:
        """Matrix Q, Q (2×2), query weights W_Q: one known name among words that say no more."""
        text = re.sub(AROUND, "", plain(key.text))
        words = re.findall(r"[^\W\d]\w*", text)
        found = {word for word in words if is_matrix_key(word) and self.is_free(word)}
        others = [word for word in words if word not in found]
        if len(found) != 1 or not all(self.is_about(word, *found) for word in others):
            return None
        (name,) = found
        return self.rename(key, node, name) if self.fits(name, node) else None

    def is_about(self, word: str, name: str) -> bool:
        """Whether a word beside a name says nothing else."""
        return word.lower() in WORDS_AROUND or bool(find_names(word, [name, name[-1]]))

    def lift(self, key: Scalar, node: Node) -> Items:
        """Given: {Q: .., K: ..} holds keys of the problem; head_1: {W_Q: ..} those of head 1."""
        if isinstance(node, Sequence) and fold(key.text) in ("heads", "h"):
            return self.lift_heads(key, node)
        head = re.fullmatch(r"h(?:ead)?[\s_]*([1-9][0-9]?)", key.text, re.IGNORECASE)
        is_wrapper = fold(key.text) in WRAPPERS and not (is_known(key.text) and not isinstance(node, Mapped))
        if not isinstance(node, Mapped) or not (head or is_wrapper) or not node.items or node.faults:
            return [(key, node)]
        ending = f"_{head[1]}" if head else ""
        names = [self.inside(name.text, value, ending) for name, value in node.items]
        if None in names or len({*names}) < len(names) or self.names & {name for name in names if name}:
            return [(key, node)]
        self.say(
            key, f"the keys below {quote(key.text)} are read as {', '.join(map(inert, filter(None, names)))}"
        )
        pairs = zip(names, node.items, strict=True)
        return [(Scalar(name or "", inner.place), value) for name, (inner, value) in pairs]

    def lift_heads(self, key: Scalar, node: Sequence) -> Items:
        """Heads: [{W_Q: ..}, {W_Q: ..}] holds the matrices of each head."""
        found: Items = []
        for number, head in enumerate(node.items, 1):
            for name, value in head.items if isinstance(head, Mapped) and not head.faults else ():
                inner = self.inside(name.text, value, f"_{number}")
                found += [(Scalar(inner, name.place), value)] if inner else []
        names = {name.text for name, _ in found}
        count = sum(len(head.items) if isinstance(head, Mapped) else 1 for head in node.items)
        if not found or len(names) < count or names & self.names:
            return [(key, node)]
        self.say(
            key, f"the keys below {quote(key.text)} are read as {', '.join(name.text for name, _ in found)}"
        )
        return found

    def inside(self, name: str, value: Node, ending: str) -> str | None:
        """Return the key that a name below another word stands for."""
        if ending:
            found = [one for one in find_names(name, NUMBERED) if self.fits(one, value)]
            return f"{found[0]}{ending}" if len(found) == 1 else None
        if is_known(name):
            return name
        found = [one for one in find_names(name, KEYS) if self.fits(one, value)]
        return name if found or fold(name) in SIZES or fold(name) in SWITCHES else None

    def gather_rows(self) -> None:
        """k1: [1, 0] and k2: [0, 1] are the rows of K."""
        rows: dict[str, list[tuple[int, Scalar, Node]]] = {}
        typed = [*self.items]
        for key, node in self.items:
            written = split_number(key.text)
            if written.number is None or written.of_head or not is_vector(node, written.base.islower()):
                continue
            for name in find_names(written.base, ROW_OF):
                if not is_known(key.text):
                    rows.setdefault(name, []).append((written.number, key, to_row(node)))
        for name, found in rows.items():
            found.sort(key=lambda row: row[0])
            if name in self.names or [number for number, _, _ in found] != [*range(1, len(found) + 1)]:
                continue
            keys = [key for _, key, _ in found]
            first = next(key for key, _ in self.items if key in keys)
            whole = Sequence(tuple(row for _, _, row in found), found[0][2].place)
            rest = [(key, node) for key, node in self.items if key is first or key not in keys]
            gathered = Scalar(name, first.place)
            self.items = [(gathered, whole) if key is first else (key, node) for key, node in rest]
            listed = " and ".join(filter(None, (", ".join(key.text for key in keys[:-1]), keys[-1].text)))
            what = "is read as the only row" if len(keys) == 1 else "are read as the rows"
            self.say(first, f"{inert(listed)} {what} of {name}")
            if any(is_column(node) for key, node in typed if key in keys):
                self.turn_vectors()

    def turn_vectors(self) -> None:
        """Where k1 and k2 are columns, so is the only query q."""
        for n, (key, node) in enumerate(self.items):
            name = plain(key.text)
            if name in ("q", "k", "v", "x") and is_column(node):
                self.items[n] = key, to_row(node)
                self.say(key, f"{inert(name)} is a column, and is read as the only row of {name.upper()}")

    def name_rows(self, key: Scalar, node: Node) -> Items:
        """X: {the: [1, 0], cat: [0, 1]} has named rows."""
        if not has_named_rows((key, node)):
            return [(key, node)]
        assert isinstance(node, Mapped)
        words = [name for name, _ in node.items]
        whole = Sequence(tuple(to_row(row) for _, row in node.items), node.place)
        label = "tokens" if key.text in ("X", "Q", "X_Q", "S") else "key_tokens"
        is_numbered = all(re.search(r"[0-9]", word.text) for word in words)
        found: Items = [(key, whole)]
        if not is_numbered and label not in self.names and not (label == "key_tokens" and "X" in self.names):
            found.append((Scalar(label, key.place), Sequence((*words,), node.place)))
        named = f", and their names as {label}" if len(found) > 1 else ""
        self.say(key, f"the lines below {inert(key.text)} are read as its rows{named}")
        return found


def is_vector(node: Node, has_small_letter: bool) -> bool:
    """Whether a node is one row, or one column; a matrix of one row is, if a small letter names it."""
    if isinstance(node, Sequence) and node.items:
        if len(node.items) == 1 and has_small_letter and is_row(node.items[0]):
            return True
        return is_row(node) or is_column(node)
    return is_row(node)


def is_column(node: Node) -> bool:
    """Whether a node is one column of numbers: [[1], [2]]."""
    rows = node.items if isinstance(node, Sequence) else ()
    return len(rows) > 1 and all(isinstance(row, Sequence) and len(row.items) == 1 for row in rows)


def to_row(node: Node) -> Node:
    """Return the row that a vector stands for, however it was turned."""
    if isinstance(node, Scalar):
        match = re.fullmatch(TURNED_ROW, node.text)
        inner = f"[{match['row'][1:-1]}]" if match else node.text
        return Scalar(inner.replace(";", ","), node.place) if match else node
    if isinstance(node, Sequence) and re.fullmatch(COLUMN, node.source):
        return Scalar(node.source.replace(";", ","), node.place)
    if isinstance(node, Sequence) and len(node.items) == 1 and isinstance(node.items[0], Sequence):
        return node.items[0]
    if isinstance(node, Sequence) and all(isinstance(item, Sequence) for item in node.items):
        return replace(node, items=tuple(item.items[0] for item in node.items), source="")  # type: ignore[union-attr]
    return node
