"""The JVM crashed."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import CrashFacts, Facts
from mqdiag.facts.crash import CrashedThread, CrashMemory, CrashReport
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.rules.registry import LITERALS, Draft, Limits, Rule, Said
from mqdiag.text import NOTHING, Text, say

COMPILERS = ("C1 CompilerThread", "C2 CompilerThread", "Graal", "JVMCI")
"""beginnings of the names of the threads that compile"""
SYSTEM_LIBRARIES = ("libc.so", "libc-", "libpthread", "libm.so", "ld-linux", "ntdll.dll", "kernel32.dll")
"""libraries that a frame is in only because somebody called them"""
JDK_LIBRARIES = ("libjvm.so", "jvm.dll", "libnio.so", "libnet.so", "libjava.so", "libzip.so", "libjimage.so")

RULE = Rule(
    name="jvm-crash",
    title="The JVM crashed",
    why=(
        "The JVM writes a crash report (hs_err_pid*.log) when it ends by a signal, or because it gets no more native"
        " memory. The process is gone without an orderly shutdown: consumers deliver messages again, and a broker"
        " recovers its store when it starts. SIGBUS in a broker means nearly always that a mapped file lost its disk"
        " space."
    ),
    causes=("disk-full", "native-library", "jit", "out-of-native-memory", "unknown"),
    severities=(Severity.ERROR,),
    remedy=(
        "Keep the whole report and the core file. The signal, the problematic frame and the free memory decide.",
        "After the crash of a broker, check its disk and /dev/shm before you start it.",
        "Upgrade the JDK to the last update of its release.",
    ),
    references=(
        "https://github.com/apache/rocketmq/issues/3511",
        "JDK troubleshooting guide: Fatal Error Log",
    ),
    lies_at="any",
    of_process=True,
    in_chain=say("the JVM crashed"),
    proven_on=LITERALS,
)

REMEDIES = {
    "disk-full": (
        say(
            "Check the free space of the store's disk and of /dev/shm (df -h), and the machine's log for I/O errors."
        ),
        say("Do not truncate or delete files of the store while the broker runs: it has them mapped."),
        say("Start the broker again when there is space. It recovers its store by itself."),
    ),
    "native-library": (
        say("Upgrade or remove {library}: the crash happened in its code."),
        say("If it belongs to an agent, start the process without the agent to prove it."),
    ),
    "jit": (
        say("Upgrade the JDK to the last update of its release: the compiler crashed."),
        say("Until then exclude the method that it compiled: -XX:CompileCommand=exclude,CLASS.METHOD."),
    ),
    "out-of-native-memory": (
        say(
            "Leave memory for what is not heap: lower -Xmx, or raise the memory limit of the container. Direct buffers,"
            " thread stacks and mapped files need it."
        ),
        say(
            "Check the limits of threads (ulimit -u, pids of the container) and of mapped areas (vm.max_map_count)."
        ),
    ),
    "unknown": (
        say(
            "Give the whole report: the lines above the list of threads name the signal and the problematic frame."
        ),
        RULE.remedy[1],
    ),
}


def _facts(signal: str | None, *, reports: int = 1) -> Facts:
    report = CrashReport(
        source="hs_err_pid4242.log",
        signal=signal,
        signal_code="BUS_ADRERR",
        problematic_frame="v  ~StubRoutines::jbyte_disjoint_arraycopy",
        frame_kind="vm-stub",
        elapsed_s=86_400.0,
        thread="SendMessageThread_3",
        jre="8.0_121-b13",
        memory=CrashMemory(physical_bytes=8 << 30, physical_free_bytes=1 << 30),
        threads=(CrashedThread(name="SendMessageThread_3", current=True),),
        complete=True,
    )
    return Facts(crash=CrashFacts(reports=(report,) * reports))


def fires() -> Facts:
    """A broker that wrote into a mapped file without space behind it."""
    return _facts("SIGBUS")


def silent() -> Facts:
    """No report."""
    return _facts(None, reports=0)


@RULE.sees("crash")
def in_crash(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each report."""
    assert facts.crash is not None
    for report in facts.crash.reports:
        yield _draft(report)


