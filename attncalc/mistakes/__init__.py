"""The catalogue of mistakes, one small class each.

A mistake is a wrong step: another operation, other inputs, another parameter.  It is run by the ordinary
machinery on the student's own values.  A file in this folder adds every `Mistake` in it that has a code.
"""

from abc import ABCMeta

from attncalc.core.families import load_members
from attncalc.mistakes.base import Mistake, Slip

MISTAKES: list[Mistake] = [
    member()
    for module in load_members("mistakes")
    for member in vars(module).values()
    if type(member) is ABCMeta and issubclass(member, Mistake) and hasattr(member, "code")
    and member.__module__ == module.__name__
]  # fmt: skip
"""All mistakes, in the order of their files."""
SLIPS: list[Slip] = [mistake for mistake in MISTAKES if isinstance(mistake, Slip)]
"""The mistakes made in a single entry, which are no misunderstanding."""
SLIP_CODES = frozenset(slip.code for slip in SLIPS)
