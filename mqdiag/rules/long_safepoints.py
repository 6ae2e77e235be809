"""The JVM stopped all threads for seconds."""

from __future__ import annotations

from mqdiag.facts.collector_logs import SafepointPauses
from mqdiag.facts.logs import LogsFacts
from mqdiag.facts.ratios import ratio
from mqdiag.facts.recordings import Recording
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.time_ranges import between

RULE = Rule("long-safepoints")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each log with a pause that is too long."""
    for row in logs.safepoints:
        if row.longest_ms >= limits["pause_ms"]:
            yield _by_safepoints(row, limits)
        else:
            yield RULE.margin("longest", row.longest_ms, limits["pause_ms"], path=row.path)
    told = {row.path for row in logs.safepoints}
    for gc in logs.gc:
        if gc.path not in told and gc.longest_pause_ms >= limits["pause_ms"]:
            yield RULE.case(
                "collection-by-gc-log",
                gc,
                evidence={
                    "full_collections": gc.full,
                    "longest_ms": gc.longest_pause_ms,
                    "total_ms": gc.pause_ms,
                },
                rests_on=(gc.path,),
            )


def _by_safepoints(row: SafepointPauses, limits: Limits) -> Draft:
    share = ratio(row.longest_reaching_ms, row.longest_ms)
    name = "pause" if share is None else "collection"
    if share is not None and share >= limits["reaching_share"]:
        name = "time-to-safepoint"
    return RULE.case(
        name,
        row,
        evidence={
            "long_pauses": row.long,
            "reaching_share": None if share is None else round(share, 4),
            "operation": row.longest_operation,
        },
        rests_on=(row.path,),
        when=between(row.first, row.last),
    )


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """One finding for each recording with a pause that is too long, or with a wait for the threads that is."""
    stops = recording.stops
    if stops is not None and stops.longest_ms >= limits["pause_ms"]:
        yield RULE.case(
            "recorded-reaching",
            recording=recording,
            evidence={
                "longest_reaching_ms": stops.longest_ms,
                "longest_at": stops.longest_at,
                "reaching_ms": stops.total_ms,
                "pauses": stops.count,
            },
            when=between(stops.longest_at, stops.longest_at),
        )
        return
    if not recording.pauses:
        return
    longest = recording.pauses[0]
    if longest.ms < limits["pause_ms"]:
        yield RULE.margin("longest", longest.ms, limits["pause_ms"], path=recording.path)
        return
    yield RULE.case(
        "recorded",
        recording=recording,
        evidence={
            "longest_ms": longest.ms,
            "operation": longest.operation,
            "longest_at": longest.at,
            "long_pauses": sum(one.ms >= limits["pause_ms"] for one in recording.pauses),
        },
        when=between(longest.at, longest.at),
    )
