"""What holds for answers: right ones are right, wrong ones wrong, alone and in a class, and designs reach their goal."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import Any

import numpy as np

from attncalc.marking.report.levels import Level, Order
from attncalc.pages import formats_of
from tests.fuzzing.answers import Steps, one_wrong, right_answers, rounded, typed, within
from tests.fuzzing.commands import Found, Ran, run
from tests.fuzzing.comparing import floats
from tests.fuzzing.mutations import mutate
from tests.fuzzing.outputs import read_back
from tests.fuzzing.writing import quoted, write_list, write_mapping

REPORTS = [*formats_of("documents", "reports")]
LEVELS, ORDERS = [*map(str, Level)], [*map(str, Order)]
GOOD = {"correct", "rounded", "coarse", "blank"}
"""The verdicts that correct answers may get, if some steps are not answered."""
LIMITS = re.compile("too much work|outside 10|characters|digits to write")
"""What may be said of exact answers that are too long or too small to be read."""
DESIGNED = re.compile(r"(?:X|Q|K|V|[Wb]_[QKVO])(?:_\d+)?")
"""What may be designed, without the keys of scores and blocks."""
UNDESIGNED = re.compile(r"file:|\[\[\[\[")
"""How what may not be designed is given: in a file, or with an axis for heads."""


class Marking:
    """Marks answers to a problem; counts them."""

    def __init__(self, folder: Path, file: str, counts: Counter[str]) -> None:
        self.folder, self.file, self.counts = folder, file, counts
        self.answers = folder / "answers.yaml"

    def mark(self, random: Random, steps: Steps, strictly: bool) -> None:
        """Right answers are right, a wrong one is wrong where inputs are sure, mutated ones are marked somehow."""
        right = right_answers(random, steps)
        if not right:
            return
        self.accept_right(right, self.marked(right, "json").data)
        wrong = one_wrong(random, steps)
        if wrong and strictly:
            self.refuse_wrong(wrong)
        mutated = mutate(random, right)
        form, level = random.choice(REPORTS), random.choice(LEVELS)
        ran = self.marked(mutated, form, "--feedback", level)
        self.counts[f"report {form}"] += 1
        if ran.code != 2:
            read_back(ran, form)
        if random.random() < 0.04:
            self.mark_class(random, [right, wrong or right, mutated])

    def mark_data(self, random: Random, solution: str) -> None:
        """A solution that another program wrote is right: its JSON, or its numbers as arrays of either precision."""
        file, steps = self.folder / "answers.json", json.loads(solution)["steps"]
        file.write_text(solution, "utf-8")
        self.accept_right("the solution as JSON", run("check", self.file, str(file), "-f", "json").data)
        precision = random.choice([np.float32, np.float64])
        values = {step["name"]: np.array(floats(step["value"])) for step in steps}
        with np.errstate(over="ignore"):
            arrays = {name: array.astype(precision) for name, array in values.items()}
        if all(np.array_equal(np.isfinite(arrays[name]), np.isfinite(values[name])) for name in values):
            known = {name: array for name, array in arrays.items() if not np.isnan(array).any()}
            np.savez(self.folder / "answers.npz", **known)  # type: ignore[arg-type]
            ran = run("check", self.file, str(self.folder / "answers.npz"), "-f", "json")
            self.accept_right(f"the solution as {precision.__name__}", ran.data)

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

    def mark_class(self, random: Random, answers: list[str]) -> None:
        """A class is marked as each of its files is alone, in every format and order, with a report for each."""
        class_, each = self.folder / "class", self.folder / "each"
        for folder in (class_, each):
            rmtree(folder, ignore_errors=True)
        class_.mkdir()
        for number, text in enumerate(answers):
            (class_ / f"{number}.yaml").write_bytes(text.encode("utf-8", "surrogatepass"))
        alone = [run("check", self.file, str(file), "-f", "json") for file in sorted(class_.iterdir())]
        together = run("check", self.file, str(class_), "-f", "json")
        self.counts["classes"] += 1
        for text, one, other in zip(answers, alone, together.data, strict=True):
            other["errors"] = [error for error in other["errors"] if "is claimed by" not in error]
            if one.data != other:
                raise Found(
                    "a class is marked otherwise", f"{text}\n{one.out}\n{json.dumps(other, indent=1)}"
                )
        form, order, level = (random.choice(words) for words in (REPORTS, ORDERS, LEVELS))
        ran = run(
            "check",
            self.file,
            str(class_),
            "-f",
            form,
            "--sort",
            order,
            "--feedback",
            level,
            "--each",
            str(each),
        )
        if ran.code != together.code or len([*each.iterdir()]) != len(answers):
            raise Found("a class has not its reports", "\n".join([*answers, ran.out, ran.err]))
        for file in each.iterdir():
            read_back(Ran(0, file.read_text("utf-8"), ""), form)

    def reach_goal(self, random: Random, text: str, steps: Steps) -> None:
        """A problem whose goal is its own result is solved, and its own design reaches the goal."""
        given = {line.partition(":")[0]: line for line in text.splitlines()}
        named = [
            name for name, line in given.items() if DESIGNED.fullmatch(name) and not UNDESIGNED.search(line)
        ]
        step = random.choice(steps)
        if not named or "goal" in given:
            return
        at, value = random.choice([*within(step["exact"] or step["value"], random.randint(0, 2))])
        goal = {
            quoted(f"{step['name']}{[*at]}" if at else step["name"]): typed(value)
            if step["exact"]
            else rounded(value, repr)
        }
        design = random.sample(named, random.randint(1, min(2, len(named))))
        added = f"design: {write_list(design)}\ngoal: {write_mapping(goal)}\n"
        added += "" if step["exact"] else "within: 1e-3\n"
        Path(self.file).write_text(text + added, "utf-8")
        own = "".join(f"{given[name]}\n" for name in design)
        ran = self.marked(own, "json")
        self.counts["designs"] += 1
        if ran.code == 2 and LIMITS.search(ran.err):
            return
        if ran.code or ran.data["verdict"] != "correct":
            raise Found("a problem's own design is refused", f"{added}{ran.out}{ran.err}")
        form, level = random.choice(REPORTS), random.choice(LEVELS)
        ran = self.marked(mutate(random, own), form, "--feedback", level)
        if ran.code != 2:
            read_back(ran, form)
