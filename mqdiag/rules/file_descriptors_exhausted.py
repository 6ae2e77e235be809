"""A process cannot open another file or socket."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.logs import LogEvent, LogsFacts
from mqdiag.log_events import events, folder_of
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.brokers import brokers_of_logs

EXHAUSTED, STARTED, SHUT_DOWN = "descriptors-exhausted", "client-started", "client-shut-down"

RULE = Rule("file-descriptors-exhausted")


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Findings:
    """One finding for each broker, and one for the other processes together; one line is enough."""
    whole = facts.logs
    assert whole is not None
    parts = [*brokers_of_logs(facts)]
    for logs in parts:
        if found := events(logs, EXHAUSTED):
            yield _said(logs, found, whole, _limit(facts), limits)
    if not whole.brokers:
        return
    # with logs of several brokers a client's log belongs to none of them
    seen = {path for logs in parts for event in events(logs, EXHAUSTED) for path in event.files}
    if left := [event for event in events(whole, EXHAUSTED) if not seen.intersection(event.files)]:
        yield _said(whole, left, whole, _limit(facts), limits)


def _said(logs: LogsFacts, found: list[LogEvent], whole: LogsFacts, limit: int | None, limits: Limits) -> Draft:
    clients = whole.count(STARTED) - whole.count(SHUT_DOWN)
    name = _case(found, leak=clients >= limits["clients"] and _beside(found, events(whole, STARTED)))
    return RULE.case(
        name,
        logs=logs,
        events=found,
        evidence={"clients": clients if name == "client-leak" else None, "open_files_limit": limit},
    )


def _beside(found: list[LogEvent], started: list[LogEvent]) -> bool:
    """Whether the process that ran out of descriptors is the one that started the clients, as far as folders tell."""
    folders, of_clients = (
        {folder_of(path) for event in one for path in event.files} for one in (found, started)
    )
    return not (folders and of_clients) or bool(folders & of_clients)


def _case(found: list[LogEvent], *, leak: bool) -> str:
    seen = {name for event in found for name in event.values}
    if "of_machine" in seen:
        return "limit-of-machine"
    if leak:
        return "client-leak"
    return "many-store-files" if "of_store" in seen else "limit-too-low"


def _limit(facts: Facts) -> int | None:
    """The limit that crash reports tell; None where there is no report, or where they differ."""
    limits = {report.open_files_limit for report in facts.crash.reports} if facts.crash is not None else set()
    return limits.pop() if len(limits) == 1 else None
