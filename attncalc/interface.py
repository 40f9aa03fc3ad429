"""The names under which packs of earlier versions import the program."""

import sys

from attncalc.features.packs import prairielearn
from attncalc.features.packs import report_gradescope as gradescope

__path__: list[str] = []
sys.modules[f"{__name__}.gradescope"] = gradescope
sys.modules[f"{__name__}.prairielearn"] = prairielearn
