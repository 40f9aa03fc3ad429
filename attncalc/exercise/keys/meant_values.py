"""Values as they are meant: mask: look-ahead, scale: off, tokens: I am, K: same as Q, W_Q: identity.

Each function takes what was written and returns what it means, or nothing where that is not certain.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from attncalc.core.spellings import SYNONYMS, find_meant, fold
from attncalc.exercise.keys.refusals import NUMBERS
from attncalc.exercise.mechanisms.layers import OPTIONS
from attncalc.exercise.mechanisms.scores import NEEDS
from attncalc.exercise.pasted.formulas import plain_code
from attncalc.exercise.pasted.literals import row_of
from attncalc.exercise.pasted.words import Said, find_settings
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar, Sequence, write_on_one_line

Lines: TypeAlias = "list[tuple[str, Node]]"
"""Keys and their values."""
NOTHING = frozenset(("none", "no", "off", "false", "null", "nil", "~", "nothing", "without"))
MASKS = frozenset(
    ("mask", "masks", "masking", "masked", "attentionmask", "attnmask", "attmask", "masktype",
     "keypaddingmask", "srcmask", "tgtmask", "m")
)  # fmt: skip
LENGTHS = frozenset(("validlens", "validlen", "validlengths", "sequencelengths", "seqlens", "lengths"))
SCORES = frozenset(("score", "scores", "scorefunction", "scoring", "scoringfunction", "attentionscore"))
DIVISORS = frozenset(
    ("divideby", "dividedby", "dividescoresby", "scoresdividedby", "divisor", "scaledivisor")
)
CAUSAL_CODE = (
    r"(?:\w+\.)?tril\((?:\w+\.)?ones\([^=]*\)\)(?:\.bool\(\))?"
    r"|(?:\w+\.)?triu\((?:\w+\.)?ones\([^=]*\),\s*(?:(?:diagonal|k)\s*=\s*)?1\)(?:\.bool\(\))?"
)
"""The lower triangle, diagonal included, can only keep; the triangle above it can only hide."""
ROOT = r"(?:sqrt\(?\{?d_?k\}?\)?|\(?d_?k\)?(?:\*\*|\^)\(?(?:0?\.5|1/2)\)?)"
WIDTH = r"\b(?P<of>[A-Za-z_]\w*)\.(?:shape\[-?1\]|size\(-?1\))"
HIDING = -1e4
"""No score is so small: such a number in a mask hides a key."""
SAME = r"(?i:(?:the )?(?:same as|equal to|equals|=)\s+)?(?P<name>[A-Za-z]\w*)"
UNIT = r"(?i:(?:the )?identity(?: matrix)?|eye)|I"
UNIT_OF = r"\b(?:I|[Ii]dentity|eye)_?\{?([1-9][0-9]?)\}?(?![\w(])"


def shown_word(node: Node) -> str:
    """Return the text of a scalar; empty for anything else."""
    return node.text.strip() if isinstance(node, Scalar) else ""


def source_of(node: Node) -> str:
    """Return a matrix as it was written, on one line."""
    if isinstance(node, Sequence) and node.source:
        return " ".join(re.sub(r"(?m)(?:^|(?<=[\s,\]]))#.*$", "", node.source).split())
    return write_on_one_line(node)


def settings_in(text: str) -> set[str] | None:
    """Return the settings that words say; None if one of them must be asked."""
    try:
        return {line for _, line in find_settings(text)}
    except Said:
        return None


def mask_meant(key: str, node: Node) -> Lines | None:
    """A mask in words, as code, or as a matrix that says itself what it does."""
    text = shown_word(node)
    if not text or text.startswith("["):
        return matrix_mask(key, node)
    if fold(key) == "m":
        return None
    if text.lower() in NOTHING:
        return [("mask", Scalar("none", node.place))]
    bare = re.sub(r"(?i)\b(?:mask(?:ing|ed)?|matrix)\b", "", text)
    is_causal = SYNONYMS.get(fold(bare)) == ("causal",) or re.fullmatch(CAUSAL_CODE, text)
    found = settings_in(text)
    if is_causal or fold(bare) == "causal" or found == {"mask: causal"}:
        return [("mask", Scalar("causal", node.place))]
    return [("mask", Scalar("none", node.place))] if found == {"mask: none"} else None


def matrix_mask(key: str, node: Node) -> Lines | None:
    """A matrix with −∞ is added; one of a library keeps or hides; a triangle can only be causal."""
    text = source_of(node)
    if not re.fullmatch(
        r"[\[\](),;\s0-9.eE+−-]*", re.sub(r"(?i)\b(?:true|false|inf|infinity|-?oo)\b|∞", "", text)
    ):
        return None
    if re.search(r"(?i)inf|oo\b|∞", text) or any(
        float(number) <= HIDING for number in re.findall(r"-[0-9][0-9.]*(?:[eE]\+?[0-9]{1,3})?", text)
    ):
        return with_kind("add", text, node)
    is_boolean = bool(re.search("(?i)true|false", text))
    plain = re.sub("(?i)false", "0", re.sub("(?i)true", "1", text))
    rows = [re.findall("[0-9.]+", row) for row in re.findall(r"\[([^\[\]]+)\]", plain)]
    if not rows or not all(entry in ("0", "1") for row in rows for entry in row):
        return None
    name = fold(key)
    if name == "attentionmask":
        return with_kind("keep", plain, node)
    if name == "keypaddingmask" and is_boolean:
        return with_kind("hide", plain, node)
    if name == "mask" and not is_boolean:
        return None
    size = range(len(rows))
    if len(rows) < 2 or any(len(row) != len(rows) for row in rows):
        return None
    keeps = all((rows[i][j] == "1") == (j <= i) for i in size for j in size)
    hides = all((rows[i][j] == "1") == (j > i) for i in size for j in size)
    return [("mask", Scalar("causal", node.place))] if keeps or hides else None


def with_kind(kind: str, text: str, node: Node) -> Lines:
    """Return a mask of a kind; one row is that of every query."""
    rows = text if re.match(r"\s*\[\s*[\[(]", text) or ";" in text else f"[{text}]"
    return [("mask", Mapped(((Scalar(kind, node.place), Scalar(rows, node.place)),), node.place))]


def lengths_meant(_: str, node: Node) -> Lines | None:
    """The lengths of what is no padding."""
    return [("mask", Mapped(((Scalar("lengths", node.place), node),), node.place))]


def scale_meant(_: str, node: Node) -> Lines | None:
    """A factor in words or as code: off, divide by sqrt(d_k), 1/√dk."""
    text = shown_word(node)
    if text.lower() in NOTHING:
        return [("scale", Scalar("none", node.place))]
    is_divided = re.match(r"(?i:(?:scores )?(?:divid(?:e|ed|ing) )by\s+|÷\s*)", text)
    code = plain_code(re.sub(WIDTH, width_of_key, text[is_divided.end() if is_divided else 0 :]))
    factor = ROOT if is_divided else rf"1(?:\.0?)?/{ROOT}|\(?d_?k\)?(?:\*\*|\^)\(?-(?:0?\.5|1/2)\)?"
    if re.fullmatch(factor, code):
        return [("scale", Scalar("1/sqrt(d_k)", node.place))]
    return None


def width_of_key(match: re.Match[str]) -> str:
    """The width of the queries or keys is d_k; that of others stays as it is."""
    return "d_k" if fold(match["of"]) in ("q", "k", "query", "key", "queries", "keys") else match[0]


def divisor_meant(_: str, node: Node) -> Lines | None:
    """Divide by: 2."""
    text = re.sub(r"√\s*(\w+)", r"sqrt(\1)", shown_word(node))
    plain = re.sub(r"\bdk\b", "d_k", text)
    return (
        [("scale", Scalar(f"1/({plain})" if "/" in plain else f"1/{plain}", node.place))] if plain else None
    )


def score_meant(_: str, node: Node) -> Lines | None:
    """A score function in words, with its scale: dot product, not scaled."""
    text = shown_word(node)
    denied = r"(?i)[,;(]?\s*\b(?:(?:not|without|no) scal(?:ed|ing|e)|unscaled)\b\)?"
    found: Lines = []
    if re.search(denied, text):
        found = [("scale", Scalar("none", node.place))]
    elif re.search(r"(?i)\bscaled\b", text):
        found = [("scale", Scalar("1/sqrt(d_k)", node.place))]
    bare = re.sub(
        r"(?i)\([^()]*\)|\bscaled\b|\b(?:attention|scores?|scoring|function)\b", "", re.sub(denied, "", text)
    )
    name = find_meant(bare, NEEDS)
    return [("score", Scalar(name, node.place)), *found] if name else None


def tokens_meant(key: str, node: Node) -> Lines | None:
    """Labels in one text: I am."""
    words = re.findall(r"[^\s,;()'\"“”]+", shown_word(node))
    name = "key_tokens" if fold(key) == "keytokens" else "tokens"
    return (
        [(name, Sequence(tuple(Scalar(word, node.place) for word in words), node.place))] if words else None
    )


def block_meant(_: str, node: Node) -> Lines | None:
    """The steps after attention in one text: residual, layer norm."""
    text = re.sub(r"(?i)\badd\s*(?:&|and|\+)\s*(?:layer ?)?norm\b", "residual, layer norm", shown_word(node))
    words = [word for word in re.split(r"\s*(?:[,;+→]|->|\b(?:then|and)\b)\s*", text) if word]
    steps = [find_meant(word, OPTIONS) for word in words]
    if not steps or None in steps:
        return None
    return [("block", Sequence(tuple(Scalar(step or "", node.place) for step in steps), node.place))]


def add_norm_meant(_: str, node: Node) -> Lines | None:
    """Add & norm: yes is what stands behind attention in a transformer."""
    if shown_word(node).lower() not in ("", "true", "yes", "on"):
        return None
    return block_meant("", Scalar("residual, layer_norm", node.place))


def heads_meant(_: str, node: Node) -> Lines | None:
    """A number of heads in words: two, 2 heads."""
    word = re.sub(r"(?i)\s*(?:attention )?heads?$", "", shown_word(node)).lower()
    number = NUMBERS.get(word, word)
    if number == shown_word(node):
        return None
    return [("heads", Scalar(number, node.place))] if re.fullmatch("[1-9][0-9]?", number) else None


def normalize_meant(_: str, node: Node) -> Lines | None:
    """The softmax of every row is the usual one."""
    word = fold(shown_word(node))
    is_usual = word in (
        "rowwise",
        "row",
        "rows",
        "perrow",
        "overrows",
        "byrow",
        "alongrows",
        "axis=1",
        "dim=1",
    )
    return [("normalize", Scalar("softmax", node.place))] if is_usual else None


MEANT: tuple[tuple[frozenset[str], Callable[[str, Node], Lines | None]], ...] = (
    (MASKS, mask_meant),
    (LENGTHS, lengths_meant),
    (frozenset(("scale", "scaling", "scalefactor", "scalingfactor")), scale_meant),
    (DIVISORS, divisor_meant),
    (SCORES, score_meant),
    (frozenset(("tokens", "keytokens", "labels", "words")), tokens_meant),
    (frozenset(("block",)), block_meant),
    (frozenset(("add&norm", "addandnorm", "addnorm")), add_norm_meant),
    (frozenset(("heads", "numheads", "nheads", "nhead", "numberofheads")), heads_meant),
    (frozenset(("softmax", "softmaxaxis", "softmaxover")), normalize_meant),
)
"""The names of keys, folded, and what reads their values."""


def find_lines(key: str, node: Node) -> Lines | None:
    """Return the keys and values that a key with its value means."""
    for names, meant in MEANT:
        if fold(key) in names and (found := meant(key, node)):
            return found
    return None


def matrix_meant(key: str, node: Node, given: Mapping[str, Node], width: int | None) -> Node | None:
    """A matrix that is another one, the identity, or rows in quotes; `width` is that of the inputs."""
    if isinstance(node, Sequence):
        rows = [
            row_of(item.text) if isinstance(item, Scalar) and item.quoted else None for item in node.items
        ]
        if len(rows) > 1 and None not in rows and len({len(row or []) for row in rows}) == 1:
            return Scalar(f"[{', '.join(f'[{chr(44).join(row or [])}]' for row in rows)}]", node.place)
        return None
    text = shown_word(node)
    same = re.fullmatch(SAME, text)
    if same and same["name"] in given and same["name"] != key:
        other = given[same["name"]]
        return Scalar(source_of(other), node.place)
    if re.fullmatch(UNIT, text) and width and key[0] == "W":
        return Scalar(f"identity({width})", node.place)
    unit = re.sub(UNIT_OF, r"identity(\1)", text)
    return Scalar(unit, node.place) if unit != text else None
