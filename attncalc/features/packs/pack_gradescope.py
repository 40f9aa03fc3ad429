"""An exercise as the autograder of a Gradescope assignment: a zip file to upload."""

from __future__ import annotations

import os
from importlib.metadata import PackageNotFoundError, requires

from attncalc.core.errors import fault
from attncalc.features.classes.workers import HOME
from attncalc.features.packs.assignment import FOLDER, Assignment, Files, files_of, name_of
from attncalc.marking.checker import Checker

FORM = "zip"
SETUP = """\
#!/usr/bin/env bash
# Installs what attncalc needs beside itself: nothing outside this folder is changed but a missing pip.
set -euo pipefail
cd "${AUTOGRADER:-/autograder}/source"
source="$PWD"
if ! python3 -m pip --version > /dev/null 2>&1; then
  apt-get update
  DEBIAN_FRONTEND=noninteractive apt-get install -y python3 python3-pip
fi
python3 -m pip install --quiet --upgrade --no-compile --target packages -r requirements.txt
# A first submission: what does not work is seen here, and what is used is compiled once for all others.
trial="$(mktemp -d)"
mkdir "$trial/submission" "$trial/results"
ln -s "$source" "$trial/source"
echo "{}" > "$trial/submission/answers.yaml"
AUTOGRADER="$trial" bash "$source/run_autograder"
test -s "$trial/results/results.json"
rm -r "$trial"
"""
RUN = """\
#!/usr/bin/env bash
# Marks the answers file of a submission and writes results.json.
root="$(cd "${AUTOGRADER:-/autograder}" && pwd)"
# Isolated: nothing is imported from the folder one stands in.
exec python3 -I "$root/source/mark.py" "$root"
"""
MARK = '''\
"""Marks one submission."""

import sys

root = sys.argv[1]
sys.path[:0] = [f"{{root}}/source", f"{{root}}/source/packages"]

from attncalc.interface.gradescope import mark_submission

mark_submission(root, {problem!r}, {level!r})
'''


def pack(assignment: Assignment) -> Files:
    """The two scripts that Gradescope runs, the package itself, what it needs, and the problem files."""
    # What cannot be marked is not packed.
    Checker(assignment.source.problem)
    named = "" if assignment.own else name_of(assignment.source)
    mark = MARK.format(problem=os.path.join(FOLDER, named), level=str(assignment.level))
    return {
        "setup.sh": SETUP,
        "run_autograder": RUN,
        "mark.py": mark,
        "requirements.txt": "\n".join(find_requirements()) + "\n",
        **files_of(assignment.sources),
        **read_package(),
    }


def find_requirements() -> list[str]:
    """The packages that attncalc needs, as it was installed with them."""
    try:
        every = requires("attncalc") or []
    except PackageNotFoundError:
        raise fault("attncalc is not installed here, so what it needs is not known") from None
    return [one for one in every if "extra ==" not in one]


def read_package() -> Files:
    """The files of this very package; bundled problems stay at home."""
    found: Files = {}
    for folder, inside, names in os.walk(HOME):
        inside[:] = sorted({*inside} - {"__pycache__", "problems"})
        for name in sorted(names):
            path = os.path.join(folder, name)
            with open(path, "rb") as file:
                found[f"attncalc/{os.path.relpath(path, HOME)}"] = file.read()
    return found
