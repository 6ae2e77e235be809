"""Lines of logs that are symptoms, of which so few prove nothing."""

from __future__ import annotations

from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Subject
from mqdiag.log_events import by_group, events, lines_of
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.text import Value

RULE = Rule("symptoms-not-judged")
ENDED_CONNECTIONS = ("proxy-closed", "at-start-proxy-closed")


@RULE.logs
def in_excerpts(logs: LogsFacts, limits: Limits) -> Findings:
    """What a few lines repeat, and what they end before; a longer log repeats itself in any case."""
    if not logs.is_excerpt:
        return
    if logs.repeated:
        rows: tuple[dict[str, Value], ...] = tuple(
            {"text": one.text, "count": one.count} for one in logs.repeated
        )
        counts = tuple(one.count for one in logs.repeated)
        yield RULE.case("line-repeats", evidence={"counts": counts}, words=rows[0], rows={"repeated": rows})
    for case, value in (("queues-not-locked", "still_unlocked"), ("connection-not-made", "still_connecting")):
        open_ones = [event for event in logs.events if event.values.get(value)]
        if open_ones:
            number = sum(event.values[value] for event in open_ones)
            yield RULE.case(case, evidence={"number": number}, events=open_ones)
    for group, left in by_group(logs, "group-left-alone").items():
        yield RULE.case("group-left-alone", subject=Subject(group=group), logs=logs, events=left)


@RULE.logs
def in_events(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each kind of symptom."""
    flushes = events(logs, "slow-flush")
    longest = max((event.values.get("longest_ms", 0) for event in flushes), default=0)
    if longest >= limits["flush_ms"] and logs.lines < limits["moment_lines"]:
        yield RULE.case("slow-flush", evidence={"longest_ms": longest}, logs=logs, events=flushes)
    made = events(logs, "client-made")
    number = max((event.values.get("number", 0) for event in made), default=0)
    if number >= limits["clients"] and 2 * logs.count("client-shut-down") < lines_of(made):
        yield RULE.case("many-clients", evidence={"clients": number}, events=made)
    ended = events(logs, *ENDED_CONNECTIONS)
    # Connections that ended now and then are a proxy that restarts, or an outage; messages received later tell.
    received = max((event.last or "" for event in events(logs, "grpc-messages-received")), default="")
    if lines_of(ended) >= limits["connections_ended"] and received <= max(event.last or "" for event in ended):
        yield RULE.case("connections-ended", events=ended)
