"""Much of what a group consumes has failed before."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.any._retry_storm_logs import in_logs
from mqdiag.rules.registry import Draft, Limits, Skip, rule
from mqdiag.rules.shared.example_consumer import example
from mqdiag.rules.shared.graph_needed import without_graph
from mqdiag.text import say


def fires() -> Facts:
    """Half of 400 cached messages failed before."""
    return example(queue={"messages": 400, "redelivered": 200, "most_redelivered": 3})


def silent() -> Facts:
    """A few of them."""
    return example(queue={"messages": 400, "redelivered": 20, "most_redelivered": 3})


@rule(
    name="retry-storm",
    title="A large share of the cached messages failed before",
    why=(
        "A message that a listener fails on goes back to the broker and comes again, up to 16 times. When most do,"
        " the group works on its own failures, and new messages wait behind them."
    ),
    causes=("failing-listener",),
    severities=(Severity.WARNING,),
    remedy=(
        "Look at the exception, or the reason for RECONSUME_LATER, in the application's log.",
        "Put aside what can never succeed (return CONSUME_SUCCESS and store it), or lower maxReconsumeTimes.",
    ),
    references=(
        "MessageExt.reconsumeTimes",
        "ConsumeMessageConcurrentlyService.processConsumeResult",
    ),
    any_of=("heap", "logs"),
    limits={"share": 0.3, "messages": 100, "failures_per_minute": 100},
)
def check(facts: Facts, limits: Limits) -> Iterator[Draft | Skip]:
    """One finding for each group of a heap, and for what the logs say."""
    if facts.heap is not None:
        yield from _in_heap(facts.heap, limits)
    yield from in_logs(facts, limits, check.card.remedy)


def _in_heap(heap: HeapFacts, limits: Limits) -> Iterator[Draft | Skip]:
    skip = without_graph(heap)
    if skip is not None:
        yield skip
        return
    for group in dict.fromkeys(queue.group for queue in heap.queues if queue.group is not None):
        rows = [queue for queue in heap.queues if queue.group == group]
        messages = sum(queue.messages for queue in rows)
        failed = sum(queue.redelivered or 0 for queue in rows)
        if failed < limits["messages"] or failed < limits["share"] * messages:
            continue
        most = max((queue.most_redelivered or 0 for queue in rows), default=0)
        yield Draft(
            severity=Severity.WARNING,
            cause="failing-listener",
            confidence=Confidence.MEDIUM,
            confidence_reason=say("after an outage the same is seen while the group catches up"),
            title=say(
                "{failed:count} of {messages:count} cached messages of group {group} failed before",
                failed=failed,
                messages=messages,
                group=group,
            ),
            subject=Subject(group=group),
            evidence={
                "redelivered": failed,
                "messages": messages,
                "share": round(failed / messages, 4),
                "most_redelivered": most,
            },
            explanation=(
                say(
                    (
                        "{failed:percent} of the messages in the group's queues have reconsumeTimes above 0, at"
                        " most {most:count}."
                    ),
                    failed=failed / messages,
                    most=most,
                ),
            ),
            remedy=check.card.remedy,
        )
