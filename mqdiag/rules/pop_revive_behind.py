"""Messages of POP consumers that were not acknowledged come back late or not at all."""

from __future__ import annotations

from mqdiag.facts import HeapFacts, StacksFacts
from mqdiag.facts.admin import AdminFacts
from mqdiag.facts.broker import BrokerFacts
from mqdiag.facts.logs import LogEvent, LogsFacts, LogSubject
from mqdiag.facts.servers import ReviveQueue
from mqdiag.findings import Subject
from mqdiag.log_events import by_group, enough, events, lines_of, most_frequent, seconds_between, when
from mqdiag.rules.rule import Findings, Limits, Result, Rule
from mqdiag.rules.shared import standstill
from mqdiag.rules.shared.brokers import subject, subject_of_logs

RULE = Rule("pop-revive-behind")
ROUND = "pop-revive-round"
REVIVE_THREAD = "PopReviveService_"
RESTING = (".waitForRunning(", "java.lang.Thread.sleep")
"""frames of a thread between two rounds, and between two looks for check points"""
MOST_FRAMES = 3
MANY_ROUNDS = 5
"""a round that takes so many times as long as usual"""
REVIVE_GROUP = "CID_RMQ_SYS_REVIVE_GROUP"
"""the broker's own group, which reads check points that are due and gives their messages back"""


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each broker and cause; for each group that does not acknowledge."""
    if refused := events(logs, "pop-refused-without-timer"):
        yield RULE.case("timer-wheel-off", logs=logs, events=refused)
    yield from _rounds(logs, limits)
    for group, found in by_group(logs, "pop-too-many-unacknowledged").items():
        if enough(logs, lines_of(found), limits["lines"]):
            yield _unacknowledged(logs, group, found)
    again = events(logs, "pop-acknowledgement-again")
    times = max((event.values["largest_times"] for event in again), default=0)
    if times >= (limits["rounds"] if logs.is_excerpt else limits["times"]):
        yield RULE.case("acknowledgement-again", logs=logs, events=again, evidence={"times": times})
    full = events(logs, "pop-buffer-behind")
    if enough(logs, lines_of(full), limits["lines"]):
        yield RULE.case("buffer-full", logs=logs, events=full, evidence={"lines": lines_of(full)})


def _rounds(logs: LogsFacts, limits: Limits) -> Findings:
    """Rounds of PopReviveService that ended late, moved nothing, or did not end."""
    late = [
        event
        for event in events(logs, "pop-revive-late")
        if event.values.get("largest_delay_s", 0) >= limits["delay_s"]
    ]
    # the rounds after a start take up what became due while the broker was down
    lasting = [event for event in late if event.count > (event.peak_per_minute or 0) or logs.is_excerpt]
    unmoved = [] if late else events(logs, "pop-revive-unmoved")
    for case, found in (("revive-late", lasting), ("offset-unmoved", unmoved)):
        if found and enough(logs, lines_of(found), limits["rounds"]):
            largest = max(event.values["largest_delay_s"] for event in found)
            yield RULE.case(case, logs=logs, events=found, evidence={"largest_delay_s": largest})
    for event in events(logs, ROUND):
        if silent := _silent(event, limits):
            yield RULE.case(
                "rounds-ended",
                logs=logs,
                events=[event],
                evidence={
                    "revive_queues": len(silent),
                    "queue_ids": tuple(sorted(one.queue_id for one in silent if one.queue_id is not None)),
                    "silent_s": max(seconds_between(one.last, event.last) for one in silent),
                    "other_queues": len(event.subjects) - len(silent),
                },
            )


def _silent(event: LogEvent, limits: Limits) -> list[LogSubject]:
    """Queues whose rounds ended long before the last round of another queue."""
    silent = []
    for one in event.subjects:
        if one.count < max(limits["rounds"], 2):
            continue
        usual_s = seconds_between(one.first, one.last) / (one.count - 1)
        if seconds_between(one.last, event.last) >= max(limits["delay_s"], MANY_ROUNDS * usual_s):
            silent.append(one)
    return silent


def _unacknowledged(logs: LogsFacts, group: str | None, found: list[LogEvent]) -> Result:
    return RULE.case(
        "not-acknowledged",
        logs=logs,
        events=found,
        subject=Subject(group=group, broker=subject_of_logs(logs, found).broker),
        rows={
            "requests": tuple(
                {
                    "lines": event.count,
                    "when": when(event),
                    "subjects": most_frequent(event) or RULE.word("not-named"),
                }
                for event in found
            )
        },
    )


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for each broker whose PopReviveService is behind or has ended."""
    least_ms = limits["delay_s"] * 1000
    for broker in (heap.broker, *heap.further_brokers):
        if broker is None or broker.pop is None or broker.store_config.get("timerWheelEnable") is False:
            continue
        working = [queue for queue in broker.pop.revive_queues if queue.running]
        known = [queue.behind_ms for queue in working if queue.behind_ms is not None]
        found = [
            queue
            for queue in working
            if (queue.behind_ms is not None and queue.behind_ms >= least_ms) or queue.thread == "terminated"
        ]
        if found:
            yield _in_objects(heap, broker, found)
        elif known:
            yield RULE.margin("delay", max(known), least_ms)


def _in_objects(heap: HeapFacts, broker: BrokerFacts, found: list[ReviveQueue]) -> Result:
    ended = sum(queue.thread == "terminated" for queue in found)
    longest = max((queue.behind_ms for queue in found if queue.behind_ms is not None), default=None)
    frames = _frames(heap, found)
    return RULE.case(
        "threads-ended" if ended else "thread-stands" if frames else "threads-late",
        broker.pop,
        subject=subject(broker),
        evidence={
            "behind_ms": longest,
            "revive_queues": len(found),
            "threads_ended": ended,
            "frames": frames,
        },
        age_ms=longest,
    )


def _frames(heap: HeapFacts, found: list[ReviveQueue]) -> tuple[str, ...]:
    """The broker's frames of a revive thread that does not rest between two rounds."""
    numbers = {queue.queue_id for queue in found}
    for thread in heap.threads:
        place = thread.name.rpartition(REVIVE_THREAD)[2]
        if REVIVE_THREAD in thread.name and place.isdecimal() and int(place) in numbers:
            own = [frame for frame in thread.frames if ".rocketmq." in frame]
            if own and not any(rest in frame for frame in thread.frames for rest in RESTING):
                return tuple(own[:MOST_FRAMES])
    return ()


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for each kind of the broker's POP threads of which some stand."""
    for still in stacks.standstills:
        if still.kind == "broker-pop":
            words = {"at": standstill.short_frame(still.frame), "holder": still.holder}
            yield standstill.case(RULE, "threads-stand", still, limits, words=words, cause="revive-stands")


@RULE.admin
def in_admin(admin: AdminFacts, limits: Limits) -> Findings:
    """One finding for each answer about the broker's own group that reads check points."""
    for progress in admin.groups:
        waiting = sum(max(queue.diff, 0) for queue in progress.queues)
        if progress.group == REVIVE_GROUP and waiting >= limits["check_points"]:
            brokers = {queue.broker for queue in progress.queues}
            yield RULE.case(
                "check-points-waiting",
                subject=Subject(group=REVIVE_GROUP, broker=brokers.pop() if len(brokers) == 1 else None),
                evidence={"waiting": waiting, "queues": len(progress.queues)},
            )
