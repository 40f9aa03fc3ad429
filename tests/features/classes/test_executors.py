"""A class over any number of processes, by any engine, stopped at any moment: the same bytes."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import get_context
from pathlib import Path

import pytest

import attncalc
from attncalc import check_many
from attncalc.core.errors import AttncalcError
from attncalc.core.record import replace
from attncalc.features.classes.resume_file import append, fingerprint
from tests.helpers.bundled import PROBLEMS
from tests.helpers.commands import COMMAND, run, run_python
from tests.helpers.guarded_runs import guard
from tests.helpers.quick_and_slow import SLOW, each

pytestmark = SLOW

PROBLEM = "dot-product-3"
ANSWERS = (
    "O: [[0.86, 1.58, -0.72], [0.99, 1.88, -1.56]]",
    "A: [[0.67, 0.24, 0.09], [0.95, 0.05, 0.00]]\nO: [[0.91, 1.67, -0.95], [1.00, 1.95, -1.80]]",
    "S: [[4, 3, 2], [7, 4, 2]]",
    "A: [[0.5, 0.3, 0.2], [0.9, 0.1, _]]",
    "O: [[1, 2",
)
"""Right, a mistake, a slip, nonsense with something missing, unreadable."""


def write_class(folder: Path, size: int) -> list[str]:
    """Answers of all kinds, in turn."""
    files = [f"{n:04}.yaml" for n in range(size)]
    for n, file in enumerate(files):
        (folder / file).write_text(f"student: s{n}\n{ANSWERS[n % len(ANSWERS)]}")
    return files


@contextmanager
def dask() -> Iterator[Executor]:
    """Dask's own executor, on a cluster in this process."""
    distributed = pytest.importorskip("distributed", reason="dask is not installed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client.get_executor()


ENGINES: dict[str, Callable[[], AbstractContextManager[Executor]]] = {
    "threads": lambda: ThreadPoolExecutor(2),
    "forked": lambda: ProcessPoolExecutor(2, mp_context=get_context("fork")),
    "spawned": lambda: ProcessPoolExecutor(2, mp_context=get_context("spawn")),
    "dask": dask,
}


@pytest.fixture
def answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A small class in the folder one stands in."""
    monkeypatch.chdir(tmp_path)
    return write_class(tmp_path, 40)


@each("name", ENGINES, quick=["threads", "dask"])
@pytest.mark.filterwarnings("ignore")
def test_any_engine_gives_the_same_reports(name: str, answers: list[str]) -> None:
    """In the order of the files."""
    alone = list(check_many(PROBLEMS[PROBLEM], answers, workers=1))
    assert [report.answers for report in alone] == answers
    assert len({report.verdict for report in alone}) >= 3
    with ENGINES[name]() as executor:
        assert list(check_many(PROBLEMS[PROBLEM], answers, executor)) == alone


def test_an_engine_marks_each_student_against_their_own_variant(answers: list[str], tmp_path: Path) -> None:
    """As processes of our own do; files may be paths."""
    (tmp_path / "variants").mkdir()
    for n in range(3):
        (tmp_path / f"variants/s{n}.yaml").write_text(f"Q: [[1]]\nK: [[1], [1]]\nV: [[{n}], [{n + 2}]]")
        (tmp_path / answers[n]).write_text(f"student: s{n}\nO: {min(n + 1, 2)}")
    problem, files = attncalc.load("variants/s0.yaml"), [Path(file) for file in answers[:4]]
    alone = list(check_many(problem, files, workers=1, variants="variants"))
    assert [report.score for report in alone] == [1, 1, 0, 0]
    with ThreadPoolExecutor(2) as executor:
        assert list(check_many(problem, files, executor, variants="variants")) == alone


@pytest.mark.parametrize("workers", ["2", pytest.param("8", marks=SLOW)])
@pytest.mark.usefixtures("answers")
def test_any_number_of_workers_writes_the_same_bytes(workers: str) -> None:
    """In every format that holds a class."""
    for format_ in ("text", "csv") if workers == "2" else ("text", "json", "csv"):
        line = ("check", PROBLEM, ".", "-f", format_, "--workers")
        assert run(*line, workers, code=2) == run(*line, "1", code=2)


@SLOW
@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("answers")
def test_a_cluster_on_the_command_line() -> None:
    """It writes the same bytes; without a scheduler at the address there is a sentence."""
    distributed = pytest.importorskip("distributed", reason="dask is not installed")
    line = ("check", PROBLEM, ".", "-f", "csv")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster:
        assert run(*line, "--dask", cluster.scheduler_address, code=2) == run(*line, code=2)
    failed = subprocess.run(
        [*COMMAND, *line, "--dask", "nowhere"], capture_output=True, text=True, check=False
    )
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr.startswith("no scheduler of dask answers at nowhere: ")


KILLS = [(how, lines) for lines in (1, 200) for how in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM)]


def is_running(group: int) -> bool:
    """Whether some process of a group has not ended."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def lines_of(file: Path) -> int:
    """How many lines a file has."""
    return file.read_bytes().count(b"\n") if file.exists() else 0


@each(("how", "lines"), KILLS, quick=KILLS[:1])
def test_a_kill_loses_at_most_one_chunk(
    how: signal.Signals, lines: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its workers end with it, what was marked is on disk, and going on writes the same bytes."""
    (tmp_path / "class").mkdir()
    monkeypatch.chdir(tmp_path)
    files = write_class(tmp_path / "class", 400 + 20 * lines)
    kept = tmp_path / "kept.jsonl"
    line = ["check", PROBLEM, "class", "-f", "csv", "--workers", "1", "--resume", str(kept)]
    # A shell that runs the tests in the background has them ignore Ctrl-C, which processes inherit.
    with subprocess.Popen(
        [*COMMAND, *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as child:  # fmt: skip
        while lines_of(kept) < lines and child.poll() is None:
            time.sleep(0.002)
        child.send_signal(how)
        _, said = child.communicate(timeout=60)
    assert said in (b"", b"\n")
    before = lines_of(kept)
    assert lines <= before < len(files)
    with guard():
        while is_running(child.pid):
            time.sleep(0.01)
    assert run(*line, code=2) == run("check", PROBLEM, "class", "-f", "csv", code=2)
    assert len(files) <= lines_of(kept) <= len(files) + 1, "but for a line that was cut off"


def test_another_problem_is_not_gone_on_with(answers: list[str], tmp_path: Path) -> None:
    """Neither is this one after a change."""
    kept = str(tmp_path / "kept.jsonl")
    list(check_many(PROBLEMS[PROBLEM], answers[:2], resume=kept))
    other = replace(PROBLEMS[PROBLEM], places=1)
    with pytest.raises(AttncalcError, match="keeps reports on another problem, or on this one as it was"):
        list(check_many(other, answers[:2], resume=kept))


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_problem_travels(name: str) -> None:
    """As it is sent to a worker."""
    assert fingerprint(pickle.loads(pickle.dumps(PROBLEMS[name]))) == fingerprint(PROBLEMS[name])


def test_a_problem_is_known_again() -> None:
    """In every process, whatever hashes it makes."""
    found = run_python("-c", PRINT_FINGERPRINTS)
    assert found.split() == [fingerprint(problem) for problem in PROBLEMS.values()]
    assert len(set(found.split())) == len(PROBLEMS)


PRINT_FINGERPRINTS = """
from attncalc.features.classes.resume_file import fingerprint
from tests.helpers.bundled import PROBLEMS
print(*map(fingerprint, PROBLEMS.values()))
"""


def test_a_full_disk_leaves_no_torn_line(tmp_path: Path) -> None:
    """What cannot be appended whole is not appended."""
    file = tmp_path / "kept.jsonl"
    append(b"one line\n", str(file))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            append(b"another line\n" * 10, str(file))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert file.read_bytes() == b"one line\n"
