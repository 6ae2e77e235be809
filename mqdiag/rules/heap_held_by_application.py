"""The application fills the heap, and not RocketMQ."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from mqdiag.facts import Facts, HeapFacts
from mqdiag.facts.heap import LITTLE_USED, BrokenKeys, Suspect
from mqdiag.facts.ratios import ratio
from mqdiag.findings import Confidence, EvidenceValue, Margin, Severity, Subject
from mqdiag.rules.registry import Draft, Limits, Rule, Said
from mqdiag.rules.shared.graph_needed import needs_graph
from mqdiag.text import Text, say

WORTH_SHOWING_BYTES = 1 << 20
"""in an almost empty heap a class loader is the largest accumulation, which tells nothing"""
SHOWN_CONTENTS = 3

RULE = Rule(
    name="heap-held-by-application",
    title="The application fills the heap, not RocketMQ",
    why=(
        "A histogram with byte[] at the top does not tell who holds the arrays. If one field, thread or pool outside"
        " RocketMQ retains most of the heap, lower thresholds of RocketMQ change nothing. An accumulation counts if it"
        " has a large share of the objects in use, and these have a large share of the heap or at least least_bytes, or"
        " the JVM ran out of memory. In a heap that is surely less full than least_heap_share it is a warning at most."
        " Beans of similar size in one registry are no accumulation."
    ),
    causes=("not-rocketmq", "broken-keys", "spread-evenly", "softly-held"),
    severities=(Severity.ERROR, Severity.WARNING, Severity.INFO),
    remedy=(
        "Look at the named holder and the path that keeps it: limit its size, let its entries expire, or close it.",
        "`mqdiag show DUMP OBJECT_ID` lists its fields and what it holds.",
    ),
    references=("Retained size: what the collector would free if the object went",),
    limits={
        "share_error": 0.5,
        "share_warning": 0.3,
        "least_bytes": 64 * 1024 * 1024,
        "least_heap_share": 0.5,
    },
    explained_by=("messages-outside-queues",),
    in_chain=say("the heap fills up"),
)


def _facts(retained: int) -> Facts:
    suspect = Suspect(
        class_name="java.util.HashMap",
        object_id="0x7f",
        retained_bytes=retained,
        share=retained / 200_000_000,
        path=("class com.acme.ReportCache", "ENTRIES java.util.HashMap"),
        label="com.acme.ReportCache.ENTRIES",
        holds=("byte[]: 150,000,000 bytes in 1,500",),
    )
    heap = HeapFacts(
        objects=100_000,
        shallow_bytes=200_000_000,
        unreachable_objects=0,
        unreachable_bytes=0,
        suspects=(suspect,),
        process_queues=0,
        messages=0,
    )
    return Facts(heap=heap)


def fires() -> Facts:
    """A cache of reports retains 75 % of the heap."""
    return _facts(150_000_000)


def silent() -> Facts:
    """It retains 25 %."""
    return _facts(50_000_000)


@RULE.sees("heap")
@needs_graph
def in_heap(facts: Facts, limits: Limits) -> Iterator[Said]:
    """One finding for each accumulation point that is large enough."""
    heap = facts.heap
    assert heap is not None
    whole = facts.heap_is_whole
    if heap.had_room(whole=whole):
        # the error tells nothing about what is in the heap
        heap = msgspec.structs.replace(heap, out_of_memory=False)
    own = [
        suspect
        for suspect in heap.suspects
        if suspect.owner != "rocketmq" and not _is_rocketmq_inside(suspect, heap)
    ]
    large = [suspect for suspect in own if _is_large(suspect, heap, limits)]
    for suspect in large:
        if suspect.even:
            yield _even(suspect, heap)
        elif _is_soft(suspect) and not heap.out_of_memory:
            yield _soft(suspect, heap)
        else:
            yield _draft(suspect, heap, limits, whole=whole)
    if own and not large:
        yield from _margin(max(own, key=lambda suspect: suspect.retained_bytes), heap, limits)


def _is_large(suspect: Suspect, heap: HeapFacts, limits: Limits) -> bool:
    share = ratio(suspect.retained_bytes, heap.shallow_bytes)
    return share is not None and share >= limits["share_warning"] and _matters(suspect, heap, limits)


def _matters(suspect: Suspect, heap: HeapFacts, limits: Limits) -> bool:
    """Whether it is much for this JVM: a large share of an almost empty heap is no fault."""
    return (
        heap.out_of_memory
        or suspect.retained_bytes >= limits["least_bytes"]
        or _fills(suspect, heap, limits) >= limits["least_heap_share"]
    )


def _fills(suspect: Suspect, heap: HeapFacts, limits: Limits) -> float:
    """Its share of the largest heap that the JVM may have; 0 where that is unknown."""
    of_heap = ratio(suspect.retained_bytes, heap.limit_bytes) or 0.0
    in_use = ratio(heap.shallow_bytes, heap.limit_bytes) or 0.0
    # two caches that fill the heap are one fault each, though neither has half of it
    return max(of_heap, in_use if of_heap >= limits["share_warning"] / 2 else 0.0)


def _has_room(suspect: Suspect, heap: HeapFacts, limits: Limits) -> bool:
    """Whether the heap is surely far from full: a cache may be as large as it was meant, or a leak may begin."""
    return (
        not heap.out_of_memory
        and heap.limit_bytes is not None
        and _fills(suspect, heap, limits) < limits["least_heap_share"]
    )


def _is_rocketmq_inside(suspect: Suspect, heap: HeapFacts) -> bool:
    """Whether most of it is messages: the consumers are below the suspect, or it keeps messages itself.

    Two separate holders cannot retain more than the whole. If suspect and consumers together do, one is inside the
    other, and the rules about caches and kept messages say it better.
    """
    reachable = heap.shallow_bytes or 0
    consumers = sum(consumer.retained_bytes or 0 for consumer in heap.consumers)
    if consumers > suspect.retained_bytes / 2 and consumers + suspect.retained_bytes > reachable:
        return True
    kept = heap.message_totals.elsewhere_bytes if heap.message_totals is not None else None
    return kept is not None and kept > suspect.retained_bytes / 2 and kept + suspect.retained_bytes > reachable


def _name(suspect: Suspect) -> str:
    return suspect.label or suspect.class_name


def _margin(suspect: Suspect, heap: HeapFacts, limits: Limits) -> Iterator[Margin]:
    """By its share; by its bytes if it has a large share of a small heap."""
    share = ratio(suspect.retained_bytes, heap.shallow_bytes)
    if share is None or suspect.retained_bytes < WORTH_SHOWING_BYTES:
        return
    if share < limits["share_warning"]:
        yield Margin(
            rule="",
            label=say(
                "share of the heap that {label} retains, the largest outside RocketMQ", label=_name(suspect)
            ),
            value=share,
            limit=limits["share_warning"],
            kind="percent",
        )
    else:
        yield Margin(
            rule="",
            label=say("the largest accumulation outside RocketMQ, {label}", label=_name(suspect)),
            value=suspect.retained_bytes,
            limit=limits["least_bytes"],
            kind="bytes",
        )


def _holder(suspect: Suspect) -> tuple[str, str | None]:
    """Class and static field of a label "com.acme.Cache.ENTRIES"; the class alone for an instance."""
    owner, dot, field = suspect.label.rpartition(".")
    if not dot or suspect.label == suspect.class_name or suspect.kind == "object":
        return _name(suspect), None
    return owner, field


def _without_rocketmq(heap: HeapFacts) -> bool:
    """Whether nothing in the dump is RocketMQ's: then no sentence is about it."""
    return not heap.consumers and not heap.process_queues and not heap.messages and not heap.instances


