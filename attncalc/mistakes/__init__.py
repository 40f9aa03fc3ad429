"""The catalogue of mistakes, one small class each.

A mistake is a wrong step: another operation, other inputs, another parameter.  It is run by the ordinary
machinery on the student's own values.  A file in this folder is found by itself; in it, every `Mistake`.
"""

from abc import ABCMeta
from importlib import import_module
from pkgutil import iter_modules

from attncalc.mistakes.base import Mistake

MISTAKES: list[Mistake] = [
    member()
    for module in iter_modules(__path__)
    for member in vars(import_module(f"{__name__}.{module.name}")).values()
    if isinstance(member, ABCMeta) and issubclass(member, Mistake) and hasattr(member, "code")
    and member.__module__ == f"{__name__}.{module.name}"
]  # fmt: skip
"""All mistakes, in the order of their files."""
