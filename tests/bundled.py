"""The bundled problems by what they hold."""

from __future__ import annotations

import attncalc
from attncalc.loading.load import bundled_names
from attncalc.mechanisms import is_derivation

PROBLEMS = {name: attncalc.load(name) for name in bundled_names()}
WORKED = [name for name, problem in PROBLEMS.items() if not is_derivation(problem)]
"""Those with matrices."""
NUMERIC = [name for name in WORKED if not PROBLEMS[name].symbols]
"""Those without free letters."""
KEYED = [name for name in WORKED if PROBLEMS[name].answers]
"""Those with a published key."""
