"""The bundled problems by what they hold."""

from __future__ import annotations

import attncalc
from attncalc.mechanisms import is_derivation
from attncalc.problem_file import bundled_names

PROBLEMS = {name: attncalc.load(name) for name in bundled_names()}
WORKED = [name for name, problem in PROBLEMS.items() if not is_derivation(problem)]
"""Those with matrices."""
NUMERIC = [name for name in WORKED if not PROBLEMS[name].get("symbols")]
"""Those without free letters."""
KEYED = [name for name in WORKED if PROBLEMS[name].get("answers")]
"""Those with a published key."""
