"""Small thread dumps and logs that are made to cost much; `THREAD_DUMPS` and `LOGS` have one seed of each."""

from __future__ import annotations

import re
from collections.abc import Callable

HEAD = "2026-11-21 10:00:{second:02}\nFull thread dump OpenJDK 64-Bit Server VM (11.0.20+8 mixed mode):\n\n"


_AT_WORK = "\tat app.Listener.consume(Listener.java:1)"
_SOCKET = "\tat java.net.SocketInputStream.socketRead0(java.base@11.0.20/Native Method)"
_FUTURE_GET = (
    "\tat java.util.concurrent.FutureTask.awaitDone(java.base@11.0.20/FutureTask.java:447)",
    "\tat java.util.concurrent.FutureTask.get(java.base@11.0.20/FutureTask.java:190)",
)
_IN_POOL = (
    "\tat java.util.concurrent.FutureTask.run(java.base@11.0.20/FutureTask.java:264)",
    "\tat java.util.concurrent.ThreadPoolExecutor.runWorker(java.base@11.0.20/ThreadPoolExecutor.java:1128)",
    "\tat java.util.concurrent.ThreadPoolExecutor$Worker.run(java.base@11.0.20/ThreadPoolExecutor.java:628)",
)


def _dump(threads: list[str], second: int = 0) -> str:
    return HEAD.format(second=second) + "\n".join(threads) + "\n"


def _thread(number: int, frames: list[str], state: str = "BLOCKED (on object monitor)", name: str = "") -> str:
    named = name or f"ConsumeMessageThread_{number}"
    head = (
        f'"{named}" #{number} prio=5 os_prio=0 cpu=10.00ms elapsed=99.00s tid=0x{number:016x} nid=0x{number:x}'
    )
    return "\n".join(
        [f"{head} waiting for monitor entry  [0x00007f]", f"   java.lang.Thread.State: {state}", *frames, ""]
    )


def _lock(address: int) -> str:
    return f"<0x{address:016x}> (a java.lang.Object)"


def ring_of_locks(threads: int = 4_000, samples: int = 2, *, is_closed: bool = True) -> str:
    """Each thread waits for a lock that the next one holds, and the last for the first."""
    dumps = []
    for second in range(samples):
        made = []
        for number in range(1, threads + 1):
            wanted = number % threads + 1 if is_closed else number + 1
            made.append(
                _thread(
                    number,
                    [
                        "\tat app.Listener.consume(Listener.java:1)",
                        f"\t- waiting to lock {_lock(wanted)}",
                        f"\t- locked {_lock(number)}",
                    ],
                )
            )
        dumps.append(_dump(made, 10 * second))
    return "".join(dumps)


def chain_of_locks() -> str:
    """The same, but the last thread waits for a lock that nobody holds."""
    return ring_of_locks(is_closed=False)


def one_ring() -> str:
    """The ring in a single dump, where the threads are held against all others."""
    return ring_of_locks(20_000, samples=1)


def chain_without_cpu_time(threads: int = 6_000) -> str:
    """Each thread waits for the next one, which no CPU time tells of, and the last one stands."""
    made = [
        _thread(number, [_AT_WORK, f"\t- waiting to lock {_lock(number + 1)}", f"\t- locked {_lock(number)}"])
        for number in range(1, threads)
    ]
    made.append(_thread(threads, [_SOCKET, _AT_WORK, f"\t- locked {_lock(threads)}"], "RUNNABLE"))
    return _series([re.sub("cpu=.*?ms elapsed=.*?s ", "", thread) for thread in made])


def chain_of_futures(pools: int = 300) -> str:
    """The only task of each pool waits for a task of the next pool."""
    made = []
    for number in range(1, pools + 1):
        own = [
            f"\tat a{number}.b{number + 1}.Next.call(Next.java:1)",
            f"\tat a{number}.b{number}.Task.run(Task.java:1)",
        ]
        stack = [*_parked(number, "java.util.concurrent.FutureTask"), *_FUTURE_GET, *own, *_IN_POOL]
        made.append(_thread(number, stack, "WAITING (parking)", f"{_letters(number)}-1"))
    return _series(made)


def class_initializers(classes: int = 9_000) -> str:
    """Threads that wait for a class each, and as many that initialize another one."""
    made = []
    for number in range(1, classes + 1):
        wanted = f"\t- waiting on the Class initialization monitor for app.Wanted{number}"
        made.append(_thread(2 * number, [_AT_WORK, wanted], "RUNNABLE"))
        made.append(_thread(2 * number + 1, [f"\tat app.C{number}.<clinit>(C.java:1)"], "RUNNABLE"))
    return _series([thread.replace("waiting for monitor entry", "in Object.wait()") for thread in made])


def methods_that_lock(threads: int = 9_000) -> str:
    """Threads that wait for a lock each, called from as many methods."""
    lock = "java.util.concurrent.locks.ReentrantLock"
    return _series(
        [
            _thread(
                number,
                [
                    *_parked(number, f"{lock}$NonfairSync"),
                    f"\tat {lock}.lock(java.base@11.0.20/ReentrantLock.java:267)",
                    f"\tat app.L{number}.call(L.java:1)",
                ],
                "WAITING (parking)",
            )
            for number in range(1, threads + 1)
        ]
    )


