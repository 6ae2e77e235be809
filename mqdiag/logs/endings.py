"""How a process ended: shutdown hooks, the kernel's OOM killer, exit codes of containers.

Source: BrokerStartup, ShutdownHookThread, DefaultMQPushConsumerImpl.shutdown, DefaultMQProducerImpl.shutdown, 3.2.6 to
5.5.0; Linux mm/oom_kill.c 3.10 to 6.12; docker ps, kubectl describe, YARN's NodeManager.
"""

from __future__ import annotations

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


def group_shut_down(message: Message, log: LogTally) -> None:
    """The application shut a consumer or a producer down."""
    found = _SHUT_DOWN.search(message.text)
    if found is not None:
        group = found[2] if found[1] == "consumer" else None
        log.add("group-shut-down", message, Subject(group=group, thread=message.thread()), side="client")
