"""The model of a document as data for the script of its page."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np

from attncalc.core.notations.data import Data, axis_data, to_data
from attncalc.core.ops.base import Piece
from attncalc.core.terms.functions import FUNCTIONS
from attncalc.worked.page_model import Given, Model, Rule, Switch


def write_model(model: Model) -> str:
    """The model as JSON for a page, in which nothing ends the element."""
    return json.dumps(model_object(model), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def model_object(model: Model) -> dict[str, object]:
    """The model as mappings, lists, numbers and text."""
    return {
        "given": [given_object(given) for given in model.given],
        "sizes": dict(model.sizes),
        "rules": [{**rule_object(rule), "share": model.shares[rule.name]} for rule in model.rules],
        "exact": {
            name: [None if term is None else to_data(term) for term in terms]
            for name, terms in model.exact.items()
        },
        "places": model.places,
        "digits": model.digits,
        "asked": model.asked,
        "marking": model.marking,
        "tokens": list(map(list, model.tokens)),
        "switches": [switch_object(switch) for switch in model.switches],
        "silent": [row.name for row in FUNCTIONS.values() if not row.is_written],
        "lookedUp": [row.name for row in FUNCTIONS.values() if row.is_looked_up],
    }


def switch_object(switch: Switch) -> dict[str, object]:
    """A mistake: its code, and the blocks of the steps that it changes."""
    pieces = {rule.name: pieces_data(rule.pieces) for rule in switch.rules}
    return {"code": switch.code, "pieces": pieces}


def given_object(given: Given) -> dict[str, object]:
    """A given matrix; null stands for −∞, which JSON does not have."""
    numbers = [None if np.isneginf(x) else x for x in given.numbers.ravel().tolist()]
    shape = list(given.numbers.shape)
    halves = {} if given.halves is None else {"halves": given.halves.ravel().tolist()}
    found = {"name": given.name, "stage": given.stage, "head": given.head, "shape": shape, "numbers": numbers}
    return {**found, **halves}


def rule_object(rule: Rule) -> dict[str, object]:
    """A step: its shape and its blocks; null stands for −∞ here too."""
    found: dict[str, object] = {
        "name": rule.name,
        "title": rule.title,
        "stage": rule.kind.stage,
        "head": rule.head,
        "shape": list(rule.shape),
        "axes": list(map(axis_data, rule.axes)),
        "pieces": pieces_data(rule.pieces),
    }
    if rule.kind.hides_by is not None:
        found["hidesBy"] = None if np.isneginf(rule.kind.hides_by) else rule.kind.hides_by
    return {**found, "shifted": pieces_data(rule.shifted)} if rule.shifted else found


def pieces_data(pieces: Iterable[Piece]) -> list[Data]:
    """Blocks: the axes of rows and columns, and the rule."""
    return [
        [[[axis.letter, axis.size, axis.start, axis.stride] for axis in piece.axes], to_data(piece.rule)]
        for piece in pieces
    ]
