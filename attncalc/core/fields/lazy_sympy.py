"""SymPy is imported by the first number that needs it: it costs more than all other imports together."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attncalc.core.fields import algebra as algebra
else:

    class Waiting:
        """A module that is imported at the first access to one of its names."""

        def __init__(self, name):
            self.name = name

        def __getattr__(self, thing):
            return getattr(import_module(self.name), thing)

    algebra = Waiting("attncalc.core.fields.algebra")
