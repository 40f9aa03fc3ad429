"""What was read of a paste so far, and what holds for every line: nothing twice, nothing lost."""

from __future__ import annotations

import re

from attncalc.core.errors import Place, ProblemError, fault, inert
from attncalc.exercise.keys.meant import is_matrix_key
from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.pasted.formulas import read_computed
from attncalc.exercise.pasted.literals import NotRead, read_literal, row_of
from attncalc.exercise.pasted.signs import BULLET, clean
from attncalc.exercise.pasted.words import Said, find_settings
from attncalc.exercise.written_names import find_names

CODE = (
    r"[-+*/@]=|^(?:for\s+\w+\s+in\b|while\b.*:$|def\s|return\b|class\s+\w+|lambda\b|if\b.*:$|function\b.*[({])"
    r"|^(?:reshape|transpose|permute|swapaxes|view|flip|roll)\(|::|^[\[:,\s\d-]*\[[\]:,\s\d-]*$|\w\.\w+\(|\w\[[^\]]*\]\s*[:=]|\(\s*[^()]*\w\s*=\s*\w"
)
"""A line of code that may change numbers."""
SOFTMAX_OF_SCORES = (
    r"(?:\\(?:text|mathrm|operatorname)\s*\{)?\bsoft-?max\}?\s*(?:\\left)?\s*[({]\s*"
    r"(?:\\[dt]?frac\s*\{)?\s*Q\s*(?:@\s*)?K.*[)}](?:\s*@?\s*V\b)?"
)
"""The softmax of the scores, as a formula among words."""
DRAWN_BRACKET = r"[⎛-⎭].*\d"
"""A row between brackets that are drawn over several lines."""
IN_DOUBT = r"(?i)\b(?:hints?|would|repeat|what (?:happens|if|changes)|compare|instead|suppose now|if)\b"
"""Words in a sentence whose settings may not hold for the whole exercise."""
FACTOR_ALONE = r"[-+*/().0-9\s^]*(?:sqrt|√|/)[-+*/().0-9\s^]*(?:d_?k)?\)?"
"""A line with nothing but a factor: 1/sqrt(2)."""
NEUTRAL = frozenset(
    ("the", "a", "an", "and", "let", "with", "where", "given", "have", "we", "is", "are", "matrix",
     "matrices", "vector", "vectors", "suppose", "for", "consider", "query", "queries", "key", "keys",
     "value", "values",
     "weight", "weights", "of", "our", "following", "here", "this", "be", "by", "use", "take")
)  # fmt: skip
"""Words before a name that say nothing."""