def _how_sure(suspect: Suspect, *, whole: bool) -> Text:
    if not whole:
        return say("the dump is incomplete, and may lack other holders of it")
    if suspect.broken_keys is not None:
        return say("keys that are different on purpose, though their fields are equal, look the same in a dump")
    return say("retained sizes come from the dominator tree of the whole dump")


def _draft(suspect: Suspect, heap: HeapFacts, limits: Limits, *, whole: bool) -> Draft:
    share = ratio(suspect.retained_bytes, heap.shallow_bytes) or 0.0
    error = share >= limits["share_error"] and not _has_room(suspect, heap, limits)
    return Draft(
        severity=Severity.ERROR if error else Severity.WARNING,
        cause="not-rocketmq" if suspect.broken_keys is None else "broken-keys",
        confidence=Confidence.HIGH if whole and suspect.broken_keys is None else Confidence.MEDIUM,
        confidence_reason=_how_sure(suspect, whole=whole),
        title=_title(suspect),
        subject=Subject(object_class=_name(suspect)),
        evidence=_evidence(suspect, heap),
        explanation=tuple(_explanation(suspect, heap)),
        remedy=tuple(_remedy(suspect, heap)),
        weight=share,
    )


def _even(suspect: Suspect, heap: HeapFacts) -> Draft:
    share = ratio(suspect.retained_bytes, heap.shallow_bytes) or 0.0
    return Draft(
        severity=Severity.INFO,
        cause="spread-evenly",
        confidence=Confidence.HIGH,
        confidence_reason=say("retained sizes come from the dominator tree of the whole dump"),
        title=say(
            "{object_class} retains {retained_bytes:bytes}, {share:percent} of the heap in use, spread evenly over"
            " {entries:count} entries; no single one holds it"
        ),
        subject=Subject(object_class=_name(suspect)),
        evidence=_evidence(suspect, heap),
        explanation=(
            say("The entries are {entry_classes:and}.", entry_classes=suspect.entry_classes),
            say("The largest entry has {largest_entry_share:percent} of it."),
            *_own_classes(suspect),
        ),
        remedy=(
            say(
                "If the heap is too small, look at what one of the entries holds, or give the JVM more memory."
            ),
            say("`mqdiag show DUMP {object_id}` lists the fields and what they hold."),
        ),
        weight=share,
    )


