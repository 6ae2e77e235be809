"""The broker's access control refuses requests."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.logs import LogsFacts
from mqdiag.rules.rule import Rule
from mqdiag.rules.said import Limits, Said
from mqdiag.rules.shared.log_events import events, one_of_several

RULE = Rule("access-denied")
CASES = {
    "access-no-key": "no-access-key",
    "access-unknown-key": "unknown-access-key",
    "access-wrong-signature": "wrong-signature",
    "access-cannot-sign": "cannot-sign",
    "access-no-permission": "no-permission",
}
"""by the event of the log"""


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Iterator[Said]:
    """One finding for each cause; one line is enough."""
    for kind, case in CASES.items():
        if found := events(logs, kind):
            yield RULE.case(case, subject=one_of_several(logs), events=found)
