"""A JVM that does not come up: its main thread waits in one place while it starts."""

from __future__ import annotations

from collections.abc import Sequence

from mqdiag.facts.stacks import StartWait
from mqdiag.facts.vocabulary import StartWaitCause
from mqdiag.threads.doing import REMOTE_WAITS
from mqdiag.threads.judgement import Judgement
from mqdiag.threads.resting import waits_for_answer
from mqdiag.threads.series import Series
from mqdiag.threads.stack_meaning import StackMeaning

_ENTROPY = (
    "sun.security.provider.NativePRNG",
    "sun.security.provider.SeedGenerator",
    "java.security.SecureRandom.",
)
_SERVES = (
    "org.springframework.boot.web.embedded.",
    "java.lang.Thread.join",
    "java.util.concurrent.CountDownLatch.await",
    "java.lang.Thread.sleep",
    "java.net.ServerSocket.accept",
)
"""where a main thread stays once the process runs"""
_MAIN = "main"


def start_wait(judgements: Sequence[Judgement], series: Series) -> StartWait | None:
    """What the main thread waits for in its last samples; None where it runs, has ended, or keeps the JVM alive."""
    main = next((one.track for one in judgements if one.track.name == _MAIN and not one.track.ended), None)
    if main is None or series.jvms > 1:
        return None
    meaning = main.last_meaning
    cause = _cause(meaning)
    if cause is None:
        return None
    run = 0
    for index in reversed(main.judged):
        shown = main.meanings[index]
        if shown is None or _cause(shown) != cause or shown.work != meaning.work:
            break
        run += 1
    begin, end = series.moments[main.judged[-run]].seconds, series.moments[main.judged[-1]].seconds
    return StartWait(
        cause=cause,
        thread=main.name,
        frame=meaning.own_frame or meaning.stack.frames[0],
        top=meaning.top,
        doing=meaning.doing,
        samples=run,
        seconds=None if begin is None or end is None else round(end - begin, 3),
    )


def _cause(meaning: StackMeaning) -> StartWaitCause | None:
    if not meaning.stack.frames or meaning.idle:
        return None
    if meaning.doing in ("file-read", "running") and any(
        method.startswith(_ENTROPY) for method in meaning.methods
    ):
        return "entropy"
    if meaning.doing == "class-init":
        return "class-initialisation"
    if meaning.doing == "file-lock":
        return "file-lock"
    if meaning.awaits_end_of_server or any(method.startswith(_SERVES) for method in meaning.methods):
        return None
    if meaning.doing in REMOTE_WAITS or waits_for_answer(meaning):
        return "unreachable"
    return None
