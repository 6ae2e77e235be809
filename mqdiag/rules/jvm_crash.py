"""The JVM crashed."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.crash import CrashReport
from mqdiag.findings import Subject
from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("jvm-crash")
_UNPACKED = lazy_pattern(r"\d{5,}")
"""what tells one copy of a library from another that the same program unpacks the next time"""
_FUNCTION = lazy_pattern(r"\[libjvm\.\w+\+0x[0-9a-f]+\]\s+(.+?)\+0x[0-9a-f]+\s*$")


@RULE.sees("crash")
def in_crash(facts: Facts, limits: Limits) -> Findings:
    """One finding for each report."""
    assert facts.crash is not None
    for report in facts.crash.reports:
        name, frame = _case(report), report.problematic_frame
        yield RULE.case(
            name,
            report,
            report.memory,
            report.container,
            subject=Subject(thread=report.thread, resource=_place(report)),
            evidence={
                "path": report.source,
                "problematic_frame": None if frame is None else " ".join(frame.split()),
                "threads_listed": len(report.threads) or None,
            },
            words={"only_part": name == "unknown" and report.signal is None and report.internal_error is None},
        )


def _place(report: CrashReport) -> str | None:
    """What crashed: a method, a function of the JVM, or a library, by what stays from run to run."""
    function = _FUNCTION.search(report.problematic_frame or "")
    if report.method is not None or function is not None:
        return report.method or (function and function[1])
    return None if report.library is None else _UNPACKED.sub("", report.library)


def _case(report: CrashReport) -> str:
    if report.out_of_memory is not None:
        return "out-of-native-memory"
    if (report.thread or "").startswith(RULE.names("compilers")):
        return "jit"
    if report.signal == "SIGBUS":
        return "disk-full"
    if report.frame_kind == "compiled":
        return "compiled-code"
    # a library of a frame that is neither the system's nor the JDK's own
    library = report.library or ""
    foreign = library and not library.startswith(
        (*RULE.names("system_libraries"), *RULE.names("jdk_libraries"))
    )
    return "native-library" if report.frame_kind == "native" and foreign else "unknown"
