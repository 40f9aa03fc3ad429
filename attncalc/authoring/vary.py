"""`vary`: the same exercise with other numbers, one for each student."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from random import Random

from attncalc.authoring.drawing import Draw
from attncalc.authoring.exercise import Exercise
from attncalc.authoring.promises import Promises
from attncalc.authoring.template import Template
from attncalc.authoring.variant_key import KeyWriter
from attncalc.checking.marker import Marker
from attncalc.errors import ProblemError, fault
from attncalc.loading.load import Source
from attncalc.record import record

TRIES = 500


@record
class Variant:
    """A problem file for one student."""

    id: str
    source: Source


class Variation:
    """Makes the variants of one exercise."""

    def __init__(self, source: Source, seed: int) -> None:
        problem = source.problem
        if problem.symbols or problem.design:
            what = "letters" if problem.symbols else "a design"
            raise fault(
                f"has {what}: only exercises in numbers are varied", problem.place("symbols", "design")
            )
        self.source, self.template = source, Template(source)
        self.digest = f"{sha256(source.text.encode()).hexdigest()} {seed}"
        if not self.template.has_choice:
            raise fault("has no numbers that may be others", source.root.place)
        self.exercise = Exercise(Marker(problem))
        if not self.exercise.questions:
            raise fault("asks for no numbers", source.root.place)
        self.promises = Promises(self.exercise, self.template)
        self.drawing, self.key = self.promises.drawing, KeyWriter(source, self.exercise)

    def make_all(self, ids: Iterable[str]) -> Iterator[Variant]:
        """A variant for each; no two of them ask for the same numbers."""
        known: dict[bytes, str] = {}
        for id_, draw in self.draw_all(ids):
            other = known.setdefault(draw.asked, id_)
            if other != id_:
                pair = f"{other} and {id_}"
                message = (
                    f"{pair} have the same asked numbers: there are too few others, or take another --seed"
                )
                raise fault(message, self.source.root.place)
            found = self.key.write(draw)
            if len(known) == 1:  # all are written alike
                self.refuse_broken(found)
            yield Variant(id_, found)

    def refuse_broken(self, found: Source) -> None:
        """Raises where a file with another key cannot be read."""
        try:
            is_read = found.problem.answers is not None and not found.root.faults
        except ProblemError:
            is_read = False
        if not is_read:
            raise fault("must have each key on a line of its own to be varied", self.source.root.place)

    def draw(self, id_: str) -> Draw:
        """The first draw that keeps every promise, the same whoever else has a variant."""
        ((_, found),) = self.draw_all([id_])
        return found

    def draw_all(self, ids: Iterable[str]) -> Iterator[tuple[str, Draw]]:
        """The draw of each; those of some are looked for together."""
        left = iter(ids)
        while some := [*islice(left, self.drawing.at_once)]:
            searches = [Search(Random(f"{self.digest} {id_}")) for id_ in some]
            while going_on := [search for search in searches if search.found is None]:
                self.go_on(going_on)
            yield from (
                (id_, search.found) for id_, search in zip(some, searches, strict=True) if search.found
            )

    def go_on(self, searches: list[Search]) -> None:
        """Some more draws for each, as many as are tried together."""
        turns = max(1, self.drawing.at_once // len(searches))
        whose = [search for search in searches for _ in range(min(turns, TRIES - len(search.broken)))]
        draws = self.drawing.draw([search.random for search in whose])
        for n, (search, why) in enumerate(zip(whose, self.promises.broken_by(draws), strict=True)):
            if search.found is None and not why:
                search.found = Draw(draws, n)
            search.broken.append(why)
        for search in searches:
            if search.found is None and len(search.broken) == TRIES:
                raise self.refusal(search.broken)

    def refusal(self, broken: list[str]) -> ProblemError:
        """Which promise cannot be kept."""
        worst = max({*broken}, key=lambda why: (broken.count(why), why))
        kept = f"{broken.count(worst)} of {TRIES} draws break the promise that {worst}"
        return fault(f"cannot be varied: {kept}", self.source.root.place)


class Search:
    """The search for one student's numbers: what the draws so far have broken, and the one that keeps all."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.broken: list[str] = []
        self.found: Draw | None = None
