"""The application's listener throws exceptions."""

from __future__ import annotations

from mqdiag.facts.logs import ListenerException, LogEvent, LogsFacts
from mqdiag.facts.recordings import Recording
from mqdiag.findings import Confidence, Subject
from mqdiag.log_events import by_group, enough, lines_of
from mqdiag.rules.rule import Draft, Findings, Limits, Rule
from mqdiag.rules.shared.put_aside import logged_as_orderly, put_aside, try_later
from mqdiag.rules.shared.standstill import frame_shown

MOST_NAMED = 3

RULE = Rule("listener-throws")


@RULE.logs
def in_logs(logs: LogsFacts, limits: Limits) -> Findings:
    """One finding for each group."""
    for group, found in by_group(logs, "consume-exception").items():
        lines = lines_of(found)
        often = max((event.peak_per_minute or 0) for event in found) >= limits["lines_per_minute"]
        if (
            lines >= limits["lines"]
            or (lines >= limits["lines_per_minute"] and often)
            or enough(logs, lines, lines + 1)
        ):
            yield _said(logs, group, found)


@RULE.recordings
def in_recordings(recording: Recording, limits: Limits) -> Findings:
    """One note for each group whose listener makes exceptions; whether it lets them out, no event tells."""
    groups = {group for error in recording.errors for group in error.groups}
    for group in sorted(groups):
        own = [error for error in recording.errors if group in error.groups]
        made = sum(error.in_listeners for error in own)
        if made < limits["lines"] or made * 60 < limits["lines_per_minute"] * recording.seconds:
            continue
        top = max(own, key=lambda error: error.in_listeners)
        yield RULE.case(
            "recorded",
            recording=recording,
            subject=Subject(group=group),
            evidence={
                "exception": top.class_name,
                "frame": top.frame,
                "made": made,
                "per_second": round(made / recording.seconds, 2),
            },
            words={"frame": frame_shown(top.frame)},
            cause=_cause([top.class_name]),
        )


def _said(logs: LogsFacts, group: str | None, found: list[LogEvent]) -> Draft:
    rows = [row for row in logs.listener_exceptions if row.group == group and row.of == "messages"]
    top, others = rows[0] if rows else None, rows[1:MOST_NAMED]
    located = top is not None and top.frame is not None
    orderly = logged_as_orderly(logs, group)
    sent_back = [row for event in logs.events if event.kind == "messages-sent-back" for row in event.groups]
    retried = sum(row.occurrences or row.count for row in sent_back if group is not None and row.group == group)
    return RULE.case(
        _case(top),
        top,
        logs=logs,
        events=found,
        subject=Subject(group=group, object_class=None if group else _thrown_by(top)),
        evidence={
            "exception_cause": None if top is None else top.cause,
            "exception_lines": None if top is None else top.count,
            "further_exceptions": tuple(row.exception for row in others),
            "further_exception_lines": tuple(row.count for row in others),
            # a member of an archive is no file that a command opens
            "log_file": next((path for event in found for path in event.files if "!" not in path), None),
            "retried": retried or None,
            "not_sent_back": lines_of(by_group(logs, "send-back-failed").get(group, [])) or None,
        },
        rows={"others": tuple({"lines": row.count, "exception": row.exception} for row in others)},
        given={"put_aside": (put_aside(orderly=orderly),), "try_later": (try_later(orderly=orderly),)},
        confidence=Confidence.HIGH if located else Confidence.MEDIUM,
    )


def _thrown_by(top: ListenerException | None) -> str | None:
    """The class that threw, or the exception where no frame tells it: what names the listener without its group."""
    if top is None or top.frame is None:
        return None if top is None else top.exception
    return top.frame.partition("(")[0].rpartition(".")[0] or top.exception


def _case(top: ListenerException | None) -> str:
    return _cause([] if top is None else [name for name in (top.cause, top.exception) if name is not None])


def _cause(classes: list[str]) -> str:
    if "java.lang.InterruptedException" in classes:
        return "interrupted"
    if any(name.endswith(RULE.names("linkage")) for name in classes):
        return "missing-class"
    if any(name.endswith(RULE.names("conversions")) for name in classes):
        return "not-converted"
    return "failed-call" if any(name.startswith(RULE.names("calls")) for name in classes) else "own-code"
