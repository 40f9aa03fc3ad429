"""The marking policy: every number has a reason, and the page's script gets a part of it."""

import ast
import inspect
from itertools import pairwise

from attncalc.marking.policy import IN_PAGES, Policy


def test_every_number_has_a_reason() -> None:
    (body,) = ast.parse(inspect.getsource(Policy)).body
    assert isinstance(body, ast.ClassDef)
    fields = [(one, after) for one, after in pairwise(body.body) if isinstance(one, ast.AnnAssign)]
    assert len(fields) == len(Policy.__match_args__)
    for field, reason in fields:
        assert isinstance(reason, ast.Expr), ast.unparse(field)


def test_a_page_gets_fields_of_the_policy() -> None:
    assert all(name in Policy.__annotations__ for name in IN_PAGES)
