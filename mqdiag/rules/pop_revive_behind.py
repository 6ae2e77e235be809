"""Messages of POP consumers that were not acknowledged come back late or not at all."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.admin import GroupProgress
from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.facts.servers import PopFacts, ReviveQueue
from mqdiag.findings import Confidence, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.brokers import brokers_of_logs, subject, subject_of_logs
from mqdiag.rules.shared.excerpts import enough, is_excerpt, surest
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.rules.shared.log_events import (
    by_group,
    counted,
    counted_lines,
    events,
    files_of,
    lines_of,
    most_frequent,
    most_frequent_counted,
    seconds_between,
    when,
)
from mqdiag.rules.shared.standstill import LIMITS, draft, short_frame, who
from mqdiag.text import NOTHING, Text, say
from mqdiag.time_ranges import ranges_of

REFUSED, LATE = "pop-refused-without-timer", "pop-revive-late"
UNACKNOWLEDGED, BUFFER = "pop-too-many-unacknowledged", "pop-buffer-behind"
UNMOVED, ROUND = "pop-revive-unmoved", "pop-revive-round"
AGAIN = "pop-acknowledgement-again"
REVIVE_THREAD = "PopReviveService_"
RESTING = (".waitForRunning(", "java.lang.Thread.sleep")
"""frames of a thread between two rounds, and between two looks for check points"""
_MOST_FRAMES = 3
_MANY_ROUNDS = 5
"""a round that takes so many times as long as usual"""
REVIVE_GROUP = "CID_RMQ_SYS_REVIVE_GROUP"
"""the broker's own group, which reads check points that are due and gives their messages back"""

RULE = Rule(
    name="pop-revive-behind",
    title="Messages of POP consumers come back late, or POP does not work",
    why=(
        "Under POP (5.x) a message that was not acknowledged within its invisible time comes back. For each batch the"
        " broker stores a check point as a timed message, and PopReviveService reads those that are due. In order it is"
        " three to five seconds behind. Where it falls behind, failed messages come back late and check points pile up."
        " Without the timer wheel the broker refuses POP."
    ),
    causes=("timer-wheel-off", "revive-late", "revive-stands", "not-acknowledged", "buffer-full"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Set timerWheelEnable=true in broker.conf and restart the broker.",
        "Look for what holds back PopReviveService: a long reviveInterval (1,000 ms by default), a slow disk, pauses of"
        " the JVM, many messages that become due at once. A thread dump of the broker shows what the thread does.",
        "Let consumers acknowledge in time, and set the invisible time longer than the listener takes.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/9956",
        "https://github.com/apache/rocketmq/issues/5408",
        "https://github.com/apache/rocketmq/issues/3443",
        "PopReviveService.run, PopMessageProcessor.processRequest, PopBufferMergeService.scan",
    ),
    limits={**LIMITS, "delay_s": 60, "rounds": 3, "times": 60, "lines": 10, "check_points": 10_000},
    explained_by=("timer-stuck", "slow-writes", "gc-thrashing", "long-safepoints"),
    lies_at="broker",
    in_chain=say("messages of POP consumers come back late"),
    proven_on=say(
        "real logs of 5.3.3 for timer-wheel-off, revive-late and not-acknowledged; a posted log for revive-stands;"
        " lines as the source writes them for buffer-full"
    ),
)


def _facts(kind: str, delay_s: int) -> Facts:
    event = LogEvent(
        kind=kind,
        side="broker",
        count=30,
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:10:01+08:00",
        peak_per_minute=4,
        peak_at="2026-11-21T20:03:00+08:00",
        values={"largest_delay_s": delay_s},
    )
    return Facts(logs=LogsFacts(events=(event,), lines=5000))


def fires() -> Facts:
    """Thirty rounds in ten minutes, up to 140 s late."""
    return _facts(LATE, 140)


