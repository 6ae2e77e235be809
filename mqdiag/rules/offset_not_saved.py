"""A consumer asks again and again for an offset that the broker corrected before."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.log_events import between
from mqdiag.time_ranges import between as range_between

RULE = Rule("offset-not-saved")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each group and offset."""
    for row in logs.offset_resets:
        if row.count >= limits["times"] and 0 < row.requested < row.given:
            yield RULE.case(
                "offset-not-saved",
                row,
                subject=Subject(
                    group=row.group,
                    topic=row.topic,
                    broker=row.broker,
                    queue_id=row.queue_id,
                    instance=row.instance,
                ),
                evidence={"times": row.count},
                words={"between": between(row.first, row.last)},
                when=range_between(row.first, row.last),
            )
