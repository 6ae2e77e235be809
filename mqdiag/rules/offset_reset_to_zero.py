"""A broker sent a consumer back to the beginning of a queue."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts, VersionRange
from mqdiag.facts.offset_logs import OffsetReset
from mqdiag.findings import Subject
from mqdiag.log_events import between
from mqdiag.rules.rule import Draft, Findings, Limits, Rule

RULE = Rule("offset-reset-to-zero")
MOST_ROWS = 5
"""resets that are explained"""


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each group and topic, and for each broker where there are several."""
    several = bool(logs.brokers)
    parts: dict[tuple[str | None, ...], list[OffsetReset]] = {}
    for reset in logs.offset_resets:
        # a topic that was made again has an empty queue, and 0 is right
        if reset.given != 0 or reset.no_queue_data or reset.broker_max == 0:
            continue
        if reset.requested >= limits["requested"]:
            broker = (reset.broker, reset.instance) if several else ()
            parts.setdefault((reset.group, reset.topic, *broker), []).append(reset)
    versions = {(one.name, one.instance): one.version for one in logs.brokers}
    for part in parts.values():
        own = (part[0].broker, part[0].instance)
        yield _sent_back(part, versions.get(own) if several else logs.broker_version)


def _sent_back(resets: list[OffsetReset], version: VersionRange | None) -> Draft:
    by_offset = sorted(resets, key=lambda reset: -reset.requested)
    farthest, shown = by_offset[0], by_offset[:MOST_ROWS]
    brokers = {reset.broker for reset in resets if reset.broker}
    queues = {reset.queue_id for reset in resets if reset.queue_id is not None}
    again = _consumed_again(resets)
    known = None if version is None or version.reason else version
    who = RULE.word("group", group=farthest.group) if farthest.group else RULE.word("nameless")
    return RULE.case(
        "offset-beyond-end" if farthest.broker_max is not None else "end-not-logged",
        subject=Subject(
            group=farthest.group,
            topic=farthest.topic,
            broker=brokers.pop() if len(brokers) == 1 else None,
            queue_id=queues.pop() if len(queues) == 1 else None,
            instance=farthest.instance,
        ),
        evidence={
            "requested_offset": farthest.requested,
            "given_offset": farthest.given,
            "broker_max_offset": farthest.broker_max,
            "sent_back_at": min((reset.first for reset in resets if reset.first is not None), default=None),
            "queues": len(resets),
            "consumed_again": sum(again.values()) if again else None,
            "queues_consumed_again": len(again),
            "broker_since": None if version is None else version.since,
            "broker_before": None if version is None else version.before,
            "sides": tuple(dict.fromkeys(side for reset in resets for side in reset.sides)),
            "reset_queue_ids": tuple(reset.queue_id for reset in shown if reset.queue_id is not None),
            "reset_requested_offsets": tuple(reset.requested for reset in shown),
            "reset_broker_max_offsets": tuple(
                reset.broker_max for reset in shown if reset.broker_max is not None
            ),
        },
        words={
            "who": who,
            "version": None if known is None else known.said,
            "told_by": None if known is None else known.told_by,
        },
        rows={
            "resets": tuple(
                {
                    "who": who,
                    "requested": reset.requested,
                    "of_queue": reset.queue_id is not None,
                    "queue_id": reset.queue_id,
                    "when": between(reset.first, reset.last),
                    "broker_max": reset.broker_max,
                }
                for reset in shown
            )
        },
        over=resets,
    )


def _consumed_again(resets: list[OffsetReset]) -> dict[tuple[str | None, int | None], int]:
    """By queue, the messages that the group gets once more: all that the broker still has below its old offset."""
    again: dict[tuple[str | None, int | None], int] = {}
    for reset in resets:
        if reset.broker_max is not None:
            place = (reset.broker, reset.queue_id)
            again[place] = max(again.get(place, 0), min(reset.requested, reset.broker_max))
    return again
