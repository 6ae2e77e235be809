"""Reports as literals: the out-of-memory case of the first article, a healthy dump, a hostile one."""

from __future__ import annotations

from datetime import date
from typing import Any

import msgspec

from mqdiag.acceptance import Acceptance, Lapsed
from mqdiag.diagnose.answer import answered
from mqdiag.facts import HeapFacts, Input
from mqdiag.facts.heap import ConsumerFacts, MessageHolder, MessageTotals, QueueFacts
from mqdiag.facts.heap_classes import ClassRow, Suspect
from mqdiag.facts.heap_threads import HeapThread, MessageInHand
from mqdiag.findings import Confidence, Failed, Finding, Report, RuleCard, Severity, Skipped, Subject
from mqdiag.text import Text, say

GROUP = "temp-file-clean-group"
MIB = 1024 * 1024

OVERSIZED = Finding(
    rule="consumer-cache-exceeds-heap",
    severity=Severity.ERROR,
    cause="oversized-thresholds",
    confidence=Confidence.HIGH,
    fingerprint="0123456789abcdef",
    title=say(
        "The queues of consumer temp-file-clean-group hold 1,608 MiB of message bodies, 79% of a heap of"
        " 2,048 MiB, and their thresholds allow 2,246 MiB"
    ),
    subject=Subject(group=GROUP),
    evidence={
        "process_queues": 55,
        "threshold": 100,
        "threshold_bytes": 104857600,
        "average_body_bytes": 428311,
        "largest_body_bytes": 1048576,
        "held_bytes": 1686260407,
        "held_share": 0.785,
        "bound_bytes": 2355710500,
        "heap_bytes": 2147483648,
        "heap_bytes_source": "option",
        "recommended_threshold": 27,
        "recommended_threshold_mib": 11,
    },
    explanation=(
        say(
            "55 queues x 100 messages (pullThresholdForQueue) x 428,311 bytes (mean body) = 2,355,710,500 bytes ="
            " 2,246 MiB; the heap is 2,048 MiB."
        ),
        say("3,937 messages with 1,686,260,407 bytes of bodies are in the queues now."),
        say("pullThresholdForQueue counts messages of one queue, and this consumer has 55 of them."),
        say("A thread hit the OutOfMemoryError that made the JVM write this dump."),
    ),
    remedy=(
        say("Set pullThresholdForQueue to 27 or less: 55 x 27 x 428,311 bytes = 607 MiB, 30% of the heap."),
        say("Or set pullThresholdSizeForQueue to 11 (MiB), which holds whatever the size of the messages."),
        say("Or bound the whole topic: pullThresholdForTopic is divided among the queues of this instance."),
    ),
    weight=0.785,
    references=("https://github.com/apache/rocketmq/issues/5262",),
)
OVERRIDE = Finding(
    rule="config-not-in-force",
    severity=Severity.ERROR,
    cause="config-override",
    confidence=Confidence.HIGH,
    fingerprint="fedcba9876543210",
    title=say("pullThresholdForQueue of {group} is 100 in force, but 40 was intended", group=GROUP),
    subject=Subject(group=GROUP, key="pullThresholdForQueue"),
    evidence={"key": "pullThresholdForQueue", "expected": 40, "actual": 100},
    explanation=(say("The live consumer object of {group} holds 100; --expect says 40.", group=GROUP),),
    remedy=(say("Find the setter that ran last: a breakpoint or a watch on the field pullThresholdForQueue."),),
)
NO_LIMIT = Finding(
    rule="out-of-memory-thread",
    severity=Severity.INFO,
    cause="out-of-memory",
    confidence=Confidence.MEDIUM,
    confidence_reason=say("the thread that asks for memory last is often not the one that holds it"),
    fingerprint="00000000000000aa",
    title=say("Thread {thread} hit the OutOfMemoryError", thread="NettyClientPublicExecutor_3"),
    subject=Subject(thread="NettyClientPublicExecutor_3"),
    evidence={"thread": "NettyClientPublicExecutor_3", "frames": ("java.util.Arrays.copyOf",)},
    remedy=(),
    caused_by=("0123456789abcdef",),
)


def queue(queue_id: int, **over: Any) -> QueueFacts:
    """A busy queue of the article's consumer."""
    base = QueueFacts(
        group=GROUP,
        topic="temp_file_segments",
        broker=f"broker-{queue_id % 10}",
        queue_id=queue_id,
        messages=71,
        msg_count=71,
        msg_size=71 * 428311,
        body_bytes=71 * 428311 + queue_id,
        min_offset=18_400_000 + queue_id,
        max_offset=18_400_070 + queue_id,
        span=70,
        oldest_consume_age_ms=540_000,
        dropped=False,
        locked=False,
    )
    return msgspec.structs.replace(base, **over)


