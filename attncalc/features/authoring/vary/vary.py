"""`vary`: the same exercise with other numbers, one for each student."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import islice
from random import Random

from attncalc.core.errors import ProblemError, count_of, fault
from attncalc.core.record import record
from attncalc.exercise.load import Source
from attncalc.features.authoring.lint.wrong_answers import Exercise
from attncalc.features.authoring.vary.codes import Code
from attncalc.features.authoring.vary.guarantees import Promises
from attncalc.features.authoring.vary.solve_draws import Draw
from attncalc.features.authoring.vary.template import Template, in_lines
from attncalc.features.authoring.vary.variant_key import KeyWriter
from attncalc.marking.prepared import Prepared

MOST_TRIES = 500


@record
class Variant:
    """A problem file for one student."""

    id: str
    source: Source
    code: str
    """What stands on its sheet, and makes it again."""


class Variation:
    """Makes the variants of one exercise."""

    def __init__(self, source: Source, seed: int) -> None:
        source = in_lines(source)
        problem = source.problem
        if problem.symbols or problem.design:
            what = "letters" if problem.symbols else "a design"
            raise fault(
                f"has {what}: only exercises in numbers are varied", problem.place("symbols", "design")
            )
        self.source, self.template, self.seed = source, Template(source), seed
        self.digest = f"{sha256(source.text.encode()).hexdigest()} {seed}"
        if not self.template.has_choice:
            raise fault("has no numbers that may be others", source.root.place)
        self.exercise = Exercise(Prepared(problem))
        if not self.exercise.questions:
            raise fault("asks for no numbers", source.root.place)
        self.promises = Promises(self.exercise, self.template)
        self.drawing, self.key = self.promises.drawing, KeyWriter(source, self.exercise)

    def make_all(self, ids: Iterable[str]) -> Iterator[Variant]:
        """One variant for each id; no two of them ask for the same numbers."""
        for n, (id_, number, draw) in enumerate(self.draw_all(ids)):
            found = self.key.write(draw)
            if n == 0:  # all have the same layout
                self.refuse_broken(found)
            yield Variant(id_, found, Code(self.seed, number, id_).write(self.source.text))

    def remake(self, code: Code) -> Source:
        """The problem file of the variant with a code of this exercise and seed."""
        search = Search(Random(f"{self.digest} {code.id}"))
        while len(search.broken) <= code.draw < MOST_TRIES:
            self.go_on([search])
        draws = (draw for number, draw in search.good if number == code.draw)
        if found := next(draws, None):
            return self.key.write(found)
        raise fault("has no such variant", self.source.root.place)

    def refuse_broken(self, found: Source) -> None:
        """Raise an error if the file with its new key cannot be read."""
        try:
            is_read = found.problem.answers is not None and not found.root.faults
        except ProblemError:
            is_read = False
        if not is_read:
            raise fault("must have each key on its own line to be varied", self.source.root.place)

    def draw(self, id_: str) -> Draw:
        """The first draw that keeps every promise."""
        ((_, _, found),) = self.draw_all([id_])
        return found

    def draw_all(self, ids: Iterable[str]) -> Iterator[tuple[str, int, Draw]]:
        """For each id its first draw that keeps every promise and differs from all before, and its number."""
        left, known = iter(ids), set[bytes]()
        while some := [*islice(left, self.drawing.at_once)]:
            searches = [Search(Random(f"{self.digest} {id_}")) for id_ in some]
            while going_on := [search for search in searches if not search.good]:
                self.go_on(going_on)
            for id_, search in zip(some, searches, strict=True):
                while (found := search.take_other(known, self.promises)) is None:
                    if len(search.broken) == MOST_TRIES:
                        is_broken = all(search.broken)
                        raise self.refusal(search.broken) if is_broken else self.refuse_more(len(known), id_)
                    self.go_on([search])
                yield id_, *found

    def go_on(self, searches: list[Search]) -> None:
        """Try more draws for each search, in one computation."""
        turns = max(1, self.drawing.at_once // len(searches))
        whose = [search for search in searches for _ in range(min(turns, MOST_TRIES - len(search.broken)))]
        draws = self.drawing.draw([search.random for search in whose])
        for n, (search, why) in enumerate(zip(whose, self.promises.find_broken(draws), strict=True)):
            if not why:
                search.good.append((len(search.broken), Draw(draws, n)))
            search.broken.append(why)
        for search in searches:
            if len(search.broken) == MOST_TRIES and all(search.broken):
                raise self.refusal(search.broken)

    def refusal(self, broken: list[str]) -> ProblemError:
        """The error that names the promise broken most often."""
        worst = max({*broken}, key=lambda why: (broken.count(why), why))
        kept = f"{broken.count(worst)} of {MOST_TRIES} draws break the promise that {worst}"
        return fault(f"cannot be varied: {kept}", self.source.root.place)

    def refuse_more(self, count: int, id_: str) -> ProblemError:
        """The error that there are too few different variants."""
        none = (
            f"of {MOST_TRIES} draws for {id_}, all that keep the promises ask for the same numbers as others"
        )
        return fault(f"cannot be varied more than {count_of(count, 'time')}: {none}", self.source.root.place)


class Search:
    """The search for one student's numbers: the promise each draw broke, and the draws that are left."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.broken: list[str] = []
        self.good: deque[tuple[int, Draw]] = deque()

    def take_other(self, known: set[bytes], promises: Promises) -> tuple[int, Draw] | None:
        """The next draw that breaks no promise, whose asked numbers are not in `known`, which it is added to.

        The marker is asked last, and only about draws that are taken: that takes longest.
        """
        while self.good:
            number, found = self.good.popleft()
            asked = found.asked
            if asked not in known:
                self.broken[number] = promises.find_broken_by_marking(found)
                if not self.broken[number]:
                    known.add(asked)
                    return number, found
        return None