def _is_soft(suspect: Suspect) -> bool:
    return bool(suspect.entry_classes) and suspect.entry_classes[0].startswith("java.lang.ref.SoftReference:")


def _soft(suspect: Suspect, heap: HeapFacts) -> Draft:
    share = ratio(suspect.retained_bytes, heap.shallow_bytes) or 0.0
    return Draft(
        severity=Severity.INFO,
        cause="softly-held",
        confidence=Confidence.MEDIUM,
        confidence_reason=say("what is strongly held elsewhere is not freed with the soft references"),
        title=say(
            "{object_class} retains {retained_bytes:bytes}, {share:percent} of the heap in use, by soft references"
        ),
        subject=Subject(object_class=_name(suspect)),
        evidence=_evidence(suspect, heap),
        explanation=(say("The JVM drops what only soft references hold before it runs out of memory."),),
        remedy=(
            say(
                "Give the cache a limit of its own: soft references fill the heap first, and make collections long."
            ),
        ),
        weight=share,
    )


def _evidence(suspect: Suspect, heap: HeapFacts) -> dict[str, EvidenceValue]:
    holder_class, holder_field = _holder(suspect)
    totals, keys = heap.message_totals, suspect.broken_keys
    in_use = ratio(heap.shallow_bytes, heap.limit_bytes)
    return {
        "class": suspect.class_name,
        "object_id": suspect.object_id,
        "holder_class": holder_class,
        "holder_field": holder_field,
        "kind": suspect.kind,
        "retained_bytes": suspect.retained_bytes,
        "share": round(ratio(suspect.retained_bytes, heap.shallow_bytes) or 0.0, 4),
        "reachable_bytes": heap.shallow_bytes,
        "in_use_share": None if in_use is None else round(in_use, 4),
        "thread": suspect.thread,
        "threads": suspect.threads,
        "frame": suspect.frame,
        "entries": suspect.entries,
        "entry_classes": suspect.entry_classes,
        "largest_entry_share": (
            None if suspect.largest_entry_share is None else round(suspect.largest_entry_share, 4)
        ),
        "also_held_by": suspect.also_held_by,
        "key_class": None if keys is None else keys.key_class,
        "keys_compared": None if keys is None else keys.looked_at,
        "equal_keys": None if keys is None else keys.equal_keys,
        "web_application": suspect.web_application,
        "path": suspect.path,
        "holds": suspect.holds,
        "messages_bytes": None if totals is None else totals.in_queues_body_bytes,
    }


def _title(suspect: Suspect) -> Text:
    if suspect.kind == "pool-queue":
        return say(
            "The thread pool {object_class} has {entries:count} {entries:task|tasks} in its queue, which"
            " {entries:retains|retain} {retained_bytes:bytes}, {share:percent} of the heap in use"
        )
    if suspect.kind == "local-variable" and suspect.frame is None:
        return say(
            "Thread {thread} has {retained_bytes:bytes}, {share:percent} of the heap in use, in a local variable"
        )
    if suspect.kind == "local-variable" and suspect.threads == 1:
        return say(
            "Thread {thread} has {retained_bytes:bytes}, {share:percent} of the heap in use, in a local variable of"
            " {frame}"
        )
    if suspect.kind == "local-variable":
        return say(
            "{threads:count} threads in {object_class} have {retained_bytes:bytes}, {share:percent} of the heap in use,"
            " in local variables"
        )
    if suspect.kind == "thread-local":
        return say(
            "The thread local {object_class} retains {retained_bytes:bytes}, {share:percent} of the heap in use, in"
            " {threads:count} {threads:thread|threads}"
        )
    if suspect.kind == "shared-objects":
        return say(
            "{entries:count} objects of {shared_class} retain {retained_bytes:bytes}, {share:percent} of the heap in"
            " use; {holders:and} {holders_count:holds|hold} them",
            shared_class=suspect.class_name,
            holders=(_name(suspect), *suspect.also_held_by),
            holders_count=1 + len(suspect.also_held_by),
        )
    if suspect.known_as is not None:
        return say(
            "{object_class} ({known_as}) retains {retained_bytes:bytes}, {share:percent} of the heap in use",
            known_as=suspect.known_as,
        )
    return say("{object_class} retains {retained_bytes:bytes}, {share:percent} of the heap in use")


