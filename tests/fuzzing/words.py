"""Words and symbols of a problem: what it is called, what is asked, how it is marked and shown."""

from __future__ import annotations

import json

from attncalc.features.topics import topic_names
from tests.fuzzing.draft import Draft
from tests.fuzzing.writing import quoted, write_list, write_mapping

TOPICS = topic_names()
TEXTS = (
    "Attention",
    "x < y & z",
    "[bold]A[/]",
    "100% _a_ #1 $x$",
    "😀 é 中",
    "a: b",
    "",
    "\\input{x}",
    "'",
    "|",
)


def known_steps(draft: Draft) -> dict[str, tuple[int, int]]:
    """Some steps that the problem has, with their shapes."""
    if "L" in draft.keys:
        return {"p": (draft.queries, draft.labels)}
    if "O" in draft.keys:
        return {}
    head = f"_{draft.random.randint(1, draft.heads)}" if draft.heads > 1 else ""
    found = {f"A{head}": (draft.queries, draft.all_keys)}
    if "S" not in draft.keys:
        found[f"S{head}"] = (draft.queries, draft.all_keys)
    if draft.has_values:
        found[f"O{head}"] = (draft.queries, draft.value_width)
    return found


def tell_words(draft: Draft) -> None:
    """Title, source, note, remark, each perhaps."""
    for key in ("title", "source", "note", "remark"):
        if draft.happens(0.25):
            draft.keys[key] = f'"{quoted(draft.choose(TEXTS))}"'.replace('""', '"')


def tell_labels(draft: Draft) -> None:
    """Labels of rows and columns."""
    names = ["the", "cat", "<s>", "$x$", "a b", "é"]
    if "O" in draft.keys:
        return
    if draft.happens(0.2):
        draft.keys["tokens"] = write_list([quoted(draft.choose(names)) for _ in range(draft.queries)])
    if draft.happens(0.2) and "L" not in draft.keys:
        draft.keys["key_tokens"] = write_list([quoted(draft.choose(names)) for _ in range(draft.all_keys)])


def tell_names(draft: Draft) -> None:
    """The course's own names."""
    own = {"S": "z", "A": draft.choose(["alpha", "w"]), "O": draft.choose(["c", "context"]), "Q": "query"}
    chosen = {step: own[step] for step in draft.random.sample(sorted(own), draft.random.randint(1, 3))}
    draft.keys["names"] = write_mapping(chosen)


def reference(draft: Draft, is_cell: bool = False) -> str:
    """A step, a row of it, or a cell."""
    steps = known_steps(draft)
    name = draft.choose([*steps])
    sizes = (*draft.batch, *steps[name])
    depth = len(sizes) if is_cell else draft.random.randint(0, len(sizes))
    indices = [draft.random.randint(1, size) for size in sizes[:depth]]
    return quoted(f"{name}{indices}" if indices else name)


def tell_parts(draft: Draft) -> None:
    """The exercise's parts."""
    parts = []
    for number in range(draft.random.randint(1, 3)):
        part = {"part": "abc"[number]} if draft.happens(0.8) else {}
        if draft.happens(0.2):
            part["ask"] = json.dumps(draft.choose(TEXTS), ensure_ascii=False)
        if draft.happens(0.25):
            part["explain"] = draft.choose(TOPICS)
        if "explain" not in part or draft.happens(0.2):
            words = (
                [draft.choose(["shapes", "cost", "cache", "map", "attends"])] if draft.happens(0.3) else []
            )
            steps = (
                [reference(draft) for _ in range(draft.random.randint(0, 2))] if known_steps(draft) else []
            )
            part["show"] = write_list(words + steps or ["shapes"])
        parts.append(write_mapping(part))
    draft.keys["parts"] = write_list(parts)


def tell_marks(draft: Draft) -> None:
    """Points a step."""
    points = {name: draft.choose(["1", "2", "0", "0.5", "1/3"]) for name in known_steps(draft)}
    if draft.happens(0.3):
        points["implied"] = draft.choose(["full", "none"])
    if points:
        draft.keys["marks"] = write_mapping(points)


