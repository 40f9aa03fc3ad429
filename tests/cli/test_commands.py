"""The commands as a user runs them, and the Python interface."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import attncalc
from attncalc.cli import cli
from attncalc.core.families import names_in
from attncalc.pages import formats_of
from tests.helpers.bundled import FEW, NUMERIC, PROBLEMS, solved
from tests.helpers.commands import EVERY_COMMAND, run, run_fault, run_python
from tests.helpers.quick_and_slow import each
from tests.helpers.solutions import same_steps


def steps_of(name: str) -> dict[str, Any]:
    """The steps of `solve --format json`, by name."""
    return {step["name"]: step for step in json.loads(run("solve", name, "-f", "json"))["steps"]}


PUBLISHED = [
    ("discussion-10-q1", "Q", 3, [1, -2, 8], 0),
    ("discussion-10-q1", "S", 3, [2, 8, -20], 0),
    ("discussion-10-q1", "A", 3, [0.00247, 0.99753, 6.90e-13], 5e-6),
    ("discussion-10-q1", "O", 3, [-7.94, 0.067], 1e-3),
    ("dot-product-1", "A", 1, [0.88, 0.12, 0.00], 5e-3),
    ("dot-product-1", "O", 1, [1.00, 2.00, 2.76], 5e-3),
    ("dot-product-3", "O", 1, [0.86, 1.58, -0.72], 5e-3),
    ("dot-product-3", "O", 2, [0.99, 1.88, -1.56], 5e-3),
    ("problem-set-4-q3", "S", 1, [1.5, -2.5, 8], 0),
    ("problem-set-4-q3", "S", 2, [-3.5, -3.5, 6], 0),
    ("problem-set-4-q3", "S", 3, [8.5, 8, -13.25], 0),
    ("problem-set-4-q3", "O", 3, [1.1786, 0.1989], 5e-5),
]


@pytest.mark.parametrize(("name", "step", "row", "numbers", "within"), PUBLISHED)
def test_published_numbers(name: str, step: str, row: int, numbers: list[float], within: float) -> None:
    """The worksheets' own numbers."""
    np.testing.assert_allclose(steps_of(name)[step]["value"][row - 1], numbers, atol=within, rtol=0)


@each("name", NUMERIC, quick=FEW)
def test_exact_is_numeric_on_every_bundled_problem(name: str) -> None:
    """Both modes agree on all steps; only a file that says numeric may be too long for the other."""
    try:
        exact = solved(name, "exact")
    except attncalc.ProblemError as error:
        why = f"{PROBLEMS[name].mode}: {error}"
    else:
        why = ""
        same_steps(exact, solved(name, "numeric"))
    assert not why or re.match("numeric: .* to solve exactly", why)


def test_json_is_as_the_contract_says() -> None:
    """The keys of a step, exact texts, costs; −∞ is a text."""
    steps = steps_of("exact-causal")
    assert list(steps["S"]) == [
        "name",
        "symbol",
        "title",
        "formula",
        "inputs",
        "shape",
        "exact",
        "value",
        "cost",
    ]
    assert steps["S"]["cost"] == {"mul": 18, "add": 9, "div": 0, "exp": 0}
    assert steps["M"]["value"][0] == [1.0, "-inf", "-inf"]
    assert steps["M"]["exact"][0] == ["1", "-inf", "-inf"]
    assert steps["A"]["exact"][1] == ["1/(1 + exp(1))", "exp(1)/(1 + exp(1))", "0"]
    assert steps["T"]["shape"] == [3, 1]
    assert "shifted" not in steps["E"]


def test_large_scores_are_shifted_and_say_so() -> None:
    """Where e^M would overflow, the row's maximum is taken off."""
    step = steps_of("udacity-attention-basics")
    assert step["E"]["shifted"] and step["T"]["shifted"]
    assert step["E"]["value"][0][3] == 1.0
    assert "less the largest of its row" in run("solve", "udacity-attention-basics")


def test_exact_mode_prints_exponentials() -> None:
    """e^2/(e^2 + e^8 + e^−20) and its like."""
    assert "e^2/(e^2 + e^8 + e^−20) ≈ 0.00247" in run("solve", "discussion-10-q1")


