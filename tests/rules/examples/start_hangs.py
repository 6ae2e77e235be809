from __future__ import annotations

from mqdiag.facts import Facts, StacksFacts
from mqdiag.facts.stacks import StartWait
from mqdiag.facts.vocabulary import StartWaitCause


def _example(cause: StartWaitCause, samples: int) -> Facts:
    wait = StartWait(
        cause=cause,
        thread="main",
        frame="com.acme.Application.main(Application.java:12)",
        top="java.io.FileInputStream.readBytes",
        doing="file-read",
        samples=samples,
        seconds=2.5 * (samples - 1),
    )
    return Facts(stacks=StacksFacts(samples=samples, seconds=wait.seconds, judged=True, start_wait=wait))


def fires() -> Facts:
    """The main thread reads the random numbers of the system in four samples."""
    return _example("entropy", 4)


def silent() -> Facts:
    """It asks another machine in one sample."""
    return _example("unreachable", 1)
