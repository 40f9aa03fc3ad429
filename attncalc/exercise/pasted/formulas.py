"""Formulas in code and in LaTeX: whether this program computes the same, and the scale that they show."""

from __future__ import annotations

import re

from attncalc.core.record import record

NAME = r"[A-Za-z_]\w*"
SIZE = (
    rf"(?:size\({NAME},2\)"
    rf"|d_?(?:k|model|head)?|dim|head_dim|{NAME}\.(?:shape|size)(?:\[-?[0-9]\]|\(-?[0-9]\)))"
)
ROOT = rf"(?:sqrt\({SIZE}\)|\(?{SIZE}\*\*0?\.5\)?|\(?{SIZE}\^0?\.5\)?)"
TURNED = r"(?:\.T|\.t\(\)|\.mT|'|\^T|T|\.transpose\((?:-2,-1|-1,-2|0,1|1,0)?\))"
TIMES = "(?:matmul|dot|mm|bmm)"
PRODUCT = (
    rf"(?:(?P<a>{NAME})@(?P<b>{NAME})|{TIMES}\((?P<c>{NAME}),(?P<d>{NAME})\)"
    rf"|(?P<e>{NAME})\.{TIMES}\((?P<f>{NAME})\))"
)
SCORES = (
    rf"(?:{NAME}@{NAME}{TURNED}|{TIMES}\({NAME},{NAME}{TURNED}\)|{NAME}\.{TIMES}\({NAME}{TURNED}\)"
    r"|QK(?:\^?T|'))"
)
SCALED = rf"(?:/{ROOT}|\*\(?{SIZE}\*\*\(?-0?\.5\)?\)?|\*\(?1\.?0?/{ROOT}\)?)"
SOFTMAX = r"(?:F\.|nn\.functional\.|scipy\.special\.)?softmax\((?P<inner>.+?)(?:,(?:dim|axis)=(?:-1|1))?\)"


OF_ROWS = r"(?:axis|dim)=(?:-1|1)"
WORDS_OF_SOFTMAX = frozenset(
    ("torch", "numpy", "keepdims", "keepdim", "values", "return", "softmax", "exp_x", "shifted")
)


def is_softmax(body: str) -> bool:
    """Whether the body of a function computes the softmax of every row: e^x over the sum of its row."""
    code = re.sub(r"\"\"\"[^\"]*\"\"\"|#.*", "", body)
    plain = re.sub(r"\s", "", code)
    sums = re.findall(r"(?<![a-z])sum\(", plain)
    rowwise = re.findall(rf"(?<![a-z])sum\((?:[^()]|\([^()]*\))*?{OF_ROWS}[^()]*keepdims?=True", plain)
    rest = re.sub(OF_ROWS, "", plain)
    words = {word for word in re.findall(NAME, re.sub(r"\breturn\b", " ", code)) if len(word) > 4}
    return (
        len(sums) == len(rowwise) == 1
        and "exp(" in plain
        and not re.search(r"[0-9*+%@^]|\bif\b|\bfor\b", rest)
        and plain.count("/") == 1
        and words <= WORDS_OF_SOFTMAX
    )


def plain_code(code: str) -> str:
    """Return code, or a formula in LaTeX, without modules, fonts and spaces."""
    code = re.sub(r"\\(?:text|mathrm|operatorname|mathbf|mathit)\s*\{([^{}]*)\}", r"\1", code)
    code = re.sub(r"\\(?:left|right|,|;|!|quad|displaystyle)", "", code)
    code = re.sub(r"\\d?frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}", r"\1/\2", code)
    code = (
        code.replace(r"\top", "T")
        .replace(r"\sqrt", "sqrt")
        .replace("√", "sqrt")
        .replace("ᵀ", "^T")
        .replace("⊤", "^T")
    )
    size = r"d_?(?:\{k\}|k)"
    code = re.sub(rf"sqrt\s*(?:\{{\s*{size}\s*\}}|\(\s*{size}\s*\)|{size})", "sqrt(d_k)", code)
    code = re.sub(r"\b(?:np|numpy|torch|math|jnp|jax\.nn|tf\.nn|tf|F|nn\.functional|linalg)\.", "", code)
    return re.sub(r"[\s{}\\$]", "", code).rstrip(";.,")


def is_of_scores(body: str, find: dict[str, str]) -> bool:
    """Whether a product is that of queries and keys."""
    names = [
        find.get(one, one) for one in re.findall(NAME, body) if one not in ("matmul", "dot", "mm", "bmm")
    ]
    return names[:1] == ["QKT"] or body.startswith("QK") or names[:2] == ["Q", "K"]


@record
class Computed:
    """What a computed line says: the setting that it means, if any."""

    setting: str = ""


def read_computed(name: str, code: str, find: dict[str, str]) -> Computed | None:
    """Return what a line of code or a formula computes, if this program computes the same.

    `find` has the keys that the names in it stand for.
    """
    plain = plain_code(code)
    if re.fullmatch(rf"{SIZE}|len\({NAME}\)", plain) or re.fullmatch(
        r"(?:softmax|attention|Attention)?", plain
    ):
        return Computed()
    if match := re.fullmatch(PRODUCT, plain):
        left, right = (
            find.get(one, one)
            for one in (match["a"] or match["c"] or match["e"], match["b"] or match["d"] or match["f"])
        )
        is_projection = (
            left in ("X", "X_Q", "X_KV") and right in ("W_Q", "W_K", "W_V") and find.get(name) == right[-1]
        )
        return Computed() if is_projection or right == "V" or find.get(right) == "V" else None
    inner = re.fullmatch(rf"(?:{SOFTMAX})(?:@?{NAME}|V)?", plain)
    body = inner["inner"] if inner else plain
    body = body.strip("()") if body.startswith("(") and body.endswith(")") else body
    if re.match(rf"\(?{SCORES}", body) and not (
        is_of_scores(body, find) and find.get(name) not in ("Q", "K", "V")
    ):
        return None
    if re.fullmatch(rf"\(?{SCORES}\)?{SCALED}", body) or re.fullmatch(rf"{NAME}{SCALED}", body):
        return Computed("scale: 1/sqrt(d_k)")
    if re.fullmatch(rf"\(?{SCORES}\)?", body):
        return Computed("scale: none")
    return Computed() if inner and re.fullmatch(NAME, body) else None
