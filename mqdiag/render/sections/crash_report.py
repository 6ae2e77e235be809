"""Crash reports of the JVM: what ended it, where, and how much memory there was."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.crash import CrashReport
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Fold, Pairs, Section, Stack
from mqdiag.render.tables import Tables
from mqdiag.text import Text, Value, say

TABLES = Tables("crash_report")


def crash_section(report: Report, view: View) -> Iterator[Section]:
    """One section for each report."""
    if report.crash is None:
        return
    for place, crash in enumerate(report.crash.reports):
        title = say("Crash report {source}", source=crash.source)
        yield Section(name=f"crash-{place}", title=title, parts=[*_parts(crash, place)])


def _parts(crash: CrashReport, place: int) -> Iterator[AnyPart]:
    yield Pairs([*_what_happened(crash)])
    numbers = [*TABLES.pairs("memory", crash), *TABLES.pairs("limits", crash)]
    if numbers:
        yield Pairs(numbers)
    if crash.native_frames:
        yield Fold(say("Stack of the thread that crashed"), (Stack(crash.native_frames),))
    if crash.java_frames:
        yield Fold(say("Its Java frames"), (Stack(crash.java_frames),))
    if crash.jvm_args or crash.command:
        yield Pairs(TABLES.pairs("command", crash), wide=True)
    if crash.threads:
        yield TABLES.table("crash-threads", crash.threads, name=f"crash-threads-{place}")


def _what_happened(crash: CrashReport) -> Iterator[tuple[Text, Value]]:
    if crash.signal is not None:
        yield say("signal"), _signal(crash)
    yield from TABLES.pairs("what-happened", crash)
    if not crash.complete:
        yield say("read"), say("in part: the last line of the report is missing")


def _signal(crash: CrashReport) -> Text:
    text = say("{signal}", signal=crash.signal)
    if crash.signal_code is not None:
        text = say("{signal} ({signal_code})", crash)
    if crash.fault_address is None:
        return text
    return say("{signal} at address {fault_address}", signal=text, fault_address=crash.fault_address)
