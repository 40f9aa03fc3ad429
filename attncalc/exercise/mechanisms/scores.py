"""The scores: given, or by one of several functions of queries and keys."""

from __future__ import annotations

from attncalc.core.errors import fault
from attncalc.core.graph.labels import Kind
from attncalc.core.ops.base import Operation, transpose_stored
from attncalc.core.ops.scores import AdditiveScores, ConcatScores, GeneralScores, Scores, WithPast
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, choice, matrix, reader, scores
from attncalc.exercise.keys.schema_types import mapping, one_of, words
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.yaml.tree import Mapped, Node, one_or_more, word_of

NEEDS = {"dot": [], "general": ["W_a"], "additive": ["W_1", "W_2", "v_a"], "concat": ["W_a", "v_a"]}
GENERAL = "score: general, W_a: [[1, 0], [2, 1]]"
FUNCTIONS = choice(*NEEDS)
ORDER = {"type": "array", "items": words("q", "k"), "uniqueItems": True}
ADDITIVE = "score: additive, W_1: [[1], [2]], W_2: [[1], [1]], v_a: [1]"


@reader(one_of(FUNCTIONS.schema, mapping({"concat": ORDER})), FUNCTIONS.takes, FUNCTIONS.default)
def score(node: Node, context: Context) -> str:
    """Read a word, or {concat: [k, q]} for the other order."""
    if isinstance(node, Mapped) and [key.text for key, _ in node.items] == ["concat"]:
        order = node.items[0][1]
        words = [*map(word_of, one_or_more(order))]
        if sorted(words) == ["k", "q"]:
            return "concat" if words == ["q", "k"] else "concat-keys-first"
        raise fault("the order is [q, k] or [k, q]", order.place)
    return FUNCTIONS(node, context)


def operation(building: Building, how: str) -> Operation:
    """Return the operation of a score function."""
    out_in = building.setting("weights") == "out-in"
    if how == "dot":
        return Scores(building.setting("vectors") == "columns")
    if how == "general":
        return transpose_stored(GeneralScores(), (2,), out_in)
    if how == "additive":
        return transpose_stored(AdditiveScores(), (2, 3), out_in)
    return transpose_stored(ConcatScores(how == "concat-keys-first"), (2,), out_in)


def build(building: Building) -> None:
    """Add S."""
    roles = building.roles
    given = building.give("S")
    if given and "queries" in roles:
        raise fault("S is given, so Q and K are not used: leave them out", building.place("S"))
    if given:
        building.sizes |= {"n_q": building.shapes[given][-2], "n_k": building.shapes[given][-1]}
        roles["scores"] = given
    elif "queries" in roles:
        how = building.setting("score", "dot")
        extra = NEEDS[how.partition("-")[0]]
        missing = [key for key in extra if building.give(key, learnt=True) is None]
        if missing:
            place = building.problem.place("score")
            raise fault(f"score: {how.partition('-')[0]} needs {', '.join(missing)}", place)
        op, past = operation(building, how), roles.get("cached")
        inputs = [name for name in (roles["queries"], past, roles["keys"], *extra) if name]
        roles["scores"] = building.step("S", WithPast(op) if past else op, inputs)
    else:
        raise fault("nothing to compute: give Q and K, or X, or S", building.problem.place())


mechanism = Mechanism(
    "scores",
    keys=(
        Key("S", scores, "Scores, where they are given directly; -inf hides a key.", "V: [[1], [2]]", "S"),
        Key("score", score, "How a query meets a key.", GENERAL),
        Key(
            "W_a",
            matrix,
            "The matrix between query and key of score: general, or the layer of concat.",
            GENERAL,
        ),
        Key("W_1", matrix, "The layer of score: additive that takes the queries.", ADDITIVE),
        Key("W_2", matrix, "The layer of score: additive that takes the keys.", ADDITIVE),
        Key(
            "v_a",
            matrix,
            "What the hidden units of score: additive and concat are multiplied with.",
            ADDITIVE,
        ),
    ),
    build=build,
    steps=(
        Kind("S", "Scores", "ij", words=("scores", "score", "raw scores"), stage="scores", irrational="none"),
    ),
    after=("projection", "rotate", "feature_map"),
    each_head=True,
)
