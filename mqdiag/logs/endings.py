"""How a process ended: shutdown hooks, the kernel's OOM killer, exit codes of containers.

Source: BrokerStartup, ShutdownHookThread, DefaultMQPushConsumerImpl.shutdown, DefaultMQProducerImpl.shutdown, 3.2.6 to
5.5.0; Linux mm/oom_kill.c 3.10 to 6.12; docker ps, kubectl describe, YARN's NodeManager.
"""

from __future__ import annotations

import re

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.tally import Subject

EXIT_CODES = (137, 143)
"""128 + SIGKILL, 128 + SIGTERM"""
EXIT_FORMS = (
    "xited ({})",
    "xit code is {}",
    "xit code {}",
    "xit code: {}",
    "xited with code {}",
    "xited with status {}",
    "xit status {}",
    'xitCode": {}',
    'xitCode":{}',
    "xitCode={}",
    "xitCode: {}",
    "it Code:    {}",
    "]+  Exit {}  ",
)
_SHUT_DOWN = lazy_pattern(r"the (consumer|producer) \[([^\]]{1,300})\] shutdown OK")
_KILLED = lazy_pattern(
    r"Kill(?:ed)? process (\d{1,9})(?:, UID \d+,)? \(([^)]{1,64})\)(?:.{0,200}?anon-rss:(\d{1,15})kB)?"
)
_SHELL_KILLED = lazy_pattern(r"(?:line \d{1,6}: +\d{1,9}|\[\d{1,6}\][+-]?) +Killed {2,}\S")
"""bash: `runbroker.sh: line 42:  2207 Killed      java ...`, `[1]+  Killed      sh bin/mqbroker`"""
_KILLED_IN_SHELL = lazy_pattern(r"\.sh: line \d{1,6}: {1,10}\d{1,9} Killed ")
_JAVA = ("java", "jsvc")
"""a Java process; newer kernels name the thread that was chosen, which is the first one as a rule"""


def hook_ran(message: Message, log: LogTally) -> None:
    """A shutdown hook of a server or of Spring ran: a signal came, System.exit was called, or main ended."""
    log.add("shutdown-hook-ran", message)


def group_shut_down(message: Message, log: LogTally) -> None:
    """The application shut a consumer or a producer down."""
    found = _SHUT_DOWN.search(message.text)
    if found is not None:
        group = found[2] if found[1] == "consumer" else None
        log.add("group-shut-down", message, Subject(group=group, thread=message.thread()), side="client")


def killed(message: Message, log: LogTally) -> None:
    """The kernel ended a process because the machine or the container ran out of memory."""
    found = _KILLED.search(message.text)
    if found is None or found[2] not in _JAVA:
        return
    tally = log.add("oom-killer-ran", message)
    if tally is not None and found[3] is not None:
        tally.keep_largest("largest_resident_kib", int(found[3]))


def killed_in_shell(message: Message, log: LogTally) -> None:
    """The shell that started a server says that it was killed, as after SIGKILL."""
    if _KILLED_IN_SHELL.search(message.text) is not None:
        log.add("exited-with-137", message)


def oom_killed(message: Message, log: LogTally) -> None:
    """Kubernetes or docker says that the OOM killer ended a container."""
    if not re.search(r'OOMKilled"?\s{0,10}[:=]\s{0,10}"?[Ff]alse', message.text):
        log.add("container-oom-killed", message)


def shell_killed(message: Message, log: LogTally) -> None:
    """A shell says that a process was killed, which it does for SIGKILL only."""
    if _SHELL_KILLED.search(message.text):
        log.add("exited-with-137", message)


def exit_code(message: Message, log: LogTally) -> None:
    """A container or process ended by a signal, as its exit code tells."""
    for code in EXIT_CODES:
        if re.search(rf"(?<!\d){code}(?!\d)", message.text):
            log.add(f"exited-with-{code}", message)
            return
