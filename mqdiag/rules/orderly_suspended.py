"""An orderly queue tries the same message again and again."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.admin import AdminFacts
from mqdiag.facts.bounds import whole
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.rules.shared.consumers import owner, queue_name

RULE = Rule("orderly-suspended")
ORDERLY = "PROP_CONSUMEORDERLY"
"""the setting of a consumer by which consumerStatus says that its listener is orderly"""
MOST_NAMED = 8


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each queue of an orderly consumer with a message that failed that often."""
    for queue in heap.queues:
        consumer = owner(heap, queue)
        times = queue.most_redelivered
        if consumer is None or not consumer.orderly or queue.dropped or times is None:
            continue
        if times >= limits["reconsume_times"]:
            most = whole(consumer.config.get("maxReconsumeTimes"))
            yield RULE.case(
                "poison-message",
                queue,
                subject=Subject.of(queue),
                evidence={"reconsume_times": times, "max_reconsume_times": most},
                words={"queue": queue_name(queue), "limited": most is not None and most >= 0},
            )


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each queue of which one message failed that often, one time after the other."""
    for row in logs.suspended_queues:
        if max(row.failures, row.reconsume_times) < limits["reconsume_times"]:
            continue
        known = row.topic is not None and row.queue_id is not None
        yield RULE.case(
            "failures-logged",
            row,
            subject=Subject.of(row),
            words={
                "name": RULE.word("queue", topic=row.topic, queue_id=row.queue_id)
                if known
                else RULE.word("nameless"),
            },
            over=[row],
        )


@RULE.admin
def in_admin(admin: AdminFacts, limits: Limits) -> Findings:
    """One finding for each orderly client and topic whose listener fails again and again."""
    for client in admin.clients:
        if client.settings.get(ORDERLY) != "true":
            continue
        for rates in client.rates:
            waiting = [one for one in client.queues if one.topic == rates.topic and one.messages > 0]
            if not waiting or rates.consume_failed_tps * 60 < limits["reconsume_times"]:
                continue
            alone = waiting[0] if len(waiting) == 1 else None
            yield RULE.case(
                "failures-counted",
                subject=Subject(
                    group=client.group,
                    topic=rates.topic,
                    broker=None if alone is None else alone.broker,
                    queue_id=None if alone is None else alone.queue_id,
                ),
                evidence={
                    "failed_tps": rates.consume_failed_tps,
                    "ok_tps": rates.consume_ok_tps,
                    "queues": len(waiting),
                    "queue_ids": tuple(one.queue_id for one in waiting[:MOST_NAMED]),
                    "commit_offsets": tuple(one.commit_offset for one in waiting[:MOST_NAMED]),
                    "messages": sum(one.messages for one in waiting),
                },
                words={"more_queues": len(waiting) > MOST_NAMED},
            )
