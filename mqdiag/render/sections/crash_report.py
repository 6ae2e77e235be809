"""Crash reports of the JVM: what ended it, where, and how much memory there was."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts.crash import CrashReport
from mqdiag.findings import Report
from mqdiag.render import View
from mqdiag.render.parts import AnyPart, Fold, Pairs, Section, Stack
from mqdiag.render.tables import Tables
from mqdiag.render.wording.words import word
from mqdiag.text import Text, Value, quantity, say

TABLES = Tables("crash_report")


def crash_section(report: Report, view: View) -> Iterator[Section]:
    """One section for each report."""
    if report.crash is None:
        return
    for place, crash in enumerate(report.crash.reports):
        title = say("Crash report {source}", source=crash.source)
        yield Section(name=f"crash-{place}", title=title, parts=[*_parts(crash, place)])


def _parts(crash: CrashReport, place: int) -> Iterator[AnyPart]:
    yield Pairs([(name, value) for name, value in _what_happened(crash) if value is not None])
    memory = [(name, quantity(value, "bytes")) for name, value in _memory(crash) if value is not None]
    limits = [(name, quantity(value, "count")) for name, value in _limits(crash) if value is not None]
    if memory or limits:
        yield Pairs([*memory, *limits])
    if crash.native_frames:
        yield Fold(say("Stack of the thread that crashed"), (Stack(crash.native_frames),))
    if crash.java_frames:
        yield Fold(say("Its Java frames"), (Stack(crash.java_frames),))
    if crash.jvm_args or crash.command:
        yield Pairs(
            [
                (name, value)
                for name, value in ((say("JVM options"), crash.jvm_args), (say("command"), crash.command))
                if value is not None
            ],
            wide=True,
        )
    if crash.threads:
        yield TABLES.table("crash-threads", crash.threads, name=f"crash-threads-{place}")


def _what_happened(crash: CrashReport) -> Iterator[tuple[Text, Value]]:
    if crash.signal is not None:
        yield say("signal"), _signal(crash)
    yield say("internal error"), crash.internal_error
    if crash.out_of_memory is not None:
        yield (
            say("out of native memory"),
            say(
                "{failed}, {bytes:bytes} requested",
                failed=crash.out_of_memory,
                bytes=crash.out_of_memory_bytes,
            ),
        )
    yield say("problematic frame"), crash.problematic_frame
    if crash.frame_kind is not None:
        yield say("kind of frame"), word(crash.frame_kind)
    yield say("library"), crash.library
    yield say("method"), crash.method
    yield say("thread"), crash.thread
    yield say("state of the thread"), crash.thread_state
    yield say("state of the VM"), crash.vm_state
    yield say("VM operation"), crash.vm_operation
    yield say("crashed at"), crash.crashed_at
    if crash.elapsed_s is not None:
        yield say("the JVM had run for"), quantity(crash.elapsed_s, "seconds")
    yield say("pid"), crash.pid
    yield say("JRE"), crash.jre
    yield say("JVM"), crash.jvm
    yield say("host"), crash.host
    yield say("system"), crash.os
    if crash.container is not None:
        yield say("container"), crash.container.type
    if not crash.complete:
        yield say("read"), say("in part: the last line of the report is missing")


def _signal(crash: CrashReport) -> Text:
    text = say("{signal}", signal=crash.signal)
    if crash.signal_code is not None:
        text = say("{signal} ({signal_code})", crash)
    if crash.fault_address is None:
        return text
    return say("{signal} at address {fault_address}", signal=text, fault_address=crash.fault_address)


def _memory(crash: CrashReport) -> Iterator[tuple[Text, int | None]]:
    memory = crash.memory
    yield say("heap"), memory.heap_bytes
    yield say("heap in use"), memory.heap_used_bytes
    yield say("metaspace in use"), memory.metaspace_used_bytes
    yield say("memory of the machine"), memory.physical_bytes
    yield say("memory of the machine, free"), memory.physical_free_bytes
    yield say("swap"), memory.swap_bytes
    yield say("swap, free"), memory.swap_free_bytes
    if crash.container is not None:
        yield say("memory limit of the container"), crash.container.memory_limit_bytes
        yield say("memory of the container in use"), crash.container.memory_usage_bytes
        yield say("memory of the container in use, at most"), crash.container.memory_max_usage_bytes


def _limits(crash: CrashReport) -> Iterator[tuple[Text, int | None]]:
    yield say("Java threads"), crash.threads_total
    yield say("memory mappings"), crash.mappings
    yield say("memory mappings allowed (vm.max_map_count)"), crash.max_map_count
    yield say("open files allowed"), crash.open_files_limit
    yield say("processes of the user allowed"), crash.processes_limit
    if crash.container is not None:
        yield say("threads and processes in the container"), crash.container.tasks
        yield say("threads and processes in the container allowed"), crash.container.tasks_limit