def _cause(report: CrashReport) -> str:
    if report.out_of_memory is not None:
        return "out-of-native-memory"
    if (report.thread or "").startswith(COMPILERS):
        return "jit"
    if report.signal == "SIGBUS":
        return "disk-full"
    if report.frame_kind == "native" and _foreign_library(report) is not None:
        return "native-library"
    return "unknown"


def _foreign_library(report: CrashReport) -> str | None:
    """The library of the problematic frame where it is neither the system's nor the JDK's own."""
    library = report.library
    if library is None or library.startswith((*SYSTEM_LIBRARIES, *JDK_LIBRARIES)):
        return None
    return library


def _draft(report: CrashReport) -> Draft:
    cause = _cause(report)
    return Draft(
        severity=Severity.ERROR,
        cause=cause,
        confidence=_confidence(report, cause),
        confidence_reason=_confidence_reason(report, cause),
        title=_title(report),
        subject=Subject(thread=report.thread),
        evidence=_evidence(report),
        explanation=tuple(_explained(report, cause)),
        remedy=REMEDIES[cause],
        weight=1.0,
    )


def _confidence(report: CrashReport, cause: str) -> Confidence:
    return Confidence.HIGH if cause in ("out-of-native-memory", "unknown") else Confidence.MEDIUM


def _confidence_reason(report: CrashReport, cause: str) -> Text:
    return {
        "disk-full": say(
            "SIGBUS says that a mapped file has no data at that address; a failing disk and a truncated file look the"
            " same"
        ),
        "native-library": say("the library may have been called with wrong values"),
        "jit": say("a damaged heap can make a compiler thread crash as well"),
        "unknown": say("that the JVM crashed is certain; why it did is not"),
    }.get(cause, NOTHING)


def _title(report: CrashReport) -> Text:
    if report.out_of_memory is not None:
        return say("The JVM ended because it got no more native memory")
    if report.signal is not None and report.problematic_frame is not None:
        return say("The JVM crashed with {signal} in {problematic_frame}")
    if report.signal is not None:
        return say("The JVM crashed with {signal}")
    if report.problematic_frame is not None and report.internal_error is None:
        return say("The JVM crashed in {problematic_frame}")
    if report.internal_error is not None:
        return say("The JVM crashed by an internal error: {internal_error}")
    return say("The JVM crashed; this part of its report does not tell why")


def _evidence(report: CrashReport) -> dict[str, EvidenceValue]:
    memory, container, frame = report.memory, report.container, report.problematic_frame
    values: dict[str, EvidenceValue] = {
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
    return {name: value for name, value in values.items() if value is not None}


def _explained(report: CrashReport, cause: str) -> Iterator[Text]:
    memory, container = report.memory, report.container
    if report.out_of_memory is not None and report.out_of_memory_bytes is not None:
        yield say("It could not get {out_of_memory_bytes:bytes} for {out_of_memory}.")
    elif report.out_of_memory is not None:
        yield say("It could not get memory for {out_of_memory}.")
    if report.signal_code is not None:
        yield say("The code of the signal is {signal_code}.")
    if report.thread is not None:
        yield say("The thread that crashed is {thread}.")
    if report.elapsed_s is not None:
        yield say("The JVM had run for {elapsed_s:seconds}.")
    if memory.heap_used_bytes is not None and memory.heap_bytes is not None:
        yield say("{heap_used_bytes:bytes} of the heap's {heap_bytes:bytes} were in use.")
    if memory.physical_free_bytes is not None and memory.physical_bytes is not None:
        yield say("{physical_free_bytes:bytes} of the machine's {physical_bytes:bytes} of memory were free.")
    if container is not None and container.memory_limit_bytes and container.memory_usage_bytes is not None:
        yield say("The container used {memory_usage_bytes:bytes} of {memory_limit_bytes:bytes}.")
    if report.mappings is not None and report.max_map_count is not None:
        yield say("The process had {mappings:count} mapped areas of {max_map_count:count} that are allowed.")
    if cause == "unknown" and report.signal is None and report.internal_error is None:
        yield say("{path} is a part of a crash report of the JVM, without the lines that name the signal.")
        if report.threads:
            yield say("It lists {threads_listed:count} {threads_listed:thread|threads}.")
