"""The JVM crashed."""

from __future__ import annotations

from mqdiag.facts import Facts
from mqdiag.facts.crash import CrashReport
from mqdiag.findings import EvidenceValue, Subject
from mqdiag.rules.rule import Findings, Limits, Rule

RULE = Rule("jvm-crash")


@RULE.sees("crash")
def in_crash(facts: Facts, limits: Limits) -> Findings:
    """One finding for each report."""
    assert facts.crash is not None
    for report in facts.crash.reports:
        name, values = _case(report), _evidence(report)
        yield RULE.case(
            name,
            subject=Subject(thread=report.thread),
            evidence={name: value for name, value in values.items() if value is not None},
            words={
                **dict.fromkeys(values),
                "only_part": name == "unknown" and report.signal is None and report.internal_error is None,
            },
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


def _evidence(report: CrashReport) -> dict[str, EvidenceValue]:
    memory, container, frame = report.memory, report.container, report.problematic_frame
    return {
        "path": report.source,
        "signal": report.signal,
        "signal_code": report.signal_code,
        "internal_error": report.internal_error,
        "out_of_memory": report.out_of_memory,
        "out_of_memory_bytes": report.out_of_memory_bytes,
        "problematic_frame": None if frame is None else " ".join(frame.split()),
        "library": report.library,
        "thread": report.thread,
        "elapsed_s": report.elapsed_s,
        "crashed_at": report.crashed_at,
        "jre": report.jre,
        "heap_used_bytes": memory.heap_used_bytes,
        "heap_bytes": memory.heap_bytes,
        "physical_bytes": memory.physical_bytes,
        "physical_free_bytes": memory.physical_free_bytes,
        "memory_limit_bytes": None if container is None else container.memory_limit_bytes,
        "memory_usage_bytes": None if container is None else container.memory_usage_bytes,
        "mappings": report.mappings,
        "max_map_count": report.max_map_count,
        "threads_listed": len(report.threads) or None,
        "complete": report.complete,
    }
