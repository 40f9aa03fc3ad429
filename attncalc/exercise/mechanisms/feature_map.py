"""Feature maps: a function of every entry of queries and keys, in place of the exponentials of a softmax."""

from __future__ import annotations

from attncalc.core.errors import fault
from attncalc.core.graph.labels import Kind, Label
from attncalc.core.ops.linear import MAPS, FeatureMap
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, choice, reader
from attncalc.exercise.mechanisms.base import Building, Mechanism
from attncalc.exercise.yaml.tree import Node

CHOICES = choice("none", *MAPS)


@reader(CHOICES.schema, CHOICES.takes, CHOICES.default)
def feature_map(node: Node, context: Context) -> FeatureMap | None:
    """One of the words; None for `none`."""
    word = CHOICES(node, context)
    return None if word == "none" else FeatureMap(word)


def build(building: Building) -> None:
    """Add Q_F and K_F; cached keys are mapped too, and come before the new ones."""
    op: FeatureMap | None = building.setting("feature_map")
    if op is None:
        return
    roles = building.roles
    if "queries" not in roles:
        message = "a feature map is taken of queries and keys, which are not given"
        raise fault(message, building.problem.place("feature_map"))
    cached = roles.pop("cached", None)
    for kind, role, past in (("queries", "Q_F", None), ("keys", "K_F", cached)):
        sources = [name for name in (past, roles[kind]) if name]
        label = common_label(building, role, sources)
        if label.name not in building.shapes:
            building.step(role, op, sources, label=label)
        roles[kind] = roles[role] = label.name


def common_label(building: Building, role: str, sources: list[str]) -> Label:
    """Return the label of a step: the head that all its sources belong to, else the current one."""
    heads = {building.labels[name].head for name in sources}
    return Label(role, heads.pop()) if len(heads) == 1 else building.label(role)


mechanism = Mechanism(
    "feature_map",
    keys=(
        Key(
            "feature_map",
            feature_map,
            "A function of every entry of queries and keys, for attention without a softmax.",
            "feature_map: elu+1",
        ),
    ),
    build=build,
    steps=(
        Kind("Q_F", "Mapped queries", "id", words=("mapped queries", "phi(Q)")),
        Kind("K_F", "Mapped keys", "jd", words=("mapped keys", "phi(K)")),
    ),
    after=("rotate",),
    each_head=True,
)
