"""Read a file that is not written properly: by repairs of its YAML and its keys, or as a paste.

What is read must fit together; if two ways of reading give different problems, the file is refused.
"""

from __future__ import annotations

import re

from attncalc.core.errors import AttncalcError, Fault, ProblemError
from attncalc.core.record import replace
from attncalc.exercise.load import Source
from attncalc.exercise.mechanisms import build_graph
from attncalc.exercise.pasted.paste import read_paste
from attncalc.exercise.pasted.signs import is_clean
from attncalc.exercise.yaml.reader import RESTORED, SPACES, repair_yaml

READ_SO = " (read so)"
"""What is said of a repair that was made."""


def mend(source: Source, error: ProblemError) -> Source:
    """Return a source that can be read, with notes on how; raise the first error if there is none."""
    repaired = repair(source)
    if repaired and is_consistent(repaired):
        return repaired
    if repaired and repaired.text == source.text and is_problem(repaired):
        # Its keys are known: what does not fit together is said when it is solved.
        return repaired
    pasted = find_pasted(source, error, repaired is not None and repaired.text == source.text)
    if pasted and (is_consistent if repaired else is_problem)(pasted):
        return pasted
    if repaired and repaired.text == source.text:
        # The keys that could be read are no faults.
        _ = repaired.problem
    if pasted and not repaired:
        _ = pasted.problem
    raise error


OF_YAML = "a file holds one document|the tag |anchors and aliases|merge keys|a key must be a word"
"""Faults of files that are certainly YAML."""


def find_pasted(source: Source, error: ProblemError, is_yaml: bool) -> Source | None:
    """Return the source as a problem file if it is a paste; in YAML no sign may be left out."""
    text = source.text.translate(SPACES)
    has_script = is_script(text)
    if any(re.match(OF_YAML, fault.message) for fault in error.faults) or re.match("%(?:YAML|TAG)", text):
        return None
    if is_yaml and not has_script and not is_clean(text):
        return None
    try:
        paste = read_paste(text, source.name)
    except ProblemError:
        if not is_yaml or has_script:
            raise
        return None
    return replace(source, text=paste.text, readings=paste.readings) if paste else None


LOST = r"=\s*\[+[0-9]{4,}\]"
"""A matrix copied from a page that shows formulas, without its rows and columns."""
SESSION = (
    r"(?m)^\s*(?:(?:In|Out) ?\[[0-9]*\]:|>>> |julia> |(?:const|var)\s+\w+\s*=|import \w+\s*(?:as \w+)?$)"
)
"""The start of a line that no problem file has."""


def is_script(text: str) -> bool:
    """Whether a text is code or a session: a prompt, a declaration, or more signs = than colons."""
    if re.search(SESSION, text):
        return True
    return len(re.findall(r"(?m)^\s*\w+\s*=", text)) > len(re.findall(r"(?m)^\s*[\w\"']+\s*:", text))


def is_problem(source: Source) -> bool:
    """Whether a source can be read."""
    try:
        _ = source.problem
    except AttncalcError:
        return False
    return True


def repair(source: Source) -> Source | None:
    """Return the source with its YAML repaired, if it can be read then."""
    if len(re.findall(LOST, source.text)) > 1:
        return None
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
