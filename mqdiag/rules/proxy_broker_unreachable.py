"""A proxy in cluster mode does not reach its brokers."""

from __future__ import annotations

from mqdiag.facts import HeapFacts
from mqdiag.facts.logs import LogsFacts
from mqdiag.findings import Confidence, Severity
from mqdiag.log_events import busiest, events, files_of, lines_of, seconds_between, when
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("proxy-broker-unreachable")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each way in which requests of the proxy fail."""
    own = {file.path for file in logs.files if file.kind == "proxy"}
    routes = [event for event in events(logs, "route-not-known") if own & set(event.files)]
    for kind, case in RULE.meaning("by_kind").items():
        found = [event for event in events(logs, kind) if own & set(event.files)]
        if not found or lines_of(found) < limits["lines"]:
            continue
        all_of_it = [*found, *(routes if case == "not-connected" else ())]
        seconds = max(seconds_between(one.first, other.last) for one in found for other in all_of_it)
        lasting, alone = seconds >= limits["lasting_s"], own.issuperset(files_of(all_of_it))
        yield RULE.case(
            case,
            events=all_of_it,
            evidence={
                "address": next((name for event in found if (name := busiest(event, "broker"))), None),
                "lines": lines_of(found),
                "seconds": seconds,
                "routes_not_known": lines_of(routes),
            },
            words={"lasting": lasting, "alone": alone},
            rows={"routes": tuple({"lines": event.count, "when": when(event)} for event in routes)},
            severity=Severity.ERROR if lasting else Severity.WARNING,
            confidence=Confidence.HIGH if lasting and alone else Confidence.MEDIUM,
        )


@RULE.graph
def in_heap(heap: HeapFacts, limits: Limits) -> Findings:
    """One finding for the proxy."""
    proxy, sending = heap.proxy, heap.sending
    if proxy is None or proxy.mode != "cluster" or not proxy.clients or sending is None:
        return
    overdue = sum(one.overdue for one in sending.remoting)
    in_flight = sum(one.in_flight for one in sending.remoting)
    if sending.remoting and all(one.broker_channels == 0 for one in sending.remoting):
        yield RULE.case("no-connection", proxy)
    elif overdue >= limits["overdue"] and overdue >= limits["overdue_share"] * in_flight:
        waits = (one.oldest_in_flight_ms for one in sending.remoting)
        oldest = max((one for one in waits if one is not None), default=None)
        yield RULE.case(
            "overdue", proxy, evidence={"overdue": overdue, "in_flight": in_flight, "oldest_ms": oldest}
        )
