"""What holds for every problem: it is refused in words, or solved the same in every way, and its answers are marked."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from random import Random

import numpy as np

from tests.fuzzing import reference
from tests.fuzzing.answers import Steps
from tests.fuzzing.commands import Found, run
from tests.fuzzing.comparing import ROUGHLY, agree, read_exact, with_letters
from tests.fuzzing.marking import Marking
from tests.fuzzing.reading import NotCovered
from tests.fuzzing.rendering import Rendering
from tests.fuzzing.slopes import slopes

OF_ONE_MODE = re.compile("exact|decided|range of numbers|divides by zero|adds up to 0")
"""What may be said of a problem that another mode solves, or whose draws are other numbers."""


class Checks:
    """Tries one problem file in every way; counts what was tried."""

    def __init__(self, folder: Path, counts: Counter[str]) -> None:
        self.folder, self.counts = folder, counts
        self.file = str(folder / "problem.yaml")
        self.rendering, self.marking = Rendering(self.file, counts), Marking(folder, self.file, counts)

    def __call__(self, random: Random, text: str, known: bool) -> None:
        """All that holds; of a problem that the reference knows, also its numbers."""
        Path(self.file).write_bytes(text.encode("utf-8", "surrogatepass"))
        self.counts["problems"] += 1
        plain = run("solve", self.file, "-f", "json")
        self.counts["refused" if plain.code else "accepted"] += 1
        self.rendering.try_all(random, refused=bool(plain.code) and not OF_ONE_MODE.search(plain.err))
        if plain.code:
            return
        steps = plain.data["steps"]
        self.agree_modes(steps)
        if known and steps:
            self.agree_reference(text, steps)
        if steps:
            self.rendering.agree_counts(random, steps)
            if random.random() < 0.2:
                self.rendering.agree_lines(steps, *random.choice([(), ("--exact",), ("--numeric",)]))
            self.marking.mark(random, steps, "inputs: rounded" not in text)
            if random.random() < 0.1:
                self.marking.mark_data(random, plain.out)
            if known and random.random() < 0.2:
                self.marking.reach_goal(random, text, steps)

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
                moved = slopes(text, self.folder)
        except NotCovered as error:
            self.counts["not in the reference"] += 1
            self.counts[f"  {str(error)[:40]}"] += 1
            return
        except (KeyError, IndexError, ValueError) as error:
            raise Found("the reference fails", repr(error)) from error
        self.counts["compared reference"] += 1
        ours = [with_letters(step) for step in steps]
        agree("reference differs", ours, wanted)
        agree("a gradient differs", ours, moved, ROUGHLY)
