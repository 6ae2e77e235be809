"""The broker's send threads wait before the commit log."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import Standstill, ThreadFacts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.standstill import LIMITS, NO_CPU_MS, draft, example, who
from mqdiag.text import NOTHING, Text, say

RULE = Rule(
    name="broker-send-blocked",
    title="The broker's send threads do not get to write",
    why=(
        "SendMessageThread_ threads write to the commit log one after the other under one lock. Then they wait for the"
        " flush and the slave if so configured. When they wait there in all samples, the page cache, the disk or the"
        " slave is slow, and senders see timeouts and busy errors."
    ),
    causes=("page-cache-busy", "slow-slave", "slow-disk"),
    severities=(Severity.ERROR, Severity.WARNING),
    remedy=(
        "Look at PAGECACHERT in store.log, at iostat -x 1 and at the slave.",
        "Longer timeouts and a larger send queue only hide it.",
    ),
    references=(
        "BrokerFastFailure, [PC_SYNCHRONIZED] and [PCBUSY_CLEAN_QUEUE]: busy errors of the same origin",
        "org.apache.rocketmq.store.CommitLog.putMessage",
    ),
    limits={**LIMITS, "blocked_share": 0.5, "waiting_share": 0.9, "stood_seconds": 3.0},
    lies_at="broker",
    in_chain=say("the broker's send threads cannot write"),
)


PLACES = {
    "page-cache-busy": say("to write to the commit log"),
    "slow-slave": say("for the slave"),
    "slow-disk": say("for the flush to disk"),
}
MAKES_FILES = ("AllocateMappedFileService", "AllocateMapedFileService")
"""the class of the thread that makes the next file of the commit log; the holder of the put lock waits in it"""
WAITS_FOR_FILE = say(
    "{samples:count} {samples:sample|samples} over {seconds:seconds} show each thread waiting for the lock of the"
    " commit log or, as the holder of the lock, for the next file"
)
FIND_OUT_WHY = say(
    "{holder} waits for the next file of the commit log: find out why thread AllocateMappedFileService does not make"
    " it. Look at its stack, the free space and inodes of the disk, and how long the disk takes to allocate a file."
)
_WARMS_FILE = (".warmMappedFile(", ".warmMapedFile(")
ONLY_HIDES = say("Until it returns, longer timeouts and a larger send queue only hide the fault.")
SENDS = Standstill(
    kind="broker-put",
    cause="page-cache-busy",
    threads=("SendMessageThread_1", "SendMessageThread_2"),
    role="broker-send",
    pool="SendMessageThread",
    pool_size=2,
    wait="jdk.internal.misc.Unsafe.park",
    samples=5,
    seconds=10.4,
    cpu_growth_ms=0.1,
    confidence="high",
    remedy=(say("Look at PAGECACHERT in store.log."),),
)


def fires() -> Facts:
    """Both send threads wait for the put lock in five samples."""
    return example(SENDS)


def silent() -> Facts:
    """One of ten waits: the others write."""
    return example(
        Standstill(
            kind="broker-put",
            cause="slow-disk",
            threads=("SendMessageThread_1",),
            role="broker-send",
            pool_size=10,
        )
    )


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for the broker."""
    stacks = facts.stacks
    assert stacks is not None
    blocked = False
    for still in stacks.standstills:
        if still.kind != "broker-put" or len(still.threads) < limits["blocked_share"] * still.pool_size:
            continue
        blocked = True
        yield _blocked(still, stacks, limits)
    if not blocked and stacks.judged:
        saturated = list(_saturated(stacks, limits))
        yield from saturated or _stood_for_a_while(stacks, limits)


def _blocked(still: Standstill, stacks: StacksFacts, limits: Limits) -> Draft:
    """The threads wait in all samples; where they wait for a new file, the finding says who makes it."""
    place = PLACES.get(still.cause, say("in the send path"))
    seen = None
    more = (say("{holder} holds the lock and is in {holder_does}."),) if still.holder else ()
    maker = _maker(still, stacks)
    if _makes_files(still.holder) or _makes_files(still.holder_does):
        place = say("for the next file of the commit log")
        seen = WAITS_FOR_FILE if still.seconds is not None else None
        still = msgspec.structs.replace(still, remedy=(FIND_OUT_WHY, *still.remedy))
    if maker is not None:
        call = maker.samples[-1].top or ""
        made = _what_maker_does(maker, call)
        warm = (_do_not_warm(maker),) if _warms(maker, stacks) else ()
        if maker.name == still.holder:
            more = (made,)
            still = msgspec.structs.replace(still, remedy=(_find_out_why(call), *warm, ONLY_HIDES))
        else:
            more = (*more, made)
            first = _is_being_made(maker)
            still = msgspec.structs.replace(still, remedy=(first, *warm, *still.remedy[1:]))
    return draft(
        still,
        limits,
        title=say(
            "{who} {thread_count:waits|wait} {place} in all samples",
            who=who(still),
            place=place,
        ),
        seen=seen,
        more=more,
    )


def _makes_files(text: str | None) -> bool:
    """Whether a thread's name, or the call of the thread that waits for it, has the class that makes the files."""
    return any(name in (text or "") for name in MAKES_FILES)