def tell_answers(draft: Draft) -> None:
    """A published key, right or not."""
    steps = known_steps(draft)
    key = {name: draft.pen.rows(*draft.batch, *shape) for name, shape in steps.items() if draft.happens(0.6)}
    draft.keys["answers"] = write_mapping({quoted(name): rows for name, rows in key.items()})


def tell_rounding(draft: Draft) -> None:
    """How numbers are shown."""
    key = draft.choose(["places", "digits"])
    is_key = key == "digits" and "answers" in draft.keys and draft.happens(0.5)
    draft.keys[key] = "key" if is_key else str(draft.random.randint(1, 8))


def tell_mode(draft: Draft) -> None:
    """How to compute."""
    draft.keys["mode"] = draft.choose(["auto", "exact"] if draft.letters else ["auto", "exact", "numeric"])


def tell_inputs(draft: Draft) -> None:
    """Whether what is given is rounded."""
    draft.keys["inputs"] = draft.choose(["exact", "rounded"])


def tell_sample(draft: Draft) -> None:
    """Random inputs, numbers for letters, and which draws count."""
    given: list[str] = [key for key in ("X", "Q", "K", "V", "S", "W_Q") if key in draft.keys]
    if not given:
        return
    drawn = {key: f"{{cov: {covariance(draft)}}}" for key in given if draft.happens(0.5)}
    drawn = drawn or {given[0]: "{cov: 1}"}
    if draft.letters and draft.happens(0.8):
        drawn |= {"beta": draft.choose(["2", "1/2"]), "x": "-1"}
    if known_steps(draft) and draft.happens(0.2):
        drawn["positive"] = reference(draft, is_cell=True)
    drawn["draws"] = draft.choose(["1", "10", "200"])
    draft.keys["sample"] = write_mapping({**drawn, "seed": "3"})


def covariance(draft: Draft) -> str:
    """A covariance for all rows, or one for each of some rows."""
    one = ["0.01", "1/4", "0", "2", '"2*identity(2)"', "[[2, 1], [1, 2]]"]
    return draft.choose([*one, *one, write_list([draft.choose(one) for _ in range(draft.queries)])])


def tell_design(draft: Draft) -> None:
    """What a student is to find, with a goal that every weight is near enough to."""
    given = [key for key in ("X", "Q", "K", "W_Q", "W_K") if key in draft.keys]
    weights = [name for name in known_steps(draft) if name[0] == "A"]
    if given and weights and not draft.batch and draft.keys.get("normalize", "softmax") == "softmax":
        row = write_list([draft.choose("01") for _ in range(draft.all_keys)])
        draft.keys["design"] = write_list([draft.choose(given)])
        draft.keys["goal"] = write_mapping({quoted(f"{weights[0]}[1]"): row})
        draft.keys["within"] = "1"


def tell_limit(draft: Draft) -> None:
    """What a letter tends to."""
    is_softmax = draft.keys.get("normalize", "softmax") == "softmax"
    if draft.letters and is_softmax and not {"O", "L"} & draft.keys.keys():
        end = draft.choose(["oo", "0", "1", "+oo", "∞"])
        draft.keys["limit"] = f"{draft.choose(['beta', 'beta', 'x'])} -> {end}"


def tell_backward(draft: Draft) -> None:
    """The gradient that comes into a step; it may be one that there is not."""
    steps = {**known_steps(draft), **({"O": (1, 1)} if draft.happens(0.05) else {})}
    if "targets" in draft.keys and draft.happens(0.7):
        draft.keys["backward"] = "loss"
    elif steps:
        name = draft.choose([*steps])
        gradient = draft.choose(["ones", draft.pen.rows(*draft.batch, *steps[name])])
        draft.keys["backward"] = draft.choose([f"{{{name}: {gradient}}}"] * 9 + ["none"])
    if "targets" in draft.keys and draft.happens(0.7):
        draft.keys["backward"] = "loss"


def tell_moments(draft: Draft) -> None:
    """What a dot product's entries are like."""
    draft.pen.let |= {"mu": draft.pen.number(), "sigma": "2"}
