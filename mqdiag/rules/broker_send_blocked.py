"""The broker's send threads wait before the commit log."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import StacksFacts
from mqdiag.facts.stacks import Standstill, ThreadFacts
from mqdiag.facts.thread_pools import PutWaits, WorkerPool
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Result, Rule
from mqdiag.rules.shared import standstill
from mqdiag.text import Value

RULE = Rule("broker-send-blocked")
PLACES = ("page-cache-busy", "slow-slave", "slow-disk")
"""causes that say what the threads wait for"""
MAKES_FILES = ("AllocateMappedFileService", "AllocateMapedFileService")
"""the class of the thread that makes the next file of the commit log; the holder of the put lock waits in it"""
WARMS_FILE = (".warmMappedFile(", ".warmMapedFile(")


@RULE.stacks
def in_stacks(stacks: StacksFacts, limits: Limits) -> Findings:
    """One finding for the broker."""
    blocked = [
        still
        for still in stacks.standstills
        if still.kind == "broker-put" and len(still.threads) >= limits["blocked_share"] * still.pool_size
    ]
    for still in blocked:
        yield _blocked(still, stacks, limits)
    if not blocked and stacks.judged:
        saturated = list(_saturated(stacks, limits))
        yield from saturated or _stood_for_a_while(stacks, limits)


def _blocked(still: Standstill, stacks: StacksFacts, limits: Limits) -> Result:
    """The threads wait in all samples; where they wait for a new file, the finding says who makes it."""
    maker = _maker(still, stacks)
    call = "" if maker is None else maker.samples[-1].top or ""
    waits_for_file = _makes_files(still.holder) or _makes_files(still.holder_does)
    place = "next-file" if waits_for_file else still.cause if still.cause in PLACES else "send-path"
    case = "wait-for-file" if waits_for_file else "wait-in-all-samples"
    if maker is not None:
        case = "wait-for-maker" if maker.name == still.holder else "file-is-being-made"
    return standstill.case(
        RULE,
        case,
        still,
        limits,
        seen=RULE.word("waits-for-file") if waits_for_file and still.seconds is not None else None,
        words={
            "place": RULE.word(place),
            "holder": still.holder,
            "call": call,
            **(_words_of(maker, call, stacks) if maker is not None else {}),
        },
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


def _words_of(maker: ThreadFacts, call: str, stacks: StacksFacts) -> dict[str, Value]:
    frames = [frame for group in stacks.groups if maker.name in group.threads for frame in group.frames]
    return {
        "maker": maker.name,
        "seen": RULE.word(
            "makes-file",
            holder=maker.name,
            call=call,
            same=sum(at.top == call for at in maker.samples),
            all=len(maker.samples),
        ),
        "no_cpu": maker.cpu_growth_ms is not None and maker.cpu_growth_ms < standstill.NO_CPU_MS,
        "warms": any(warms in frame for frame in frames for warms in WARMS_FILE),
    }


def _saturated(stacks: StacksFacts, limits: Limits) -> Findings:
    """Sends do end, but in every sample the threads are found in the same wait: it is what bounds them."""
    for pool, waits in _put_waits(stacks):
        size = len(pool.threads)
        if len(waits.threads) < 2 or min(waits.threads) < limits["waiting_share"] * size:
            continue
        sure = len(waits.threads) >= limits["min_samples"] and size > 1
        yield RULE.case(
            "wait-in-every-sample" if sure else "wait-in-few-samples",
            pool,
            stacks,
            subject=Subject(thread=pool.pool),
            evidence={
                "samples": len(waits.threads),
                "waiting": waits.threads,
                "pool_size": size,
                "frame": pool.shared_frame,
            },
            words={"place": RULE.word(waits.cause)},
            given={"remedy": waits.remedy},
            cause=waits.cause,
            weight=float(size),
        )


def _put_waits(stacks: StacksFacts) -> Iterator[tuple[WorkerPool, PutWaits]]:
    for pool in stacks.pools:
        for waits in pool.put_waits:
            yield pool, waits


def _stood_for_a_while(stacks: StacksFacts, limits: Limits) -> Findings:
    """Most threads did nothing but wait over some samples in a row, and move before or after."""
    for pool, waits in _put_waits(stacks):
        size = len(pool.threads)
        first, last = _longest_rest(waits.still, limits["blocked_share"] * size)
        start, end = stacks.series[first].seconds, stacks.series[last].seconds
        if last - first + 1 < limits["min_samples"] or start is None or end is None:
            continue
        if end - start < limits["stood_seconds"]:
            continue
        yield RULE.case(
            "stood-for-a-while",
            pool,
            waits,
            subject=Subject(thread=pool.pool),
            evidence={
                "samples": last - first + 1,
                "first_sample": first + 1,
                "last_sample": last + 1,
                "standing": min(waits.still[first + 1 : last + 1]),
                "waiting": waits.threads,
                "pool_size": size,
                "frame": pool.shared_frame,
                "stood_seconds": round(end - start, 3),
            },
            words={"place": RULE.word(waits.cause)},
            given={"remedy": waits.remedy},
            cause=waits.cause,
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
