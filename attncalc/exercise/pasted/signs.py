"""The signs around a paste that say nothing of its numbers: fences, fonts, prompts, types, quotes."""

from __future__ import annotations

import re

from attncalc.exercise.pasted.literals import PAIRS

WIDE = {0xFF01 + n: chr(0x21 + n) for n in range(94)}
"""Letters, digits and brackets as wide as Chinese characters."""
UNSEEN_SIGN = "[\u200b-\u200f\u2060\ufeff]"
UNSEEN = rf"(?<![\w.]){UNSEEN_SIGN}+|{UNSEEN_SIGN}+(?![\w.])"
"""Characters without a width, except inside a number or a name."""
QUOTES = str.maketrans({**dict.fromkeys("“”„‟«»", '"'), **dict.fromkeys("‘’‚‛", "'"), "≔": "=", "←": "="})
SIGNS = (
    (r"Parameter containing:", ""),
    (r"<tf\.Tensor:\s*shape=\([^()]*\),\s*dtype=\w+,\s*numpy=[^\S\n]*", ""),
    (r"(?m)^[^\S\n]*print\(\s*f?[\"'](\w+)\s*[:=]?\s*(?:\\n)?[\"']\s*,\s*(?=[\w.]*[\[(])", r"\1 = "),
    (r"(?m)^[^\S\n]*(?:```|~~~).*$", ""),
    (r"(?m)^[^\S\n]*(?:>>>|\.\.\.|In ?\[[0-9 ]*\]:|Out ?\[[0-9 ]*\][:=]|>) ?", ""),
    (
        r"\\begin\{(?:align|aligned|equation|gather|gathered|split)\*?\}|\\end\{(?:align|aligned|equation|gather|gathered|split)\*?\}",
        "",
    ),
    (r"(?<!\\)\\\[|\\\]|\\\(|\\\)|\${1,2}", " "),
    (r"\\q?quad\b|\\[;,!:](?![A-Za-z])", " "),
    (r"&\s*(?==)|(?<=[=:])\s*&", " "),
    (r"\\text\{\s*(and|where|with|,)\s*\}", r" \1 "),
    (
        r"(?<![\w)\]])\*\*(?=[^\s*])([^*\n]+?)\*\*(?!\w)|(?<!\w)__(?=\S)([^_\n]+?)__(?!\w)|`([^`\n]+)`",
        r"\1\2\3",
    ),
    (r"\\times\s*(?=[0-9])", "x"),
    (r"\\(?:mathbb|R|in)\b(?:\{R\}|\s*R)?(?:\^\{[^{}]*\})?", " "),
)
"""Signs that only set what stands between them, each with what takes its place."""
TYPE = r"(?:const|let|var|mut|auto|static|final|float|double|int|real)(?:\[\])*"
HABITS = (
    # Q: list[list[int]] = [[..]], float Q[2][2] = {..}, self.W_q = ..
    (
        r"(?m)^([^\S\n]*\w+)[^\S\n]*:[^\S\n]*"
        r"(?:list|List|Tensor|(?:np|torch|jax)\.\w+|Array\w*)[\w\[\]<>, .]*=(?!=)",
        r"\1 =",
    ),
    (
        rf"(?m)^[^\S\n]*(?:{TYPE}[^\S\n]+)+(\w+)(?:\[\w*\])*(?:[^\S\n]*:[^\S\n]*[\w<>\[\]]+)?[^\S\n]*=(?!=)",
        r"\1 =",
    ),
    (r"(?m)^([^\S\n]*)self\.(?=\w+\s*=)", r"\1"),
    (r"new\s+\w+(?:\[\])+\s*(?=\{)|(?:\[\])+\w+(?=\{)|\b(?:array|vec)!\s*(?=\[)", ""),
    # X = (x_1, x_2) = [[..]] in LaTeX: the names of rows.
    (r"=\s*\\begin\{\w*matrix\}(?:[^0-9\\&\n]|\\(?!end)|_\{?[0-9]+)*\\end\{\w*matrix\}\s*=", "="),
    # problem = {..} and dict(Q=..).
    (r"\A\s*(?:\w+\s*=\s*)?dict\(([\s\S]*)\)\s*\Z", r"\1"),
    (r"\A\s*\w+\s*=\s*\{\s*\n([\s\S]*)\}\s*;?\s*\Z", r"\n\1"),
    (r"\b(?:Rational|Fraction)\(\s*(-?[0-9]+)\s*,\s*([0-9]+)\s*\)", r"\1/\2"),
    (r"(?m)^[^\S\n]*julia> ?", ""),
    (r"(?m)=[^\S\n]*[0-9]+×[0-9]+ (?:Matrix|Array)\{[\w, ]*\}:[^\S\n]*$", "="),
    (r"/\*[^*\n]*\*/", " "),
    (r"&(?:minus|#8722);", "-"),
    (r"&nbsp;|<br ?/?>", " "),
)
"""What languages and tools write around names and matrices, each with what takes its place."""
QUOTED = r"(?m)(?<=[=:])[^\S\n]*([\"'])[^\S\n]*(?=[\[(])([^\"'\n]*)\1(?=[\s,;]|$)"
"""A matrix in quotes."""
SILENT = (
    r"(?:from\s+\S+\s+)?import\s+.*|using\s+\w+.*|library\(.*\)|%matplotlib.*|c(?:lc|lear|lose)\b.*|"
    r"(?:np|torch|numpy|jnp|pd)\.(?:set_printoptions|random\.seed|manual_seed|set_default_dtype)\(.*\)|"
    r"print\([^\[\]]*\)|disp\(.*\)|Parameter containing:|[-=*_~#]{3,}|[.,;:\\&|]*|"
    r"(?:and|where|with|let|given)[:,]?|"
    r"(?:[\w.]+\s+)?shape\s*[:=]?\s*(?:torch\.Size)?\(?[\[(]?[0-9, ×x]*[\])]*|"
    r"\w+\s*=\s*np\.random\.(?:seed|default_rng)\(.*\)|---+"
)
"""Lines that say nothing of a problem."""
BULLET = r"[^\S\n]*(?:[-*•·◦▪‣–]\s+|\(?(?:[0-9]{1,2}|[a-z])[.)]\s+|#{1,6}\s+|>\s+)"


def clean(text: str) -> str:
    """Return a paste without the signs that only set it; every line keeps its number."""
    text = re.sub(UNSEEN, "", text)
    if re.search("[［（：＝]", text):
        text = text.translate(WIDE)
    text = text.translate(QUOTES).replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ")
    for pattern, sign in (*SIGNS, *HABITS):
        text = re.sub(pattern, sign, text)
    return re.sub(QUOTED, without_quotes, text)


def without_quotes(match: re.Match[str]) -> str:
    """Return a matrix in quotes without them, if its brackets are closed."""
    inside = match[2]
    is_closed = all(inside.count(opened) == inside.count(closed) for opened, closed in PAIRS.items())
    return f" {inside}" if is_closed else match[0]


def is_clean(text: str) -> bool:
    """Whether a text has no signs that would be left out."""
    return not any(re.search(pattern, text) for pattern, _ in SIGNS)
