"""Read a file that is not written properly: by repairs of its YAML and its keys, or as a paste.

What is read must fit together; if two ways of reading give different problems, the file is refused.
"""

from __future__ import annotations

from attncalc.core.errors import AttncalcError, Fault, ProblemError
from attncalc.core.record import replace
from attncalc.exercise.load import Source
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.yaml.reader import RESTORED, repair_yaml

READ_SO = " (read so)"
"""What is said of a repair that was made."""


def mend(source: Source, error: ProblemError) -> Source:
    """Return a source that can be read, with notes on how; raise the first error if there is none."""
    repaired = repair(source)
    if repaired and is_consistent(repaired):
        return repaired
    if repaired and repaired.text == source.text:
        # The keys that could be read are no faults.
        _ = repaired.problem
        return repaired
    raise error


def repair(source: Source) -> Source | None:
    """Return the source with its YAML repaired, if it can be read then."""
    try:
        repaired = repair_yaml(source.text, source.name)
    except ProblemError:
        return None
    if repaired.asks:
        return None
    text = repaired.text.translate(RESTORED) if repaired.faults else source.text
    notes = (Fault(f"{fault.message}{READ_SO}", fault.place) for fault in repaired.faults)
    return replace(source, text=text, readings=(*notes,))


def is_consistent(source: Source) -> bool:
    """Whether a source can be read, and its matrices fit together."""
    try:
        build_graph(source.problem)
    except AttncalcError:
        return False
    return True
