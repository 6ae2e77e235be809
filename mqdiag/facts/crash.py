"""Crash reports of the JVM: `hs_err_pid*.log`, whole or in parts, and the head of one on a console."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Excerpt, Name, Public, ThreadName
from mqdiag.facts.vocabulary import FrameKind


class CrashedThread(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A thread in the report's list."""

    name: ThreadName
    state: Public | None = None
    """state of the VM, such as "_thread_in_native" """
    os_id: int | None = None
    current: bool = False
    """the thread that crashed"""


class CrashContainer(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of the container; a number is None where there is no limit or the report does not tell."""

    type: Public | None = None
    """cgroupv1 or cgroupv2"""
    memory_limit_bytes: int | None = None
    memory_usage_bytes: int | None = None
    memory_max_usage_bytes: int | None = None
    tasks_limit: int | None = None
    tasks: int | None = None
    """threads and processes"""


class CrashMemory(msgspec.Struct, frozen=True, kw_only=True):
    """Memory of the heap and of the machine when the JVM crashed."""

    heap_bytes: int | None = None
    """committed; the sum of the generations where the collector has them"""
    heap_used_bytes: int | None = None
    metaspace_used_bytes: int | None = None
    physical_bytes: int | None = None
    physical_free_bytes: int | None = None
    swap_bytes: int | None = None
    swap_free_bytes: int | None = None


class CrashReport(msgspec.Struct, frozen=True, kw_only=True):
    """One crash."""

    source: Public
    """the file"""
    pasted: bool = False
    """the process that writes the log went on: somebody pasted the report into it"""
    followed: bool = False
    """lines of a log follow, of the next start or of a process that did not crash"""
    is_message: bool = False
    """it may be a part of a message of an application that serves users"""
    signal: Public | None = None
    """SIGSEGV, SIGBUS, EXCEPTION_ACCESS_VIOLATION, …; None where the JVM ended itself"""
    signal_code: Public | None = None
    """why the signal was sent, such as BUS_ADRERR"""
    fault_address: Public | None = None
    internal_error: Public | None = None
    """file and line of the JVM's source, and what it says"""
    out_of_memory: Public | None = None
    """what could not be allocated, where native memory was short"""
    out_of_memory_bytes: int | None = None
    problematic_frame: Public | None = None
    frame_kind: FrameKind | None = None
    library: Public | None = None
    """library of the problematic frame, such as "libc.so.6" """
    method: Public | None = None
    """Java method of the problematic frame"""
    pid: int | None = None
    crashed_at: Public | None = None
    """as printed, on the clock of the machine"""
    elapsed_s: float | None = None
    """how long the JVM had run"""
    jre: Public | None = None
    jvm: Public | None = None
    host: Name | None = None
    os: Public | None = None
    thread: ThreadName | None = None
    """name of the thread that crashed"""
    thread_state: Public | None = None
    native_frames: tuple[Public, ...] = ()
    """frames of that thread, top first; those of Java among them"""
    java_frames: tuple[Public, ...] = ()
    vm_state: Public | None = None
    vm_operation: Public | None = None
    memory: CrashMemory = CrashMemory()
    container: CrashContainer | None = None
    """None outside of containers, and where the report does not tell"""
    max_map_count: int | None = None
    mappings: int | None = None
    """memory areas of the process; Linux allows `max_map_count` of them"""
    open_files_limit: int | None = None
    processes_limit: int | None = None
    """limit of the user's threads and processes"""
    jvm_args: Excerpt | None = None
    command: Excerpt | None = None
    """main class and its arguments"""
    threads: tuple[CrashedThread, ...] = ()
    threads_total: int | None = None
    """Java threads; None where the list is not in the report"""
    complete: bool = False
    """the report has its last line"""


class CrashFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All crash reports that were given."""

    reports: tuple[CrashReport, ...] = ()
