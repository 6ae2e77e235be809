"""What to say when no fault was found: that it is so, what was looked at, and how close the limits are."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import HeapFacts, LogsFacts
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Report, Severity
from mqdiag.render.text.broker import send_queue_margin
from mqdiag.render.text.heap import WORTH_SHOWING_BYTES
from mqdiag.render.text.logs import latency_lines
from mqdiag.render.text.page import Page
from mqdiag.render.wording.sizes import share, size
from mqdiag.render.wording.unexplained import unexplained
from mqdiag.text import say

WITHOUT_PROGRESS = say(
    "These samples do not tell progress from standstill; what needs no series was looked for."
)
WITHOUT_VIEW = say("Counts alone name no cause; run without --quick for a diagnosis.")
INCOMPLETE = "input-incomplete"
FAULTS = (Severity.ERROR, Severity.WARNING)


def show_healthy(page: Page, report: Report) -> None:
    """Nothing at all when there is a fault: the verdict speaks then."""
    if any(finding.severity in FAULTS for finding in report.findings) or not report.checked:
        return
    heap = report.heap
    if heap is not None and heap.process_queues is None:
        page.hanging(say("NO VERDICT"), say(WITHOUT_VIEW), indent=0, style="bold", mark_style="bold yellow")
        return
    if heap is None and report.stacks is not None and not report.stacks.judged:
        page.hanging(say("NO VERDICT"), say(WITHOUT_PROGRESS), indent=0, style="bold", mark_style="bold yellow")
        page.blank()
        return
    why = unexplained(report)
    if why is not None:
        page.hanging(say("NO VERDICT"), why, indent=0, style="bold", mark_style="bold yellow")
        page.blank()
        return
    page.hanging(say("OK"), say("No fault found."), indent=0, style="bold", mark_style="bold green")
    page.paragraph(
        say("{checked} rules looked at this evidence; none found a fault.", checked=len(report.checked))
    )
    if report.findings:
        page.paragraph(say("What is listed below is no fault by itself, and may be the sign of one."))
    if heap is not None:
        page.blank()
        page.paragraph(say("How close it is to its limits"))
        page.bullets(_margins(heap), indent=4)
    if report.logs is not None:
        page.blank()
        page.paragraph(say("What the logs show"))
        page.bullets(_quiet(report.logs), indent=4)
    if report.findings:
        page.blank()


def show_healthy_part(page: Page, report: Report) -> None:
    """After a verdict that is about the input alone: what was read has been judged, and how."""
    faults = [finding for finding in report.findings if finding.severity in FAULTS]
    if not faults or any(finding.rule != INCOMPLETE for finding in faults) or len(report.checked) < 2:
        return
    page.blank()
    others = len(report.checked) - 1
    count = say("one other rule") if others == 1 else say("{others} other rules", others=others)
    page.paragraph(say("In what could be read, {count} found no fault.", count=count))


def _quiet(logs: LogsFacts) -> Iterator[str]:
    yield (
        say(
            (
                "{lines:count} lines of {logs} were read; warnings and errors among them that are no fault,"
                " such as those of every start, are not counted"
            ),
            lines=logs.lines,
            logs=_logs(logs),
        )
    )
    if logs.pagecachert is not None:
        yield from latency_lines(logs.pagecachert)
    for broker in logs.brokers:
        if broker.pagecachert is not None and broker.pagecachert.puts:
            yield from (f"{broker.called}: {line}" for line in latency_lines(broker.pagecachert))
    for gc in logs.gc[:3]:
        if gc.seconds:
            yield (
                say(
                    (
                        "{path}: {collections:count} collections took {pause_ms:percent} of the time, the longest"
                        " pause {longest_pause_ms:ms}"
                    ),
                    path=gc.path,
                    collections=gc.collections,
                    pause_ms=ratio(gc.pause_ms / 1000, gc.seconds),
                    longest_pause_ms=round(gc.longest_pause_ms),
                )
            )


def _logs(logs: LogsFacts) -> str:
    return "1 log" if len(logs.files) == 1 else say("{files:count} logs", files=len(logs.files))


def _margins(heap: HeapFacts) -> Iterator[str]:
    if heap.broker is not None:
        yield from filter(None, map(send_queue_margin, (heap.broker, *heap.further_brokers)))
    # A broker's messages are those that it writes at the moment: nothing is cached.
    if heap.consumers or heap.process_queues or (heap.messages and heap.broker is None):
        yield from _cache(heap)
        yield from _oldest(heap)
    elif heap.broker is None:
        yield say("no RocketMQ consumer and no message is in this dump")
    largest = max(heap.suspects, key=lambda suspect: suspect.retained_bytes, default=None)
    if largest is not None and largest.retained_bytes >= WORTH_SHOWING_BYTES:
        yield (
            say(
                (
                    "the largest accumulation is {label}: {retained_bytes:bytes}, {share:percent} of the"
                    " reachable bytes"
                ),
                label=largest.label or largest.class_name,
                retained_bytes=largest.retained_bytes,
                share=ratio(largest.share, 1),
            )
        )


def _cache(heap: HeapFacts) -> Iterator[str]:
    limit = heap.heap_bytes
    of_limit = "" if limit is None else say(" of a heap of {limit:bytes}", limit=limit)
    cached = sum(consumer.body_bytes for consumer in heap.consumers)
    held = size(cached)
    if limit is not None:
        held = f"{share(cached, limit)} ({held})"
    yield say("message bodies cached now: {held}{of_limit}", held=held, of_limit=of_limit)
    bounds = [consumer.bound_bytes for consumer in heap.consumers]
    known = [bound for bound in bounds if bound is not None]
    if not bounds:
        return
    if len(known) < len(bounds):
        yield (
            say(
                "what the thresholds allow is not known for {bounds} of {bounds_2} consumers: fewer"
                " than 32 messages seen",
                bounds=len(bounds) - len(known),
                bounds_2=len(bounds),
            )
        )
    if known:
        allowed = size(sum(known))
        if limit is not None:
            allowed = f"{share(sum(known), limit)} ({allowed})"
        yield say(
            "what the thresholds allow the queues to hold: {allowed}{of_limit}; a warning begins at 60 %",
            allowed=allowed,
            of_limit=of_limit,
        )


def _oldest(heap: HeapFacts) -> Iterator[str]:
    ages = [queue.oldest_consume_age_ms for queue in heap.queues if queue.oldest_consume_age_ms is not None]
    if ages:
        yield say(
            "longest that a listener has had the first message of a queue in hand: {ages:ms}",
            ages=max(ages),
        )
    lags = [queue.lag for queue in heap.queues if queue.lag is not None]
    if lags:
        yield say("messages waiting on the brokers, as of the last pulls: {lags:count}", lags=sum(lags))
