"""What mqadmin printed: backlogs by group and topic, brokers."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import AdminFacts
from mqdiag.facts.admin import BrokerStatus
from mqdiag.facts.logs import PutLatency
from mqdiag.facts.put_buckets import puts_of
from mqdiag.render.text.logs import latency_lines
from mqdiag.render.text.page import Column, Page
from mqdiag.render.wording.sizes import number
from mqdiag.text import say

ROWS_SHOWN = 30


def show_admin(page: Page, admin: AdminFacts) -> None:
    """Nothing of what was not asked for."""
    rows = backlogs(admin)
    if rows:
        page.heading(say("Backlogs, as mqadmin has them"))
        page.table(
            [
                Column(head=say("group"), whole=True),
                Column(head=say("topic")),
                Column(head=say("queues"), right=True),
                Column(head=say("behind"), right=True),
                Column(head=say("most in one"), right=True),
            ],
            rows[:ROWS_SHOWN],
        )
        if len(rows) > ROWS_SHOWN:
            page.paragraph(say("and {rows:count} more", rows=len(rows) - ROWS_SHOWN), style="dim")
    brokers = broker_rows(admin)
    if brokers:
        page.heading(say("Brokers, as mqadmin has them"))
        page.table(
            [
                Column(head=say("broker")),
                Column(head=say("version"), whole=True),
                Column(head=say("send queue"), right=True),
                Column(head=say("lock ms"), right=True),
                Column(head=say("not dispatched"), right=True),
                Column(head=say("disk used"), right=True),
                Column(head=say("100 ms writes"), right=True),
            ],
            brokers[:ROWS_SHOWN],
        )
        page.bullets(
            f"{status.address or status.source}: {line}"
            for status in admin.broker_statuses[:ROWS_SHOWN]
            for line in write_times(status)
        )


def write_times(status: BrokerStatus) -> Iterator[str]:
    """How long the broker's writes took in a minute, with the plain statement when it writes fast."""
    puts = puts_of(status.put_buckets)
    if puts.total:
        yield from latency_lines(
            PutLatency(
                lines=1,
                puts=puts.total,
                buckets=status.put_buckets,
                from_10_ms=puts.from_10_ms,
                from_100_ms=puts.from_100_ms,
                from_1_s=puts.from_1_s,
            )
        )


def backlogs(admin: AdminFacts) -> list[tuple[str, str, str, str, str]]:
    """One row for each group and topic, the longest backlog first; of groups of which no more is known one."""
    found: list[tuple[int, tuple[str, str, str, str, str]]] = []
    for progress in admin.groups:
        for topic in dict.fromkeys(queue.topic for queue in progress.queues):
            diffs = [queue.diff for queue in progress.queues if queue.topic == topic]
            if topic.startswith("%RETRY%") and not any(diffs):
                continue
            cells = (
                progress.group or progress.source,
                topic,
                number(len(diffs)),
                number(sum(diffs)),
                number(max(diffs)),
            )
            found.append((sum(diffs), cells))
    known = {progress.group for progress in admin.groups}
    found += [
        (one.diff_total or 0, (one.group, "", "", number(one.diff_total), ""))
        for one in admin.overview
        if one.group not in known
    ]
    return [cells for _, cells in sorted(found, key=lambda row: (-row[0], row[1]))]


def broker_rows(admin: AdminFacts) -> list[tuple[str, ...]]:
    """One row for each brokerStatus."""
    counters = (
        "sendThreadPoolQueueSize",
        "pageCacheLockTimeMills",
        "dispatchBehindBytes",
        "commitLogDiskRatio",
    )
    return [
        (
            status.address or status.source,
            (status.version or "").removeprefix("V").replace("_", "."),
            *(status.values.get(name, "") for name in counters[:3]),
            _percent(status.values.get(counters[3])),
            _slow_writes(status),
        )
        for status in admin.broker_statuses
    ]


def _slow_writes(status: BrokerStatus) -> str:
    """Of all writes of a minute; nothing where the broker had none to tell of."""
    puts = puts_of(status.put_buckets)
    return f"{number(puts.from_100_ms)}/{number(puts.total)}" if puts.total else ""


def _percent(text: str | None) -> str:
    try:
        return "" if text is None else f"{float(text):.0%}"
    except ValueError:
        return ""
