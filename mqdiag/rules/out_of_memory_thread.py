"""The thread that met the OutOfMemoryError."""

from __future__ import annotations

from collections.abc import Iterator

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import LITTLE_USED, HeapThread, Suspect
from mqdiag.facts.logs import LogEvent
from mqdiag.facts.stacks import ThreadFacts
from mqdiag.facts.waste import LoaderGroup
from mqdiag.findings import Confidence, EvidenceValue, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.log_events import (
    OUT_OF_MEMORY,
    counted,
    events,
    most_frequent,
    most_frequent_counted,
    only,
    when,
)
from mqdiag.text import Text, say
from mqdiag.time_ranges import ranges_of

OWN_FRAMES = ("java.lang.OutOfMemoryError.<init>",)
DEFINING_FRAMES = (
    "java.lang.ClassLoader.defineClass",
    "java.lang.ClassLoader.defineAnonymousClass",
    "java.lang.invoke.MethodHandles$Lookup",
    "java.lang.reflect.Proxy.defineClass",
    "jdk.internal.misc.Unsafe.defineClass",
    "jdk.internal.misc.Unsafe.defineAnonymousClass",
    "sun.misc.Unsafe.defineClass",
    "sun.misc.Unsafe.defineAnonymousClass",
)
"""the calls in which the JVM makes a class"""
MOST_FRAMES = 20
MOST_HOLDERS = 3
MANY_LOADERS = 5
"""of one kind with the same classes, as in class-loader-leak"""
MOSTLY_USED = 0.9
"""of the largest heap: from there on it was full, whatever a log of another moment says"""
LARGE_ALLOCATION = "large-allocation"
HEAP, DIRECT, CLASSES, ARRAY = OUT_OF_MEMORY
CAUSES = {HEAP: "out-of-memory", DIRECT: "direct-memory", CLASSES: "class-memory", ARRAY: LARGE_ALLOCATION}
RESTART = say(
    "Restart the process: after an OutOfMemoryError a pull loop or a consume thread may be gone for good."
)
GROWS = say("Look at what grows between two dumps of the process under load: mqdiag diff BEFORE AFTER.")
ARRAY_LIMIT = say(
    "An array has 2,147,483,647 elements at most, however large the heap is: one request was too large, and more heap"
    " does not help."
)
IN_PIECES = say(
    "{large_objects:count} {large_objects:object has|objects have} 512 KiB or more, {large_object_bytes:bytes} in"
    " all. If the collector was G1, each of half a region or more takes whole regions, and a new one needs free regions"
    " side by side: memory that is free in pieces may not have helped."
)
SIZE_ASKED = say(
    "Look which size the code asks for at this frame: a length that comes from a file, from a request or from a"
    " setting may be wrong."
)
REMEDIES = {
    HEAP: (
        say("Look at who holds the heap: mqdiag heap on the dump of -XX:+HeapDumpOnOutOfMemoryError."),
        RESTART,
    ),
    DIRECT: (
        say(
            "Take a heap dump of the process before you restart it (jcmd PID GC.heap_dump FILE), and run mqdiag"
            " heap on it: it names the holders of direct buffers. The JVM writes no dump by itself at this error."
        ),
        say(
            "Where the holders need so much, raise -XX:MaxDirectMemorySize (for Netty"
            " -Dio.netty.maxDirectMemory), and leave room for it beside the heap."
        ),
        RESTART,
    ),
    CLASSES: (
        say(
            "Count classes and class loaders: jcmd PID VM.classloader_stats. If their number grows, mqdiag heap on"
            " a heap dump names the loaders that stay."
        ),
        say("If their number does not grow, raise -XX:MaxMetaspaceSize (up to JDK 7 -XX:MaxPermSize)."),
        RESTART,
    ),
    ARRAY: (
        say(
            "Look in the stack below the error for the code that asks for the array: a length that comes from a file,"
            " from a request or from a setting may be wrong, or a buffer or text grows without limit."
        ),
        say("Read and write large data in parts. Leave the size of the heap as it is."),
        RESTART,
    ),
}