def _parked(number: int, class_name: str) -> list[str]:
    return [
        "\tat jdk.internal.misc.Unsafe.park(java.base@11.0.20/Native Method)",
        f"\t- parking to wait for  <0x{number:016x}> (a {class_name})",
        "\tat java.util.concurrent.locks.LockSupport.park(java.base@11.0.20/LockSupport.java:194)",
    ]


def _series(threads: list[str]) -> str:
    """Three dumps over 40 s, in which nothing moves."""
    return "".join(
        _dump([thread.replace("elapsed=99", f"elapsed={99 + second}") for thread in threads], second)
        for second in (0, 20, 40)
    )


def _letters(number: int) -> str:
    """A name without digits, which would be taken for the number of a thread in its pool."""
    return "pool" + "".join(chr(ord("a") + int(digit)) for digit in str(number))


def listed_ring(threads: int = 8_000) -> str:
    """The deadlock that the JVM lists: one ring of all threads."""
    lines = ["", "Found one Java-level deadlock:", "============================="]
    for number in range(1, threads + 1):
        lines += [
            f'"t{number}":',
            f"  waiting to lock monitor 0x{number:016x} (object 0x{number:016x}, a java.lang.Object),",
            f'  which is held by "t{number % threads + 1}"',
        ]
    threads_of_it = [_thread(n, ["\tat app.A.run(A.java:1)"], name=f"t{n}") for n in range(1, threads + 1)]
    return _dump(threads_of_it) + "\n".join(lines) + "\n"


def one_long_stack(frames: int = 40_000) -> str:
    """A stack as deep as the file is long."""
    return _dump([_thread(1, [f"\tat app.A.m{number}(A.java:1)" for number in range(frames)])])


def many_locks_in_one_stack(locks: int = 30_000) -> str:
    """One thread that holds as many locks as the file has lines, and one that waits for the last."""
    held = [f"\t- locked {_lock(number)}" for number in range(1, locks)]
    frame = "\tat app.A.run(A.java:1)"
    return _dump([_thread(1, [frame, *held]), _thread(2, [frame, f"\t- waiting to lock {_lock(locks - 1)}"])])


def same_thread_many_times(threads: int = 6_000) -> str:
    """Threads that all have one name and one number."""
    frame = "\tat app.A.run(A.java:1)"
    one = _thread(7, [frame], name="worker")
    return _dump([one] * threads) + _dump([one] * threads, 10)


def many_dumps(dumps: int = 5_000) -> str:
    """Dumps of one thread, one after the other."""
    one = _thread(7, ["\tat app.A.run(A.java:1)"], name="worker")
    return "".join(_dump([one], number % 60) for number in range(dumps))


def one_process(number: int) -> str:
    """A thread dump of a process that shares no thread with another one's."""
    frame = f"\tat app{number}.A.run(A.java:1)"
    return _dump([_thread(1000 * number + 7, [frame], name=f"worker-of-{_letters(number)}")])


def one_long_line(size: int = 1 << 20) -> str:
    """A thread dump of which one line has no end."""
    return _dump([_thread(1, ["\tat app.A." + "a" * size + "(A.java:1)"])])


