"""The marking policy: few numbers, each with a reason."""

import ast
import inspect
from itertools import pairwise

import pytest

from attncalc.marking.policy import Limits, Policy


@pytest.mark.parametrize("record", [Policy, Limits])
def test_every_number_has_a_reason(record: type[Policy | Limits]) -> None:
    (body,) = ast.parse(inspect.getsource(record)).body
    assert isinstance(body, ast.ClassDef)
    fields = [(one, after) for one, after in pairwise(body.body) if isinstance(one, ast.AnnAssign)]
    assert len(fields) == len(record.__match_args__)
    for field, reason in fields:
        assert isinstance(reason, ast.Expr), ast.unparse(field)


def test_the_policy_stays_small() -> None:
    assert len(Policy.__match_args__) <= 20
