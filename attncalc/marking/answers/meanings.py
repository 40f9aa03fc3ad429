"""What a key of answers may mean that is no name of a step: QK^T, attn, Q_11, alpha_2, the scores are S.

Every way of reading a key gives targets. A key is read if exactly one of them fits its value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

from attncalc.core.errors import fault
from attncalc.core.graph.references import Reference
from attncalc.core.spellings import SYNONYMS
from attncalc.core.spellings import fold as fold_formula
from attncalc.exercise.written_names import find_names, plain, split_number
from attncalc.exercise.yaml.tree import Scalar

if TYPE_CHECKING:
    from attncalc.marking.answers.names import Names, Target

LABELLED = (
    r"\s*(?:\((?:[a-z]|[ivx]+|[0-9]{1,2})\)|(?:[a-z]|[ivx]+|[0-9]{1,2})[).]"
    r"|(?i:part|question|exercise|step|task|problem)\s*\(?\w{1,3}\)?\s*[-–:.,)]?)\s+(?P<name>\S.*)"
)
"""A name behind the letter of a part or the number of a step: a) S, (b) S, Part c: S, Step 2: S."""
FILLERS = (
    "the", "a", "an", "my", "our", "your", "and", "so", "then", "thus", "hence", "we", "i", "get",
    "got", "have", "find", "is", "are", "be", "as", "for", "of", "in", "with", "which", "gives", "now",
    "matrix", "matrices", "vector", "vectors", "table", "entries", "result", "results", "answer", "answers",
    "final", "finally", "computed", "calculated", "compute", "first", "second", "third", "next", "step",
    "after", "last",
)  # fmt: skip
"""Words around a name that do not change its meaning."""
LAST = r"(?i:.*\b(?:final|last)\b.*)"
"""A name for what is computed last."""
FORMULAS = (
    (r"concath(?:ead)?(?:1|i).*", ("H",)),
    (r"(?:multihead|mha|mhsa)(?:attention)?(?:q,?k,?v|x(?:,x)*)?", ("Y", "H")),
)
"""Formulas of published texts and the steps that they define, of which the first in the problem is meant."""
SEVERAL = r"[^\W\d_]\w*(?:\s*(?:,|and|&)\s*[^\W\d_]\w*)+"
LEAST_SIMILAR, SHORTEST_MISSPELT = 0.85, 5

Fits = Callable[["Target"], bool]


class Meanings:
    """The ways in which a key may mean a step of one problem."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def find(self, key: Scalar, fits: Fits) -> Target | None:
        """Return the only target that a key may mean and that its value fits; None if there is none.

        Raise a fault if there are several.
        """
        for targets in self.ways(key.text.strip()):
            fitting = [target for target in dict.fromkeys(targets) if fits(target)]
            last = (Reference(self.names.graph.steps[-1].name),)
            if len(fitting) > 1 and last in fitting and re.fullmatch(LAST, key.text.strip()):
                return last
            if len(fitting) > 1:
                raise fault(f"may be {list_targets(fitting)}: write it so", key.place)
            if fitting:
                return fitting[0]
        return None

    def ways(self, name: str) -> Iterator[list[Target]]:
        """The targets of a key by every way of reading it, the surest first."""
        label = re.fullmatch(LABELLED, name)
        if label:
            yield self.find_whole(label["name"])
            name = label["name"]
        yield self.of_part(name)
        yield self.of_equation(name)
        yield self.of_formula(name)
        yield self.find_whole(name)
        yield self.places_of(name)
        yield self.several(name)
        yield self.among_words(name)
        yield self.misspelt(name)

    def find_whole(self, name: str) -> list[Target]:
        """The targets of a whole name, by the names of the problem, the table of names, or with a head."""
        written = plain(name)
        found = [*self.names.find_named(name), *self.names.find_named(written)]
        found += self.known_as(written)
        number = split_number(name)
        if not found and number.number is not None:
            for base in self.words_for(number.base):
                found += self.names.exact.get(f"{base}_{number.number}", [])
        return found

    def known_as(self, written: str) -> list[Target]:
        """The targets of a name in the table of names, and of all steps that share a word with them."""
        found = [target for word in self.words_for(written) for target in self.names.exact[word]]
        steps = {one.step for target in found for one in target}
        for targets in self.names.words.values():
            if steps & {target[0].step for target in targets}:
                found += targets
        return found

    def words_for(self, written: str) -> list[str]:
        """The names of steps that a written name may stand for."""
        more = SYNONYMS.get(fold_formula(written), ())
        known = self.names.exact
        return [*dict.fromkeys((*find_names(written, known), *(word for word in more if word in known)))]

    def of_part(self, name: str) -> list[Target]:
        """What a part asks for, if the name is its letter."""
        return self.names.asked_by(name)

    def of_equation(self, name: str) -> list[Target]:
        """What all known sides of an equation mean: Q = XW_Q."""
        sides = [self.find_whole(side.strip()) for side in name.split("=")]
        known = [targets for targets in sides if targets]
        return shared_targets(known) if len(sides) > 1 and known else []

    def of_formula(self, name: str) -> list[Target]:
        """The step that a formula of published texts defines: Concat(head_1, head_2)."""
        for pattern, steps in FORMULAS:
            if re.fullmatch(pattern, fold_formula(plain(name))):
                return next((self.names.exact[step] for step in steps if step in self.names.exact), [])
        return []

    def places_of(self, name: str) -> list[Target]:
        """The rows and cells of a step that a name with numbers behind it may mean."""
        found = self.names.with_numbers(plain(name))
        return [(place,) for step, text in found for place in self.names.places(step, text)]

    def several(self, name: str) -> list[Target]:
        """The row or the step whose entries or rows are named one by one: alpha_1, alpha_2, alpha_3."""
        if not re.fullmatch(SEVERAL, name):
            return []
        parts = [split_number(part) for part in re.split(r"\s*(?:,|\band\b|&)\s*", name)]
        if [part.number for part in parts] != [*range(1, len(parts) + 1)] or len({p.base for p in parts}) > 1:
            return []
        whole = self.find_whole(parts[0].base)
        return [target for target in whole if len(target) == 1 and not target[0].at]

    def among_words(self, name: str) -> list[Target]:
        """The step that all words of a phrase mean, but for words that say nothing: the scores are S."""
        every = [word for word in re.split(r"[\s,()]+", name) if word]
        words = [word for word in every if word in self.names.exact or word.lower() not in FILLERS]
        words = words or every[-1:]
        if not words or words == name.split():
            return []
        joined = self.find_whole(" ".join(words)) or self.places_of(" ".join(words))
        if joined or len(words) == 1:
            return joined
        found = [self.find_whole(word) or self.places_of(word) for word in words]
        return shared_targets(found)

    def misspelt(self, name: str) -> list[Target]:
        """The targets of the only name that is nearly the same."""
        known = [word for word in (*self.names.exact, *self.names.words) if len(word) >= SHORTEST_MISSPELT]
        near = get_close_matches(name.lower().replace(" ", "_"), known, n=3, cutoff=LEAST_SIMILAR)
        return [target for word in near for target in self.names.find_named(word)]


def shared_targets(found: Sequence[list[Target]]) -> list[Target]:
    """The targets that all words mean; a row or cell is meant, too, by a word for its whole step."""
    every = dict.fromkeys(target for targets in found for target in targets)
    return [one for one in every if all(any(is_inside(one, other) for other in some) for some in found)]


def is_inside(one: Target, other: Target) -> bool:
    """Whether a target is another one, or a row or cell of it."""
    if len(one) != len(other):
        return False
    return all(a.step == b.step and a.at[: len(b.at)] == b.at for a, b in zip(one, other, strict=True))


def list_targets(targets: Sequence[Target]) -> str:
    """Targets in words: A, S or Z."""
    *others, last = (str(target[0]) for target in targets)
    return f"{', '.join(others)} or {last}"