CONSUMER = ConsumerFacts(
    group=GROUP,
    kind="push",
    client_version="4.3.2",
    message_model="CLUSTERING",
    orderly=False,
    config={
        "pullThresholdForQueue": 100,
        "pullThresholdSizeForQueue": 100,
        "pullThresholdForTopic": -1,
        "pullBatchSize": 32,
        "consumeConcurrentlyMaxSpan": 2000,
        "consumeThreadMin": 20,
        "consumeThreadMax": 64,
        "consumeTimeout": 15,
    },
    queues=55,
    messages=3937,
    body_bytes=1686260407,
    retained_bytes=1690010624,
    bound_bytes=2355710500,
    bound_max_bytes=2 * 2355710500,
    bounded_queues=55,
    average_body_bytes=428311.0,
    largest_body_bytes=1048576,
    measured_messages=3937,
    pool_threads=20,
    pool_active=20,
    queued_requests=3885,
    unknown={"serviceState": "the field is not in this client"},
)

ARTICLE_HEAP = HeapFacts(
    objects=1_204_331,
    shallow_bytes=1_790_000_000,
    unreachable_objects=20_412,
    unreachable_bytes=3_000_000,
    file_objects=1_224_743,
    file_shallow_bytes=1_793_000_000,
    heap_bytes=2147483648,
    heap_bytes_source="option",
    captured_at="2020-10-21T00:12:44+08:00",
    jvm="OpenJDK 64-Bit Server VM 1.8.0_232",
    classes=tuple(
        ClassRow(name=name, loaders=loaders, instances=count, shallow_bytes=shallow, retained_bytes=retained)
        for name, loaders, count, shallow, retained in [
            ("byte[]", 1, 90_211, 1_723_000_000, 1_723_000_000),
            ("org.apache.rocketmq.common.message.MessageClientExt", 1, 3937, 409_448, 1_689_000_000),
            ("java.util.concurrent.LinkedBlockingQueue$Node", 1, 3_991, 95_784, 400_000),
            *(
                (f"com.example.clean.segment.Type{index}", 2, 1000 - index, 24_000, 48_000)
                for index in range(20)
            ),
        ]
    ),
    suspects=(
        Suspect(
            class_name="org.apache.rocketmq.client.impl.consumer.DefaultMQPushConsumerImpl",
            object_id="0x6c00a1f30",
            retained_bytes=1690010624,
            share=0.944,
            path=(
                "system class: class org.apache.rocketmq.client.impl.MQClientManager",
                "org.apache.rocketmq.client.impl.MQClientManager.factoryTable -> java.util.HashMap",
                "org.apache.rocketmq.client.impl.factory.MQClientInstance.consumerTable"
                " -> java.util.concurrent.ConcurrentHashMap",
            ),
            owner="rocketmq",
            holds=("org.apache.rocketmq.common.message.MessageClientExt: 1,689,000,000",),
        ),
    ),
    consumers=(CONSUMER,),
    queues=tuple(queue(index) for index in range(55)),
    process_queues=55,
    messages=3937,
    messages_unreachable=12,
    messages_in_queues=3905,
    body_bytes=1686260407,
    message_totals=MessageTotals(in_queues=3905, in_executors=0, in_frames=32, elsewhere=0),
    out_of_memory=True,
    threads=(
        HeapThread(
            name="NettyClientPublicExecutor_3",
            role="client-callback",
            state="RUNNABLE",
            hit_out_of_memory=True,
            frames=("java.lang.OutOfMemoryError.<init> (OutOfMemoryError.java:48)", "java.util.Arrays.copyOf"),
        ),
        HeapThread(
            name="ConsumeMessageThread_7",
            role="consume-worker",
            state="RUNNABLE",
            message=MessageInHand(
                topic="temp_file_segments", queue_id=3, offset=18_400_003, msg_id="AC11000", age_ms=540_000
            ),
            frames=tuple(
                f"com.example.clean.Segment.step{index} (Segment.java:{index})" for index in range(30)
            ),
        ),
        HeapThread(name="main", state="WAITING"),
    ),
)

GIVEN = Input(
    path="/app/logs/java_pid7.hprof.gz",
    kind="heap",
    format="JAVA PROFILE 1.0.2, gzip",
    bytes=1_795_162_111,
    captured_at="2020-10-21T00:12:44+08:00",
)
NO_STACKS = (
    Skipped(rule="stuck-socket-read", reason=say("no stack samples were given")),
    Skipped(rule="lock-convoy", reason=say("no stack samples were given")),
)

ARTICLE = answered(
    Report(
        mqdiag="0.1.0",
        inputs=(GIVEN,),
        findings=(OVERSIZED, OVERRIDE, NO_LIMIT),
        skipped=NO_STACKS,
        checked=("config-not-in-force", "consumer-cache-exceeds-heap", "out-of-memory-thread"),
        heap=ARTICLE_HEAP,
    )
)

