"""A server or a client was asked for something that it does not know."""

from __future__ import annotations

import msgspec

from mqdiag.facts.logs import LogsFacts
from mqdiag.log_events import events, of_broker
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("request-not-supported")


@RULE.broker_logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each request."""
    for event in events(logs, "request-unknown"):
        for row in event.subjects:
            code = row.service or "0"
            asked = RULE.meaning("asked").get(code, "broker")
            request, since, until = (RULE.meaning(table).get(code) for table in ("name", "since", "until"))
            yield RULE.case(
                _case(asked, request, since, until),
                logs=logs,
                events=[event],
                subject=msgspec.structs.replace(of_broker(logs), resource=request or code),
                evidence={
                    "lines": row.count,
                    "code": int(code),
                    "request": request,
                    "since": since,
                    "until": until,
                },
                words={"asked": RULE.word(asked)},
            )


def _case(asked: str, request: str | None, since: str | None, until: str | None) -> str:
    """What the number alone tells: whom the request is for, and which releases have it."""
    if request is None:
        return "unknown-request"
    if until is not None:
        return "request-removed"
    if asked == "client":
        return "client-lacks-request"
    if asked == "controller":
        return "no-controller"
    return "wrong-server" if since is None else "server-too-old"
