"""Dumps made up line by line, for what no rig can stage at will: thresholds, old JVMs, broker threads.

The frames are those of real dumps; only times, names and addresses are chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.facts import StacksFacts
from mqdiag.findings import Report

RUN = "java.lang.Thread.run(Thread.java:840)"
CONSUME = (
    "com.acme.Listener.consumeMessage(Listener.java:19)",
    "org.apache.rocketmq.client.impl.consumer.ConsumeMessageConcurrentlyService$ConsumeRequest.run"
    "(ConsumeMessageConcurrentlyService.java:402)",
    "java.util.concurrent.FutureTask.run(FutureTask.java:264)",
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1136)",
    "java.lang.Thread.run(Thread.java:840)",
)
READ = (
    "sun.nio.ch.SocketDispatcher.read0(Native Method)",
    "sun.nio.ch.NioSocketImpl.tryRead(NioSocketImpl.java:266)",
    "java.net.Socket$SocketInputStream.read(Socket.java:966)",
)
HTTP = (
    *READ,
    "java.io.BufferedInputStream.read(BufferedInputStream.java:343)",
    "- locked <{stream}> (a java.io.BufferedInputStream)",
    "sun.net.www.http.HttpClient.parseHTTPHeader(HttpClient.java:826)",
    "com.acme.Client.call(Client.java:48)",
    *CONSUME,
)
MYSQL = (
    *READ,
    "com.mysql.cj.protocol.ReadAheadInputStream.fill(ReadAheadInputStream.java:107)",
    "- locked <{stream}> (a com.mysql.cj.protocol.ReadAheadInputStream)",
    "com.mysql.cj.jdbc.ClientPreparedStatement.executeQuery(ClientPreparedStatement.java:972)",
    "com.acme.Dao.find(Dao.java:33)",
    *CONSUME,
)
SLEEP = ("java.lang.Thread.sleep(Native Method)", "com.acme.Client.backOff(Client.java:60)", *CONSUME)
TAKE = (
    "jdk.internal.misc.Unsafe.park(Native Method)",
    "java.util.concurrent.LinkedBlockingQueue.take(LinkedBlockingQueue.java:435)",
    "java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1062)",
    "java.util.concurrent.ThreadPoolExecutor.runWorker(ThreadPoolExecutor.java:1122)",
    "java.lang.Thread.run(Thread.java:840)",
)


@dataclass
class At:
    """A thread in one sample."""

    name: str
    java_id: int
    frames: Sequence[str]
    state: str = "RUNNABLE"
    cpu: float | None = 1.0
    stream: str = "0x00000000f0000001"
    allocated: str | None = None
    synchronizers: Sequence[str] = field(default_factory=tuple)
    daemon: bool = False


def dump(threads: Sequence[At], second: float, *, date: bool = True) -> str:
    """A jstack with these threads, taken so many seconds after the first."""
    with_cpu = any(thread.cpu is not None for thread in threads)
    clock = f"2026-11-21 06:{10 + int(second) // 60:02}:{int(second) % 60:02}"
    lines = [clock] if date else []
    lines += ["Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode):", ""]
    threads = [*threads, At("VM Thread", 0, (), "", 1.0 if with_cpu else None)]
    for thread in threads:
        number = f" #{thread.java_id}" if thread.java_id else ""
        times = "" if thread.cpu is None else f" cpu={thread.cpu:.2f}ms elapsed={100 + second:.2f}s"
        extra = "" if thread.allocated is None else f" allocated={thread.allocated} defined_classes=1"
        daemon = " daemon" if thread.daemon else ""
        tid = 0x7F0000000000 + 4096 * thread.java_id
        lines.append(
            f'"{thread.name}"{number}{daemon} prio=5 os_prio=0{times}{extra} tid=0x{tid:016x}'
            f" nid=0x{100 + thread.java_id:x} runnable"
        )
        if thread.state:
            lines.append(f"   java.lang.Thread.State: {thread.state}")
        for frame in thread.frames:
            text = frame.replace("{stream}", thread.stream)
            lines.append(f"\t{text}" if text.startswith("- ") else f"\tat {text}")
        lines.append("")
        if thread.synchronizers:
            lines += ["   Locked ownable synchronizers:", *(f"\t- {held}" for held in thread.synchronizers), ""]
    lines.append("JNI global refs: 18, weak refs: 0")
    return "\n".join(lines) + "\n"


def report(folder: Path, samples: Sequence[Sequence[At]], *, every: float = 2.5) -> Report:
    """The report on a series."""
    path = folder / "series.log"
    path.write_text("\n".join(dump(threads, every * number) for number, threads in enumerate(samples)))
    return diagnose_stacks([path]).report


def facts(folder: Path, samples: Sequence[Sequence[At]], *, every: float = 2.5) -> StacksFacts:
    """The facts of a series."""
    stacks = report(folder, samples, every=every).stacks
    assert stacks is not None
    return stacks


def states(stacks: StacksFacts) -> dict[str, str]:
    """Decision by name."""
    return {thread.name: thread.state for thread in stacks.threads}
