"""A dump with secrets in every place where text can be, and with names that must survive."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.rocketmq.written import WrittenClient
from tests.writers.hprof_records import BYTE, CHAR, INT, LONG, OBJECT, SHORT, STICKY_CLASS
from tests.writers.hprof_writer import DumpWriter
from tests.writers.java_objects import JavaObjects

GROUP, TOPIC, BROKER, THREAD = "orders-group", "orders-topic", "broker-north", "order-worker-7"
PROPERTY_KEY, DIGITS, JVM_NAME = "tenantOfOrder", "1760000000123", "Canary 64-Bit Server VM"
OFFSET_KEY = f"{TOPIC}@{GROUP}"
BEGIN = "SECRET"
ENCODINGS = ("ascii", "utf-16-le", "utf-16-be", "utf-32-be")
KEPT = (GROUP, TOPIC, BROKER, THREAD, PROPERTY_KEY, DIGITS, JVM_NAME, OFFSET_KEY)


@dataclass
class CanaryDump:
    """The writer, and all secrets in it."""

    dump: DumpWriter
    secrets: list[str] = field(default_factory=list)

    def secret(self, place: str) -> str:
        """A new secret, named after where it goes."""
        text = f"{BEGIN}{len(self.secrets)}of{place}"
        self.secrets.append(text)
        return text

    def leaked(self, data: bytes) -> list[str]:
        """Secrets that a file still holds, in any of the encodings of texts."""
        # A look for what all begin with is quick; a look for each takes seconds.
        encodings = [encoding for encoding in ENCODINGS if BEGIN.encode(encoding) in data]
        return [text for text in self.secrets if any(text.encode(encoding) in data for encoding in encodings)]


def canary_dump(
    *, jdk: int = 17, id_size: int = 8, segment_bytes: int | None = None, large_bytes: int = 3 << 20
) -> CanaryDump:
    """Secrets as strings, keys, values, bodies, buffers, code points, literals of the code and message fields."""
    dump = DumpWriter(id_size=id_size, segment_bytes=segment_bytes)
    made = CanaryDump(dump)
    client = WrittenClient(dump)
    java = client.java = JavaObjects(dump, jdk)

    body = made.secret("body").encode()
    messages = {
        offset: client.message(
            offset,
            topic=TOPIC,
            properties={
                "KEYS": made.secret("keys"),
                "UNIQ_KEY": made.secret("uniq"),
                "CONSUME_START_TIME": DIGITS,
                PROPERTY_KEY: made.secret("value"),
            },
            body=dump.primitive_array(BYTE, body if offset else DIGITS.encode()),
        )
        for offset in range(40)
    }
    queue = client.queue(TOPIC, BROKER, 3)
    held = client.process_queue(messages, offset_max=39)
    client.push_consumer(GROUP, {queue: held}, threshold=7, offsets={queue: 2})
    client.hold(client.queue(TOPIC, BROKER, 4))
    _offset_table(dump, java)
    _system_properties(dump, java, made)
    _application(dump, java, made, large_bytes)
    thread = java.thread(THREAD)
    dump.thread(thread, 1, [dump.frame(dump.known("app/Listener"), "consumeMessage", "Listener.java", 7)])
    dump.local(java.string(made.secret("local")), 1)
    # Literals of the code stand among the symbols as names do.
    dump.name(made.secret("literal"))
    return made


def _offset_table(dump: DumpWriter, java: JavaObjects) -> None:
    """The broker's keys are "topic@group"."""
    manager = dump.known("org/apache/rocketmq/broker/offset/ConsumerOffsetManager", offsetTable=OBJECT)
    table = java.concurrent_hash_map([(java.string(OFFSET_KEY), java.hash_map([]))])
    dump.root(STICKY_CLASS, dump.instance(manager, offsetTable=table))


def _system_properties(dump: DumpWriter, java: JavaObjects, made: CanaryDump) -> None:
    pairs = [
        (java.string("java.vm.name"), java.string(JVM_NAME)),
        (java.string("user.name"), java.string(made.secret("user"))),
    ]
    inner = java.concurrent_hash_map(pairs)
    properties = dump.instance(dump.known("java/util/Properties", map=OBJECT), map=inner)
    system = dump.java_class(
        "java/lang/System", statics={"props": (OBJECT, properties)}, superclass=dump.known("java/lang/Object")
    )
    dump.root(STICKY_CLASS, system.id)


def _application(dump: DumpWriter, java: JavaObjects, made: CanaryDump, large_bytes: int) -> None:
    values = [
        java.string(made.secret("string")),
        java.string(f"ключ {made.secret('wide')}"),
        java.string(made.secret("long") + "y" * 100_000),
        java.hash_map([(java.string(made.secret("mapKey")), java.string(made.secret("mapValue")))]),
        dump.primitive_array(CHAR, made.secret("chars").encode("utf-16-be") + bytes(64)),
        dump.primitive_array(BYTE, b"\0\1\2" + made.secret("buffer").encode() + bytes(500)),
        dump.primitive_array(BYTE, made.secret("large").encode() + bytes(large_bytes)),
        dump.primitive_array(CHAR, made.secret("largeChars").encode("utf-16-be") + bytes(large_bytes)),
        dump.primitive_array(INT, made.secret("codePoints").encode("utf-32-be")),
        dump.primitive_array(SHORT, made.secret("shorts").encode("utf-16-be")),
        dump.primitive_array(LONG, made.secret("longs-abcdefg").encode().ljust(64)),
    ]
    holder = java.array_list(values)
    application = dump.java_class(
        "app/Holder", statics={"CACHE": (OBJECT, holder)}, superclass=dump.known("java/lang/Object")
    )
    dump.root(STICKY_CLASS, application.id)
