"""Settings of all tests: which program runs, how many examples are tried, and how golden files are written."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from hypothesis import is_hypothesis_test, settings
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from tests.helpers.guarded_runs import Attncalc
from tests.helpers.quick_and_slow import SLOW

ROOT = Path(__file__).parents[1]

settings.register_profile("quick", max_examples=3, deadline=None)
settings.register_profile("slow", max_examples=100, deadline=None)


def is_slow(config: pytest.Config) -> bool:
    """Whether the slow tests are asked for."""
    return bool(config.option.markexpr == "slow")


def pytest_configure(config: pytest.Config) -> None:
    """A few examples of every law in the quick tests, many in the slow ones."""
    settings.load_profile("slow" if is_slow(config) else "quick")
    # Solved problems are kept for all tests; the garbage collector need not search them again and again.
    gc.set_threshold(100_000)


def pytest_collection_finish() -> None:
    """Tests and modules live until the end: leave them out of all later garbage collections."""
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish() -> None:
    """The garbage of the last tests is still searched for open files; everything else ends with the process."""
    gc.collect(1)
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Laws are tested with a few examples in the quick tests, and with many in the slow ones."""
    for item in items if is_slow(config) else ():
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            item.add_marker("slow")


@pytest.fixture(scope="session", autouse=True)
def _checkout() -> Iterator[None]:
    """Every process that a test starts imports this checkout, from any folder, whatever is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT), prepend=os.pathsep)
        yield


class TextFile(SingleFileSnapshotExtension):
    """One golden text file a case."""

    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    """Golden files that a person can read."""
    return snapshot.use_extension(TextFile)


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Attncalc:
    """Runs the program in a new folder."""
    return Attncalc(tmp_path, monkeypatch, capsysbinary)


@pytest.fixture(params=["C", pytest.param("Python", marks=SLOW)])
def _loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both parsers of PyYAML: which one there is depends on how it was built."""
    loader = yaml.SafeLoader if request.param == "Python" else getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    monkeypatch.setattr("attncalc.exercise.yaml.reader.LOADER", loader)
