"""Every format with every option, and the commands that tell of a problem what `solve` does not."""

from __future__ import annotations

from collections import Counter
from random import Random

from attncalc.features.topics import topic_names
from attncalc.pages import formats_of
from tests.fuzzing.answers import Steps
from tests.fuzzing.commands import Found, Ran, run
from tests.fuzzing.lines import check_lines
from tests.fuzzing.outputs import read_back

SOLUTIONS = [*formats_of("documents", "solutions")]
PAGES = [*formats_of("documents")]
DATA = [*formats_of("documents", "data")]
TOPICS = topic_names()
COMMANDS = {"shapes": DATA, "cost": DATA, "sample": DATA, "explain": PAGES, "check": PAGES}
"""The commands that take a problem, and how they are written."""


class Rendering:
    """Writes a problem in some formats; counts them."""

    def __init__(self, file: str, counts: Counter[str]) -> None:
        self.file, self.counts = file, counts

    def try_all(self, random: Random, refused: bool) -> None:
        """Some format with some options, and some commands; what is refused in any mode is refused by all."""
        form = random.choice(SOLUTIONS)
        module = ["--module"] if form == "torch" and random.random() < 0.5 else []
        self.written(form, run("solve", self.file, "-f", form, *module, *options(random)))
        for command in random.sample([*COMMANDS], 2):
            topic = [random.choice(TOPICS)] if command == "explain" else []
            page = random.choice(COMMANDS[command])
            ran = run(command, *topic, self.file, "-f", page)
            self.counts[command] += 1
            if refused and ran.code != 2:
                raise Found(f"{command} takes what solve refuses", ran.out[:500])
            self.written(page, ran)

    def written(self, form: str, ran: Ran) -> None:
        """Counts a format, and reads back what can be read."""
        self.counts[f"format {form}"] += 1
        if ran.code == 0:
            read_back(ran, form)

    def agree_counts(self, random: Random, steps: Steps) -> None:
        """Shapes and costs are those of the solution, by themselves."""
        command, key = random.choice([("shapes", "shape"), ("cost", "cost")])
        ran = run(command, self.file, "-f", "json")
        if ran.code == 0 and ran.data != {step["name"]: step[key] for step in steps}:
            raise Found(f"{command} differs from the solution", ran.out)

    def agree_lines(self, steps: Steps, *mode: str) -> None:
        """The worked lines give the numbers of the solution."""
        ran = run("solve", self.file, "--ascii", *mode)
        if ran.code == 0:
            self.counts["worked sides"] += check_lines(ran.out, steps)


def options(random: Random) -> list[str]:
    """Some options of `solve`."""
    found = {
        "--detail": random.choice(["brief", "key", "steps", "cells"]), "--row": str(random.randint(1, 3)),
        "--head": str(random.randint(1, 3)), "--places": str(random.randint(0, 9)),
        "--digits": str(random.randint(1, 12)), "--step": random.choice(["S", "A", "O", "A_1", "Y", "N1"]),
        "--cell": random.choice(["A[1,1]", "S[2,1]", "O[1,2]", "O_1[1,1]", "R1[1,1]"]),
        "--flavor": random.choice(["github", *PAGES]), "--part": random.choice(["a", "b", "(c)", "1", "2"]),
    }  # fmt: skip
    flags = [flag for flag in ("--ascii", "--standalone", "--exact", "--numeric") if random.random() < 0.15]
    chosen = random.sample([*found], random.choice([0, 0, 1, 1, 2, 3]))
    return [*flags, *(word for name in chosen for word in (name, found[name]))]
