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
OVERVIEW = (
    "#Group                            #Count  #Version                 #Type  #Model          #TPS     #Diff Total\n"
    "CID_a                             2       V4_9_4                   PUSH   CLUSTERING      12       3\n"
    "CID_b                             0       OFFLINE                                         0        120000\n"
)
UNMEASURED = (
    "#Cluster Name     #Broker Name            #BID  #Addr                  #Version                #InTPS(LOAD)"
    "       #OutTPS(LOAD) #PCWait(ms) #Hour #SPACE\n"
    "DefaultCluster    broker-a                0     10.1.2.3:10911         V4_5_0                   0.00(0,0ms)"
    "         0.00(0,0ms)          0 434920.32 -1.0000\n"
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
        (OVERVIEW, "120,000 messages of group CID_b wait"),
        (UNMEASURED, "reports no share of its disk"),
    ],
    ids=[
        "topicStatus",
        "the last lines of consumerProgress",
        "those of 5.x",
        "groups",
        "a disk that is not measured",
    ],
)
def test_it_says_what_is_missing(text: str, words: str, tmp_path: Path) -> None:
    state, reason = answer(text, tmp_path)
    assert state == "undecided"
    assert words in reason


def test_a_total_of_a_few_messages_is_no_reason_to_doubt(tmp_path: Path) -> None:
    assert answer("Consume TPS: 12.0\nDiff Total: 3\n", tmp_path)[0] == "healthy"


PROGRESS = (
    "#Topic  #Broker Name  #QID  #Broker Offset  #Consumer Offset  #Client IP  #Diff  #LastTime\n"
    "{topic}  broker-a      0     100             90                N/A         10     2026-11-20 10:00:00\n"
    "orders   broker-a      1     100             100               10.0.0.1    0      2026-11-20 10:00:00\n\n"
    "Consume TPS: 0.00\nDiff Total: 10\n"
)


@pytest.mark.parametrize(
    ("topic", "state"),
    [("orders", "undecided"), ("old    ", "healthy")],
    ids=["a queue that nobody has", "a topic that the group has left"],
)
def test_messages_that_wait_without_a_client(topic: str, state: str, tmp_path: Path) -> None:
    found, reason = answer(PROGRESS.format(topic=topic), tmp_path)
    assert found == state
    assert ("10 messages wait in queues that no client has" in reason) == (state == "undecided")