RULE = Rule(
    name="out-of-memory-thread",
    title="This thread met the OutOfMemoryError",
    why=(
        "The JVM puts the constructor of the error on the stack of the thread whose allocation failed. The stack"
        " names what was being allocated. Other code may hold the memory, so the stack is a hint and not the cause."
        " In RocketMQ clients up to 5.3.2 an error in a pull callback can end the pulling of a queue. Where much of the"
        " heap was free, the memory of classes ran out, or one request was too large, and nobody filled the heap."
    ),
    causes=tuple(CAUSES.values()),
    severities=(Severity.ERROR, Severity.INFO),
    remedy=(
        "Read the findings about who holds the heap.",
        "Restart the process, as its threads may have died.",
    ),
    references=("-XX:+HeapDumpOnOutOfMemoryError", "https://github.com/apache/rocketmq/pull/9278"),
    of_process=True,
    severity_alone=Severity.ERROR,
    explained_by=("consumer-cache-exceeds-heap", "messages-outside-queues", "heap-held-by-application"),
    explained_causes=(CAUSES[HEAP],),
    in_chain=say("the JVM runs out of memory"),
    leads_to={
        "pull-loop-lost": say("which ended the pull loop:"),
        "pull-service-dead": say("which ended the thread that pulls:"),
    },
)


