"""Queries, keys and values, for one head or several: given, or projected from the tokens.

Two-dimensional matrices are split among the heads by columns.  Numbered ones (W_Q_1, Q_2) belong to one head
each; all heads then share the unnumbered ones.
"""

from __future__ import annotations

from attncalc.core.errors import Place, ProblemError, count_of, fault
from attncalc.core.graph.labels import Kind, Label
from attncalc.core.ops.base import Operation, transpose_stored
from attncalc.core.ops.heads import HeadColumns
from attncalc.core.ops.projection import Copy, Projection
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import choice, matrix, whole
from attncalc.exercise.mechanisms.base import Building, Mechanism, parse_key

KINDS = {
    "Q": Kind("Q", "Queries", "id", words=("queries", "query"), stage="queries", irrational="none"),
    "K": Kind("K", "Keys", "jd", words=("keys", "key"), stage="keys", irrational="none"),
    "V": Kind("V", "Values", "jd", words=("values", "value"), stage="values", irrational="none"),
}
SOURCES = {"Q": ("X_Q", "X"), "K": ("X_K", "X_KV", "X"), "V": ("X_V", "X_KV", "X")}
NUMBERED = ("Q", "K", "V", "W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "past_K", "past_V")
LATEST = {"queries": "Q", "keys": "K", "cached": "past_K"}
"""The roles in words, and the matrices that have them first."""
ARRAYS = ("Q", "K", "V", "past_K", "past_V")
"""The keys that may have four axes: batch, heads, tokens, width."""
MOST_HEADS = 64
CROSS = "X_Q: [[1, 2]], X_KV: [[2, 1], [1, 1]]"
APART = "X_Q: [[1, 2]], X_K: [[2, 1], [1, 1]], X_V: [[1], [2]]"
CACHE = "past_K: [[1, 0]], past_V: [[2, 2]]"


def build(building: Building) -> None:
    """Add Q, K and V of every head, if they are given or can be projected."""
    labels = [label for label in map(parse_key, building.problem.settings) if label.role in NUMBERED]
    numbers = [label.head for label in labels if label.head]
    heads = building.setting("heads", max(numbers, default=1))
    if numbers and heads != max(numbers):
        message = f"heads is {heads}, but {max(numbers)} heads are numbered"
        raise fault(message, building.problem.place("heads"))
    shared = building.setting("kv_heads", heads)
    if heads % shared:
        message = f"{count_of(heads, 'head')} cannot share {shared} key heads evenly"
        raise fault(message, building.problem.place("kv_heads"))
    if any(array.ndim == 4 for key, array in building.problem.settings.items() if key in ARRAYS):
        split_arrays(building)
    elif numbers or heads == 1:
        add_own_matrices(building, heads, bool(numbers))
    else:
        split_columns(building, heads)
    for roles in building.heads:
        roles |= {kind: roles[role] for kind, role in LATEST.items() if role in roles}
    measure(building)


def add_own_matrices(building: Building, heads: int, numbering: bool) -> None:
    """Add the matrices of one head, or of numbered heads, of which neighbours may share keys and values."""
    building.heads = [{} for _ in range(heads)]
    if numbering:
        check_groups(building, heads)
    for role in ("Q", "K", "V") if building.problem.settings.get("S") is None else ("V",):
        count = count_numbered(building, role, heads) if numbering else 0
        names = [building.give(role, n) or project(building, role, n) for n in range(1, count + 1)]
        found = names or [building.give(role) or project(building, role)]
        share_out(building, role, [name for name in found if name])
        past = f"past_{role}"
        caches = [building.give(past, n) for n in range(1, count_numbered(building, past, heads) + 1)]
        share_out(building, past, [name for name in caches or [building.give(past)] if name])


def count_numbered(building: Building, role: str, heads: int) -> int:
    """Return the number of numbered matrices of a role: 0, or a divisor of the number of heads."""
    found = numbers_of(building, role)
    if not found:
        return 0
    said = heads if role == "Q" else building.setting("kv_heads", 0)
    count = max(said, *(max(numbers) for numbers in found.values()))
    for key, numbers in found.items():
        missing = next((n for n in range(1, count + 1) if n not in numbers), None)
        if missing:
            place = building.problem.place(*(Label(key, number).name for number in sorted(numbers)))
            raise fault(f"{Label(key, missing).name} is missing", place)
    if heads % count:
        raise fault(f"{heads} heads cannot share {count} of {role} evenly", place_of_last(building, role))
    return count


def numbers_of(building: Building, role: str) -> dict[str, set[int]]:
    """Return the head numbers of a role, by key: the matrix itself, its weights and its biases."""
    labels = [parse_key(name) for name in building.problem.settings]
    keys = (role, f"W_{role}", f"b_{role}")
    found = {key: {label.head for label in labels if label.role == key and label.head} for key in keys}
    return {key: numbers for key, numbers in found.items() if numbers}


def place_of_last(building: Building, role: str) -> Place:
    """Return the place of the matrix of a role with the highest number."""
    key, numbers = next(iter(numbers_of(building, role).items()))
    return building.problem.place(Label(key, max(numbers)).name)


def check_groups(building: Building, heads: int) -> None:
    """Raise a fault if keys, values and caches are not numbered for the same groups of heads."""
    counts = {role: count_numbered(building, role, heads) for role in ("K", "V", "past_K", "past_V")}
    counts = {role: count for role, count in counts.items() if count}
    said = building.setting("kv_heads", None)
    for role, count in counts.items():
        if said not in (None, count):
            message = f"kv_heads is {said}, but {role} is numbered up to {count}"
            raise fault(message, building.problem.place("kv_heads"))
        first, least = next(iter(counts.items()))
        if count != least:
            counted = f"{first} is numbered up to {least} and {role} up to {count}"
            raise fault(f"{counted}: heads share keys and values", place_of_last(building, role))


def project(building: Building, role: str, head: int | None = None) -> str | None:
    """Add the projection of the tokens for a role, without weights a copy of them; None without tokens."""
    others = (building.give(key) for key in SOURCES[role] if key != "X")
    source = next(filter(None, others), None) or building.tokens or building.give("X")
    if source is None:
        return None
    weight, bias = (
        building.give(key, head, learnt=True) or building.give(key, learnt=True)
        for key in (f"W_{role}", f"b_{role}")
    )
    op: Operation = Copy()
    if weight:
        projection = Projection(building.setting("vectors") == "columns", KINDS[role].letters[0])
        op = transpose_stored(projection, (1,), building.setting("weights") == "out-in")
    operands = [operand for operand in (source, weight, bias) if operand]
    several = head if len(building.heads) > 1 else None
    label = building.label(role, several)
    try:
        return building.step(role, op, operands, label=label, title=title(role, several))
    except ProblemError as error:
        (one,) = error.faults
        raise fault(one.message + transpose_hint(building, source, weight), one.place) from None


def transpose_hint(building: Building, source: str, weight: str | None) -> str:
    """Return the hint that weights may be transposed, if they fit when transposed."""
    settings, width = building.problem.settings, building.shapes[source][-1]
    fits, other = (-2, "in-out") if building.setting("weights") == "out-in" else (-1, "out-in")
    weights = [array for key, array in settings.items() if parse_key(key).role in ("W_Q", "W_K", "W_V")]
    height = building.shapes[source][-2]
    if not building.problem.in_columns and weights and all(array.shape[-1] == height for array in weights):
        return "; if tokens are columns, write layout: columns"
    if not weight or building.shapes[weight][fits] != width:
        return ""
    if all(array.shape[fits] == width for array in weights):
        return f"; if the weights are transposed, write weights: {other}"
    return f"; if {weight} is transposed, write transpose(…) round it"


def title(role: str, head: int | None) -> str:
    """Return the title of queries, keys or values, with their head if there are several."""
    return f"{KINDS[role].title} of head {head}" if head else KINDS[role].title


def split_columns(building: Building, heads: int) -> None:
    """Cut the queries, keys and values of all heads into blocks of columns."""
    building.heads = [{} for _ in range(heads)]
    shared = building.setting("kv_heads", heads)
    for role in ("Q", "K", "V"):
        whole_name = building.give(role) or project(building, role)
        if whole_name is None:
            continue
        parts = heads if role == "Q" else shared
        width = head_width(building, whole_name, parts)
        past = building.setting(f"past_{role}")
        found, cached = [], []
        for part in range(1, parts + 1):
            block, own = HeadColumns((part - 1) * width, width), building.label(role, part)
            found.append(building.step(role, block, [whole_name], label=own, title=title(role, part)))
            if past is not None:
                columns = past[..., block.start : block.start + width]
                label = Label(f"past_{role}", part)
                cached.append(building.give_matrix(label, columns, f"past_{role}"))
        share_out(building, role, found)
        share_out(building, f"past_{role}", cached)


def share_out(building: Building, role: str, names: list[str]) -> None:
    """Give every head its matrix; neighbouring heads share one if there are fewer matrices than heads."""
    heads = len(building.heads)
    for head, roles in enumerate(building.heads) if names else ():
        roles[role] = names[head * len(names) // heads]


def head_width(building: Building, name: str, parts: int) -> int:
    """Return the number of columns of one head."""
    width = building.shapes[name][-1]
    if width % parts:
        message = f"{name} has {width} columns, which {parts} heads cannot share evenly"
        raise fault(message, building.place(name))
    return width // parts


def split_arrays(building: Building) -> None:
    """Cut arrays (batch, heads, tokens, width) into heads."""
    arrays = {name: building.setting(name) for name in ARRAYS if name in building.problem.settings}
    for name, array in arrays.items():
        if array.ndim != 4:
            raise fault(f"{name} needs four axes too: batch, heads, tokens, width", building.place(name))
    counts = {name: array.shape[1] for name, array in arrays.items()}
    heads = counts.get("Q", max(counts.values()))
    if building.setting("heads", heads) != heads:
        raise fault(f"heads disagrees with the {heads} heads of Q", building.problem.place("heads"))
    building.heads = [{} for _ in range(heads)]
    for role, count in counts.items():
        if heads % count:
            raise fault(f"{heads} heads cannot share the {count} of {role} evenly", building.place(role))
        labels = [Label(role, part + 1 if heads > 1 else None) for part in range(count)]
        names = [building.give_matrix(label, arrays[role][:, n], role) for n, label in enumerate(labels)]
        share_out(building, role, names)


def measure(building: Building) -> None:
    """Set the sizes that a scale may use: those of one head."""
    roles = building.heads[0]
    for size, role in (("d_k", "K"), ("d_v", "V")):
        if role in roles:
            building.sizes[size] = building.shapes[roles[role]][-1]
    if "Q" in roles:
        building.sizes["n_q"] = building.rows(roles["Q"])
    if "K" in roles:
        building.sizes["n_k"] = building.rows(roles["K"]) + building.rows(roles.get("past_K"))
    width = next((building.shapes[x][-1] for x in ("X", "X_Q") if x in building.shapes), None)
    if width is not None:
        building.sizes["d_model"] = width
    building.sizes["heads"] = len(building.heads)
    if ("Q" in roles) != ("K" in roles):
        missing, there = ("K", "Q") if "Q" in roles else ("Q", "K")
        raise fault(f"{missing} is missing", building.place(roles[there]))


THREE = {role: kind.title.lower() for role, kind in KINDS.items()}
mechanism = Mechanism(
    "projection",
    keys=(
        *(
            Key(role, matrix, f"The {what}, a row each, where they are given directly.")
            for role, what in THREE.items()
        ),
        Key("X", matrix, "The tokens, a row each, of which queries, keys and values are made.", "", "X"),
        Key("X_Q", matrix, "The tokens that queries are made of, in cross-attention.", CROSS, ""),
        Key("X_K", matrix, "The tokens that keys are made of, in cross-attention.", APART, ""),
        Key("X_V", matrix, "The tokens that values are made of, in cross-attention.", APART, ""),
        Key("X_KV", matrix, "The tokens that keys and values are made of, in cross-attention.", CROSS, ""),
        Key("past_K", matrix, "Cached keys, placed before the new ones.", CACHE),
        Key("past_V", matrix, "Cached values, placed before the new ones.", CACHE),
        *(
            Key(
                f"W_{role}",
                matrix,
                f"The weight matrix of the {what}; without it they are the tokens themselves.",
                f"W_{role}: [[1, 0], [2, 1]]",
                "X",
            )
            for role, what in THREE.items()
        ),
        *(
            Key(f"b_{role}", matrix, f"A bias, added to every row of the {what}.", f"b_{role}: [1, 2]", "X")
            for role, what in THREE.items()
        ),
        Key(
            "layout",
            choice("rows", "columns"),
            "Whether a token is a row or a column of X, and of all matrices but the weights: Q = W_Q X, "
            "S = K^T Q, O = V A. In columns weights are out-in, unless said otherwise.",
            "layout: columns",
            "X",
        ),
        Key(
            "vectors",
            choice("rows", "columns"),
            "Whether the working is written Q = X W, or q_i = W^T x_i.",
            "vectors: columns",
            "X",
        ),
        Key(
            "weights",
            choice("in-out", "out-in"),
            "Whether W is d_in by d_out, or d_out by d_in.",
            "weights: out-in",
            "X",
        ),
        Key("heads", whole(1, MOST_HEADS), "How many heads share the columns.", "heads: 2", "X", "1"),
        Key(
            "kv_heads",
            whole(1, MOST_HEADS),
            "How many key and value heads there are, which neighbouring query heads share.",
            "heads: 2, kv_heads: 1, W_K: [[1], [2]], W_V: [[1], [2]]",
            "X",
            "as many as heads",
        ),
    ),
    build=build,
    steps=tuple(KINDS.values()),
    given=(
        *(Kind(role, "Tokens", "id", stage="tokens") for role in ("X", "X_Q")),
        *(Kind(role, "Tokens", "jd", stage="tokens") for role in ("X_K", "X_V", "X_KV")),
        Kind("past_K", "Cached keys", "jd", stage="cached keys"),
        Kind("past_V", "Cached values", "jd", stage="cached values"),
    ),
    numbered=NUMBERED,
)
