"""The names under which packs of earlier versions import the program."""

import sys

from attncalc.features.packs import gradescope, prairielearn

__path__: list[str] = []
sys.modules[f"{__name__}.gradescope"] = gradescope
sys.modules[f"{__name__}.prairielearn"] = prairielearn
