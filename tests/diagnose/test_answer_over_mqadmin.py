"""No all-clear over answers of mqadmin that leave out what would show a fault."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.language import english

STATUS = (
    "#Broker Name                      #QID  #Min Offset           #Max Offset             #Last Updated\n"
    "broker-a                          0     0                     1200                    2026-11-21 20:00:01,000\n"
)


def answer(text: str, folder: Path) -> tuple[str, str]:
    given = folder / "mqadmin.txt"
    given.write_text(text)
    said = diagnose_incident([given]).report.answer
    assert said is not None
    return said.state, english()(said.reason)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (STATUS, "not whether it is consumed"),
        ("Consume TPS: 12.0\nDiff Total: 250000\n", "250,000 messages wait"),
        ("Consume TPS: 12.0\nConsume Diff Total: 1000\n", "1,000 messages wait"),
    ],
    ids=["topicStatus", "the last lines of consumerProgress", "those of 5.x"],
)
def test_it_says_what_is_missing(text: str, words: str, tmp_path: Path) -> None:
    state, reason = answer(text, tmp_path)
    assert state == "undecided"
    assert words in reason


def test_a_total_of_a_few_messages_is_no_reason_to_doubt(tmp_path: Path) -> None:
    assert answer("Consume TPS: 12.0\nDiff Total: 3\n", tmp_path)[0] == "healthy"
