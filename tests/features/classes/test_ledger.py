"""Reports on disk: those of earlier versions can still be read."""

import attncalc
from attncalc.exercise.yaml.reader import read_yaml
from attncalc.features.classes.resume_file import to_data, to_report
from attncalc.marking.checker import Checker
from tests.helpers.bundled import checker_of


def test_reports_of_earlier_versions_are_read() -> None:
    """A field that has a new name is found under its former one."""
    checker = checker_of("dot-product-3")
    report = checker.check_key().light()
    data = to_data(report)
    for step in data["steps"]:
        step["hollow"] = step.pop("trivial")
    assert to_report(data) == report


def test_messages_of_earlier_versions_are_read() -> None:
    """What is said of a slip is words under either name."""
    problem = attncalc.problem(Q=[[1, 2]], K=[[3, 4], [5, 6]], scale="none")
    report = Checker(problem).check(read_yaml(b"S: [[5, 17]]", "a.yaml"), "a")
    data = to_data(report.light())
    (found,) = data["steps"][0]["diagnoses"]
    found["message"] = found.pop("text")
    (diagnosis,) = to_report(data).steps[0].diagnoses
    assert diagnosis.message.startswith("In S[1,1] the term Q₁·K₁₁ ")
