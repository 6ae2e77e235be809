"""Names with blanks, and names that are the text of an exception, in what mqadmin prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.findings import Severity

FIXTURES = Path(__file__).parents[3] / "fixtures" / "admin"
INSTANCE = "10982#15086452180225"
EXCEPTION = "MQClientException: CODE: 17  DESC: No topic route info"


def _faults(folder: Path, name: str = "", called: str = "") -> set[tuple[str, str]]:
    """Rule and confidence of what is wrong, with another name for a broker or an instance."""
    folder.mkdir()
    for path in (FIXTURES / "4.9.7").glob("*.*"):
        if path.suffix not in (".md", ".json"):
            text = path.read_text()
            (folder / path.name).write_text(text.replace(name, called) if name else text)
    found = diagnose_incident([folder]).report.findings
    return {(one.rule, one.confidence) for one in found if one.severity != Severity.INFO}


@pytest.mark.parametrize("called", ["a b", "x  0  0", "x 2000-01-01 00:00:00", EXCEPTION])
def test_an_instance_may_have_any_name(called: str, tmp_path: Path) -> None:
    assert _faults(tmp_path / "a", INSTANCE, called) == _faults(tmp_path / "b")


def test_a_broker_with_the_name_of_an_exception_is_registered(tmp_path: Path) -> None:
    rules = {rule for rule, _ in _faults(tmp_path / "a", "broker-a", EXCEPTION)}
    assert "offset-stuck-at-head" in rules
    assert "broker-forgotten" not in rules
