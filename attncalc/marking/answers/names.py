"""What the steps of a problem may be called in answers: A, alpha, weights, a_31.

A target is what a key may stand for: a step, one of its rows or cells, or the steps of all heads, stacked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, pairwise, takewhile
from typing import TypeAlias

from attncalc.core.errors import fault, nearest, quote
from attncalc.core.graph.graph import Graph, Step, check_reference, shape_text
from attncalc.core.graph.labels import Label
from attncalc.core.graph.references import Reference
from attncalc.core.notations.terms import GREEK
from attncalc.core.record import replace
from attncalc.core.repair import Repair, choose_proposal, propose
from attncalc.core.spellings import find_meant
from attncalc.exercise.mechanisms import KINDS
from attncalc.exercise.problem import Problem
from attncalc.exercise.yaml.tree import Mapped, Node, Scalar

Target: TypeAlias = tuple[Reference, ...]
At: TypeAlias = tuple[int, ...]

KEY = re.compile(r"(?P<name>[^\[\]]+?)\s*(?:\[\s*(?P<at>[0-9]{1,9}(?:\s*,\s*[0-9]{1,9})*)\s*\])?")
SUBSCRIPT = re.compile(r"(?P<base>.+?)_\{?(?P<at>[0-9]{1,6}(?:[,_ ]+[0-9]{1,6})*)\}?")
INDEXED = re.compile(
    r"(?P<name>[^\W\d_]+)[\s_({\[^]*(?:row\s*)?(?P<at>[0-9]{1,6}(?:[^0-9]+[0-9]{1,6})*)[)}\],:\s]*"
)
ROW_OF = re.compile(r"row\s*(?P<at>[0-9]{1,6})\s*(?:of\s+)?(?P<name>\S.*)", re.IGNORECASE)
COLUMN = re.compile(r"(?P<name>[^\W\d_]+)\[\s*:\s*,\s*(?P<at>[1-9][0-9]{0,5})\s*\]")
OF_HEAD = (
    Repair(
        r"(?i:(?P<name>.+?)[\s_,^({\[.]*h(?:ead)?[\s_]*(?P<head>[1-9][0-9]?)[)}\]]*)", "{name}_{head}", "",
        "A head 1", "A_1",
    ),
    Repair(
        r"(?i:head[\s_]*(?P<head>[1-9][0-9]?)[\s_:,.]+(?P<name>.*\S)\s*)", "{name}_{head}", "",
        "head 1: A", "A_1",
    ),
    Repair(r"(?P<name>[^\W\d_]+)\^\{?\(?(?P<head>[1-9][0-9]?)\)?\}?", "{name}_{head}", "", "A^(1)", "A_1"),
)  # fmt: skip
"""A step of a head as people write it."""
PART = r"(?:part|question|exercise|problem)?\s*\(?(?P<label>\w{1,4})[).:]*"
WRAPPER = "answers"
OTHER_KEYS = ("student", "problem", WRAPPER)
"""The keys of an answers file that are not steps."""
LONGEST_KEY = 100
MOST_SHOWN = 4
"""The most rows and columns of an example."""
LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789" * 2)
LETTERS = {sign: name for name, sign in GREEK.items()}
SPOKEN = {(kind.role, kind.limit): kind.spoken for kind in KINDS}


class Names:
    """All names of the steps of one problem, prepared once."""

    def __init__(self, problem: Problem, graph: Graph) -> None:
        self.graph, self.course = graph, problem.names
        self.taken = {*problem.let, *problem.symbols}
        self.given = {*problem.origins} - {WRAPPER}
        self.parts = {part.label.lower(): part.steps for part in problem.parts if part.steps}
        self.asked = dict(places_asked(problem, graph))
        self.exact: dict[str, list[Target]] = {}
        self.words: dict[str, list[Target]] = {}
        # Several steps may share a word: it means the last of them.
        for label, steps in reversed(self.groups.items()):
            self.add_group(label, steps)
        for word, targets in self.words.items():
            targets.sort(key=lambda target, word=word: not self.is_title(word, target))  # type: ignore[misc]
        self.letters = dict(self.small_letters()) if len(graph.heads) == 1 else {}

    @cached_property
    def groups(self) -> dict[Label, list[Step]]:
        """The steps that differ only in their head."""
        found: dict[Label, list[Step]] = {}
        for step in self.graph.steps:
            found.setdefault(replace(step.label, head=None), []).append(step)
        return found

    def add_group(self, label: Label, steps: list[Step]) -> None:
        """Add the names of a group of steps, and of their stack if they belong to several heads."""
        only = sum(other.role == label.role for other in self.groups) == 1
        for step in steps:
            self.add(step.label, [(Reference(step.name),), *self.asked.get(step.name, ())], only)
        heads = tuple(Reference(step.name) for step in steps if step.head)
        if len(heads) > 1:
            self.add(label, [heads], only)

    def add(self, label: Label, targets: list[Target], only: bool) -> None:
        """Add targets under their names in the contract, in the course and in words."""
        for name in dict.fromkeys((label.name, label.to_course_name(self.course))):
            self.exact.setdefault(name, []).extend(targets)
        found = (spelling for word in words_of(label) for spelling in spellings(word, label, only))
        for spelling in dict.fromkeys(found):
            self.words.setdefault(spelling, []).extend(targets)

    def is_title(self, word: str, target: Target) -> bool:
        """Whether a word is the title of a step, not one of several words for it."""
        return word == fold(words_of(self.graph.labels[target[0].step])[-1])

    def small_letters(self) -> Iterator[tuple[str, str]]:
        """The small letters that stand for rows and cells of steps; those of the course come last and win."""
        for by_course in (False, True):
            for step in self.graph.steps:
                letter = (step.label.to_course_name(self.course) if by_course else step.name).lower()
                if self.exact.get(letter, [(Reference(step.name),)])[0][0].step == step.name:
                    yield letter, step.name

    def find(
        self, key: Scalar, node: Node | None = None, fits: Callable[[Target], bool] | None = None
    ) -> list[Target]:
        """All targets that a key may stand for, the likeliest first; `fits` says which its value fits."""
        if key.text in self.exact:
            return self.exact[key.text]
        match = KEY.fullmatch(key.text.strip()) if len(key.text) <= LONGEST_KEY else None
        name = match["name"] if match else key.text
        self.refuse_part(key)
        targets = self.find_named(name) or self.find_short(name, key, fits)
        if not match or not targets:
            raise fault(self.unknown(name, node), key.place)
        at = tuple(int(index) for index in match["at"].split(",")) if match["at"] else ()
        return self.find_inside(targets, at, key) if at else targets

    @cached_property
    def example(self) -> str:
        """How to answer the last step of the problem, with its shape."""
        step = self.graph.steps[-1]
        rows, columns = (1, 1, *step.shape)[-2:]
        row = f"[{', '.join(['…'] * min(columns, MOST_SHOWN))}]"
        matrix = f"[{', '.join([row] * min(rows, MOST_SHOWN))}]"
        return f"{step.label.to_course_name(self.course)} = {matrix}, which is {shape_text(step.shape)}"

    def find_named(self, name: str) -> list[Target]:
        """The targets of a name without indices."""
        plain = spell_plainly(name)
        found = self.exact.get(name) or self.exact.get(plain) or self.words.get(fold(plain))
        if not found and plain in self.letters:
            found = self.exact[self.letters[plain]]
        return found or self.of_head(name)

    def of_head(self, name: str) -> list[Target]:
        """The step of a head that is named in words."""
        found = choose_proposal(propose(name, OF_HEAD), lambda numbered: bool(self.find_exact(numbered)))
        return self.find_exact(found.text) if found else []

    def find_exact(self, name: str) -> list[Target]:
        """The targets of a name as the problem has it, or in words."""
        return self.exact.get(name) or self.words.get(fold(name), [])

    def asked_by(self, name: str) -> list[Target]:
        """What a part asks for, if a name is its letter."""
        match = re.fullmatch(PART, name.strip(), re.IGNORECASE)
        steps = self.parts.get(match["label"].lower(), ()) if match else ()
        return [(self.graph.resolve(step, self.course),) for step in steps]

    def refuse_part(self, key: Scalar) -> None:
        """Raise a fault if a key is the letter of a part: it does not say which step is answered."""
        match = re.fullmatch(PART, key.text.strip(), re.IGNORECASE)
        steps = self.parts.get(match["label"].lower(), ()) if match else ()
        named = {target[0].step for target in self.find_named(key.text)}
        if match and steps and not named & {step.step for step in steps}:
            asked = ", ".join(map(str, steps))
            raise fault(f"part {match['label']} asks for {asked}: write {asked}", key.place)

    def find_inside(self, targets: list[Target], at: At, key: Scalar) -> list[Target]:
        """The rows or cells of those targets that are whole steps and large enough."""
        whole = [target[0] for target in targets if len(target) == 1 and not target[0].at]
        if not whole:
            raise fault(self.unknown(key.text), key.place)
        places = [Reference(step.step, at) for step in whole]
        return self.find_existing(places, key)

    def find_existing(self, places: list[Reference], key: Scalar) -> list[Target]:
        """Those of some rows or cells that exist; raise a fault if there are none."""
        inside: list[Target] = [(place,) for place in places if self.is_inside(place)]
        if not inside:
            check_reference(self.graph, places[0], key.place)
        return inside

    def places(self, step: str, text: str) -> list[Reference]:
        """The rows and cells of a step that numbers may stand for; of a single row also its cells."""
        shape = self.graph.shapes[step]
        places = [Reference(step, at) for at in splits(text)]
        if len(shape) > 2 or shape[0] == 1:
            first = range(1, shape[0] + 1)
            places += [Reference(step, (number, *place.at)) for place in [*places] for number in first]
        return [place for place in dict.fromkeys(places) if self.is_inside(place)]

    def find_short(
        self, name: str, key: Scalar, fits: Callable[[Target], bool] | None = None
    ) -> list[Target]:
        """The row or cell that a small letter with indices stands for, if it is unique: z_31, q_{2}."""
        match = SUBSCRIPT.fullmatch(spell_plainly(name))
        if not match or match["base"] not in self.letters or name in self.taken:
            return []
        step = self.letters[match["base"]]
        fitting = [place for place in self.places(step, match["at"]) if fits and fits((place,))]
        if len(fitting) == 1:
            return [(fitting[0],)]
        if fitting:
            raise fault(f"may be {' or '.join(map(str, fitting))}: write it so", key.place)
        inside = self.find_existing([Reference(step, at) for at in splits(match["at"])], key)
        if len(inside) > 1:
            either = " or ".join(str(place) for (place,) in inside)
            raise fault(f"may be {either}: write it so", key.place)
        return inside

    def is_inside(self, place: Reference) -> bool:
        """Whether a step has such a row or cell."""
        shape = self.graph.shapes[place.step]
        sizes = zip(place.at, shape, strict=False)
        return len(place.at) <= len(shape) and all(1 <= index <= size for index, size in sizes)

    def unknown(self, name: str, node: Node | None = None) -> str:
        """The message that there is no such step, with the nearest name and all steps."""
        if name in self.given:
            return "is given in the problem: leave it out"
        if name == WRAPPER:
            return f"there is no step {quote(name)}: steps stand below it, such as S: [[1, 0], [0, 1]]"
        inside = isinstance(node, Mapped) and nearest(name, OTHER_KEYS)
        others = [*self.exact, *self.words, "student", "problem"]
        hint = inside or self.hint_brackets(name) or nearest(name, others)
        hint = hint or self.hint_among(name) or remark_hint(node)
        said = ", ".join(self.describe(label, steps) for label, steps in self.groups.items())
        known = f"{' The' if hint else '; the'} steps are {said}" if said else "; the problem has none"
        return f"there is no step {quote(name)}{hint}{known}"

    def with_numbers(self, name: str) -> Iterator[tuple[str, str]]:
        """The step of a name with numbers behind it, and the numbers: A1, A(1,2), A[1][2], row 1 of A."""
        match = INDEXED.fullmatch(spell_plainly(name)) or ROW_OF.fullmatch(name)
        # A colon is that of a slice, which counts from 0 in Python.
        if match and ":" not in name and not re.search(r"(?<![0-9])0", match["at"]):
            targets = self.find_named(match["name"]) or self.find_named(
                find_meant(match["name"], self.exact) or ""
            )
            steps = {target[0].step for target in targets if len(target) == 1 and not target[0].at}
            yield from ((step, ",".join(re.findall("[0-9]+", match["at"]))) for step in steps)

    def hint_brackets(self, name: str) -> str:
        """A hint for a row or cell in other brackets: A1, A(1,2), A[1][2], row 1 of A."""
        match = INDEXED.fullmatch(spell_plainly(name)) or ROW_OF.fullmatch(name) or COLUMN.fullmatch(name)
        known = find_meant(match["name"], self.exact) if match else None
        targets = self.find_named(match["name"]) or self.find_named(known or "") if match else []
        if not match or not targets:
            return ""
        if re.search(r"(?<![0-9])0", match["at"]):
            return ": rows, columns and heads count from 1."
        if len(targets[0]) > 1:
            numbered = f"{match['name']}_{match['at']}"
            return f"; did you mean '{numbered}'?" if numbered in self.exact else ""
        step = targets[0][0].step
        if match.re is COLUMN:
            return f": write its cells, {step}[1, {match['at']}], {step}[2, {match['at']}], …"
        indices = tuple(map(int, re.findall("[0-9]+", match["at"])))
        places = [Reference(step, at) for at in (splits(match["at"]) if len(indices) == 1 else [indices])]
        inside = [place for place in places if self.is_inside(place)]
        return f"; did you mean '{inside[0]}'?" if len(inside) == 1 else ""

    def hint_among(self, name: str) -> str:
        """A hint for one step named among words: the scores are S."""
        steps = [word for word in re.findall(r"\w+", name) if word in self.exact]
        return f"; did you mean '{steps[0]}'?" if len(steps) == 1 else ""

    def describe(self, label: Label, steps: list[Step]) -> str:
        """A group of steps in words: S scores, A_1 to A_4 weights."""
        symbols = [step.label.to_course_name(self.course) for step in steps if step.head or len(steps) == 1]
        names = symbols[0] if len(symbols) == 1 else f"{symbols[0]} to {symbols[-1]}"
        words = words_of(label)
        return f"{names} {words[0] if words else steps[0].title.lower()}"


def places_asked(problem: Problem, graph: Graph) -> Iterator[tuple[str, list[Target]]]:
    """For every step of which only one row or cell is asked, that row or cell."""
    found: dict[str, list[At]] = {}
    for part in problem.parts:
        for reference in part.steps:
            resolved = graph.resolve(reference, problem.names)
            found.setdefault(resolved.step, []).append(resolved.at)
    for step, places in found.items():
        shared = common_start(places)
        yield step, [(Reference(step, shared[:count]),) for count in range(1, len(shared) + 1)]


def remark_hint(node: Node | None) -> str:
    """A hint for a line of words."""
    is_text = isinstance(node, Scalar) and re.search(r"[^\W\d]{2}", node.text)
    return ": put # before it if it is a remark." if is_text else ""


def common_start(places: Sequence[At]) -> At:
    """The first indices that all places share."""
    alike = takewhile(lambda indices: len(set(indices)) == 1, zip(*places, strict=False))
    return tuple(indices[0] for indices in alike)


def words_of(label: Label) -> tuple[str, ...]:
    """The words for a step, its title last; empty if no mechanism declares it."""
    found = SPOKEN.get((label.role, label.limit), ())
    usual = SPOKEN.get((label.role, False), ()) if label.limit else ()
    return *(f"{word}_limit" for word in usual), *found


def spellings(word: str, label: Label, only: bool) -> Iterator[str]:
    """A word with the number of its head or layer; also without it for the only layer of its kind."""
    number = label.head or label.layer
    if number is None or (label.layer and only):
        yield fold(word)
    if number is not None:
        yield fold(f"{word}_{number}")
        yield fold(f"{word}{number}")


def fold(text: str) -> str:
    """A word in lower case, with underscores for spaces and hyphens."""
    return re.sub(r"[\s_-]+", "_", text.strip().lower())


def spell_plainly(name: str) -> str:
    """A name in plain letters: α₃₁ is alpha_31."""
    if name.isascii() and "\\" not in name:
        return name
    lowered = re.sub("[₀-₉⁰¹²³⁴-⁹]+", lambda match: f"_{match[0].translate(LOWERED)}", name)
    return "".join(LETTERS.get(sign, sign) for sign in lowered.replace("\\", ""))


def splits(text: str) -> list[At]:
    """The indices that a subscript may stand for: those between commas, else its digits in every grouping."""
    pieces = re.split("[,_ ]+", text)
    if len(pieces) > 1:
        return [tuple(map(int, pieces))]
    counts = range(len(text) - 1, -1, -1)
    cuts = [cut for count in counts for cut in combinations(range(1, len(text)), count)]
    groups = [[text[a:b] for a, b in pairwise((0, *cut, len(text)))] for cut in cuts]
    return [tuple(map(int, group)) for group in groups]
