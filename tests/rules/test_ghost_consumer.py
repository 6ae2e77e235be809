"""ghost-consumer from a broker's log: one client stores the same old offset while the group goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from mqdiag.diagnose.logs import diagnose_logs
from mqdiag.findings import Finding

LINE = (
    "2026-11-21 20:00:0{second} WARN PullMessageThread_{second} - [NOTIFYME]update consumer offset less than store."
    " clientHost=app-1:40112, key=stock@stock-consumer, queueId={queue}, requestOffset={asked}, storeOffset={stored}\n"
)


def found(folder: Path, lines: list[tuple[int, int, int]]) -> list[Finding]:
    """Findings over lines of (queue, offset asked, offset stored)."""
    log = folder / "broker.log"
    log.write_text(
        "".join(
            LINE.format(second=place, queue=queue, asked=asked, stored=stored)
            for place, (queue, asked, stored) in enumerate(lines)
        )
    )
    return [one for one in diagnose_logs([log]).report.findings if one.rule == "ghost-consumer"]


def test_an_old_offset_that_comes_again_while_the_groups_grows_is_another_client(tmp_path: Path) -> None:
    (one,) = found(tmp_path, [(5, 100, 2000), (5, 100, 2001), (5, 100, 2003)])
    assert (one.subject.group, one.subject.topic, one.subject.queue_id) == ("stock-consumer", "stock", 5)
    assert one.evidence["lines"] == 2
    assert one.evidence["behind"] == 1903


@pytest.mark.parametrize(
    "lines",
    [
        [(5, 100, 2000)],
        [(5, 100, 2000), (6, 100, 2001), (7, 100, 2002)],
        [(5, 100, 2000), (5, 110, 2001), (5, 120, 2002)],
        [(5, 100, 2000), (5, 100, 2000), (5, 100, 2000)],
        [(5, 100, 2000), (5, 100, 2001)],
    ],
    ids=["once", "each queue once", "it moves", "nobody goes on", "a single repetition"],
)
def test_what_a_rebalance_and_a_reset_leave_behind_is_not(
    lines: list[tuple[int, int, int]], tmp_path: Path
) -> None:
    assert not found(tmp_path, lines)