class Reader:
    """The text of a paste, where it is read, and what was found."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.text = clean(text)
        self.at = 0
        self.found: dict[str, tuple[str, int]] = {}
        """What is read, and its line, by the name as it was written."""
        self.row_line = 0
        self.rows: list[str] = []
        """The names of the line before, of which each has one row so far."""
        self.columns: list[str] = []
        """Names side by side whose rows follow below."""
        self.labels: list[str] = []
        self.pending = ""
        self.pending_line = 0
        self.left_out: list[tuple[int, str]] = []
        self.settings: dict[str, tuple[str, str, int]] = {}
        self.computed: dict[str, int] = {}
        self.asked: list[tuple[Said, int]] = []
        """What another line may answer."""

    @property
    def line(self) -> int:
        """The number of the line, from 1."""
        return self.text.count("\n", 0, self.at) + 1

    def refuse(self, message: str, line: int | None = None) -> ProblemError:
        """Return a fault at a line."""
        return fault(message, Place(self.file, line or self.line, 1))

    def refuse_computed(self, written: str, code: str, line: int) -> ProblemError:
        """Return the fault of a line that computes what is not computed here."""
        shown = inert((f"{written.strip()} = {code}" if written else code)[:60])
        return self.refuse(
            f"'{shown}' is computed, and not as here: leave it out, or write its numbers", line
        )

    def add(self, name: str, value: str, line: int) -> None:
        """Add a matrix or a number under a name."""
        if lost := re.fullmatch(r"\[*\s*([0-9]{4,})\s*\]*", value):
            what = f"this is one number: the rows and columns of {lost[1]} were lost: write [[1, 0], [0, 1]]"
            raise self.refuse(what, line)
        if self.pending and self.pending != name:
            self.leave_out(self.pending, self.pending_line)
        self.pending = ""
        if name in self.found and self.found[name][0] != value:
            first = self.found[name][1]
            raise self.refuse(f"{inert(name)} already stands in line {first}: leave one of them out", line)
        self.found[name] = value, line

    def literal(self, at: int) -> tuple[str, int] | None:
        """Return the matrix that starts at an index, and its end."""
        try:
            found = read_literal(self.text, at)
        except NotRead as error:
            raise self.refuse(error.message) from None
        for comment in re.findall(
            r"(?m)(?<=[\s,;\])])(?:#|//|%)(.*)$", self.text[at : found.end] if found else ""
        ):
            self.take_settings(comment, self.line)
        return (found.text, found.end) if found else None

    def note_row(self, name: str, value: str, line: int) -> None:
        """Note a matrix of one row in brackets, of which further rows may follow below."""
        if line != self.row_line:
            self.rows, self.row_line = [], line
        if re.fullmatch(r"\[[^\[\];]*\]", value):
            self.rows.append(name)

    def skip_separators(self, at: int) -> int:
        """Return the index of what follows a matrix on its line, or of the next line."""
        match = re.compile(r"(?:[^\S\n]|[,;.&|>)]|\\\\|\band\b)*\n?").match(self.text, at)
        return match.end() if match else at

    def resolve(self, word: str) -> str:
        """Return the key that a name in code stands for."""
        found = find_names(word, [key for key in KEYS if is_matrix_key(key)])
        return found[0] if len(found) == 1 else ""

    def take_labels(self, labels: list[str]) -> None:
        """Note the names of rows."""
        if labels and all(re.match(r"[^\W\d]", label) for label in labels) and len({*labels}) == len(labels):
            self.labels = labels

    def read_words(self, words: str, line: int | None = None) -> None:
        """Take the settings that words say; note the rest as left out."""
        line = line or self.line
        shown = re.sub(rf"^{BULLET}", "", words, count=1).strip().lstrip("#%/ ").strip()
        if not shown:
            return
        if row_of(shown) is not None and self.found and not re.match(r"\s*(?:#|%|//)", words):
            raise self.refuse(f"'{inert(shown[:60])}' belongs to no matrix: write a name and a matrix", line)
        if re.search(r"\[\s*[-+−.0-9]|\b[0-9.]+\s*&|\\begin|(?:\b[-−.0-9]+\s+){3}", shown):
            if re.match(r"[\[(]", shown):
                raise self.refuse("this matrix has no name: write Q: before it, if it is Q", line)
            what = "write a name and a matrix, such as Q: [[1, 0], [0, 1]]"
            raise self.refuse(f"'{inert(shown[:60])}' cannot be read: {what}", line)
        if re.search(DRAWN_BRACKET, shown):
            what = "is a row of a matrix whose name stands in another line: write Q: [[1, 0], [0, 1]]"
            raise self.refuse(f"'{inert(shown[:60])}' {what}", line)
        if re.search(CODE, shown):
            shown = inert(shown[:60])
            raise self.refuse(
                f"'{shown}' is a line of code that is not read: leave it out, or write numbers", line
            )
        self.take_formula(shown, line)
        self.take_settings(shown, line)
        self.leave_out(shown, line)

    def take_formula(self, words: str, line: int) -> None:
        """Take the scale of a formula among words; one that computes something else is refused."""
        if re.fullmatch(FACTOR_ALONE, words):
            raise self.refuse(
                f"'{inert(words)}' stands alone: if it is the scale, write scale: {inert(words)}", line
            )
        if not (match := re.search(SOFTMAX_OF_SCORES, words)):
            return
        computed = read_computed("", match[0], {name: self.resolve(name) for name in ("Q", "K", "V")})
        if computed is None:
            raise self.refuse_computed("", match[0], line)
        if computed.setting:
            self.computed.setdefault(computed.setting, line)

    def take_settings(self, words: str, line: int) -> None:
        """Take the settings that words say, and refuse what must be said properly."""
        try:
            for said, setting in find_settings(words):
                if re.search(IN_DOUBT, words):
                    what = f"if it holds for the whole exercise, write {setting}; if not, leave it out"
                    raise self.refuse(f"'{inert(words.strip()[:60])}': {what}", line)
                self.set(setting, said, line)
        except Said as asked:
            if not asked.answered_by:
                raise self.refuse(str(asked), line) from None
            self.asked.append((asked, line))

    def words_before(self, words: str) -> None:
        """Take the settings that the words before a name say."""
        if any(word not in NEUTRAL for word in re.findall(r"[^\s,:;.()]+", words.lower())):
            self.read_words(words)

    def set(self, setting: str, said: str, line: int) -> None:
        """Take a setting; two that contradict each other are refused."""
        key, value = setting.split(": ")
        other = self.settings.get(key, (value, "", 0))
        if other[0] != value:
            raise self.refuse(
                f"'{inert(said)}' and '{inert(other[1])}' in line {other[2]} contradict each other", line
            )
        self.settings[key] = value, said, line

    def leave_out(self, words: str, line: int) -> None:
        """Note words that say nothing here."""
        self.left_out.append((line, words.strip()))


def to_matrix(rows: list[list[str]], reader: Reader, separator: str = "") -> str:
    """Return rows of entries as a matrix; commas inside entries are decimal points."""
    has_commas = any("," in entry for row in rows for entry in row)
    if has_commas and separator == ",":
        raise reader.refuse("has decimal commas between commas: write decimal points")
    listed = (", ".join(entry.replace(",", ".") for entry in row) for row in rows)
    return f"[{', '.join(f'[{row}]' for row in listed)}]"