def _facts(hit: bool) -> Facts:
    thread = HeapThread(
        name="NettyClientPublicExecutor_1",
        role="client-callback",
        hit_out_of_memory=hit,
        frames=(
            "java.lang.OutOfMemoryError.<init>(OutOfMemoryError.java:48)",
            "org.apache.rocketmq.common.message.MessageDecoder.decode(MessageDecoder.java:320)",
        )[0 if hit else 1 :],
    )
    heap = HeapFacts(
        objects=1,
        shallow_bytes=1,
        unreachable_objects=0,
        unreachable_bytes=0,
        threads=(thread,),
        out_of_memory=hit,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """The pull callback failed while it decoded messages."""
    return _facts(True)


def silent() -> Facts:
    """The same thread in a dump that was asked for."""
    return _facts(False)


@RULE.sees("heap")
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each such thread; mostly it is one."""
    assert facts.heap is not None
    had_room = facts.heap.had_room(whole=facts.heap_is_whole)
    for thread in facts.heap.threads:
        if not thread.hit_out_of_memory:
            continue
        frames = tuple(frame for frame in thread.frames if not frame.startswith(OWN_FRAMES))
        if _logs_name_arrays_alone(facts) and (facts.heap.in_use_share or 0.0) < MOSTLY_USED:
            yield _of_array(thread, frames)
        elif not had_room:
            yield _of_full_heap(thread, frames, facts.heap)
        elif frames and frames[0].startswith(DEFINING_FRAMES):
            yield _of_classes(thread, frames, facts.heap)
        else:
            yield _of_large_allocation(thread, frames, facts.heap)


def _logs_name_arrays_alone(facts: Facts) -> bool:
    """Whether the logs of the process name no other memory that ran out than an array that cannot be made."""
    return (
        facts.logs is not None and facts.logs.count(ARRAY) > 0 and not facts.logs.count(HEAP, DIRECT, CLASSES)
    )


def _of_array(thread: HeapThread, frames: tuple[str, ...]) -> Draft:
    return Draft(
        severity=Severity.INFO,
        cause=LARGE_ALLOCATION,
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the text of the error is in the log, and the log may be of another moment"),
        title=(
            say("Thread {thread} met the OutOfMemoryError in {frame}: it asked for an array that is too long")
            if frames
            else say("Thread {thread} met the OutOfMemoryError: it asked for an array that is too long")
        ),
        subject=Subject(thread=thread.name),
        evidence=_evidence(thread, frames),
        explanation=(ARRAY_LIMIT,),
        remedy=(SIZE_ASKED, *REMEDIES[ARRAY][1:]),
    )


def _of_full_heap(thread: HeapThread, frames: tuple[str, ...], heap: HeapFacts) -> Draft:
    holders = sorted(
        (suspect for suspect in heap.suspects if suspect.owner != "rocketmq" and suspect.label),
        key=lambda suspect: -suspect.retained_bytes,
    )[:MOST_HOLDERS]
    in_pieces = bool(heap.large_objects) and heap.in_use_share is not None and heap.in_use_share < LITTLE_USED
    return Draft(
        severity=Severity.INFO,
        cause="out-of-memory",
        confidence=Confidence.HIGH,
        confidence_reason=say("OutOfMemoryError.<init> is the first frame of the thread"),
        title=(
            say("Thread {thread} met the OutOfMemoryError in {frame}")
            if frames
            else say("Thread {thread} met the OutOfMemoryError")
        ),
        subject=Subject(thread=thread.name),
        evidence={
            **_evidence(thread, frames),
            **(_room(heap) if in_pieces else {}),
            "object_id": holders[0].object_id if holders else None,
        },
        explanation=(
            *(
                (
                    say(
                        "{in_use_bytes:bytes} of the {heap_bytes:bytes} of the heap were in use"
                        " ({in_use_share:percent})."
                    ),
                    IN_PIECES,
                )
                if in_pieces
                else (say("Its allocation failed because the heap was full."),)
            ),
            say("It need not be the thread that filled the heap, and the log may name another one."),
            *(
                (
                    say(
                        "The largest holders outside RocketMQ are {holders:and}.",
                        holders=tuple(map(_held, holders)),
                    ),
                )
                if holders
                else ()
            ),
        ),
        remedy=(
            say("Look at who holds the heap: `mqdiag show DUMP {object_id}` shows the largest holder.")
            if holders
            else say("Look at the classes that take most of the heap, and at what makes their objects."),
            GROWS,
            RESTART,
        ),
    )


def _evidence(thread: HeapThread, frames: tuple[str, ...]) -> dict[str, EvidenceValue]:
    return {
        "thread": thread.name,
        "frame": frames[0] if frames else None,
        "frames": frames[:MOST_FRAMES],
    }


def _held(suspect: Suspect) -> Text:
    return say("{label} ({retained_bytes:bytes})", label=suspect.label, retained_bytes=suspect.retained_bytes)


def _of_large_allocation(thread: HeapThread, frames: tuple[str, ...], heap: HeapFacts) -> Draft:
    return Draft(
        severity=Severity.INFO,
        cause=LARGE_ALLOCATION,
        confidence=Confidence.MEDIUM,
        confidence_reason=say("the dump does not tell how much memory the thread asked for"),
        title=(
            say("Thread {thread} met the OutOfMemoryError in {frame}, though the heap was not full")
            if frames
            else say("Thread {thread} met the OutOfMemoryError, though the heap was not full")
        ),
        subject=Subject(thread=thread.name),
        evidence={**_evidence(thread, frames), **_room(heap)},
        explanation=(
            _used(),
            say(
                "The thread asked for more than was free in one piece: for a very large array, for example. The"
                " text of the error in the log tells whether another memory ran out."
            ),
            *((IN_PIECES,) if heap.large_objects else ()),
        ),
        remedy=(
            SIZE_ASKED,
            say("Read large data in parts. A larger heap helps only if the size is meant to be so large."),
            RESTART,
        ),
    )


def _of_classes(thread: HeapThread, frames: tuple[str, ...], heap: HeapFacts) -> Draft:
    groups = () if heap.waste is None else heap.waste.class_loaders
    most = max(groups, key=lambda group: group.loaders, default=None)
    if most is not None and most.loaders < MANY_LOADERS:
        most = None
    return Draft(
        severity=Severity.INFO,
        cause=CAUSES[CLASSES],
        confidence=Confidence.MEDIUM,
        confidence_reason=say(
            "the text of the error, which names the memory, is in the log and not in the dump"
        ),
        title=say("The memory of classes ran out: thread {thread} met the OutOfMemoryError in {frame}"),
        subject=Subject(thread=thread.name),
        evidence={
            **_evidence(thread, frames),
            **_room(heap),
            "loaders": None if most is None else most.loaders,
            "loader_class": None if most is None else most.loader_class,
            "loader_id": None if most is None else most.object_id,
        },
        explanation=(
            say("The thread was making a class when its allocation failed."),
            _used(),
            say("The JVM keeps its classes outside of the heap, so the heap need not be full."),
            *_loaders(most),
        ),
        remedy=_remedy_for_classes(most),
    )


def _room(heap: HeapFacts) -> dict[str, EvidenceValue]:
    used = heap.in_use_share
    return {
        "in_use_bytes": heap.in_use_bytes,
        "heap_bytes": heap.limit_bytes,
        "in_use_share": None if used is None else round(used, 4),
        "large_objects": heap.large_objects,
        "large_object_bytes": heap.large_object_bytes,
    }


def _used() -> Text:
    return say(
        "{in_use_bytes:bytes} of the {heap_bytes:bytes} of the heap were in use ({in_use_share:percent}): nobody"
        " filled it."
    )


def _loaders(most: LoaderGroup | None) -> Iterator[Text]:
    if most is not None:
        yield say("{loaders:count} class loaders of {loader_class} each have the same classes.")


def _remedy_for_classes(most: LoaderGroup | None) -> tuple[Text, ...]:
    if most is None:
        return REMEDIES[CLASSES]
    return (
        say(
            "Find out what keeps the class loaders: `mqdiag show DUMP {loader_id}` shows the paths to one of them."
            " Remove what keeps a loader when its application or plugin ends."
        ),
        *REMEDIES[CLASSES][1:],
    )


@RULE.sees("logs")
def in_logs(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each memory that ran out: the error is the JVM's, whichever thread meets it."""
    assert facts.logs is not None
    for kind in CAUSES:
        for event in events(facts.logs, kind)[:1]:
            yield _of_lines(event)


def _of_lines(event: LogEvent) -> Draft:
    subjects = most_frequent(event)
    return Draft(
        severity=Severity.INFO,
        cause=CAUSES[event.kind],
        confidence=Confidence.HIGH,
        title=_title(event),
        subject=Subject(thread=only(event, "thread")),
        evidence={
            "lines": event.count,
            "thread": only(event, "thread"),
            "first": event.first,
            "last": event.last,
            "used_bytes": event.values.get("used_bytes"),
            "limit_bytes": event.values.get("limit_bytes"),
            **counted([event]),
            **most_frequent_counted(event),
        },
        explanation=(
            say("{lines:count} {lines:record|records} {when}.", when=when(event))
            if subjects is None
            else say(
                "{lines:count} {lines:record|records} {when}, of {subjects}.",
                when=when(event),
                subjects=subjects,
            ),
            *_memory_explained(event),
        ),
        remedy=REMEDIES[event.kind],
        rests_on=event.files,
        when=ranges_of([event]),
        weight=0.2,
    )


def _title(event: LogEvent) -> Text:
    if event.kind == DIRECT:
        return (
            say("The direct memory of the JVM ran out {when}", when=when(event))
            if event.count == 1
            else say("The direct memory of the JVM ran out {lines:count} times")
        )
    if event.kind == CLASSES:
        return (
            say("The memory of classes ran out {when}", when=when(event))
            if event.count == 1
            else say("The memory of classes ran out {lines:count} times")
        )
    if event.kind == ARRAY:
        return (
            say("The JVM was asked for an array longer than it can make {when}", when=when(event))
            if event.count == 1
            else say("The JVM was asked {lines:count} times for an array longer than it can make")
        )
    return (
        say("The log shows an OutOfMemoryError {when}", when=when(event))
        if event.count == 1
        else say("The log shows {lines:count} OutOfMemoryErrors")
    )


def _memory_explained(event: LogEvent) -> Iterator[Text]:
    if event.kind == DIRECT:
        if event.values.get("limit_bytes"):
            yield say("{used_bytes:bytes} of {limit_bytes:bytes} were in use.")
        yield say("Direct buffers are outside of the heap, so the heap need not be full.")
    elif event.kind == CLASSES:
        yield say("The JVM keeps its classes outside of the heap, so the heap need not be full.")
    elif event.kind == ARRAY:
        yield ARRAY_LIMIT
    else:
        yield say("The thread that met it need not be the one that filled the heap.")


@RULE.sees("stacks")
def in_stacks(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each thread that has the error's constructor as its top frame, as dumps made at the error do."""
    assert facts.stacks is not None
    for thread in facts.stacks.threads:
        if any((sample.top or "").startswith(OWN_FRAMES) for sample in thread.samples):
            yield _of_sample(thread)


def _of_sample(thread: ThreadFacts) -> Draft:
    return Draft(
        severity=Severity.INFO,
        cause="out-of-memory",
        confidence=Confidence.HIGH,
        confidence_reason=say("OutOfMemoryError.<init> is the first frame of the thread"),
        title=(
            say("Thread {thread} met an OutOfMemoryError in {frame}")
            if thread.frame is not None
            else say("Thread {thread} met an OutOfMemoryError")
        ),
        subject=Subject(thread=thread.name, group=thread.group),
        evidence={"thread": thread.name, "frame": thread.frame, "listener": thread.listener},
        explanation=(
            say("Its allocation failed. It need not be the thread that filled the heap."),
            *(() if thread.listener is None else (say("The listener that it works for is {listener}."),)),
        ),
        remedy=(
            say("Look at who holds the heap: run mqdiag heap on the heap dump that these threads are of."),
            RESTART,
        ),
    )
