"""Read a paste as a problem file: names with matrices, settings in words, and lines that say nothing else.

Every line is accounted for: it is part of a matrix or a setting, it is known to say nothing (imports, fences,
prints), or it is left out and said.  What might say more is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from attncalc.core.errors import Fault, Place, ProblemError, fault, inert
from attncalc.core.record import record
from attncalc.core.spellings import fold
from attncalc.exercise.keys.meant import MATRIX_KEYS, ROW_OF, SIZES, SWITCHES, is_known, is_matrix_key
from attncalc.exercise.keys.problem_keys import KEYS
from attncalc.exercise.pasted.literals import (
    PAIRS,
    NotRead,
    plain_entry,
    read_literal,
    row_of,
    split_arguments,
    split_keyword,
)
from attncalc.exercise.pasted.words import Said, find_settings, is_softmax, read_computed
from attncalc.exercise.written_names import find_names, plain, split_number

LONGEST_PASTE, LONGEST_LINE, MOST_LINES = 20_000, 1500, 1000
NESTED = "parts|answers|block|let|symbols|names|marks|goal|design|sample|vary|mask"
OF_YAML = rf"(?m)^[\"{{\s]*(?:{NESTED})\"?:\s*(?:$|[\[{{])"
"""Keys with others below them: such a file is no paste."""
LONGEST_PHRASE = 6
"""The most words of a name."""
WIDE = {0xFF01 + n: chr(0x21 + n) for n in range(94)}
"""Letters, digits and brackets as wide as Chinese characters."""
UNSEEN_SIGN = "[\u200b-\u200f\u2060\ufeff]"
UNSEEN = rf"(?<![\w.]){UNSEEN_SIGN}+|{UNSEEN_SIGN}+(?![\w.])"
"""Characters without a width, except inside a number or a name."""
QUOTES = str.maketrans({**dict.fromkeys("“”„‟«»", '"'), **dict.fromkeys("‘’‚‛", "'"), "≔": "=", "←": "="})
SIGNS = (
    (r"Parameter containing:", ""),
    (r"<tf\.Tensor:\s*shape=\([^()]*\),\s*dtype=\w+,\s*numpy=[^\S\n]*", ""),
    (r"(?m)^[^\S\n]*print\(\s*f?[\"'](\w+)\s*[:=]?\s*(?:\\n)?[\"']\s*,\s*(?=[\w.]*[\[(])", r"\1 = "),
    (r"(?m)^[^\S\n]*(?:```|~~~).*$", ""),
    (r"(?m)^[^\S\n]*(?:>>>|\.\.\.|In ?\[[0-9 ]*\]:|Out ?\[[0-9 ]*\][:=]|>) ?", ""),
    (
        r"\\begin\{(?:align|aligned|equation|gather|gathered|split)\*?\}|\\end\{(?:align|aligned|equation|gather|gathered|split)\*?\}",
        "",
    ),
    (r"(?<!\\)\\\[|\\\]|\\\(|\\\)|\${1,2}", " "),
    (r"\\q?quad\b|\\[;,!:](?![A-Za-z])", " "),
    (r"&\s*(?==)|(?<=[=:])\s*&", " "),
    (r"\\text\{\s*(and|where|with|,)\s*\}", r" \1 "),
    (
        r"(?<![\w)\]])\*\*(?=[^\s*])([^*\n]+?)\*\*(?!\w)|(?<!\w)__(?=\S)([^_\n]+?)__(?!\w)|`([^`\n]+)`",
        r"\1\2\3",
    ),
    (r"\\times\s*(?=[0-9])", "x"),
    (r"\\(?:mathbb|R|in)\b(?:\{R\}|\s*R)?(?:\^\{[^{}]*\})?", " "),
)
"""Signs that only set what stands between them, each with what takes its place."""
TYPE = r"(?:const|let|var|mut|auto|static|final|float|double|int|real)(?:\[\])*"
HABITS = (
    # Q: list[list[int]] = [[..]], float Q[2][2] = {..}, self.W_q = ..
    (
        r"(?m)^([^\S\n]*\w+)[^\S\n]*:[^\S\n]*"
        r"(?:list|List|Tensor|(?:np|torch|jax)\.\w+|Array\w*)[\w\[\]<>, .]*=(?!=)",
        r"\1 =",
    ),
    (
        rf"(?m)^[^\S\n]*(?:{TYPE}[^\S\n]+)+(\w+)(?:\[\w*\])*(?:[^\S\n]*:[^\S\n]*[\w<>\[\]]+)?[^\S\n]*=(?!=)",
        r"\1 =",
    ),
    (r"(?m)^([^\S\n]*)self\.(?=\w+\s*=)", r"\1"),
    (r"new\s+\w+(?:\[\])+\s*(?=\{)|(?:\[\])+\w+(?=\{)|\b(?:array|vec)!\s*(?=\[)", ""),
    # X = (x_1, x_2) = [[..]] in LaTeX: the names of rows.
    (r"=\s*\\begin\{\w*matrix\}(?:[^0-9\\&\n]|\\(?!end)|_\{?[0-9]+)*\\end\{\w*matrix\}\s*=", "="),
    # problem = {..} and dict(Q=..).
    (r"\A\s*(?:\w+\s*=\s*)?dict\(([\s\S]*)\)\s*\Z", r"\1"),
    (r"\A\s*\w+\s*=\s*\{\s*\n([\s\S]*)\}\s*;?\s*\Z", r"\n\1"),
    (r"\b(?:Rational|Fraction)\(\s*(-?[0-9]+)\s*,\s*([0-9]+)\s*\)", r"\1/\2"),
    (r"(?m)^[^\S\n]*julia> ?", ""),
    (r"(?m)=[^\S\n]*[0-9]+×[0-9]+ (?:Matrix|Array)\{[\w, ]*\}:[^\S\n]*$", "="),
    (r"/\*[^*\n]*\*/", " "),
    (r"&(?:minus|#8722);", "-"),
    (r"&nbsp;|<br ?/?>", " "),
)
"""What languages and tools write around names and matrices, each with what takes its place."""
QUOTED = r"(?m)(?<=[=:])[^\S\n]*([\"'])[^\S\n]*(?=[\[(])([^\"'\n]*)\1(?=[\s,;]|$)"
"""A matrix in quotes."""
SILENT = (
    r"(?:from\s+\S+\s+)?import\s+.*|using\s+\w+.*|library\(.*\)|%matplotlib.*|c(?:lc|lear|lose)\b.*|"
    r"(?:np|torch|numpy|jnp|pd)\.(?:set_printoptions|random\.seed|manual_seed|set_default_dtype)\(.*\)|"
    r"print\([^\[\]]*\)|disp\(.*\)|Parameter containing:|[-=*_~#]{3,}|[.,;:\\&|]*|"
    r"(?:and|where|with|let|given)[:,]?|"
    r"(?:[\w.]+\s+)?shape\s*[:=]?\s*(?:torch\.Size)?\(?[\[(]?[0-9, ×x]*[\])]*|"
    r"\w+\s*=\s*np\.random\.(?:seed|default_rng)\(.*\)|---+"
)
"""Lines that say nothing of a problem."""
NEUTRAL = frozenset(
    ("the", "a", "an", "and", "let", "with", "where", "given", "have", "we", "is", "are", "matrix",
     "matrices", "vector", "vectors", "suppose", "for", "consider", "query", "queries", "key", "keys",
     "value", "values",
     "weight", "weights", "of", "our", "following", "here", "this", "be", "by", "use", "take")
)  # fmt: skip
"""Words before a name that say nothing."""
BULLET = r"[^\S\n]*(?:[-*•·◦▪‣–]\s+|\(?(?:[0-9]{1,2}|[a-z])[.)]\s+|#{1,6}\s+|>\s+)"
MADE = r"(?:\w+\.)?(?P<function>eye|identity|zeros|ones)\(\(?(?P<sizes>[0-9]+(?:,\s*[0-9]+)?)\)?\)"
"""A matrix that a function makes: np.eye(2)."""
CODE = (
    r"[-+*/@]=|^(?:for\s+\w+\s+in\b|while\b.*:$|def\s|return\b|class\s+\w+|lambda\b|if\b.*:$|function\b.*[({])"
    r"|\w\.\w+\(|\w\[[^\]]*\]\s*[:=]|\(\s*[^()]*\w\s*=\s*\w"
)
"""A line of code that may change numbers."""
VALUE = r"(?i:[-+−]?[0-9.]+(?:[eE][-+]?[0-9]+)?|true|false|yes|no|on|off|none|null)|[\[({].*"
"""A value that a name without a meaning may not have: it may change the exercise."""
HARMLESS = (
    r"exercise|task|question|problem|aufgabe|[üu]bung|exercice|ejercicio|part|step|week|lecture|sheet|page|figure|"
    r"table|example|points?|marks?|total|credits?|score|grade|due|date|year|deadline|version|seed|random|"
    r"student|name|author|course|matriculation|student id|id|answer|batch_?size|b|device|dtype"
)
"""The first words of lines that say nothing of the numbers."""
CALL_OF_TORCH = (
    r"\s*(?:(?P<name>\w+)\s*=\s*)?(?:F\.|(?:torch\.)?nn\.functional\.)?scaled_dot_product_attention"
    r"\((?P<arguments>.*)\)\s*(?:#.*)?"
)
OPERATOR = r"(?<![<>!=:+*/-])(?::=|:|=|<-|←)(?!=)"
CHAINED = r"\s*(?P<names>(?:[\w{}\\^]+\s*=(?!=)\s*)+)"
"""Further names before a value: W_K = in W_Q = W_K = eye(2)."""
FACTOR = (
    r"(?P<factor>[-−]?[0-9]+(?:\.[0-9]+)?(?:/[0-9]+)?|\\[dt]?frac\{?[0-9]+\}?\s*\{?[0-9]+\}?)"
    r"\s*[*·]?\s*(?=\\begin|\\left|[\[]|\w+\.\w+\()"
)
"""A number before a matrix, by which it is multiplied."""
LABEL = r"(?P<label>[^\W\d][\w'’.-]*)"


@record
class Paste:
    """The problem file that a paste means, and how it was read."""

    text: str
    readings: tuple[Fault, ...]


def read_paste(text: str, file: str) -> Paste | None:
    """Return a paste as a problem file; None if it holds no matrix.  What might mean more is a fault."""
    lengths = [*map(len, text.splitlines())]
    if len(text) > LONGEST_PASTE or len(lengths) > MOST_LINES or max(lengths, default=0) > LONGEST_LINE:
        return None
    if re.search(OF_YAML, text):
        return None
    try:
        return Reader(text, file).read()
    except RecursionError:
        return None


class Reader:
    """Goes through a paste line by line."""

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

    def read(self) -> Paste | None:
        """Read all lines."""
        while self.at < len(self.text):
            before = self.at
            self.read_line()
            if self.at <= before:
                return None
        if self.pending:
            self.leave_out(self.pending, self.pending_line)
        if not any(is_matrix_name(name) for name in self.found):
            return None
        return self.write()

    def read_line(self) -> None:
        """Read what starts here: a matrix with its name, a setting, a row, or words."""
        start = self.at
        end = self.text.find("\n", start)
        end = len(self.text) if end < 0 else end
        line = self.text[start:end]
        if re.fullmatch(rf"\s*(?:{SILENT})\s*", line):
            self.at = end + 1
            self.rows = self.rows if line.strip() else []
            return
        if not (
            self.read_softmax(start, line)
            or self.read_attention_call(line, end)
            or self.read_echo(line, end)
            or self.read_table(start)
            or self.read_side_by_side(line, end)
            or self.read_named_cells(start, line)
            or self.read_assigned(start, end)
            or self.read_below_name(start, line)
            or self.read_further_rows(line, end)
        ):
            self.read_words(line)
            self.at = end + 1

    def read_attention_call(self, line: str, end: int) -> bool:
        """Read the settings of F.scaled_dot_product_attention(q, k, v, is_causal=True)."""
        call = re.fullmatch(CALL_OF_TORCH, line)
        if not call:
            return False
        arguments = [split_keyword(one) for one in split_arguments(call["arguments"])]
        values = [plain(value) for key, value in arguments if not key]
        named = {key: value for key, value in arguments if key}
        if [self.resolve(value) for value in values] != ["Q", "K", "V"]:
            raise self.refuse_computed(call["name"] or "attention", line.strip(), self.line)
        settings = {"is_causal": {"True": "mask: causal", "False": ""}, "attn_mask": {"None": ""},
                    "dropout_p": {"0": "", "0.0": "", "0.": ""}}  # fmt: skip
        for key, value in named.items():
            factor = re.fullmatch(r"[0-9.]+(?:/[0-9.]+)?", value) if key == "scale" else None
            setting = f"scale: {value}" if factor else settings.get(key, {"None": ""}).get(value)
            if setting is None:
                raise self.refuse_computed(call["name"] or "attention", line.strip(), self.line)
            if setting:
                self.set(setting, f"{key}={value}", self.line)
        self.leave_out(line, self.line)
        self.at = end + 1
        return True

    def read_softmax(self, start: int, line: str) -> bool:
        """Leave out the definition of the usual softmax of every row."""
        if not re.match(r"def \w*softmax\w*\(", line):
            return False
        body = re.compile(r"(?:[^\S\n]+\S[^\n]*(?:\n|$)|\n)*").match(self.text, start + len(line) + 1)
        if not body or not is_softmax(body[0]):
            return False
        self.leave_out(line, self.line)
        self.at = body.end()
        return True

    def read_echo(self, line: str, end: int) -> bool:
        """Leave out what Julia prints below an assignment: the same matrix again."""
        if not re.fullmatch(r"\s*[0-9]+×[0-9]+ (?:Matrix|Array)\{[\w, ]*\}:\s*", line) or not self.found:
            return False
        block = self.block(end + 1)
        if not block or entries_in(block[0]) != entries_in([*self.found.values()][-1][0]):
            return False
        self.at = block[1]
        return True

    # Names and matrices.

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

    def read_assigned(self, start: int, end: int) -> bool:
        """Read Q = [[1, 0]], several with one sign, and what stands behind it on the line."""
        sign = re.compile(OPERATOR).search(self.text, start, end)
        while sign and self.text[start : sign.start()].count("(") > self.text[start : sign.start()].count(
            ")"
        ):
            sign = re.compile(OPERATOR).search(self.text, sign.end(), end)
        if not sign:
            return False
        written, line = self.text[start : sign.start()], self.line
        value = re.compile(r"[^\S\n]*\n?[^\S\n]*").match(self.text, sign.end())
        at = value.end() if value else sign.end()
        name, before = self.find_name(written)
        if not name and re.compile(OPERATOR).search(self.text, sign.end(), end):
            # Given: Q = [[..]].
            self.read_words(written)
            self.at = sign.end()
            return True
        if chained := re.match(CHAINED, self.text[at:end]):
            # W_Q = W_K = eye(2): the first has what the last has.
            return self.read_chain(name, before, chained["names"], at + chained.end(), end)
        if name and (front := re.match(FACTOR, self.text[at:])):
            inner = self.literal(at + front.end())
            if inner:
                self.words_before(before)
                factor = plain_entry(front["factor"])
                self.add(name, f"{factor} * {inner[0]}", line)
                self.at = self.skip_separators(inner[1])
                return True
        # Several names: Q, K = [[..]], [[..]].
        names = [plain(one) for one in written.split(",")]
        if len(names) > 1 and all(self.find_name(one)[0] and not self.find_name(one)[1] for one in names):
            return self.read_several(names, at)
        if at < len(self.text) and (found := self.literal(at)):
            rest = re.match(r"[^\S\n]*(?:[-+*/@·×][^\n]*)?", self.text[found[1] :])
            behind = rest[0].strip() if rest else ""
            if behind and re.search(
                r"@|[A-Za-z_]\w*(?!\()\b(?<!sqrt)", re.sub(r"\b(?:np|math|torch)\.|sqrt", "", behind)
            ):
                raise self.refuse(f"{inert(written.strip())} is computed: write its numbers")
            if not name:
                name = self.name_of_matrix(written)
                before = ""
            value_text = found[0] + (f" {behind}" if behind else "")
            self.words_before(before)
            self.add(name, value_text, line)
            self.note_row(name, value_text, line)
            self.at = self.skip_separators(found[1] + (len(rest[0]) if rest and behind else 0))
            return True
        behind_sign = row_of(self.text[at:end]) if is_matrix_name(name) else None
        if behind_sign and len(behind_sign) > 1 and (block := self.block(at)):
            self.words_before(before)
            self.add(name, block[0], line)
            self.at = block[1]
            return True
        if self.text[at:end].strip() or (at < end):
            return self.read_value(written, name, before, self.text[at:end], line, end)
        block = self.block(at)
        if block and name:
            self.words_before(before)
            self.add(name, block[0], line)
            self.at = block[1]
            return True
        if name and is_matrix_name(name):
            self.pending, self.pending_line = name, line
            self.words_before(before)
            self.at = end + 1
            return True
        self.read_words(self.text[start:end])
        self.at = end + 1
        return True

    def read_chain(self, name: str, before: str, others: str, at: int, end: int) -> bool:
        """Read a value that several names have: W_Q = W_K = np.eye(2)."""
        names = [name, *(self.find_name(one)[0] for one in others.split("=")[:-1])]
        if not all(map(is_matrix_name, names)):
            raise self.refuse("one of the names before this value is not known")
        line = self.line
        self.words_before(before)
        found = self.literal(at) if at < len(self.text) else None
        code = re.split(r"[$;]|,(?!\s*[0-9])|\s#", self.text[at:end])[0].strip().rstrip(".")
        made = re.fullmatch(MADE, code)
        unit = re.fullmatch(r"I|\\mathbf\{?I\}?|\\mathbb\{?I\}?", code)
        if not found and not made and not unit:
            raise self.refuse_computed(" = ".join(names), code, line)
        value = found[0] if found else f"{made['function']}({made['sizes']})" if made else "I"
        for one in names:
            self.add(one, value, line)
        self.at = self.skip_separators(
            found[1] if found else at + len(self.text[at:end].split(code)[0] + code)
        )
        return True

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

    def read_several(self, names: list[str], at: int) -> bool:
        """Read Q, K, V = [[..]], [[..]], [[..]]."""
        values, line = [], self.line
        while found := self.literal(at):
            values.append(found[0])
            match = re.compile(r"\s*,\s*\\?\s*").match(self.text, found[1])
            at = match.end() if match and len(values) < len(names) else found[1]
            if len(values) == len(names):
                break
        if len(values) != len(names):
            raise self.refuse(f"there are {len(names)} names for {len(values)} matrices")
        for name, value in zip(names, values, strict=True):
            self.add(self.find_name(name)[0], value, line)
        self.at = self.skip_separators(at)
        return True

    def read_value(self, written: str, name: str, before: str, value: str, line: int, end: int) -> bool:
        """Read a number, a word, or a line of code behind a name."""
        code, _, comment = value.partition("#") if re.search(r"\s#", value) else (value, "", "")
        code = code.strip().rstrip(";,.").strip()
        if comment:
            self.read_words(comment)
        self.at = end + 1
        is_matrix = is_matrix_name(name)
        if (
            name
            and not is_matrix
            and (sentence := re.fullmatch(r"([0-9]+)(?:\s|[,;.](?=\s))+((?:[^\W\d]|\().*)", code))
        ):
            code = sentence[1]
            self.read_words(sentence[2], line)
        names = {key: self.resolve(key) for key in re.findall(r"[A-Za-z_]\w*", f"{written} {code}")}
        computed = read_computed(written.strip(), code, {key: found for key, found in names.items() if found})
        if computed is not None and not re.fullmatch(r"[\w.]+", code):
            if computed.setting:
                self.computed.setdefault(computed.setting, line)
            self.leave_out(f"{written.strip()} = {code}", line)
            return True
        if is_matrix and (made := re.fullmatch(MADE, code)):
            self.words_before(before)
            self.add(name, f"{made['function']}({made['sizes']})", line)
            return True
        if re.search(r"softmax|@|\bQK|matmul|\.dot\(", code):
            raise self.refuse_computed(written, code, line)
        if name and not is_matrix and (fold(plain(name)) in (*SIZES, *SWITCHES) or find_names(name, KEYS)):
            if fold(plain(name)) in SIZES and not re.fullmatch("[0-9]+", code):
                raise self.refuse(f"{inert(written.strip())} is computed: write its number", line)
            code = re.sub(r"^(?:True|False)$", lambda match: match[0].lower(), code)
            self.words_before(before)
            self.add(
                name,
                f"'{code}'" if re.search(r"[\\{}\[\]#:]", code) and "{" not in code[:1] + "[" else code,
                line,
            )
            return True
        if "(" in code or is_matrix:
            raise self.refuse_computed(written, code, line)
        self.refuse_value(written, code, line)
        self.read_words(f"{written}: {value}", line)
        return True

    def refuse_value(self, written: str, code: str, line: int) -> None:
        """Raise a fault for an unknown name with a value, unless it is a heading."""
        name = plain(re.sub(rf"^{BULLET}", "", written, count=1)).strip("() ,.;")
        if not re.fullmatch(VALUE, code) or re.fullmatch(rf"(?i:(?:{HARMLESS})\b.*)|.*\bshape", name):
            return
        shown = inert(f"{written.strip()}: {code}"[:60])
        raise self.refuse(f"'{shown}' is not known here: leave it out if it changes nothing", line)

    def refuse_computed(self, written: str, code: str, line: int) -> ProblemError:
        """Return the fault of a line that computes what is not computed here."""
        shown = inert(f"{written.strip()} = {code}"[:60])
        return self.refuse(
            f"'{shown}' is computed, and not as here: leave it out, or write its numbers", line
        )

    def resolve(self, word: str) -> str:
        """Return the key that a name in code stands for."""
        found = find_names(word, [key for key in KEYS if is_matrix_key(key)])
        return found[0] if len(found) == 1 else ""

    def name_of_matrix(self, written: str) -> str:
        """Return the name of a matrix that no key is known for, so that it is refused; or the pending one."""
        word = plain(re.sub(rf"^{BULLET}", "", written, count=1)).strip()
        if self.pending and not word:
            return self.pending
        if not word:
            raise self.refuse("this matrix has no name: write Q: before it, if it is Q")
        return word

    def find_name(self, written: str) -> tuple[str, str]:
        """Return the name at the end of some words, and the words before it; empty names if there is none."""
        text = re.sub(
            r"\s*(?:\(\s*[0-9]+\s*[x×,]\s*[0-9]+\s*\)|∈.*)\s*$",
            "",
            re.sub(rf"^{BULLET}", "", written, count=1),
        ).strip()
        text = re.sub(r"\s+(?:is|are|be|as|equals)$", "", text)
        text = re.sub(
            r"\((?P<name>[^()]*)\)$",
            lambda match: match["name"] if is_name(plain(match["name"])) else match[0],
            text,
        )
        words = text.split()
        for count in range(max(0, len(words) - LONGEST_PHRASE), len(words)):
            name = plain(" ".join(words[count:])).strip(" ,.;")
            if name.count("(") != name.count(")") or re.fullmatch(r"\(.*\)", name):
                name = name.strip("() ,.;")
            if is_name(name):
                return name, " ".join(words[:count])
        return "", text

    def read_below_name(self, start: int, line: str) -> bool:
        """Read a matrix below its name, or behind it without a sign: Q [[1, 0]]."""
        match = re.match(r"\s*", line)
        at = start + (match.end() if match else 0)
        bullet = re.compile(BULLET).match(self.text, start)
        if self.pending:
            block = self.block(start)
            if block:
                self.add(self.pending, block[0], self.pending_line)
                self.at = block[1]
                return True
            if found := self.literal(bullet.end() if bullet else at):
                self.add(self.pending, found[0], self.pending_line)
                self.note_row([*self.found][-1], found[0], self.line)
                self.at = self.skip_separators(found[1])
                return True
        inside = re.match(
            r"(?P<name>[^\[({\\0-9]*?[^\W\d]\w*[^\S\n]*)(?=[\[({⎡]|\\begin|\\left|[a-z.]*(?:array|tensor|matrix)\()",
            line,
        )
        if inside:
            name, before = self.find_name(inside["name"])
            found = self.literal(start + inside.end()) if is_matrix_name(name) else None
            if found:
                self.words_before(before)
                self.add(name, found[0], self.line)
                self.note_row(name, found[0], self.line)
                self.at = self.skip_separators(found[1])
                return True
        name, before = self.find_name(line)
        below = self.text[start + len(line) + 1 :].lstrip("\n")
        if is_matrix_name(name) and below and starts_matrix(below):
            if self.pending:
                self.leave_out(self.pending, self.pending_line)
            self.words_before(before)
            self.pending, self.pending_line = name, self.line
            self.at = start + len(line) + 1
            return True
        return False

    def printed(self, start: int) -> tuple[str, int] | None:
        """Return the matrix of a print whose rows and columns are numbered, as in R and pandas."""
        head, _, _ = self.text[start:].lstrip("\n").partition("\n")
        columns = re.findall(r"\[,([0-9]+)\]|(?<!\S)([0-9]+)(?!\S)", head)
        counted = [int(one or other) for one, other in columns]
        if not counted or counted not in ([*range(len(counted))], [*range(1, len(counted) + 1)]):
            return None
        if not re.fullmatch(r"\s+(?:\[,[0-9]+\]\s*)+|\s+[0-9]+(?:\s+[0-9]+)*\s*", head):
            return None
        at = start + self.text[start:].index(head) + len(head) + 1
        rows: list[list[str]] = []
        for line in self.text[at:].split("\n"):
            label = re.match(r"\s*(?:\[([0-9]+),\]|([0-9]+))(?=\s)", line)
            row = row_of(line[label.end() :]) if label else None
            if not label or row is None or len(row) != len(counted):
                break
            if int(label[1] or label[2]) != counted[0] + len(rows):
                return None
            rows.append(row)
            at += len(line) + 1
        return (to_matrix(rows, self), min(at, len(self.text))) if rows else None

    def block(self, start: int) -> tuple[str, int] | None:
        """Return rows of numbers below each other, and where they end."""
        if printed := self.printed(start):
            return printed
        rows: list[list[str]] = []
        labels: list[str] = []
        at = start
        for line in self.text[start:].split("\n"):
            bare = re.sub(r"^\s*[-*•]\s+(?=[\[(0-9])", "", line)
            row = row_of(bare)
            label = re.match(rf"\s*{LABEL}(?:\s*[:|,]\s*|\s+|\t)(?=[-+−.0-9\[(])", bare)
            if row is None and label and not is_name(label["label"]):
                row = row_of(bare[label.end() :])
                labels += [label["label"]] if row else []
            if row is None:
                if not rows and not line.strip():
                    at += len(line) + 1
                    continue
                break
            rows.append(row)
            at += len(line) + 1
        if not rows or len({len(row) for row in rows}) > 1 or (labels and len(labels) != len(rows)):
            return None
        if len(rows) == 1 and re.match(r"\s*[\[({]", self.text[start:]) and not labels:
            return None
        self.labels = labels or self.labels
        return to_matrix(rows, self), min(at, len(self.text))

    def read_further_rows(self, line: str, end: int) -> bool:
        """Read further rows of the matrices of the line before: of one, or of several side by side."""
        groups = re.findall(r"[\[({⎡⎢⎣⎛⎜⎝|][^\[\](){}⎡⎢⎣⎤⎥⎦⎛⎜⎝⎞⎟⎠|]*[\])}⎤⎥⎦⎞⎟⎠|]", line)
        rows = [row_of(group) for group in groups]
        if (
            not self.rows
            or len(groups) != len(self.rows)
            or None in rows
            or len("".join(groups)) < len("".join(line.split()))
        ):
            return False
        for name, row in zip(self.rows, rows, strict=True):
            before, number = self.found[name]
            self.found[name] = f"{before.strip()[:-1]}; {', '.join(row or [])}]", number
        self.at = end + 1
        return True

    def read_side_by_side(self, line: str, end: int) -> bool:
        """Read the rows below a line of names: Q =    K =."""
        names = [name.strip() for name in re.split(r"[=:]|\t+|\s{3,}", line) if name.strip()]
        if (
            len(names) > 1
            and all(is_matrix_name(plain(name)) for name in names)
            and not re.search("[0-9]", re.sub(r"_?[0-9]", "", line))
        ):
            self.columns = [plain(name) for name in names]
            below = self.text[end + 1 :].lstrip("\n").split("\n", 1)[0]
            if len(groups_of(below)) == len(names):
                self.at = end + 1
                return True
            self.columns = []
        groups = groups_of(line) if self.columns else []
        rows = [row_of(group) for group in groups]
        if not self.columns or len(groups) != len(self.columns) or None in rows:
            self.columns = []
            return False
        for name, row in zip(self.columns, rows, strict=True):
            listed = f"[{', '.join(row or [])}]"
            before = self.found[name][0][:-1] + ", " if name in self.found else "["
            self.found[name] = f"{before}{listed}]", self.line
        self.at = end + 1
        return True

    def read_named_cells(self, start: int, line: str) -> bool:
        """Read cells of a spreadsheet: the name, and the first row behind it."""
        separator = next((sign for sign in "\t;," if sign in line), "")
        cells = [cell.strip().strip('"') for cell in line.rstrip().split(separator)] if separator else []
        name = plain(cells[0]).rstrip(":=").strip() if cells else ""
        if (
            len(cells) < 2
            or not (is_matrix_name(name) or is_vector_name(name))
            or row_of(",".join(cells[1:])) is None
        ):
            return False
        if separator == "," and not all(
            re.fullmatch(r"\s*[-+−.0-9eE/]+\s*", cell) for cell in cells[1:] if cell
        ):
            return False
        rows: list[list[str]] = []
        at, line_of_name = start, self.line
        for other in self.text[start:].split("\n"):
            found = [cell.strip().strip('"') for cell in other.rstrip().split(separator)]
            label = plain(found[0]).rstrip(":=").strip()
            if (rows and label not in ("", name)) or len(found) < 2:
                break
            rows.append([cell for cell in found[1:] if cell])
            at += len(other) + 1
        if len({len(row) for row in rows}) > 1:
            raise self.refuse(f"the rows of {inert(name)} have different lengths")
        self.add(name, to_matrix(rows, self, separator), line_of_name)
        self.at = min(at, len(self.text))
        return True

    def read_table(self, start: int) -> bool:
        """Read a table of Markdown: of one matrix, of names and matrices, or of columns of rows."""
        lines = []
        for line in self.text[start:].split("\n"):
            if not re.match(r"\s*\|.*\|\s*$", line):
                break
            lines.append(line)
        if len(lines) < 2 or not any(re.fullmatch(r"[\s|:-]+", line) and "-" in line for line in lines[:2]):
            return False
        table = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in lines]
        rule = next(n for n, line in enumerate(lines) if "-" in line and re.fullmatch(r"[\s|:-]+", line))
        head, rows, number = (table[0] if rule == 1 else []), table[rule + 1 :], self.line
        self.at = min(start + sum(len(line) + 1 for line in lines), len(self.text))
        head = head if any(head) else []
        names = [plain(cell) for cell in head]
        if not rows:
            raise self.refuse("this table has no rows", number)
        if all(is_name(plain(row[0])) and len(row) == 2 for row in rows):
            for n, row in enumerate(rows):
                found = read_literal(row[1], 0) if row[1][:1] in "[({" or "(" in row[1] else None
                self.add(plain(row[0]), found[0] if found else row[1], number + rule + 1 + n)
            return True
        vectors = [
            n
            for n, name in enumerate(names)
            if is_matrix_name(name) or (len(name) == 1 and name.upper() in ROW_OF)
        ]
        if vectors and all(
            n < len(row) and re.fullmatch(r"[\[(].*[\])]", row[n]) for row in rows for n in vectors
        ):
            for n in vectors:
                listed = ", ".join(f"[{row[n].strip('[]() ')}]" for row in rows)
                self.add(names[n].upper(), f"[{listed}]", number)
            self.take_labels([row[0] for row in rows] if 0 not in vectors else [])
            return True
        is_labelled = all(row_of(row[0]) is None for row in rows) or (head[:1] == [""] and len(head) > 1)
        if head and is_labelled and head[0] and all(row_of(cell) for cell in head[1:]):
            raise self.refuse("the head of this table may be a row, or numbers of columns: say which", number)
        cells = [row[1:] if is_labelled else row for row in rows]
        if head and not is_labelled and all(row_of(cell) for cell in head):
            counts = [str(n) for n in range(len(head))], [str(n + 1) for n in range(len(head))]
            if head in counts:
                raise self.refuse(
                    "the head of this table may be a row, or numbers of columns: say which", number
                )
            cells = [head, *cells]
        name = names[0] if names and is_matrix_name(names[0]) else self.pending
        if not name:
            raise self.refuse("this table has no name: write Q: above it, if it is Q", number)
        if any(row_of(cell) is None for row in cells for cell in row):
            raise self.refuse("this table holds more than numbers", number)
        self.add(name, to_matrix(cells, self), number)
        self.take_labels([row[0] for row in rows] if is_labelled else [])
        return True

    def take_labels(self, labels: list[str]) -> None:
        """Note the names of rows."""
        if labels and all(re.match(r"[^\W\d]", label) for label in labels) and len({*labels}) == len(labels):
            self.labels = labels

    # Words.

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
        if re.search(CODE, shown):
            shown = inert(shown[:60])
            raise self.refuse(
                f"'{shown}' is a line of code that is not read: leave it out, or write numbers", line
            )
        self.take_settings(shown, line)
        self.leave_out(shown, line)

    def take_settings(self, words: str, line: int) -> None:
        """Take the settings that words say, and refuse what must be said properly."""
        try:
            for said, setting in find_settings(words):
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

    # What is written in the end.

    def write(self) -> Paste:
        """Return the problem file, each key in the line in which it was found if there is room."""
        self.add_computed()
        for asked, line in self.asked:
            if not any(find_names(name, [asked.answered_by]) for name in (*self.found, *self.settings)):
                raise self.refuse(str(asked), line)
        readings: list[Fault] = []
        written: dict[int, str] = {}
        lines = [*self.lines(readings)]
        for line, text in lines:
            place = max(line, max(written, default=0) + 1)
            written[place] = text
        last = max(written)
        body = "".join(f"{written.get(number, '')}\n" for number in range(1, last + 1))
        names = ", ".join(inert(plain(name)) for name in self.found)
        left = "; ".join(f"line {line}, '{inert(words[:60])}'" for line, words in sorted(self.left_out))
        first = min(line for line, _ in lines)
        said = f"read as a paste of {names}" + (f"; left out: {left}" if left else "")
        return Paste(body, (Fault(said, Place(self.file, first, 1)), *readings))

    def add_computed(self) -> None:
        """Take the scale that lines of code show."""
        scaled = self.computed.get("scale: 1/sqrt(d_k)")
        plain_line = self.computed.get("scale: none")
        given = any(
            find_names(name, ["scale"]) or fold(name) in ("scaled", "unscaled") for name in self.found
        )
        if not given and (scaled or plain_line):
            setting = "scale: 1/sqrt(d_k)" if scaled else "scale: none"
            shown = "the formula" if scaled else "the formula, which divides by nothing"
            self.set(setting, shown, scaled or plain_line or 1)

    def lines(self, readings: list[Fault]) -> Iterator[tuple[int, str]]:
        """Yield every line of the problem file, with the line of the paste."""
        for name, (value, line) in self.found.items():
            key = name if re.fullmatch(r"[A-Za-z]\w*", name) else f"'{name}'"
            yield line, f"{key}: {in_yaml(value)}"
        for key, (value, said, line) in self.settings.items():
            if any(find_names(name, [key]) for name in self.found):
                raise self.refuse(f"'{inert(said)}' stands beside {key}: leave one of them out", line)
            readings.append(Fault(f"'{inert(said)}' is read as {key}: {value}", Place(self.file, line, 1)))
            yield line, f"{key}: {value}"
        if self.labels and "tokens" not in self.found:
            yield 1, f"tokens: [{', '.join(in_quotes(label) for label in self.labels)}]"


def clean(text: str) -> str:
    """Return a paste without the signs that only set it; every line keeps its number."""
    text = re.sub(UNSEEN, "", text)
    if re.search("[［（：＝]", text):
        text = text.translate(WIDE)
    text = text.translate(QUOTES).replace("\r\n", "\n").replace("\r", "\n").replace("\xa0", " ")
    for pattern, sign in (*SIGNS, *HABITS):
        text = re.sub(pattern, sign, text)
    return re.sub(QUOTED, without_quotes, text)


def without_quotes(match: re.Match[str]) -> str:
    """Return a matrix in quotes without them, if its brackets are closed."""
    inside = match[2]
    is_closed = all(inside.count(opened) == inside.count(closed) for opened, closed in PAIRS.items())
    return f" {inside}" if is_closed else match[0]


def is_clean(text: str) -> bool:
    """Whether a text has no signs that would be left out."""
    return not any(re.search(pattern, text) for pattern, _ in SIGNS)


def is_name(name: str) -> bool:
    """Whether a name stands for one key, one row, or a size."""
    return is_matrix_name(name) or is_vector_name(name) or is_setting(name)


def is_matrix_name(name: str) -> bool:
    """Whether a name stands for a matrix, of all heads or of one."""
    if not name:
        return False
    if name in MATRIX_KEYS:
        return True
    written = split_number(name)
    bases = [name, written.base] if written.number else [name]
    known = [key for key in KEYS if is_matrix_key(key)]
    return any(is_matrix_key(one) or len(find_names(one, known)) == 1 for one in bases)


def is_vector_name(name: str) -> bool:
    """Whether a name stands for a row of a matrix."""
    written = split_number(name)
    return written.number is not None and bool(find_names(written.base, ROW_OF))


def is_setting(name: str) -> bool:
    """Whether a name stands for a setting, or a size."""
    if fold(name) in SIZES or fold(name) in SWITCHES:
        return True
    found = (
        find_names(name, [key for key in KEYS if not is_matrix_key(key)])
        if is_known(name) or len(name) > 1
        else []
    )
    return len(found) == 1


def starts_matrix(text: str) -> bool:
    """Whether a text starts with a matrix or a row of numbers."""
    first = text.split("\n", 1)[0]
    labelled = re.sub(rf"^\s*{LABEL}(?:\s*[:|,]\s*|\s+)", "", first)
    call = re.match(r"\s*(?:Parameter containing|\||[\w.]*(?:tensor|array|Array|matrix|Matrix)\()", first)
    return (
        row_of(first) is not None
        or bool(re.match(r"\s+\[,1\]", first))
        or row_of(labelled) is not None
        or bool(re.match(r"\s*(?:[\[({⎡⎛]|\\begin|\\left)", first) or call)
    )


def entries_in(matrix: str) -> list[float]:
    """Return the numbers of a matrix in their order."""
    return [float(entry) for entry in re.findall(r"[-+]?[0-9.]+(?:e[-+]?[0-9]+)?", matrix) if entry != "."]


def groups_of(line: str) -> list[str]:
    """Return the pieces of a line that wide gaps separate."""
    return [piece for piece in re.split(r"\t+|\s{3,}", line.strip()) if piece]


def to_matrix(rows: list[list[str]], reader: Reader, separator: str = "") -> str:
    """Return rows of entries as a matrix; commas inside entries are decimal points."""
    has_commas = any("," in entry for row in rows for entry in row)
    if has_commas and separator == ",":
        raise reader.refuse("has decimal commas between commas: write decimal points")
    listed = (", ".join(entry.replace(",", ".") for entry in row) for row in rows)
    return f"[{', '.join(f'[{row}]' for row in listed)}]"


def in_yaml(value: str) -> str:
    """Return a value as YAML reads it: plain if it is, else in quotes."""
    if re.fullmatch(r"[\[\],\s0-9.eE+-]+|[\w ./()*+-]+|\{[^{}]*\}|'.*'", value):
        return value
    return in_quotes(value)


def in_quotes(value: str) -> str:
    """Return a text in single quotes."""
    return "'" + value.replace("'", "''") + "'"
