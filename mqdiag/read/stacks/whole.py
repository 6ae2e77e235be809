"""Whether the frames of a thread are all there: a stack goes down to the frame with which its thread began.

A search such as `grep -A5`, a log that cuts long entries, and tools that print a few frames leave the upper frames
alone. What is missing below them is unknown: it may be the queue of a pool, or a listener with a message.
"""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.read.stacks.records import Sample, Stack, ThreadRecord
from mqdiag.text import say

_FIRST_METHODS = (
    ".run",
    ".main",
    # JDK 19 and later: of virtual threads, and of threads that run with scoped values
    ".runWith",
    ".runContinuation",
    "Continuation.enter",
    "Continuation.enterSpecial",
    # a thread at its end, and those that the JVM itself begins
    "java.lang.Thread.exit",
    "java.lang.Thread.dispatchUncaughtException",
    "java.lang.Shutdown.shutdown",
    "jdk.internal.vm.ThreadDumper.dumpThreads",
    "jdk.internal.vm.ThreadDumper.dumpThreadsToJson",
    # started by jsvc, or by the launcher with an agent
    "DaemonLoader.start",
    "DaemonLoader.load",
    "InstrumentationImpl.loadClassAndCallPremain",
    "InstrumentationImpl.loadClassAndCallAgentmain",
)
_RUNS_INSIDE_A_THREAD = (
    "$ConsumeRequest.run",
    "java.util.concurrent.FutureTask.run",
    "java.util.concurrent.ThreadPoolExecutor$Worker.run",
    "org.apache.tomcat.util.threads.ThreadPoolExecutor$Worker.run",
    "org.apache.tomcat.util.threads.TaskThread$WrappingRunnable.run",
    "java.util.concurrent.CompletableFuture$AsyncSupply.run",
    "java.util.concurrent.CompletableFuture$AsyncRun.run",
    "ScheduledFutureTask.run",
    "io.netty.channel.nio.NioEventLoop.run",
    "io.netty.util.concurrent.FastThreadLocalRunnable.run",
    "io.netty.util.HashedWheelTimer$Worker.run",
    "org.apache.rocketmq.remoting.netty.RequestTask.run",
    "Runnable.run",
    "Task.run",
)
_INSIDE_PARTS = ("$$Lambda", "$ServiceThread", "ServiceThread$")
_WITHOUT_FRAMES = (
    "Attach Listener",
    "Signal Dispatcher",
    "DestroyJavaVM",
    "Service Thread",
    "Surrogate Locker Thread",
    "Sweeper thread",
    "Notification Thread",
    "Monitor Deflation Thread",
    "Monitor Cache Lookup",
    "JFR ",
    "JVMTI",
    "JDWP ",
)
_COMPILERS = ("CompilerThread", "Compiler", "JIT ")
_WAITING = ("WAITING", "TIMED_WAITING", "BLOCKED")
_CONSUMES = "ConsumeMessageThread"
FEW_THREADS = 3
"""with a part of their stacks, which a whole dump may have too: threads that native code began"""
FEW_SHARE = 5
"""a part of all threads, 1 / 5, up to which a dump counts as whole"""


def has_first_frame(methods: Sequence[str]) -> bool:
    """Whether the lowest method is one that a thread begins with."""
    if not methods:
        return False
    lowest = methods[-1]
    if not lowest.endswith(_FIRST_METHODS):
        return False
    return not lowest.endswith(_RUNS_INSIDE_A_THREAD) and not any(part in lowest for part in _INSIDE_PARTS)


def lacks_frames(name: str, stack: Stack) -> bool:
    """Whether frames of a Java thread are missing; threads of the JVM have none, and no state or a running one."""
    if stack.methods:
        return not has_first_frame(stack.methods)
    if stack.mounted is not None or stack.mounted_frames or not stack.state:
        return False
    if stack.state in _WAITING:
        return True
    return (
        stack.state == "RUNNABLE"
        and not name.startswith(_WITHOUT_FRAMES)
        and not any(part in name for part in _COMPILERS)
    )


def threads_cut(threads: Sequence[ThreadRecord], *, excerpt: bool) -> int:
    """Threads of which frames are missing, where so many are that the dump itself is a part of one; else 0.

    Args:
        threads: of one dump.
        excerpt: a person took a few threads out of it, and often the upper half of a stack, which is no fault.
    """
    known: dict[int, bool] = {}
    lacking: list[ThreadRecord] = []
    shown = 0
    for thread in threads:
        stack = thread.stack
        if not stack.methods:
            cut = lacks_frames(thread.name, stack)
            shown += cut
        else:
            cut = known.get(id(stack), False)
            if id(stack) not in known:
                cut = known[id(stack)] = not has_first_frame(stack.methods)
            shown += 1
        if cut:
            lacking.append(thread)
    count = len(lacking)
    if count >= FEW_THREADS and FEW_SHARE * count >= shown:
        return count
    if 2 * count < shown or (excerpt and not any(thread.name.startswith(_CONSUMES) for thread in lacking)):
        return 0
    return count


TWO_PROCESSES = say(
    "threads of two processes stand in one dump: numbers or addresses of its threads contradict each other"
)


def is_of_two_processes(sample: Sample) -> bool:
    """Whether a number is that of two threads, or a thread is not in the JVM's own list."""
    tids: dict[int | str, str] = {}
    for thread in sample.threads:
        if thread.tid is None or not thread.tid.startswith("0x"):
            continue
        if thread.java_id is not None and sample.listed and int(thread.tid, 16) not in sample.listed:
            return True
        # threads of the JVM itself have no number, and this one is there once
        key = thread.java_id if thread.java_id is not None else thread.name
        if (thread.java_id is not None or key == "VM Thread") and tids.setdefault(
            key, thread.tid
        ) != thread.tid:
            return True
    return False
