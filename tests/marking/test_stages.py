"""The stages of marking stand in sub-folders, none of which imports a later one."""

from tests.test_imports import all_imports

STAGES = ("answers", "follow", "rounding", "why", "report")
"""In the order in which they work."""


def test_no_stage_imports_a_later_one() -> None:
    """Functions of a later stage are handed in by `mark`."""
    for found in all_imports():
        folder, stage, *_ = (*found.file.parts, "")
        target = found.name.removeprefix("attncalc.marking.").partition(".")[0]
        if folder == "marking" and stage in STAGES and target in STAGES:
            assert STAGES.index(target) <= STAGES.index(stage), str(found)