def _explanation(suspect: Suspect, heap: HeapFacts) -> Iterator[Text]:
    yield say(
        "Without it the JVM could free {retained_bytes:bytes} of {reachable_bytes:bytes}; the largest object in it is"
        " of class {class_name}.",
        class_name=suspect.class_name,
    )
    in_use = ratio(heap.shallow_bytes, heap.limit_bytes)
    if in_use is not None and in_use < LITTLE_USED and not heap.out_of_memory:
        yield say(
            "Only {in_use_share:percent} of the heap is in use: it is a fault if it grows. Compare with a later dump:"
            " mqdiag diff."
        )
    if suspect.kind == "field" and suspect.frame is not None:
        yield say("Thread {thread} works with it in {frame}.")
    if suspect.kind == "pool-queue" and suspect.thread is not None:
        yield say(
            "The tasks are {entry_classes:and}. The threads of the pool are {thread}.",
            entry_classes=suspect.entry_classes,
        )
    elif suspect.entries is not None and suspect.entry_classes:
        yield say(
            "It has {entries:count} {entries:entry|entries}: {entry_classes:and}.",
            entry_classes=suspect.entry_classes,
        )
    if suspect.broken_keys is not None:
        yield _about_keys(suspect.broken_keys)
    if suspect.web_application is not None:
        yield say("It belongs to the web application {web_application}.")
    if not _without_rocketmq(heap) and heap.message_totals is not None:
        yield say("RocketMQ's queues hold {messages_bytes:bytes} of message bodies.")
    yield from _own_classes(suspect)
    if suspect.holds:
        yield say(
            "Inside it, by class and number of objects: {contents}",
            contents="; ".join(suspect.holds[:SHOWN_CONTENTS]),
        )
    if suspect.path:
        yield say("This path keeps it: {steps}", steps=" -> ".join(suspect.path))


def _own_classes(suspect: Suspect) -> Iterator[Text]:
    """The application's classes inside, unless they are the entries, which are told already."""
    if set(suspect.own_inside) - set(suspect.entry_classes):
        yield say("Objects of the application inside it: {own_inside:and}.", own_inside=suspect.own_inside)


def _about_keys(keys: BrokenKeys) -> Text:
    if keys.method == "equals":
        return say(
            "{equal_keys:count} of {keys_compared:count} keys have the same values and the same hash as another key, so"
            " equals of {key_class} is missing or wrong: each put adds an entry."
        )
    if keys.method == "hashCode":
        return say(
            "{equal_keys:count} of {keys_compared:count} keys have the same values as another key and a different hash,"
            " so hashCode of {key_class} is missing or wrong: each put adds an entry, and get finds none."
        )
    if keys.method == "array":
        return say(
            "The keys are arrays, and {equal_keys:count} of {keys_compared:count} have the same elements as another"
            " key. An array equals only itself: each put adds an entry, and get finds none."
        )
    return say(
        "{equal_keys:count} of {keys_compared:count} keys have the same hash and different values: hashCode of"
        " {key_class} gives nearly always the same number, which makes the map slow."
    )


def _remedy(suspect: Suspect, heap: HeapFacts) -> Iterator[Text]:
    if suspect.broken_keys is not None and suspect.broken_keys.method == "array":
        yield say(
            "Use a key that has equals and hashCode instead of an array, such as a String or a ByteBuffer."
        )
    elif suspect.broken_keys is not None:
        yield say("Write equals and hashCode of {key_class} over the same fields, or make it a record.")
    elif suspect.remedy:
        yield from suspect.remedy
    elif suspect.kind == "pool-queue":
        yield say(
            "Give the pool a queue with a limit and a policy for rejected tasks, and look at what its threads wait for."
        )
    elif suspect.kind == "local-variable" and suspect.frame is not None:
        yield say("Process the data in parts instead of collecting all of it in {frame}.")
    elif suspect.kind == "thread-local":
        yield say("Call remove() on {object_class} when the work is done, or limit the size of its value.")
    else:
        yield say("Look at {object_class}: limit its size, let its entries expire, or drop it when it is done.")
    yield say("`mqdiag show DUMP {object_id}` lists its fields and the paths that keep it alive.")
    if not _without_rocketmq(heap):
        yield say("Leave RocketMQ's thresholds as they are: they do not limit this memory.")
