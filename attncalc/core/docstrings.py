"""Docstrings as text: the sentence of an operation, of a mistake, of a command."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable
from functools import cache
from textwrap import dedent
from typing import Any

STRIPPED = 2
"""The level of optimization at which Python leaves docstrings out."""


@cache
def docstring(thing: type | Callable[..., Any]) -> str:
    """The docstring of a class or a function; under `python -OO` it is read from the source."""
    if sys.flags.optimize < STRIPPED:
        return inspect.cleandoc(thing.__doc__ or "")
    (node,) = ast.parse(dedent(inspect.getsource(thing))).body
    assert isinstance(node, ast.ClassDef | ast.FunctionDef)
    return ast.get_docstring(node) or ""


def sentence_of(kind: type) -> str:
    """The docstring of a class as one line."""
    return " ".join(docstring(kind).split())