def _maker(still: Standstill, stacks: StacksFacts) -> ThreadFacts | None:
    """The thread that makes the file for which the holder waits, where the samples have only one that is at work."""
    if not (_makes_files(still.holder) or _makes_files(still.holder_does)):
        return None
    makers = [one for one in stacks.threads if _makes_files(one.name)]
    return makers[0] if len(makers) == 1 and makers[0].state != "idle" else None


def _warms(maker: ThreadFacts, stacks: StacksFacts) -> bool:
    return any(
        warms in frame
        for group in stacks.groups
        if maker.name in group.threads
        for frame in group.frames
        for warms in _WARMS_FILE
    )


def _is_being_made(maker: ThreadFacts) -> Text:
    return say(
        "{holder} waits for the next file of the commit log, and thread {maker} is making it: look at the free space of"
        " the disk and at how long the disk takes (iostat -x 1).",
        maker=maker.name,
    )


def _do_not_warm(maker: ThreadFacts) -> Text:
    return say(
        "Thread {maker} writes to every page of the new file before its first use. If the disk is too slow for that,"
        " set warmMapedFileEnable=false on the broker.",
        maker=maker.name,
    )


def _find_out_why(call: str) -> Text:
    return say(
        "Find out why {call} does not return to {holder}: look at the kernel's messages (dmesg -T), at iostat -x 1, at"
        " the free space and inodes of the disk, and at the mount if it is a network disk.",
        call=call,
    )


def _what_maker_does(maker: ThreadFacts, call: str) -> Text:
    seen = say(
        "Thread {holder} makes that file, and is in {call} in {same:count} of {all:count} samples",
        holder=maker.name,
        call=call,
        same=sum(at.top == call for at in maker.samples),
        all=len(maker.samples),
    )
    if maker.cpu_growth_ms is None or maker.cpu_growth_ms >= NO_CPU_MS:
        return say("{seen}.", seen=seen)
    return say("{seen}, using no CPU.", seen=seen)


def _saturated(stacks: StacksFacts, limits: Limits) -> Iterator[Draft]:
    """Sends do end, but in every sample the threads are found in the same wait: it is what bounds them."""
    for pool in stacks.pools:
        size = len(pool.threads)
        for waits in pool.put_waits:
            if len(waits.threads) < 2 or min(waits.threads) < limits["waiting_share"] * size:
                continue
            sure = len(waits.threads) >= limits["min_samples"] and size > 1
            yield Draft(
                severity=Severity.WARNING,
                cause=waits.cause,
                confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
                confidence_reason=NOTHING
                if sure
                else say("one thread, or two samples, may be found there by chance"),
                title=say(
                    "In every sample the broker's send threads wait {place}, though sends do end",
                    place=PLACES[waits.cause],
                ),
                subject=Subject(thread=pool.pool),
                evidence={
                    "threads": pool.threads,
                    "samples": len(waits.threads),
                    "waiting": waits.threads,
                    "pool_size": size,
                    "frame": pool.shared_frame,
                    "seconds": stacks.seconds,
                },
                explanation=(
                    say(
                        "Threads in that wait, by sample: {waiting} of {pool_size:count}. They move on in between, so"
                        " this is slow and not stuck. It limits how much the broker can take in."
                    ),
                ),
                remedy=waits.remedy,
                weight=float(size),
            )


def _stood_for_a_while(stacks: StacksFacts, limits: Limits) -> Iterator[Draft]:
    """Most threads did nothing but wait over some samples in a row, and move before or after."""
    for pool in stacks.pools:
        size = len(pool.threads)
        for waits in pool.put_waits:
            first, last = _longest_rest(waits.still, limits["blocked_share"] * size)
            start, end = stacks.series[first].seconds, stacks.series[last].seconds
            if last - first + 1 < limits["min_samples"] or start is None or end is None:
                continue
            if end - start < limits["stood_seconds"]:
                continue
            yield Draft(
                severity=Severity.WARNING,
                cause=waits.cause,
                confidence=Confidence.HIGH,
                title=say(
                    "{standing:count} of {pool_size:count} send threads waited {place} for {stood_seconds:seconds}"
                    " without a sign of work, and moved in other samples",
                    place=PLACES[waits.cause],
                ),
                subject=Subject(thread=pool.pool),
                evidence={
                    "threads": pool.threads,
                    "samples": last - first + 1,
                    "first_sample": first + 1,
                    "last_sample": last + 1,
                    "standing": min(waits.still[first + 1 : last + 1]),
                    "still": waits.still,
                    "waiting": waits.threads,
                    "pool_size": size,
                    "frame": pool.shared_frame,
                    "stood_seconds": round(end - start, 3),
                },
                explanation=(
                    say(
                        "Samples {first_sample:count} to {last_sample:count} show it. Threads in that wait, by sample:"
                        " {waiting}; those that used no CPU time since the sample before: {still}."
                    ),
                    say("No send ended in these threads during that time, and it may come again."),
                ),
                remedy=waits.remedy,
                weight=float(size),
            )


def _longest_rest(still: tuple[int, ...], least: float) -> tuple[int, int]:
    """First and last sample of the longest time over which at least so many threads did no work."""
    best = (0, 0)
    first = 0
    for index, threads in enumerate(still):
        if threads < least:
            first = index
        elif index - first > best[1] - best[0]:
            best = (first, index)
    return best
