"""How a process ended: shutdown hooks, the kernel's OOM killer, exit codes of containers.

Source: BrokerStartup, ShutdownHookThread, DefaultMQPushConsumerImpl.shutdown, DefaultMQProducerImpl.shutdown, 3.2.6 to
5.5.0; Linux mm/oom_kill.c 3.10 to 6.12; docker ps, kubectl describe, YARN's NodeManager.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.pod_settings import is_in_a_message
from mqdiag.logs.tally import Subject

EXIT_CODES = (137, 143)
"""128 + SIGKILL, 128 + SIGTERM"""
INTERRUPTED = 130
"""128 + SIGINT: somebody pressed a key"""
_EXITED = lazy_pattern(
    r"xited with code (\d{1,3})\b|xit [Cc]ode: {1,12}(\d{1,3})\b|xitCode(?:\": ?|=|: )(\d{1,3})\b"
    r"|xited \((\d{1,3})\)|exit status (\d{1,3}); not expected|exit value \[\w{1,20}\]: (\d{1,3})\b"
)
_SIGNALS = {"Segmentation fault": 139, "Bus error": 135, "Aborted": 134, "Illegal instruction": 132}
"""128 + the number of the signal"""
_SHELL = lazy_pattern(
    r"\.sh: line \d{1,6}:(?: {1,10}\d{1,9} (?P<signal>Killed|Segmentation fault|Bus error|Aborted|Illegal instruction) "
    r"| (?P<program>.{1,300}): (?:No such file or directory|[Cc]ommand not found|Permission denied|cannot execute)\b)"
)
_LOOKS_ONLY = lazy_pattern(
    r"(?:\S*/)?(?:jstack|jcmd|jmap|jps|jstat|jinfo|jfr|iostat|vmstat|mpstat|pidstat|sar|top|htop|free|df|ss|netstat"
    r"|lsof|dmesg|journalctl|perf|strace|ltrace|gdb|tcpdump|curl|wget|nc|telnet|ping|dig|nslookup|kubectl|crictl|jq|bc)\Z"
)
"""a program by which a script looks at a process, and starts none"""
_PROBE = b"probe failed: "
_OOM_KILLED = lazy_pattern(
    # kubectl get pods, then keys of a status and flags of docker inspect, then words of a person or a program
    rb"\d/\d{1,3} {1,20}(?:Init:)?OOMKilled\b"
    rb"|(?i:\b(?:reason|state|status|terminated|error|phase))(?<!\\)\"?\s{0,20}[:=]\s{0,20}"
    rb"(?:Terminated\b[\w ]{0,20}\W{0,4})?(?<!\\)\"?(?:OOMKilled)\b"
    rb"|(?<!\\)\bOOMKilled(?<!\\)\"?\s{0,10}[:=]\s{0,10}[Tt]rue\b"
    rb"|^(?!.{0,300}(?i:\b(?:when|if|unless|on|for|alert|notify|grep|until|whenever|in case)\b)).{0,300}"
    rb"(?:\b(?i:was|were|is|been|being|got|gets|with|code|pod|container|terminated)\W{1,4}|^\W{0,80})OOMKilled\b(?!\"?\s{0,10}[:=])"
)
_SHUT_DOWN = lazy_pattern(r"the (consumer|producer) \[([^\]]{1,300})\] shutdown OK")


def group_shut_down(message: Message, log: LogTally) -> None:
    """The application shut a consumer or a producer down."""
    found = _SHUT_DOWN.search(message.text)
    if found is not None:
        group = found[2] if found[1] == "consumer" else None
        log.add("group-shut-down", message, Subject(group=group, thread=message.thread()), side="client")


def shell_said(message: Message, log: LogTally) -> None:
    """A start script tells how the program ended that it called, or why it could not call it."""
    found = _SHELL.search(message.text)
    if found is None:
        return
    if found["signal"] == "Killed":
        log.add("exited-with-137", message)
    elif found["signal"] is not None:
        tally = log.add("container-exited", message)
        if tally is not None:
            tally.keep_largest("exit_code", _SIGNALS[found["signal"]])
    elif _LOOKS_ONLY.match(found["program"]) is None:
        log.add("start-script-failed", message, side="broker")


def oom_killed(message: Message, log: LogTally) -> None:
    """A status says that the OOM killer ended a container; a condition or a value of another key does not."""
    hit = message.hit
    if _OOM_KILLED.search(hit.line) is None or _PROBE in hit.line:
        return
    if not is_in_a_message(hit.block, hit.start, hit.line):  # what a program said last
        log.add("container-oom-killed", message)


def exited(message: Message, log: LogTally) -> None:
    """A container or process ended: by a signal, as the larger codes tell, or with a code of the program's own."""
    found = _EXITED.search(message.text)
    if found is not None:
        ended(message, log, int(next(filter(None, found.groups()))))


def ended(message: Message, log: LogTally, code: int) -> None:
    """A container or a process ended with a code."""
    if code in EXIT_CODES:
        log.add(f"exited-with-{code}", message)
    elif code and code != INTERRUPTED:
        tally = log.add("container-exited", message)
        if tally is not None:
            tally.keep_largest("exit_code", code)