def silent() -> Facts:
    """Up to 45 s late."""
    return _facts(LATE, 45)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker and cause; for each group that does not acknowledge."""
    for logs in brokers_of_logs(facts):
        if found := events(logs, REFUSED):
            yield _without_timer(logs, found)
        late = [
            event for event in events(logs, LATE) if event.values.get("largest_delay_s", 0) >= limits["delay_s"]
        ]
        # the rounds after a start take up what became due while the broker was down
        lasting = [event for event in late if event.count > (event.peak_per_minute or 0) or is_excerpt(logs)]
        if enough(logs, lines_of(lasting), limits["rounds"]):
            yield _late(logs, lasting)
        unmoved = events(logs, UNMOVED)
        if not late and enough(logs, lines_of(unmoved), limits["rounds"]):
            yield _unmoved(logs, unmoved)
        for event in events(logs, ROUND):
            if silent := _silent(event, limits):
                yield _ended(logs, event, silent)
        for group, found in by_group(logs, UNACKNOWLEDGED).items():
            if enough(logs, lines_of(found), limits["lines"]):
                yield _unacknowledged(logs, group, found)
        found = events(logs, AGAIN)
        times = max((event.values["largest_times"] for event in found), default=0)
        if times >= (limits["rounds"] if is_excerpt(logs) else limits["times"]):
            yield _stands(logs, found, times)
        found = events(logs, BUFFER)
        if enough(logs, lines_of(found), limits["lines"]):
            yield _buffer(logs, found)


def _without_timer(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    return Draft(
        severity=Severity.ERROR,
        cause="timer-wheel-off",
        confidence=Confidence.HIGH,
        title=say("The broker refuses POP because timerWheelEnable is false"),
        subject=subject_of_logs(logs, found),
        evidence={"lines": lines_of(found), **counted(found)},
        explanation=(*map(counted_lines, found), say("POP consumers of this broker get no messages.")),
        remedy=(RULE.remedy[0],),
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.7,
    )


def _late(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    confidence, reason = surest(logs, Confidence.HIGH, NOTHING)
    return Draft(
        severity=Severity.WARNING,
        cause="revive-late",
        confidence=confidence,
        confidence_reason=reason,
        title=say("Messages of POP consumers come back up to {largest_delay_s:count} s late"),
        subject=subject_of_logs(logs, found),
        evidence={
            "lines": lines_of(found),
            "largest_delay_s": max(event.values["largest_delay_s"] for event in found),
            **counted(found),
        },
        explanation=(
            *(
                say(
                    "{lines:count} {lines:round|rounds} of PopReviveService ended with a check point that was 30 s or"
                    " more overdue, {when}.",
                    lines=event.count,
                    when=when(event),
                )
                for event in found
            ),
            say("A message that was not acknowledged waits for that time beyond its invisible time."),
        ),
        remedy=(RULE.remedy[1],),
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.5,
    )


def _unmoved(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    confidence, reason = surest(logs, Confidence.HIGH, NOTHING)
    return Draft(
        severity=Severity.WARNING,
        cause="revive-stands",
        confidence=confidence,
        confidence_reason=reason,
        title=say("No message of POP consumers was given back for {largest_delay_s:count} s"),
        subject=subject_of_logs(logs, found),
        evidence={
            "lines": lines_of(found),
            "largest_delay_s": max(event.values["largest_delay_s"] for event in found),
            **counted(found),
        },
        explanation=(
            *(
                say(
                    "{lines:count} {lines:round|rounds} of PopReviveService ended at the offset at which"
                    " {lines:it|they} began, {when}, though a check point was due for 30 s or more.",
                    lines=event.count,
                    when=when(event),
                )
                for event in found
            ),
            say("No round moved the offset: what the first check point waits for does not come."),
        ),
        remedy=(
            say("Look whether the timer of the broker works: it stores the check points that are due."),
            RULE.remedy[1],
        ),
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.5,
    )


def _silent(event: LogEvent, limits: Limits) -> list[LogSubject]:
    """Queues whose rounds ended long before the last round of another queue."""
    silent = []
    for one in event.subjects:
        if one.count < max(limits["rounds"], 2):
            continue
        usual_s = seconds_between(one.first, one.last) / (one.count - 1)
        if seconds_between(one.last, event.last) >= max(limits["delay_s"], _MANY_ROUNDS * usual_s):
            silent.append(one)
    return silent


def _ended(logs: LogsFacts, event: LogEvent, silent: list[LogSubject]) -> Draft:
    confidence, reason = surest(logs, Confidence.MEDIUM, say("the lines do not tell where the threads stand"))
    return Draft(
        severity=Severity.WARNING,
        cause="revive-stands",
        confidence=confidence,
        confidence_reason=reason,
        title=say(
            "PopReviveService of {revive_queues:count} {revive_queues:queue|queues} has ended no round for"
            " {silent_s:count} s"
        ),
        subject=subject_of_logs(logs, [event]),
        evidence={
            "revive_queues": len(silent),
            "queue_ids": tuple(sorted(one.queue_id for one in silent if one.queue_id is not None)),
            "silent_s": max(seconds_between(one.last, event.last) for one in silent),
            "other_queues": len(event.subjects) - len(silent),
        },
        explanation=(
            say(
                "Each round writes a line when it ends. Those of {revive_queues:queue|queues} {queue_ids} stopped,"
                " while {other_queues:count} other {other_queues:queue|queues} went on."
            ),
            say("Messages of POP consumers that were not acknowledged do not come back from there."),
        ),
        remedy=(say("Take thread dumps of the broker: they show where the threads PopReviveService stand."),),
        rests_on=event.files,
        when=ranges_of([event]),
        weight=0.5,
    )


def _stands(logs: LogsFacts, found: list[LogEvent], times: int) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="revive-stands",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("while no check point becomes due, a few repetitions are in order"),
        title=say("The broker read one acknowledgement of a POP consumer {times:count} times"),
        subject=subject_of_logs(logs, found),
        evidence={"times": times, **counted(found)},
        explanation=(
            *(
                say(
                    "{lines:count} {lines:acknowledgement was|acknowledgements were} read again {when}.",
                    lines=event.count,
                    when=when(event),
                )
                for event in found
            ),
            say(
                "Its offset moves with check points only, so what lies behind the last one is read in every round."
            ),
        ),
        remedy=(
            say("Upgrade the broker: 5.1 and later skip acknowledgements without a check point."),
            RULE.remedy[1],
        ),
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.3,
    )


def _unacknowledged(logs: LogsFacts, group: str | None, found: list[LogEvent]) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="not-acknowledged",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the lines do not tell whether the consumer is slow or stuck"),
        title=say("The broker stopped giving messages to a POP group that acknowledges too few of them"),
        subject=Subject(group=group, broker=subject_of_logs(logs, found).broker),
        evidence={"lines": lines_of(found), **counted(found), **most_frequent_counted(*found)},
        explanation=(
            *(
                say(
                    "{lines:count} {lines:request|requests} got no message {when}: {subjects}.",
                    lines=event.count,
                    when=when(event),
                    subjects=most_frequent(event) or say("the queue is not named"),
                )
                for event in found
            ),
            say(
                "More messages of the queue than popInflightMessageThreshold are with consumers and not acknowledged."
            ),
        ),
        remedy=(
            RULE.remedy[2],
            say("Take thread dumps of the consumers: they show what their listeners wait for."),
        ),
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.5,
    )


def _buffer(logs: LogsFacts, found: list[LogEvent]) -> Draft:
    return Draft(
        severity=Severity.WARNING,
        cause="buffer-full",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the lines do not tell why they wait"),
        title=say("Check points of POP consumers pile up in the broker's buffer"),
        subject=subject_of_logs(logs, found),
        evidence={"lines": lines_of(found), **counted(found)},
        explanation=(
            *map(counted_lines, found),
            say("The buffer is full, or check points stay in it for longer than popCkStayBufferTime (10 s)."),
        ),
        remedy=RULE.remedy[1:],
        rests_on=files_of(found),
        when=ranges_of(found),
        weight=0.4,
    )


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each broker whose PopReviveService is behind or has ended."""
    assert facts.heap is not None
    heap = facts.heap
    for broker in (heap.broker, *heap.further_brokers):
        if broker is None or broker.pop is None or broker.store_config.get("timerWheelEnable") is False:
            continue
        working = [queue for queue in broker.pop.revive_queues if queue.running]
        behind = [
            queue
            for queue in working
            if queue.behind_ms is not None and queue.behind_ms >= limits["delay_s"] * 1000
        ]
        ended = [queue for queue in working if queue.thread == "terminated"]
        if behind or ended:
            yield _in_objects(heap, broker, [queue for queue in working if queue in behind or queue in ended])
        elif any(queue.behind_ms is not None for queue in working):
            yield Margin(
                rule="",
                label=say("delay of the threads that give messages of POP consumers back"),
                value=max(queue.behind_ms for queue in working if queue.behind_ms is not None),
                limit=limits["delay_s"] * 1000,
                kind="ms",
            )


