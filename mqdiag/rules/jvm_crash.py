"""The JVM crashed."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.crash import CrashReport
from mqdiag.findings import Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("jvm-crash")


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
            subject=Subject(thread=report.thread),
            evidence={
                "path": report.source,
                "problematic_frame": None if frame is None else " ".join(frame.split()),
                "threads_listed": len(report.threads) or None,
            },
            words={"only_part": name == "unknown" and report.signal is None and report.internal_error is None},
        )


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