def test_list_shows_every_problem_once() -> None:
    """A line each under the sheets that have several, and with a word only those that have it."""
    lines = [line.split()[0] for line in run("list").splitlines() if line.startswith("  ")]
    assert sorted(lines) == sorted(PROBLEMS)
    assert "\nCS114B written assignment 4\n" in run("list")
    found = {entry["name"] for entry in json.loads(run("list", "RoPE", "-f", "json"))}
    assert "rope-degrees" in found and "dot-product-3" not in found
    assert run("list", "rope").count("\n") < 20


def test_the_examples_of_the_help_can_be_typed() -> None:
    """What is shown to a newcomer works as it stands."""
    help_text = run("--help")
    solve, piped = re.findall(r"^ +((?:attncalc|echo) .*)$", help_text, re.MULTILINE)
    assert run(*solve.split()[1:])
    given = re.fullmatch(r'echo "(.*)" \| attncalc solve -', piped)
    assert given and CliRunner().invoke(cli, ["solve", "-"], input=given[1]).exit_code == 0


def test_what_python_shows_first() -> None:
    """The names of the interface, and one line of each thing."""
    assert {*dir(attncalc)} == {*attncalc.__all__, "__version__"}
    problem = attncalc.load("dot-product-3")
    solution = attncalc.solve(problem)
    assert repr(problem) == "<Problem Scaled dot-product attention by hand: Q 2×2, K 3×2, V 3×3>"
    assert repr(solution).startswith("<Solution Scaled dot-product attention by hand, exact: S 2×3, Z 2×3")
    report = attncalc.check(problem, {"S": [[4, 3, 2], [7, 4, 2]]})
    assert repr(report) == "<Report incomplete, 0 of 1 points: S wrong, O blank>"
    assert repr(report.steps[0]) == "<S wrong>"
    assert repr(solution["A"]) == "<Step A: Attention weights, 2×3>"


@pytest.mark.parametrize(
    ("options", "shown", "hidden"),
    [
        (["--step", "S"], "S₁₁ = Q₁₁", "Exponentials"),
        (["--cell", "S[2,1]"], "S₂₁ = Q₂₁·K₁₁", "S₁₁ ="),
        (["--row", "2"], "C₂₁", "C₁₁"),
        (["--numeric"], "≈ 0.5760", "√2/2"),
        (["--places", "2"], "≈ 0.58", "0.5760"),
        (["--digits", "7"], "0.8599708", "0.8600"),
        (["--detail", "brief"], "Output C", "S_ij"),
        (["--ascii"], "S[1,1] = Q[1,1]*K[1,1]", "√"),
        (["--row", "2", "--step", "S"], "S₂₁ = Q₂₁", "S₁₁ ="),
        (["--cell", "S[2,1]", "--detail", "brief"], "S₂₁ = 7", "Q₂₁·K₁₁"),
        (["-f", "json", "--step", "A"], '"A"', '"S"'),
        (["-f", "worksheet", "--flavor", "latex"], r"\begin{", "0.8600"),
        (["-f", "worksheet", "--step", "S", "--detail", "steps"], "S_{ij}", "A_{ij}"),
    ],
)
def test_options(options: list[str], shown: str, hidden: str) -> None:
    """What each option shows, and what it leaves out."""
    printed = run("solve", "dot-product-3", *options)
    assert shown in printed
    assert hidden not in printed


HEADED = [
    ("two-heads-by-hand", "S_2", "S_1"),
    ("mean-of-heads", "O_2", "O_1"),
    ("grouped-queries", "S_2", "S_1"),
]


@pytest.mark.parametrize("options", [[], ["--detail", "brief"], ["--detail", "steps"], ["-f", "json"]])
@each(("name", "own", "other"), HEADED, quick=HEADED[:2])
def test_one_head(name: str, own: str, other: str, options: list[str]) -> None:
    """With --head only the steps of this head, and those of all heads together."""
    printed = run("solve", name, "--head", "2", "--ascii", *options)
    assert own in printed
    assert f"{other} =" not in printed and f'"name": "{other}"' not in printed


