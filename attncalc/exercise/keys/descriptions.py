"""What the keys are for that every problem has, whatever its mechanisms."""

from __future__ import annotations

from attncalc.exercise.keys.help import Help
from attncalc.exercise.keys.problem_keys import IMPLICATIONS, IMPLIED, KEYS, PART_KEYS
from attncalc.exercise.keys.readers import whole
from attncalc.exercise.keys.schema_types import (
    CELL,
    TEXT,
    form_of,
    mapping,
    mapping_of,
    one_of,
    one_or_list,
    words,
)
from attncalc.exercise.mechanisms import KINDS, MECHANISMS
from attncalc.features.authoring.vary.keys import ENDS
from attncalc.features.sampling.keys import FORM as SAMPLE

LETTERS = "symbols: {beta: positive}, Q: [[beta, 1]], K: [[1, 0], [0, 1]], V: [[1], [2]]"
DESIGN = 'design: Q, goal: {"A[1]": [0.7, 0.2, 0.1]}, within: 0.5'
RANDOM = "sample: {K: {cov: [1]}, draws: 100, seed: 0}"
STEP = f"^({'|'.join(kind.pattern for kind in KINDS)})$"
PART_FORMS = {"show": one_or_list({"type": "string"}), "explain": {"type": "string"}}
PART = mapping(
    {key: PART_FORMS.get(key, TEXT) for key in PART_KEYS},
    anyOf=[{"required": [key]} for key in PART_FORMS],
)
BOUNDS = mapping(dict.fromkeys(ENDS, CELL), required=[*ENDS])
WORDS = {
    "title": Help("What the exercise is called.", "title: Three words", takes="text"),
    "source": Help("Where it is from.", 'source: "Sheet 3, exercise 1"', takes="text"),
    "note": Help("What readers should know.", "note: Unscaled.", takes="text"),
    "remark": Help("For the author alone: shown to nobody else.", "remark: Easy.", takes="text"),
    "tokens": Help("What the rows are called.", "tokens: [cat, sat]", takes="a list of labels"),
    "key_tokens": Help(
        "What the columns are called.", "key_tokens: [the, cat, sat]", takes="a list of labels"
    ),
    "vocabulary": Help(
        "What the columns of the logits are called.",
        "L: [[2, 1, 0], [0, 1, 3]], vocabulary: [the, cat, sat], targets: [the, sat]",
        "",
        "a list of labels, each once",
        form={"type": "array", "items": TEXT},
    ),
    "names": Help(
        "How the course calls a step.",
        "names: {S: z, A: alpha}",
        takes="steps and their names",
        form=mapping({}, patternProperties={STEP: {"type": "string"}}),
    ),
    "symbols": Help(
        "Free letters, which run through every step.",
        LETTERS,
        "",
        "letters, positive or real",
        form=mapping_of(words("positive", "real")),
    ),
    "let": Help(
        "Numbers, vectors and matrices by name, for use below.",
        "let: {c: 1/2}, scale: c",
        "Q",
        "names and values",
        form=mapping_of({}),
    ),
    "parts": Help(
        "The parts of the exercise: what each asks for, or which topic answers it.",
        'parts: [{part: a, show: ["S[1]", A]}, {part: b, explain: softmax}]',
        takes=f"a list of parts: {', '.join(PART_KEYS)}",
        default="the last step is asked for",
        form={"type": "array", "items": PART},
    ),
    "answers": Help(
        "The published key.",
        "answers: {O: [[0.8, 1.6], [1, 2]]}",
        takes="steps and their values",
        form=mapping_of({}),
    ),
    "marks": Help(
        "The points of steps.",
        "marks: {A: 2, O: 3}",
        takes="steps and points",
        default="one each",
        form={**mapping_of(CELL), "properties": {IMPLIED: form_of(IMPLICATIONS)}},
    ),
    "sample": Help(
        "Random inputs, around the given rows.",
        RANDOM,
        takes="matrices and their covariances",
        form=SAMPLE,
    ),
    "design": Help(
        "What a student is to find; the file's own is one solution.",
        DESIGN,
        takes="names of matrices",
        form=one_or_list({"type": "string"}),
    ),
    "goal": Help("What a design must reach.", DESIGN, takes="steps and values", form=mapping_of({})),
    "within": Help(
        "How far off a goal is near enough.",
        DESIGN,
        takes="a number",
        default="it is reached exactly",
        form=CELL,
    ),
    "vary": Help(
        "What `attncalc vary` may change.",
        "vary: {V: {from: -3, to: 3}}",
        takes="names, or names and {from: .., to: ..}",
        default="all matrices",
        form=one_of(one_or_list({"type": "string"}), mapping_of(BOUNDS)),
    ),
    "inputs": Help("Whether given decimals are rounded values themselves.", "inputs: rounded"),
    "mode": Help("How it is computed.", "mode: numeric"),
    "places": Help("The decimals that are asked for and shown.", "places: 3"),
    "digits": Help(
        "The significant digits that are shown.",
        "digits: 3",
        takes="a whole number, or key",
        form=one_of(words("key"), form_of(whole(1, 100))),
    ),
}
"""The keys that are no mechanism's."""
HELP = {**WORDS, **{key: help for one in MECHANISMS for key, help in one.help.items()}}
"""All keys, in the order of the contract's sections: words first, then by what they act on."""
READERS = {**KEYS, "symbols": None, "let": None}
"""The readers of all keys; two are read before all others, and have none of their own."""
