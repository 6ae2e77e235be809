"""The JVM stopped all threads for seconds."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.facts.logs import GcFacts, LogsFacts, SafepointPauses
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Confidence, Margin, Severity
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.text import Text, say
from mqdiag.time_ranges import between

RULE = Rule(
    name="long-safepoints",
    title="The JVM stopped all its threads for seconds",
    why=(
        "At a safepoint all Java threads stand still. A pause has two parts: the wait until the last thread stops, and"
        " the work, which is mostly a collection. During a pause of seconds a broker answers nobody, and a client sends"
        " no heartbeat. A long wait for the threads has nothing to do with the size of the heap."
    ),
    causes=("time-to-safepoint", "collection"),
    severities=(Severity.WARNING,),
    remedy=(
        "When the wait is long: look for a long counted loop (such as the warm-up of mapped files), for swap, for a"
        " frozen virtual machine, and for a GC log on a slow disk.",
        "When the work is long: read the collections of the same time in the GC log.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/2387",
        "https://github.com/apache/rocketmq/issues/4902",
        "-XX:+PrintSafepointStatistics, -Xlog:safepoint",
    ),
    limits={"pause_ms": 3000, "reaching_share": 0.5},
    of_process=True,
    lies_at="any",
    in_chain=say("the JVM stands still"),
    proven_on=LITERALS,
)

REMEDIES = {
    "time-to-safepoint": (
        say(
            "Find the thread that the JVM waits for: -XX:+SafepointTimeout -XX:SafepointTimeoutDelay=1000 prints its"
            " name."
        ),
        say(
            "On a broker set warmMapedFileEnable=false, or upgrade to 4.9.5 or 5.0.0: earlier versions warm a mapped"
            " file in a loop without a safepoint."
        ),
        say("Check for swap (vmstat 1), for a frozen virtual machine, and for a GC log on a slow disk."),
        say("On JDK 8 to 14 set -XX:-UseBiasedLocking, and -XX:+UseCountedLoopSafepoints."),
    ),
    "collection": (
        say("Read the GC log of the same time: mqdiag logs shows the longest collection and what it freed."),
        say("Check for swap (vmstat 1): a collection reads the whole heap back into memory."),
    ),
}


def _facts(longest_ms: float) -> Facts:
    row = SafepointPauses(
        path="gc.log",
        pauses=2,
        total_ms=longest_ms + 40,
        reaching_ms=longest_ms,
        long=1,
        longest_ms=longest_ms,
        longest_reaching_ms=longest_ms - 2,
        longest_at="2026-11-21T20:00:01+08:00",
        first="2026-11-21T20:00:01+08:00",
        last="2026-11-21T20:00:09+08:00",
    )
    return Facts(logs=LogsFacts(safepoints=(row,)))


def fires() -> Facts:
    """A pause of 21 seconds, of which the collection took 2 ms."""
    return _facts(21_000)


def silent() -> Facts:
    """A pause of half a second."""
    return _facts(500)


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each log with a pause that is too long."""
    assert facts.logs is not None
    for row in facts.logs.safepoints:
        if row.longest_ms >= limits["pause_ms"]:
            yield _draft(row, limits)
        else:
            label = say("longest pause of all threads in {path}", path=row.path)
            yield Margin(rule="", label=label, value=row.longest_ms, limit=limits["pause_ms"], kind="ms")
    told = {row.path for row in facts.logs.safepoints}
    for gc in facts.logs.gc:
        if gc.path not in told and gc.longest_pause_ms >= limits["pause_ms"]:
            yield _of_collections(gc)


def _of_collections(gc: GcFacts) -> Draft:
    """A log of collections alone, without the lines on safepoints."""
    return Draft(
        severity=Severity.WARNING,
        cause="collection",
        confidence=Confidence.HIGH,
        title=say("A collection stopped the JVM for {longest_ms:ms}"),
        evidence={
            "path": gc.path,
            "collections": gc.collections,
            "full_collections": gc.full,
            "longest_ms": gc.longest_pause_ms,
            "total_ms": gc.pause_ms,
            "heap_bytes": gc.heap_bytes,
        },
        explanation=(
            say(
                "{path} has {collections:count} {collections:collection|collections} with pauses of {total_ms:ms} in"
                " all; {full_collections:count} of them {full_collections:is a full one|are full ones}."
            ),
        ),
        remedy=REMEDIES["collection"],
        rests_on=(gc.path,),
        weight=0.5,
    )


def _draft(row: SafepointPauses, limits: Limits) -> Draft:
    share = ratio(row.longest_reaching_ms, row.longest_ms)
    cause = "time-to-safepoint" if share is not None and share >= limits["reaching_share"] else "collection"
    return Draft(
        severity=Severity.WARNING,
        cause=cause,
        confidence=Confidence.MEDIUM if share is None else Confidence.HIGH,
        confidence_reason=say("the lines do not tell how long the JVM waited for its threads")
        if share is None
        else say("the lines tell both parts of each pause"),
        title=_title(row, cause),
        evidence={
            "path": row.path,
            "pauses": row.pauses,
            "long_pauses": row.long,
            "longest_ms": row.longest_ms,
            "longest_reaching_ms": row.longest_reaching_ms,
            "reaching_share": None if share is None else round(share, 4),
            "total_ms": row.total_ms,
            "reaching_ms": row.reaching_ms,
            "operation": row.longest_operation,
            "longest_at": row.longest_at,
        },
        explanation=tuple(_explained(row)),
        remedy=REMEDIES[cause],
        rests_on=(row.path,),
        when=between(row.first, row.last),
        weight=0.5,
    )


def _title(row: SafepointPauses, cause: str) -> Text:
    if cause == "time-to-safepoint":
        return say(
            "The JVM stood still for {longest_ms:ms}, of which it waited {longest_reaching_ms:ms} for its threads to"
            " stop"
        )
    return say("The JVM stood still for {longest_ms:ms}")


def _explained(row: SafepointPauses) -> Iterator[Text]:
    yield say(
        "{path} has {pauses:count} {pauses:pause|pauses} of {total_ms:ms} in all; {long_pauses:count} of them"
        " {long_pauses:is|are} a second or longer."
    )
    if row.longest_at is not None:
        yield say("The longest ended at {longest_at:time}.")
    if row.longest_operation is not None:
        yield say("It was for {operation}.")
    if row.reaching_ms is not None:
        yield say("In all pauses together the JVM waited {reaching_ms:ms} for its threads to stop.")
