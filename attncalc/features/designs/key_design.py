"""What a student is to find."""

from __future__ import annotations

from attncalc.core.errors import fault
from attncalc.exercise.keys.key import Key
from attncalc.exercise.keys.readers import Context, reader
from attncalc.exercise.keys.schema_types import one_or_list
from attncalc.exercise.yaml.tree import Node, one_or_more, word_of

EXAMPLE = 'design: Q, goal: {"A[1]": [0.7, 0.2, 0.1]}, within: 0.5'


def require(context: Context, key: str, other: str) -> None:
    """Raise an error if a key of a design is given without the other one."""
    if other not in context.keys:
        raise fault(f"needs {other}: a design is found to reach a goal", context.keys[key])


@reader(one_or_list({"type": "string"}), "names of matrices")
def parse_design(node: Node, context: Context) -> tuple[str, ...]:
    """The names of the matrices that a student is to find."""
    require(context, "design", "goal")
    names = tuple(dict.fromkeys(word_of(item) for item in one_or_more(node)))
    if not names or "" in names:
        raise fault("must name what is to be found, [W_Q, W_K]", node.place)
    return names


key = Key("design", parse_design, "What a student is to find; the file's own is one solution.", EXAMPLE)