def _in_objects(heap: HeapFacts, broker: BrokerFacts, found: list[ReviveQueue]) -> Draft:
    assert broker.pop is not None
    ended = sum(queue.thread == "terminated" for queue in found)
    longest = max((queue.behind_ms for queue in found if queue.behind_ms is not None), default=None)
    frames = _frames(heap, found)
    return Draft(
        severity=Severity.WARNING,
        cause="revive-stands" if ended or frames else "revive-late",
        confidence=Confidence.HIGH if ended else Confidence.MEDIUM,
        confidence_reason=say("the threads have ended")
        if ended
        else say("a dump taken just after a long pause of the JVM looks the same"),
        title=say("The threads that give messages of POP consumers back have ended")
        if ended
        else say("Messages of POP consumers have not been given back for {behind_ms:ms}"),
        subject=subject(broker),
        evidence={
            "behind_ms": longest,
            "revive_queues": len(found),
            "threads_ended": ended,
            "check_points": broker.pop.check_points,
            "frames": frames,
        },
        explanation=tuple(_explained(broker.pop, frames, ended)),
        remedy=(RULE.remedy[1],),
        weight=0.5,
        age_ms=longest,
    )


def _explained(pop: PopFacts, frames: tuple[str, ...], ended: int) -> Iterator[Text]:
    yield say(
        "PopReviveService of {revive_queues:count} {revive_queues:queue is|queues is} behind."
        " A message that was not acknowledged waits for that time beyond its invisible time."
    )
    if ended:
        yield say("{threads_ended:count} of its {threads_ended:thread has|threads have} ended.")
    if frames:
        yield say("A thread of it stands at {frames}.")
    if pop.check_points:
        yield say(
            "{check_points:count} {check_points:batch waits|batches wait} for acknowledgements in the buffer."
        )


