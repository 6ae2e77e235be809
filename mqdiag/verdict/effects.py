"""What each fault leads to, in a few words: the links of a chain."""

from __future__ import annotations

from collections.abc import Callable

from mqdiag.findings import Finding

Said = str | Callable[[Finding], str]


def _queue(finding: Finding) -> str:
    subject = finding.subject
    if subject.topic is None:
        return "its queue"
    number = "" if subject.queue_id is None else f" queue {subject.queue_id}"
    return f"{subject.topic}{number}"


def _offset_stuck(finding: Finding) -> str:
    offset = finding.evidence.get("min_offset")
    at = "" if not isinstance(offset, int) else f" at {offset:,}"
    return f"the consume offset of {_queue(finding)} stands still{at}"


def _flow_control(finding: Finding) -> str:
    """Of several limits the span: it is the one that a stuck message runs into."""
    span = finding.evidence.get("queueMaxSpanFlowControlTimes")
    if isinstance(span, int) and span > 0:
        return f"its queue is not pulled any further: the span limit held back {span:,} pulls of the group"
    if finding.cause == "span":
        return "its queue is not pulled any further, for the span limit"
    return f"pulls of the group are held back by flow control ({finding.cause.replace('-', ' ')})"


def of_span(finding: Finding) -> bool:
    """Whether it is flow control by span, with the number of pulls that were held back."""
    return bool(finding.evidence.get("queueMaxSpanFlowControlTimes"))


SAYS: dict[str, Said] = {
    "offset-stuck-at-head": _offset_stuck,
    "flow-control": _flow_control,
    "orphaned-queue": lambda found: "queues that were moved away are still being worked on",
    "consume-timeout-exceeded": "messages stay in the listener beyond consumeTimeout",
    "expired-message-sent-back": "expired messages are sent back and delivered again",
    "retry-storm": "failed messages come again and again",
    "consumer-cache-exceeds-heap": lambda found: (
        f"the message cache of {found.subject.group} outgrows the heap"
    ),
    "out-of-memory-thread": "the JVM runs out of memory",
    "pull-loop-lost": lambda found: f"pulling of {_queue(found)} has stopped",
    "pull-service-dead": "nothing is pulled any more",
    "lock-convoy": "other threads wait for the lock that it holds",
    "connection-pool-exhausted": "the connection pool runs dry",
    "callback-pool-blocked": "no answer to a pull is handled any more",
    "idle-consumer": "the consume threads have nothing to do",
    "workers-saturated": "all consume threads are busy",
    "gc-thrashing": "the JVM spends its time in collections",
    "heap-held-by-application": "the heap fills up",
    "messages-outside-queues": "messages pile up outside RocketMQ",
    "page-cache-busy": "the broker calls its page cache busy",
    "slow-writes": "the broker writes slowly",
    "send-queue-timeout": "the broker throws waiting sends away",
    "send-queue-full": "the broker's send queue is full",
    "send-busy": "producers are told that the broker is busy",
    "producer-backlog": "sends pile up in the producers",
    "broker-send-blocked": "the broker's send threads stand",
    "offset-reset-to-zero": "consume offsets are set back to 0",
    "offset-ahead-of-store": "consume offsets lie beyond what the broker has",
    "slave-behind": "the slave falls behind",
}
"""By rule; a rule that is not here says its title."""

LEADS_TO: dict[tuple[str, str], str] = {
    ("config-not-in-force", "consumer-cache-exceeds-heap"): "with that value",
    ("consumer-cache-exceeds-heap", "out-of-memory-thread"): "until",
    ("out-of-memory-thread", "pull-loop-lost"): "which ended the pull loop:",
    ("out-of-memory-thread", "pull-service-dead"): "which ended the thread that pulls:",
    ("slow-writes", "page-cache-busy"): "so",
    ("page-cache-busy", "send-busy"): "and",
    ("send-busy", "producer-backlog"): "and",
}
DEFAULT_WORD = "so"


def says(finding: Finding) -> str:
    """The finding as a link of a chain."""
    words = SAYS.get(finding.rule)
    if words is None:
        return finding.title
    return words if isinstance(words, str) else words(finding)


def word(root: Finding, effect: Finding) -> str:
    """What links the two."""
    return LEADS_TO.get((root.rule, effect.rule), DEFAULT_WORD)
