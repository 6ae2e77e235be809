"""out-of-memory-thread from logs: which threads said so, and when."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts
from mqdiag.findings import Confidence, Severity, Subject
from mqdiag.rules.registry import Draft
from mqdiag.rules.shared.log_events import events, most_frequent, only, when
from mqdiag.text import say
from mqdiag.time_ranges import ranges_of


def in_logs(facts: Facts) -> Iterator[Draft]:
    """One finding for all threads: the error is the JVM's, whichever thread meets it."""
    logs = facts.logs
    if logs is None:
        return
    for event in events(logs, "out-of-memory"):
        thread = only(event, "thread")
        said = most_frequent(event)
        yield Draft(
            severity=Severity.INFO,
            cause="out-of-memory",
            confidence=Confidence.HIGH,
            title=(
                say("The log shows an OutOfMemoryError {when}", when=when(event))
                if event.count == 1
                else say("The log shows {count:count} OutOfMemoryErrors", count=event.count)
            ),
            subject=Subject(thread=thread),
            evidence={"lines": event.count, "thread": thread, "first": event.first, "last": event.last},
            explanation=(
                say("{count:count} records {when}", count=event.count, when=when(event))
                + (say(", of {said}.", said=said) if said else "."),
                say("The thread that met it need not be the one that filled the heap."),
            ),
            remedy=(
                say("Look at who holds the heap: mqdiag heap on the dump of -XX:+HeapDumpOnOutOfMemoryError."),
                say(
                    "Restart the process: after an OutOfMemoryError a pull loop or a worker may be gone for good."
                ),
            ),
            rests_on=event.files,
            when=ranges_of([event]),
            weight=0.2,
        )
        return
