"""What holds for every problem: it is refused in words, or solved the same in every way, and its answers are marked."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import mpmath
import numpy as np

from attncalc.checking.levels import Level
from attncalc.formats import formats_of
from attncalc.topics import TOPICS
from tests.fuzzing import reference
from tests.fuzzing.answers import Steps, one_wrong, right_answers
from tests.fuzzing.commands import Found, Ran, read_back, run
from tests.fuzzing.mutations import mutate
from tests.fuzzing.reading import LETTERS, NotCovered, evaluate

SOLUTIONS, REPORTS = ([*formats_of("pages", kind)] for kind in ("solutions", "reports"))
LEVELS = [*map(str, Level)]
GOOD = {"correct", "rounded", "coarse", "blank"}
"""What may be said of right answers, some of which are not told."""
LIMITS = re.compile("too much work|outside 10|characters|digits to write")
"""What may be said of exact answers that are too long or too small to be read."""
OF_ONE_MODE = re.compile("exact|decided|range of numbers|divides by zero")
"""What may be said of a problem that another mode solves."""
CLOSE = 1e-9
LARGEST = 1e9
"""Beyond this size floats that cancel are not compared: they lose more digits than they are compared to."""


class Checks:
    """Tries one problem file in every way; counts what was tried."""

    def __init__(self, folder: Path, counts: Counter[str]) -> None:
        self.folder, self.counts = folder, counts
        self.file, self.answers = str(folder / "problem.yaml"), folder / "answers.yaml"

    def __call__(self, random: Random, text: str, known: bool) -> None:
        """All that holds; of a problem that the reference knows, also its numbers."""
        Path(self.file).write_bytes(text.encode("utf-8", "surrogatepass"))
        self.counts["problems"] += 1
        plain = run("solve", self.file, "-f", "json")
        self.counts["refused" if plain.code else "accepted"] += 1
        self.render(random, refused=bool(plain.code) and not OF_ONE_MODE.search(plain.err))
        if plain.code:
            return
        steps = plain.data["steps"]
        self.agree_modes(steps)
        if known and steps:
            self.agree_reference(text, steps)
        if steps:
            self.mark(random, steps, "inputs: rounded" not in text)

    def agree_modes(self, steps: Steps) -> None:
        """Exact and numeric are the same numbers, and exact texts read back as them."""
        for mode in ("--exact", "--numeric"):
            ran = run("solve", self.file, "-f", "json", mode)
            if ran.code == 0:
                self.counts[f"compared {mode[2:]}"] += 1
                agree(
                    f"{mode[2:]} differs", steps, {step["name"]: step["value"] for step in ran.data["steps"]}
                )
                read_exact(ran.data["steps"])

    def agree_reference(self, text: str, steps: Steps) -> None:
        """The reference has the same steps with the same numbers."""
        try:
            with np.errstate(all="ignore"):
                wanted = reference.solve(text, self.folder)
        except NotCovered as error:
            self.counts["not in the reference"] += 1
            self.counts[f"  {str(error)[:40]}"] += 1
            return
        except (KeyError, IndexError, ValueError) as error:
            raise Found("the reference fails", repr(error)) from error
        self.counts["compared reference"] += 1
        agree("reference differs", [with_letters(step) for step in steps], wanted)

    def render(self, random: Random, refused: bool) -> None:
        """Some formats with some options, and the other commands; what is refused in any mode is refused by all."""
        form = random.choice(SOLUTIONS)
        self.written(form, run("solve", self.file, "-f", form, *self.options(random)))
        for command in random.sample(["shapes", "cost", "sample", "explain", "check"], 2):
            topic = [random.choice(TOPICS)] if command == "explain" else []
            page = random.choice(["text", "html", "latex", "markdown"])
            ran = run(command, *topic, self.file, "-f", page)
            self.counts[command] += 1
            if refused and ran.code != 2:
                raise Found(f"{command} takes what solve refuses", ran.out[:500])

    def written(self, form: str, ran: Ran) -> None:
        """Counts a format, and reads back what can be read."""
        self.counts[f"format {form}"] += 1
        if ran.code == 0:
            read_back(ran, form)

    @staticmethod
    def options(random: Random) -> list[str]:
        """Some options of `solve`."""
        found = {
            "--detail": random.choice(["brief", "steps", "cells"]), "--row": str(random.randint(1, 3)),
            "--head": str(random.randint(1, 3)), "--places": str(random.randint(0, 9)),
            "--digits": str(random.randint(1, 12)), "--step": random.choice(["S", "A", "O", "A_1", "Y", "N1"]),
            "--cell": random.choice(["A[1,1]", "S[2,1]", "O[1,2]", "O_1[1,1]", "R1[1,1]"]),
            "--flavor": random.choice(["github", "html", "latex"]),
        }  # fmt: skip
        flags = [
            flag for flag in ("--ascii", "--standalone", "--exact", "--numeric") if random.random() < 0.15
        ]
        chosen = random.sample([*found], random.choice([0, 0, 1, 1, 2]))
        return [*flags, *(word for name in chosen for word in (name, found[name]))]

    def mark(self, random: Random, steps: Steps, strictly: bool) -> None:
        """Right answers are right, a wrong one is wrong where inputs are sure, mutated ones are marked somehow."""
        right = right_answers(random, steps)
        if not right:
            return
        self.accept_right(right, self.marked(right, "json").data)
        wrong = one_wrong(random, steps)
        if wrong and strictly:
            self.refuse_wrong(wrong)
        form, level = random.choice(REPORTS), random.choice(LEVELS)
        self.written(form, self.marked(mutate(random, right), form, "--feedback", level))
        self.counts["mutated answers"] += 1

    def accept_right(self, right: str, report: Any) -> None:
        """What is right is not called wrong."""
        self.counts["right answers"] += 1
        limited = bool(report["errors"]) and all(LIMITS.search(error) for error in report["errors"])
        for step in report["steps"]:
            if step["verdict"] not in GOOD and not (step["verdict"] == "unreadable" and limited):
                story = json.dumps(step, ensure_ascii=False)
                raise Found(f"right answers are {step['verdict']}", f"{right}\n{report['errors']}\n{story}")

    def refuse_wrong(self, wrong: str) -> None:
        """An entry far off is not right."""
        ran = self.marked(wrong, "json")
        self.counts["wrong answers"] += 1
        if ran.code == 0 and ran.data["verdict"] == "correct":
            raise Found("a wrong answer is right", wrong)

    def marked(self, answers: str, form: str, *options: str) -> Ran:
        """Answers, marked."""
        self.answers.write_bytes(answers.encode("utf-8", "surrogatepass"))
        try:
            return run("check", self.file, str(self.answers), "-f", form, *options)
        except Found as found:
            raise Found(found.kind, f"{found.story}\nanswers.yaml:\n{answers}") from None


def agree(kind: str, steps: Steps, wanted: dict[str, Any]) -> None:
    """The same numbers wherever both have them, up to where they get too large for floats to tell."""
    for step in steps:
        if step["name"] not in wanted:
            continue
        ours, theirs = (
            np.array(value, dtype=float) for value in (floats(step["value"]), floats(wanted[step["name"]]))
        )
        if ours.shape != np.broadcast_shapes(ours.shape, theirs.shape):
            raise Found(f"{kind} in shape", f"{step['name']}: {ours.shape} and {theirs.shape}")
        size = max(1.0, float(np.abs(ours[np.isfinite(ours)]).max(initial=0)))
        if size > LARGEST:
            return
        if not np.allclose(ours, theirs, rtol=CLOSE, atol=CLOSE * size, equal_nan=True):
            raise Found(kind, f"{step['name']}:\n{ours}\n{theirs}")


def with_letters(step: dict[str, Any]) -> dict[str, Any]:
    """A step, its exact texts worked out where they have letters."""

    def worked(value: Any, exact: Any) -> Any:
        if isinstance(value, list):
            return [worked(*pair) for pair in zip(value, exact, strict=True)]
        return float(evaluate(exact, {**EXACTLY, **LETTERS})) if value is None else value

    return {**step, "value": worked(step["value"], step["exact"])} if step["exact"] else step


def floats(value: Any) -> Any:
    """Nested lists with −∞ as a float, and nothing where there are letters."""
    if isinstance(value, list):
        return [floats(item) for item in value]
    return (
        float("nan") if value is None else np.array(value, dtype=float) if isinstance(value, str) else value
    )


def read_exact(steps: Steps) -> None:
    """Exact texts come to their floats, by Python's own arithmetic."""
    for step in steps:
        if step["exact"] is not None and None not in np.array(step["value"], dtype=object).ravel():
            for text, value in zip(
                np.array(step["exact"]).ravel(), np.array(step["value"], dtype=object).ravel(), strict=True
            ):
                check_text(step["name"], str(text), float(value))


EXACTLY = {
    name: getattr(mpmath, name) for name in ("sqrt", "exp", "ln", "tanh", "sin", "cos", "erf", "e", "pi")
}
"""Functions of many digits and any size."""


def check_text(name: str, text: str, value: float) -> None:
    """One exact text and its float; a text that floats cannot follow is not looked at."""
    try:
        found = float(evaluate(text, EXACTLY))
    except NotCovered:
        return
    if not np.isclose(found, value, rtol=1e-6, atol=1e-6):
        raise Found("an exact text is not its value", f"{name}: {text} is {found}, not {value}")
