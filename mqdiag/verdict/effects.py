"""What each fault leads to, in a few words: the links of a chain."""

from __future__ import annotations

from collections.abc import Callable

from mqdiag.findings import Finding
from mqdiag.text import say

Said = str | Callable[[Finding], str]


def _queue(finding: Finding) -> str:
    subject = finding.subject
    if subject.topic is None:
        return say("its queue")
    number = "" if subject.queue_id is None else say(" queue {queue_id}", queue_id=subject.queue_id)
    return f"{subject.topic}{number}"


def _offset_stuck(finding: Finding) -> str:
    offset = finding.evidence.get("min_offset")
    at = "" if not isinstance(offset, int) else say(" at {offset:count}", offset=offset)
    return say("the consume offset of {queue} stands still{at}", queue=_queue(finding), at=at)


def _flow_control(finding: Finding) -> str:
    """Of several limits the span: it is the one that a stuck message runs into."""
    span = finding.evidence.get("queueMaxSpanFlowControlTimes")
    if isinstance(span, int) and span > 0:
        return say(
            ("its queue is not pulled any further: the span limit held back {span:count} pulls of the group"),
            span=span,
        )
    if finding.cause == "span":
        return say("its queue is not pulled any further, for the span limit")
    return say(
        "pulls of the group are held back by flow control ({cause})", cause=say(finding.cause.replace("-", " "))
    )


def _backlog(finding: Finding) -> str:
    behind = finding.evidence.get("diff_total")
    if not isinstance(behind, int):
        return say("messages pile up on the brokers")
    return say("{behind:count} messages wait on the brokers", behind=behind)


def _page_cache(finding: Finding) -> str:
    """With a limit that was raised nobody is refused, however long a write takes."""
    if finding.evidence.get("refused") == 0:
        return say("its page cache is busy")
    return say("the broker calls its page cache busy")


def of_span(finding: Finding) -> bool:
    """Whether it is flow control by span, with the number of pulls that were held back."""
    return bool(finding.evidence.get("queueMaxSpanFlowControlTimes"))


SAYS: dict[str, Said] = {
    "offset-stuck-at-head": _offset_stuck,
    "flow-control": _flow_control,
    "orphaned-queue": say("queues that were moved away are still being worked on"),
    "consume-timeout-exceeded": say("messages stay in the listener beyond consumeTimeout"),
    "expired-message-sent-back": say("expired messages are sent back and delivered again"),
    "retry-storm": say("failed messages come again and again"),
    "consumer-cache-exceeds-heap": lambda found: say(
        "the message cache of {group} outgrows the heap", group=found.subject.group
    ),
    "out-of-memory-thread": say("the JVM runs out of memory"),
    "pull-loop-lost": lambda found: say("pulling of {queue} has stopped", queue=_queue(found)),
    "pull-service-dead": say("nothing is pulled any more"),
    "stuck-wait": say("threads wait for what does not come"),
    "lock-convoy": say("other threads wait for the lock that it holds"),
    "connection-pool-exhausted": say("the connection pool runs dry"),
    "callback-pool-blocked": say("no answer to a pull is handled any more"),
    "idle-consumer": say("the consume threads have nothing to do"),
    "workers-saturated": say("all consume threads are busy"),
    "gc-thrashing": say("the JVM spends its time in collections"),
    "heap-held-by-application": say("the heap fills up"),
    "messages-outside-queues": say("messages pile up outside RocketMQ"),
    "page-cache-busy": _page_cache,
    "slow-writes": say("the broker writes slowly"),
    "send-queue-timeout": say("the broker throws waiting sends away"),
    "send-queue-full": say("the broker's send queue is full"),
    "send-busy": say("producers are told that the broker is busy"),
    "producer-backlog": say("sends pile up in the producers"),
    "broker-send-blocked": say("the broker's send threads stand"),
    "offset-reset-to-zero": say("consume offsets are set back to 0"),
    "offset-ahead-of-store": say("consume offsets lie beyond what the broker has"),
    "slave-behind": say("the slave falls behind"),
    "disk-full": say("the broker's disk is full"),
    "consumer-backlog": _backlog,
}
"""By rule; a rule that is not here says its title."""

LEADS_TO: dict[tuple[str, str], str] = {
    ("config-not-in-force", "consumer-cache-exceeds-heap"): say("with that value"),
    ("consumer-cache-exceeds-heap", "out-of-memory-thread"): say("until"),
    ("out-of-memory-thread", "pull-loop-lost"): say("which ended the pull loop:"),
    ("out-of-memory-thread", "pull-service-dead"): say("which ended the thread that pulls:"),
    ("slow-writes", "page-cache-busy"): say("so"),
    ("slave-behind", "offset-ahead-of-store"): say("so"),
    ("offset-ahead-of-store", "offset-reset-to-zero"): say("and after the restart"),
    ("slave-behind", "offset-reset-to-zero"): say("and after the restart"),
    ("page-cache-busy", "send-busy"): say("and"),
    ("send-busy", "producer-backlog"): say("and"),
}
DEFAULT_WORD = say("so")


def says(finding: Finding) -> str:
    """The finding as a link of a chain."""
    words = SAYS.get(finding.rule)
    if words is None:
        return finding.title
    return say(words) if isinstance(words, str) else words(finding)


def word(root: Finding, effect: Finding) -> str:
    """What links the two."""
    return say(LEADS_TO.get((root.rule, effect.rule), DEFAULT_WORD))
