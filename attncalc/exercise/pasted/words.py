"""What the words and formulas around pasted matrices say: a setting, nothing, or something to be asked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attncalc.core.record import record
from attncalc.exercise.keys.refusals import NUMBERS

COUNT = rf"(?P<count>[1-9][0-9]?|{'|'.join(NUMBERS)}|single)"
NOT = (
    r"(?:(?:do |does |is |are )?not|don't|no|un(?!\s)|non[- ]?"
    r"|(?:without|ignor(?:e|ing)|omit(?:ting)?|skip(?:ping)?|ohne|keine?|sans|pas de|sin|senza)"
    r"(?: any| an?| the)?)"
)
LATER = r"(?:future|later|next|following|subsequent)"
UNSEEN = (
    r"\b(?:no|not?|cannot|can't|can not|may not|must not|never) (?:\w+ )?"
    r"(?:see|peek(?:ing)?|look(?:ing)?|attend(?:ing)?)"
    rf"(?: ahead| (?:at |to |into )?(?:the |any )?{LATER}(?: (?:tokens?|words?|positions?|keys?))?)"
)
"""What a causal mask does, in words."""


@record
class Saying:
    """Words with a meaning: the line of a problem file that says the same, or else what to write."""

    pattern: str
    line: str = ""
    ask: str = ""
    typed: str = ""
    answered_by: str = ""
    """The key that answers what is asked, if it stands elsewhere in the paste."""

    def line_for(self, match: re.Match[str]) -> str:
        """Return the line of a problem file; empty if nothing need be written."""
        groups = match.groupdict()
        count = groups.get("count") or groups.get("n") or ""
        return self.line.format(count={"single": "1", **NUMBERS}.get(count.lower(), count))


SAYINGS = (
    Saying(
        rf"\b{NOT}\s*-?\s*(?:scal(?:ed|ing|e)|skalier(?:ung|en|t)|escala(?:do|r|miento)?"
        r"|(?:mise|mis) à l['’]échelle|scalatura)\b"
        r"|\b(?:un-?scaled|unskalierte?)\b|不缩放|\bnot (?:be )?scaled\b|\bscaling is (?:not|left)",
        "scale: none",
        typed="Use no scaling.",
    ),
    Saying(
        rf"\b{NOT}\s*-?\s*(?:causal\s+)?(?:mask(?:ed|ing|e|ierung)?|masque|m[aá]scara|maschera|causal)\b"
        r"|\b(?:unmasked|unmaskiert)\b",
        "mask: none",
        typed="without a mask",
    ),
    Saying(UNSEEN, "mask: causal", typed="A token cannot see later tokens."),
    Saying(
        r"\b(?:(?:causal(?:ly)?|autoregressive|look-?ahead|kausale?n?)(?:[- ]?mask(?:ed|ing|e|ierung)?)?"
        r"|(?:masque|m[aá]scara|maschera) causale?)\b",
        "mask: causal",
        typed="Use a causal mask.",
    ),
    Saying(rf"\b{NOT}\s*soft-?max\b", ask="write normalize: none, or sum", typed="without softmax"),
    Saying(
        rf"\b{COUNT}\s+(?:attention\s+)?heads?\b|\bnumber of heads(?: is|:|=)?\s*(?P<n>[0-9]+)",
        "heads: {count}",
        typed="with two heads",
    ),
    Saying(
        r"\b(?:multi-?head\w*|mehrere|deux|zwei|dos|due|plusieurs)\b[^.;]*"
        r"\b(?:k[öo]pfen?|t[êe]tes|cabezas|teste)\b",
        ask="write heads: and how many",
        typed="mit zwei Köpfen",
        answered_by="heads",
    ),
    Saying(
        r"\bmulti-?head(?:ed)?\b",
        ask="write heads: and how many",
        typed="multi-head attention",
        answered_by="heads",
    ),
    Saying(
        r"\bscaled dot[- ]product|缩放点积|skalierte[ns]? (?:skalar|punkt)produkt\w*"
        r"|produit scalaire (?:mis à l['’]échelle|normalisé)"
        r"|\bscal(?:e[ds]?|ing) (?:the scores )?(?:by|with) 1\s*/\s*(?:sqrt|√)\s*\(?\{?d_?k\)?"
        r"|\bdivided? by (?:the (?:square )?root of|sqrt|√)\s*"
        r"[({]?\s*(?:d_?k|the (?:key )?dimension)",
        "scale: 1/sqrt(d_k)",
        typed="scaled dot-product attention",
    ),
    Saying(
        r"\bscal(?:e[ds]?|ing)\b|\bdivided? by\b|\bskalier\w*"
        r"|\béchelle\b|\bdivis[ée]e?s? par\b|\bgeteilt\b"
        r"|\bescala\w*|缩放|スケール",
        ask="say the factor: write scale: 1/sqrt(d_k), or another",
        typed="the scores are divided by 4",
    ),
    Saying(
        r"\b(?:un)?mask(?:ed|s|ing|e|en|iert\w*|ierung)?\b|\bmasqu\w+|\bm[aá]scara\w*|\bmascher\w+|掩码|マスク"
        r"|\b(?:hide|hides|hidden|visible|invisible)\b",
        ask="say which mask: write mask: causal, or mask: {keep: ...}",
        typed="token 2 is masked",
    ),
    Saying(
        r"\bpadd(?:ed|ing)\b|<pad>|\[PAD\]",
        ask="say what is hidden: write mask: {lengths: [2]}",
        typed="token 3 is padding",
    ),
    Saying(
        r"\bcolumn[- ]vectors?\b|\b(?:tokens?|embeddings?|words?|inputs?|vectors?|each)\b.{0,30}\bcolumns?\b"
        r"|\bcolumns?\b|\bcolumn-?wise\b",
        ask="rows are tokens here: transpose what has a column for each",
        typed="the columns are tokens",
    ),
    Saying(
        r"\btranspos\w+",
        ask="write what is given as it is used: transpose(..) turns a matrix",
        typed="W_Q is transposed",
    ),
    Saying(
        r"\b(?:rope|rotary|sinusoidal|alibi|positional? (?:encoding|embedding)s?)\b",
        ask="say which positions: write position: sinusoidal, rope or alibi",
        typed="add positional encodings",
    ),
    Saying(
        r"\b(?:layer[ _-]?norm\w*|layer normali[sz]ation|rms ?norm|pre-?norm|post-?norm"
        r"|add\s*(?:&|and|\+)\s*norm)\b"
        r"|\b(?:residual|skip connection|feed-?forward|ffn|mlp)\b",
        ask="write the steps after attention under block",
        typed="then layer normalisation",
    ),
    Saying(
        r"\b(?:additive|bahdanau|luong|general|cosine|bilinear) (?:attention|score|scoring)\b",
        ask="write score: additive, or general, and its matrices",
        typed="additive attention",
    ),
    Saying(
        r"\b(?:base[- ]?(?:2|two|10|ten)|hard-?max|sparse-?max|gumbel|log-?softmax)\b"
        r"|\bsoft-?max\b.{0,40}\b(?:instead|replaced?|column|key axis|queries)\b"
        r"|\binstead of (?:a |the )?soft-?max\b",
        ask="only the softmax of every row to the base e is known: write normalize: none, or sum",
        typed="Use base 2 in the softmax.",
    ),
    Saying(
        r"\b(?:(?:may|can|must|should|will)? ?only (?:attends?|sees?|looks?)|attends? only|ignored|squared"
        r"|l2-?normali[sz]\w*"
        r"|normali[sz]ed (?:over|along|across|by)|(?:multiplied by|times) [0-9.]+|clipped|capped"
        r"|relu|gelu|sigmoid"
        r"|top-?k|thresholded|added to (?:the |all )?(?:scores?|logits))\b",
        ask="say it with a key of a problem file, or leave it out if it changes no number",
        typed="Scores are multiplied by 3.",
    ),
    Saying(
        r"\b(?:temperature|dropout|soft-?cap\w*|sliding[- ]window|local attention|kv[- ]cache|cached)\b"
        r"|\b(?:low-?rank|linear attention)\b",
        ask="it has a key of its own in a problem file, see attncalc reference keys",
        typed="temperature 2",
    ),
)
"""Words with a meaning, in the order in which they are looked for."""


class Said(Exception):
    """Words that mean something which must be said properly, and the key that would say it, if one does."""

    def __init__(self, message: str, answered_by: str = "") -> None:
        self.answered_by = answered_by
        super().__init__(message)


def find_settings(words: str) -> Iterator[tuple[str, str]]:
    """Yield the words of a line that say a setting, and the setting; raise `Said` where one must be asked."""
    left, asked = words, None
    for saying in SAYINGS:
        match = re.search(saying.pattern, left, re.IGNORECASE)
        if match and is_doubtful(left, match):
            raise Said(
                f"'{match[0]}' is asked or denied: {saying.ask or f'write {saying.line_for(match)}, or not'}"
            )
        if match and saying.ask:
            asked = Said(f"'{match[0]}': {saying.ask}", saying.answered_by)
            if not saying.answered_by:
                raise asked
        elif match:
            yield match[0], saying.line_for(match)
        if match:
            left = left[: match.start()] + " " + left[match.end() :]
    if asked:
        raise asked


DENIED = (
    r"(?:\b(?:not|no|never|without|avoid|neither|nor|instead of|unlike"
    r"|nicht|keine?|ohne|sans|pas|sin|senza|non)\b|n't)"
    r"[^.;!?]*$"
)
QUESTION = r"(?i:^[^.;!?]*\?)"
ASKED = r"(?i:(?:^|[.;!?)])\s*(?:is|are|why|does|do|should|what if|would|if|how)\b[^.;!?]*$)"


def is_doubtful(words: str, match: re.Match[str]) -> bool:
    """Whether words are denied or asked by what stands around them in their sentence."""
    before, behind = words[: match.start()], words[match.end() :]
    if re.match(rf"{NOT}\b", match[0], re.IGNORECASE):
        # No mask, no scaling: each is denied for itself.
        before = before.rpartition(",")[2]
    is_imperative = re.match(r"(?i:\s*do not\b|\s*don't\b)", before)
    is_asked = bool(re.search(ASKED, before)) and not is_imperative
    return bool(re.search(DENIED, before, re.IGNORECASE) or re.match(QUESTION, behind)) or is_asked