def one_line_of_headers(size: int = 1 << 19) -> str:
    """Headers of several tools and lines of state without an end of a line, in a log and where a thread begins."""
    words = '" Id=5 RUNNABLE owned by "x" prio=5 tid=0x1 java.lang.Thread.State: ' * (size // 69)
    return f'2026-11-21 10:00:00 ERROR x {words}\n"x{words}\n'


def open_quotes(size: int = 1 << 20) -> str:
    """A name that is opened and never closed."""
    return HEAD.format(second=0) + '"' * size


def spaces_before_the_state(lines: int = 400, blanks: int = 2_000) -> str:
    """Runs of blanks where patterns look for words."""
    return HEAD.format(second=0) + "".join(
        f'"t{n}"{" " * blanks}#\n   java.lang.Thread.State:{" " * blanks}\n' for n in range(lines)
    )


def log_of_one_line(size: int = 1 << 20) -> str:
    """A log record without a line break."""
    return "2026-11-21 10:00:00,000 WARN BrokerFastFailure - " + "[TIMEOUT_CLEAN_QUEUE]broker busy, " * (
        size // 34
    )


def log_of_blanks(size: int = 1 << 20) -> str:
    """Log records of nothing but blanks, brackets and digits."""
    line = "2026-11-21 10:00:00,000 WARN x - " + " \t" * 500 + "[" * 500 + "1" * 500 + "\n"
    return line * (size // len(line))


def empty_lines(lines: int = 1 << 16) -> str:
    """Nothing but ends of lines where the first record of a log is looked for."""
    return "\n" * lines + "x\n"


def log_of_subjects(lines: int = 12_000) -> str:
    """Each record names another group, topic and broker."""
    return "".join(
        f"2026-11-21 10:00:{n % 60:02},000 WARN PullRequestHoldService - the consumer's group [group{n}] not online,"
        f" topic topic{n} broker broker{n}\n"
        for n in range(lines)
    )


def log_of_causes(lines: int = 20_000) -> str:
    """One exception whose chain of causes is as long as the file."""
    return (
        "2026-11-21 10:00:00,000 ERROR x - failed\n"
        + "Caused by: java.lang.Error: x\n\tat a.B.c(B.java:1)\n" * lines
    )


def log_of_far_zones(lines: int = 10_000) -> str:
    """Times in zones that are further from UTC than any is."""
    zones = ("+99:99", "-9959", "+2400", "+14:01")
    return "".join(
        f"2026-11-21T10:00:{n % 60:02}.000{zones[n % 4]} WARN BrokerFastFailure - [TIMEOUT_CLEAN_QUEUE]broker busy\n"
        for n in range(lines)
    )


def gc_log_of_one_moment(lines: int = 15_000) -> str:
    """Collections that all begin in the same moment."""
    return "".join(
        f"[2026-11-21T10:00:00.000+0000][1.000s][info][gc] GC({n}) Pause Young (Normal) (G1 Evacuation Pause)"
        " 100M->90M(100M) 1.000ms\n"
        for n in range(lines)
    )


def nested_brackets(size: int = 300_000) -> str:
    """JSON that is deeper than any stack."""
    return "[" * size


def nested_objects(size: int = 100_000) -> str:
    """The same with objects, as an offset file of a broker would begin."""
    return '{"offsetTable":' * (size // 15)


def progress_of_topics(topics: int = 4_000) -> str:
    """An answer of consumerProgress in which each queue is of another topic."""
    head = "#Topic  #Broker Name  #QID  #Broker Offset  #Consumer Offset  #Client IP  #Diff  #LastTime\n"
    return head + "".join(
        f"t{n}  b{n}  {n % 9}  {n}  {n // 2}  1.2.3.4  {n - n // 2}  2026-11-21 10:00:00\n"
        for n in range(topics)
    )


def standing_queues(queues: int = 4_000) -> str:
    """Two answers of consumerProgress about one topic: all queues but one stand, each beside all others."""
    head = "#Topic  #Broker Name  #QID  #Broker Offset  #Consumer Offset  #Client IP  #Diff  #LastTime\n"
    return "".join(
        f"$ sh mqadmin consumerProgress -g CID\n{head}"
        + "".join(
            f"t  b  {n}  {9000 + 2000 * later}  {100 + 2000 * later * (not n)}  1.2.3.4  {8900 + 2000 * later}"
            f"  2026-11-21 10:0{later * 5 * (not n)}:00\n"
            for n in range(queues)
        )
        for later in (0, 1)
    )


def commands_of_mqadmin(size: int = 1 << 20) -> str:
    """An answer, and a line that could begin a command again and again."""
    words = f"mqadmin{' ' * 19}a{' ' * 19}"
    return progress_of_topics(3) + words * (size // len(words)) + "\n"


def equals_signs(size: int = 500_000) -> str:
    """What may be the head of getBrokerConfig."""
    return "=" * size + "a" * size + "\n"


def text_without_end(size: int = 900_000) -> str:
    """An offset file with a text that has no end, in which each quote is escaped."""
    return '{"offsetTable":{"a@b":{' + '"\\' * (size // 2)


def nested_thread_dump(depth: int = 1 << 20) -> str:
    """A thread dump in JSON of which one field is deeper than any stack."""
    return '{"threadDump":{"processId":"1","time":' + "[" * depth


THREAD_DUMPS: dict[str, Callable[[], str]] = {
    attack.__name__: attack
    for attack in (
        ring_of_locks,
        chain_of_locks,
        listed_ring,
        one_long_stack,
        many_locks_in_one_stack,
        same_thread_many_times,
        many_dumps,
        one_long_line,
        one_line_of_headers,
        open_quotes,
        spaces_before_the_state,
        chain_of_futures,
        chain_without_cpu_time,
    )
}
LARGE_THREAD_DUMPS: dict[str, Callable[[], str]] = {
    attack.__name__: attack for attack in (one_ring, class_initializers, methods_that_lock)
}
"""up to 18 MB: less shows nothing of a quadratic pass"""
LOGS: dict[str, Callable[[], str]] = {
    attack.__name__: attack
    for attack in (
        log_of_one_line,
        log_of_blanks,
        empty_lines,
        log_of_subjects,
        log_of_causes,
        log_of_far_zones,
        gc_log_of_one_moment,
    )
}
ANY: dict[str, Callable[[], str]] = {
    attack.__name__: attack
    for attack in (
        nested_brackets,
        nested_objects,
        nested_thread_dump,
        progress_of_topics,
        standing_queues,
        commands_of_mqadmin,
        equals_signs,
        text_without_end,
    )
}