REFUSED = [
    (["solve", "dot-product-3", "--head", "2"], "there is no head 2: the problem has 1"),
    (["solve", "dot-product-3", "--row", "9"], "row 9 is outside the 2 queries"),
    (["solve", "dot-product-3", "--row", "1", "-f", "json"], "this format has no single rows: leave out --row"),
    (["solve", "dot-product-3", "--step", "S[1"], "'S[1' is not written like S"),
    (["solve", "dot-product-3", "--cell", "S[1]"], "'S[1]' is not written like S[3,1]"),
    (["solve", "dot-product-4"], "is neither a file nor a bundled problem; did you mean 'dot-product-"),
    (["solve", "discussion-10-q2", "-f", "numpy"], "has no steps to compute"),
    (["solve", "discussion-10-q1", "--part", "g"], "there is no part 'g'; the parts are a, b, c, d, e, f"),
    (["solve", "attention-exploration-c", "--part", "c iii"], "there is no part 'c iii'; did you mean 'cii'?"),
    (["solve", "four-words", "--part", "a"], "there is no part 'a': the problem has no parts"),
    (["solve", "dot-product-3", "-f", "numpy", "--module"], "--module is for -f torch"),
    (["solve", "dot-product-3", "-f", "torch", "--module"], "Q is not in a module of multi-head attention"),
    (["solve", "journey", "-f", "torch", "--module"], "a module needs W_Q"),
    (["shapes", "discussion-10-q2"], "has no steps, only derivations: solve shows them"),
    (["check", "dot-product-3", "."], "holds no answers (.yaml, .json, .npz, .csv, "),
    (["explain", "scalling"], "there is no topic 'scalling'; did you mean 'scaling'"),
    (["explain", "zzz"], "there is no topic 'zzz'; the topics are "),
    (["explain", "gradient", "d2l-valid-lens"], "the backward pass is worked for one sequence, not for a batch"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_refused(arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be done is said in one sentence."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code != 0
    assert message in str(done.exception)


def test_standard_input() -> None:
    """A problem, or answers to one, may come through a pipe."""
    text = "Q: [[1, 2]]\nK: [[1, 0], [0, 1]]\n"
    assert "S₂ = Q₁·K₂₁ + Q₂·K₂₂" in CliRunner().invoke(cli, ["solve", "-"], text).stdout
    told = CliRunner().invoke(cli, ["check", "dot-product-3", "-"], "S: [[4, 3, 2], [7, 4, 1]]\n").stdout
    assert "✓ S" in told


def test_topics_are_listed() -> None:
    """Without a topic, `explain` says what there is."""
    printed = run("explain")
    assert all(f"{name} " in printed for name in names_in("topics"))


@pytest.mark.parametrize(
    ("words", "found"), [("attncalc solve dot-", "dot-product-3"), ("attncalc explain sc", "scaling")]
)
def test_completion(words: str, found: str) -> None:
    """A shell completes the names of problems and topics."""
    shell = {"_ATTNCALC_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": "2"}
    done = CliRunner().invoke(cli, [], prog_name="attncalc", env=shell)
    assert f"plain,{found}" in done.stdout.splitlines()


def test_processes_run_this_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From any folder, whatever else is installed."""
    monkeypatch.chdir(tmp_path)
    here = Path(__file__).parents[2] / "attncalc" / "__init__.py"
    assert Path(attncalc.__file__) == here
    assert run_python("-c", "import attncalc; print(attncalc.__file__)") == f"{here}\n"


def test_large_matrices_are_folded_with_a_note(tmp_path: Path) -> None:
    """A large matrix shows its corners, and how to see the rest."""
    file = tmp_path / "large.yaml"
    np.savez(tmp_path / "x.npz", x=np.arange(40.0).reshape(20, 2) / 40)
    file.write_text("X: {file: x.npz, key: x}\n")
    printed = run("solve", str(file))
    assert "…" in printed and "--step S shows all of it" in printed
    whole = run("solve", str(file), "--step", "S")
    assert "…" not in whole and "S₂₀,₂₀" in whole


def test_output_file_is_replaced_whole_and_links_are_left(tmp_path: Path) -> None:
    """-o replaces a file, and a link but not what it points to."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("kept")
    link.symlink_to(target)
    run("solve", "dot-product-1", "-o", str(link))
    assert target.read_text() == "kept"
    assert "Dot-product" in link.read_text() and not link.is_symlink()
    assert list(tmp_path.iterdir()) in ([target, link], [link, target])


def test_python_interface() -> None:
    """Section 6 of the contract."""
    problem = attncalc.problem(Q=[[1, 0]], K=[[1, 0], [0, 1]], V=np.eye(2), mask="causal", scale="none")
    solution = attncalc.solve(problem, mode="numeric")
    assert solution["A"].value.tolist() == [[1.0, 0.0]]
    assert solution["A"].exact is None
    assert solution["S"].shape == (1, 2) and solution["S"].cost.mul == 4
    exact = attncalc.solve(attncalc.problem(Q=[[1, 0]], K=[["1/2", 0], [0, 1]]))
    assert exact["S"].exact is not None
    assert str(exact["S"].exact[0, 0]) == "1/2"
    with pytest.raises(attncalc.ProblemError, match="Q: is empty"):
        attncalc.problem(Q=[], K=[[1]])
    with pytest.raises(attncalc.ProblemError, match="the mode is exact, numeric or auto, not 'fast'"):
        attncalc.solve(problem, mode="fast")
    with pytest.raises(KeyError, match="B: the steps are S, M, E, T, A, O"):
        solution["B"]


def test_a_batch_is_solved_at_once() -> None:
    """A leading axis runs through every step."""
    rng = np.random.default_rng(1)
    q, k, v = (rng.standard_normal((2, 3, 4)) for _ in range(3))
    whole = attncalc.solve(attncalc.problem(Q=q, K=k, V=v, mask="causal"))
    for n in range(2):
        single = attncalc.solve(attncalc.problem(Q=q[n], K=k[n], V=v[n], mask="causal"))
        np.testing.assert_allclose(whole["O"].value[n], single["O"].value, rtol=1e-13)


EVERYDAY = """
import sys, attncalc
from attncalc.cli import cli
for line in ("--help", "solve journey", "solve dot-product-3"):
    cli.main(line.split(), standalone_mode=False)
attncalc.solve(attncalc.load("journey"))._repr_html_()
print(*sys.modules)
"""


HELPED = "import sys\nfrom attncalc.cli import cli\ncli(['-h'], standalone_mode=False)\nprint(*sys.modules)"
"""Prints the help, and the modules that it takes."""


def test_what_is_seldom_needed_is_not_imported() -> None:
    """Help counts columns without `shutil`; help, numbers up to powers of e and their signs wait for no algebra, tables of wide letters or notebook."""
    if version("click") >= "8.3":  # earlier ones import it themselves
        assert "shutil" not in run_python("-c", HELPED).split()
    *shown, modules = run_python("-c", EVERYDAY).splitlines()
    assert "√" in "".join(shown) and {"sympy", "rich", "IPython"}.isdisjoint(modules.split())


def test_shapes_and_cost() -> None:
    """What `shapes` and `cost` say, as text and as data."""
    assert "Z      S / √d_k    2×3" in run("shapes", "dot-product-3")
    assert json.loads(run("shapes", "dot-product-3", "-f", "json"))["O"] == [2, 3]
    costs = json.loads(run("cost", "dot-product-3", "-f", "json"))
    n_q, n_k, d_k, d_v = 2, 3, 2, 3
    assert costs["S"] == {"mul": n_q * n_k * d_k, "add": n_q * n_k * (d_k - 1), "div": 0, "exp": 0}
    assert costs["O"] == {"mul": n_q * d_v * n_k, "add": n_q * d_v * (n_k - 1), "div": 0, "exp": 0}
    assert "total" in run("cost", "dot-product-3")


def test_who_attends_to_whom() -> None:
    """The words of problem set 4, part d."""
    printed = run("solve", "problem-set-4-q3")
    assert "Token 3 attends mostly to token 1 (62 %), less to token 2 (38 %)." in printed
    assert "██ 1.00" in printed


@pytest.mark.parametrize(
    "arguments", [["-h"], ["--version"], *([name, "-h"] for name in EVERY_COMMAND)], ids=" ".join
)
def test_help_everywhere(arguments: list[str]) -> None:
    """-h works on every command."""
    assert run(*arguments)


ATTENDED = [
    ([0, 0, 0], "attends to all tokens alike"),
    ([1, 1, 0], "attends equally to tokens 1 (42 %) and 2 (42 %), less to token 3 (16 %)"),
    ([9, 0, 0], "attends almost only to token 1 (over 99.9 %)"),
    ([6, 0, 0], "attends almost only to token 1 (99.5 %)"),
    ([2, 1, 0], "attends mostly to token 1 (67 %), less to token 2 (24 %)"),
]


OTHER_WEIGHTS = [
    ({"S": [[3, -1, 2]], "normalize": "none"}, "Token 1 has its largest weight (3) on token 1."),
    ({"S": [[2, 2, -1]], "normalize": "none"}, "Token 1 has its largest weight (2) on tokens 1 and 2."),
    ({"S": [[3, -1, 2]], "normalize": "sum"}, "Token 1 has its largest weight (0.75) on token 1."),
    ({"S": [[1, 2]], "mask": {"hide": [[1, 1]]}, "masked_rows": "zero"}, "Token 1 attends to no token."),
]


@pytest.mark.parametrize(("keys", "said"), OTHER_WEIGHTS)
def test_weights_that_are_no_shares(keys: dict[str, Any], said: str) -> None:
    """They are not shown in percent, and are drawn within the lightest and the darkest colour."""
    problem = attncalc.problem(**keys, parts=[{"part": "a", "show": ["attends", "map"]}])
    for form in formats_of("documents").values():
        told = form.render(attncalc.solve(problem).to_document(pointed=False))
        assert said in told or form.name != "text"


@pytest.mark.parametrize(("scores", "said"), ATTENDED)
def test_attention_in_words(scores: list[int], said: str) -> None:
    """Ties, favourites and all alike."""
    problem = attncalc.problem(S=[scores], parts=[{"part": "a", "show": "attends"}])
    assert said in str(attncalc.solve(problem))


def test_a_problem_in_place_of_a_command_suggests_the_command() -> None:
    """`attncalc dot-product-3` says what to type."""
    said = run_fault("dot-product-3")
    assert "dot-product-3 is a problem, not a command: type attncalc solve dot-product-3" in said
    assert "No such command 'dot-produkt-3'; did you mean 'dot-product-3'?" in run_fault("dot-produkt-3")
    assert "No such command 'slove'; did you mean 'solve'?" in run_fault("slove")


@pytest.mark.parametrize(("command", "has", "lacks"), [
    ("vary", ["-o FOLDER", "--flavor [github]"], ["whole or not at all"]),
    ("pack", ["-o OUT"], ["--ascii", "--flavor"]),
    ("schema", ["-o FILE"], ["--ascii", "--no-color", "--flavor"]),
    ("solve", ["--flavor [github|text|html|latex|markdown|typst|xlsx|pdf]", "--ascii"], []),
])  # fmt: skip
def test_help_names_options_that_have_a_use(command: str, has: list[str], lacks: list[str]) -> None:
    """No option of another command's formats."""
    said = run(command, "-h")
    assert all(option in said for option in has)
    assert not any(option in said for option in lacks)


ENDINGS = {
    "key.html": "<!doctype html>", "key.htm": "<!doctype html>", "key.tex": r"% needs \usepackage", "key.md": "# Dot-product",
    "key.svg": "<svg", "key.json": "{", "key.py": '"""Computes every step', "key.txt": "Dot-product", "key": "Dot-product",
    "key.log": "Dot-product", "KEY.HTML": "<!doctype html>",
}  # fmt: skip


@pytest.mark.parametrize("name", ENDINGS)
def test_the_ending_of_a_file_chooses_its_format(name: str, tmp_path: Path) -> None:
    """Without -f; an ending that no format has means text."""
    run("solve", "dot-product-1", "-o", str(tmp_path / name))
    assert (tmp_path / name).read_text().startswith(ENDINGS[name])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("-f json -o key.html", "-f json does not write .html files: leave -f out, or change the name"),
        ("-f html -o key.txt", "-f html does not write .txt files"),
        ("-f text -o key.csv", "-f text does not write .csv files"),
        ("-f html -o key.pdf", "-f html does not write .pdf files"),
    ],
)
def test_an_ending_that_contradicts_the_format(
    arguments: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written under a wrong name."""
    monkeypatch.chdir(tmp_path)
    assert message in run_fault("solve", "dot-product-1", *arguments.split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("flavor", [(), ("--flavor", "html")])
def test_a_sheet_has_the_page_format_of_its_ending(flavor: tuple[str, ...], tmp_path: Path) -> None:
    """Or of its flavour."""
    file = tmp_path / "sheet.html"
    run("solve", "dot-product-1", "-f", "worksheet", *flavor, "-o", str(file))
    assert file.read_text().startswith("<!doctype html>")
