"""Reports on disk: those of earlier versions can still be read."""

from attncalc.features.classes.ledger import to_data, to_report
from tests.helpers.bundled import checker_of


def test_reports_of_earlier_versions_are_read() -> None:
    """A field that has a new name is found under its former one."""
    checker = checker_of("dot-product-3")
    report = checker.check_key().light()
    data = to_data(report)
    for step in data["steps"]:
        step["hollow"] = step.pop("trivial")
    assert to_report(data) == report