HEALTHY = answered(
    Report(
        mqdiag="0.1.0",
        inputs=(GIVEN,),
        skipped=NO_STACKS,
        checked=("config-not-in-force", "consumer-cache-exceeds-heap"),
        heap=msgspec.structs.replace(
            ARTICLE_HEAP,
            shallow_bytes=80 * MIB,
            heap_bytes=512 * MIB,
            body_bytes=6 * MIB,
            messages=120,
            messages_unreachable=0,
            message_totals=MessageTotals(in_queues=110, in_frames=10),
            out_of_memory=False,
            threads=(),
            suspects=(msgspec.structs.replace(ARTICLE_HEAP.suspects[0], retained_bytes=9 * MIB, share=0.12),),
            consumers=(
                msgspec.structs.replace(CONSUMER, bound_bytes=55 * MIB, body_bytes=6 * MIB, messages=120),
            ),
            queues=(queue(0, messages=120, body_bytes=6 * MIB, oldest_consume_age_ms=340, lag=12),),
        ),
    )
)

NOTHING_OF_ROCKETMQ = answered(
    msgspec.structs.replace(
        HEALTHY,
        heap=HeapFacts(
            objects=None,
            shallow_bytes=None,
            unreachable_objects=None,
            unreachable_bytes=None,
            file_objects=1000,
            file_shallow_bytes=64_000,
            classes=(ClassRow(name="byte[]", loaders=1, instances=10, shallow_bytes=640),),
            process_queues=0,
            messages=0,
            unknown={"retained sizes": "left out", "consumers": "left out"},
        ),
    )
)

EVIL = "x\x1b[2J\x1b]0;owned\x07\u202egnp.exe\r\n[bold red]\x00\ud800"
HOSTILE = answered(
    msgspec.structs.replace(
        ARTICLE,
        inputs=(msgspec.structs.replace(GIVEN, path=EVIL),),
        findings=(
            msgspec.structs.replace(
                OVERSIZED,
                title=Text(EVIL),
                subject=Subject(group=EVIL, thread=EVIL),
                explanation=(Text(EVIL),),
                remedy=(Text(EVIL),),
                confidence_reason=Text(EVIL),
            ),
            msgspec.structs.replace(OVERRIDE, explanation=(), evidence={"key": EVIL, "names": (EVIL, EVIL)}),
        ),
        skipped=(Skipped(rule="config-not-in-force", reason=Text(EVIL)),),
        failed=(Failed(rule="a-rule", error=EVIL),),
        heap=msgspec.structs.replace(
            ARTICLE_HEAP,
            jvm=EVIL,
            captured_at=EVIL,
            classes=(ClassRow(name=EVIL + "y" * 5000, loaders=1, instances=1, shallow_bytes=1),),
            consumers=(
                msgspec.structs.replace(CONSUMER, group=EVIL, client_version=EVIL, unknown={EVIL: EVIL}),
            ),
            queues=(queue(0, topic=EVIL, broker=EVIL, dropped=True),),
            threads=(
                HeapThread(
                    name=EVIL, frames=(EVIL,), hit_out_of_memory=True, message=MessageInHand(topic=EVIL)
                ),
            ),
            message_holders=(
                MessageHolder(holder_class=EVIL, holder_field=EVIL, object_id="0x1", messages=5, path=(EVIL,)),
            ),
            suspects=(
                msgspec.structs.replace(ARTICLE_HEAP.suspects[0], path=(EVIL,), holds=(EVIL,), label=EVIL),
            ),
            unknown={EVIL: EVIL},
        ),
    )
)


def card(name: str, severity: Severity) -> RuleCard:
    """A rule in its own words."""
    return RuleCard(
        name=name,
        title=say("The title of {name}", name=name),
        why=say("Why {name} matters.", name=name),
        causes=("a-cause",),
        severities=(severity,),
        remedy=(say("Change it."),),
        references=("https://example.org/1",),
        needs=("heap",),
        limits={},
        since="0.1.0",
    )


KNOWN = Acceptance(source="mqdiag-baseline.toml", reason="the heap is doubled in May", until=date(2027, 5, 31))
# the oversized cache is known, the override is new, a third was ignored and a fourth is accepted no longer
GATED = answered(
    msgspec.structs.replace(
        ARTICLE,
        inputs=(GIVEN, Input(path="other dump.hprof", error=say("is empty"), complete=False)),
        findings=(msgspec.structs.replace(OVERSIZED, accepted=KNOWN), OVERRIDE, NO_LIMIT),
        ignored=(
            msgspec.structs.replace(
                NO_LIMIT,
                rule="message-overhead",
                accepted=Acceptance(source="mqdiag.toml", reason="small by design"),
            ),
        ),
        lapsed=(
            Lapsed(rule="retry-storm", fingerprint="00000000000000bb", why="gone", acceptance=KNOWN),
            Lapsed(rule="client-leak", why="expired", acceptance=KNOWN),
        ),
        rule_cards=(
            card("config-not-in-force", Severity.ERROR),
            card("consumer-cache-exceeds-heap", Severity.ERROR),
            card("message-overhead", Severity.WARNING),
            card("out-of-memory-thread", Severity.INFO),
        ),
    )
)