def _frames(heap: HeapFacts, found: list[ReviveQueue]) -> tuple[str, ...]:
    """The broker's frames of a revive thread that does not rest between two rounds."""
    numbers = {queue.queue_id for queue in found}
    for thread in heap.threads:
        place = thread.name.rpartition(REVIVE_THREAD)[2]
        if REVIVE_THREAD in thread.name and place.isdecimal() and int(place) in numbers:
            own = [frame for frame in thread.frames if ".rocketmq." in frame]
            if own and not any(rest in frame for frame in thread.frames for rest in RESTING):
                return tuple(own[:_MOST_FRAMES])
    return ()


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each kind of the broker's POP threads of which some stand."""
    assert facts.stacks is not None
    for still in facts.stacks.standstills:
        if still.kind != "broker-pop":
            continue
        yield draft(
            still,
            limits,
            title=say(
                "{who}, which {thread_count:serves|serve} POP consumers, {thread_count:stands|stand} at {at}",
                who=who(still),
                at=short_frame(still.frame),
            ),
            cause="revive-stands",
            more=(
                *((say("{holder} holds the lock and is in {holder_does}."),) if still.holder else ()),
                say("Messages of POP consumers that were not acknowledged do not come back while they stand."),
            ),
        )


@RULE.sees("admin")
def in_admin(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each answer about the broker's own group that reads check points."""
    assert facts.admin is not None
    for progress in facts.admin.groups:
        if progress.group == REVIVE_GROUP:
            waiting = sum(max(queue.diff, 0) for queue in progress.queues)
            if waiting >= limits["check_points"]:
                yield _waiting(progress, waiting)


def _waiting(progress: GroupProgress, waiting: int) -> Draft:
    brokers = {queue.broker for queue in progress.queues}
    return Draft(
        severity=Severity.WARNING,
        cause="revive-late",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("one answer does not tell whether the number grows; ask again after a minute"),
        title=say("{waiting:count} check points and acknowledgements of POP consumers are due and not read"),
        subject=Subject(group=REVIVE_GROUP, broker=brokers.pop() if len(brokers) == 1 else None),
        evidence={"waiting": waiting, "queues": len(progress.queues)},
        explanation=(
            say(
                "consumerProgress of the broker's group {group}: {waiting:count} in {queues:count}"
                " {queues:queue|queues}."
            ),
            say("Messages that were not acknowledged come back only when their check point was read."),
        ),
        remedy=(RULE.remedy[1],),
        weight=0.5,
    )
