"""A service behind a gateway answers too late, or not at all."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.services import FAILED, GAVE_UP, TOO_LATE, Upstream
from mqdiag.findings import Severity, Subject
from mqdiag.rules.rule import Findings, Limits, Rule
from mqdiag.time_ranges import between

RULE = Rule("upstream-slow")


@RULE.sees("services")
def in_services(facts: Facts, limits: Limits) -> Findings:
    """One finding for each service."""
    assert facts.services is not None
    for upstream in facts.services.upstreams:
        kinds = {
            "clients-gave-up": _count(upstream, GAVE_UP),
            "gateway-timeout": _count(upstream, TOO_LATE),
            "upstream-fails": _count(upstream, FAILED),
        }
        # a service that fails by turns is not over when it answers for as long as between two of its failures
        over = upstream.last_failed is not None and upstream.answered_since >= max(
            limits["answered"], 2 * upstream.answered_between
        )
        worst = "recovered" if over else max(kinds, key=lambda name: kinds[name])
        bad = sum(kinds.values())
        if bad < limits["requests"] or bad < limits["share"] * upstream.requests:
            continue
        yield RULE.case(
            worst,
            upstream,
            subject=Subject(host=upstream.service or upstream.host),
            evidence={
                "bad_requests": bad,
                "bad_share": bad / upstream.requests,
                "clients_gave_up": kinds["clients-gave-up"],
                "gateway_timeout": kinds["gateway-timeout"],
                "upstream_fails": kinds["upstream-fails"],
            },
            words={
                "called": upstream.host or upstream.service or "?",
                "at": upstream.service if upstream.host and upstream.service != upstream.host else None,
                "mostly": bad >= limits["error_share"] * upstream.requests or None,
            },
            severity=Severity.ERROR if bad >= limits["error_share"] * upstream.requests and not over else None,
            when=between(upstream.first, upstream.last),
            rests_on=(upstream.source,),
        )


def _count(upstream: Upstream, statuses: tuple[str, ...]) -> int:
    return sum(upstream.statuses.get(status, 0) for status in statuses)
