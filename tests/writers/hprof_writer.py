"""A DSL that writes heap dumps: classes, objects, roots, threads, in any of the format's forms.

    dump = DumpWriter()
    node = dump.java_class("Node", fields={"next": OBJECT, "size": INT})
    last = dump.instance(node, size=2)
    dump.root(STICKY_CLASS, dump.instance(node, next=last, size=1))
    dump.write(path)

Addresses are given out in the order of creation, each object behind the one before by its JVM size, so that the
reader can learn sizes from them. Objects stand in the file in the order of `items`, which may be changed freely.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tests.writers import hprof_records as hprof
from tests.writers.hprof_records import OBJECT, Encoder, Number
from tests.writers.jvm_layout import BITS_32, COMPRESSED, JvmLayout

CAPTURED_AT_MS = 1_760_000_000_000


@dataclass(eq=False, slots=True)
class JavaClass:
    """A class of the dump being written; `fields` are its own instance fields by name."""

    id: int
    name: str
    fields: dict[str, int]
    statics: dict[str, tuple[int, Number]]
    superclass: JavaClass | None
    serial: int = 0
    loader: int = 0
    signers: int = 0
    protection_domain: int = 0
    pool: Sequence[hprof.PoolEntry] = ()
    extra_bytes: int = 0
    """bytes of an instance in memory beyond header and fields: what the JVM injects, holes, @Contended"""

    def lineage(self) -> list[JavaClass]:
        """The class and its superclasses, upwards; stops where a chain closes."""
        chain: list[JavaClass] = []
        at: JavaClass | None = self
        while at is not None and at not in chain:
            chain.append(at)
            at = at.superclass
        return chain

    def layout(self) -> list[tuple[str, int]]:
        """(name, type) of the fields in the order of the instance dump: own first, then each superclass's."""
        return [item for level in self.lineage() for item in level.fields.items()]


@dataclass(eq=False, slots=True)
class Instance:
    """An object; `values` by field name, what is not named is 0."""

    id: int
    java_class: JavaClass
    values: dict[str, Number]


@dataclass(eq=False, slots=True)
class ObjectArray:
    """An array of references."""

    id: int
    java_class: JavaClass
    elements: list[int]


@dataclass(eq=False, slots=True)
class PrimitiveArray:
    """An array of primitives, its body big-endian."""

    id: int
    kind: int
    body: bytes


@dataclass(frozen=True, slots=True)
class Root:
    """A GC root."""

    tag: int
    object_id: int
    thread: int = 0
    frame: int = 0


Item = JavaClass | Instance | ObjectArray | PrimitiveArray | Root | bytes
"""what a heap record holds; bytes are written as they are"""


@dataclass(slots=True)
class DumpWriter:
    """One dump. `items` is the heap's content in file order, `top` are raw top-level records put before it."""

    version: str = "1.0.2"
    id_size: int = 8
    jvm: JvmLayout = COMPRESSED
    captured_at_ms: int = CAPTURED_AT_MS
    segment_bytes: int | None = None
    """None: one heap record; else a segment is closed after the sub-record that fills it"""
    heap_tag: int = hprof.HEAP_DUMP_SEGMENT
    closed: bool = True
    """whether the record that closes a dump follows the segments"""
    declared_length: Callable[[int, int], int] = lambda number, length: length
    """(segment's number, its true length) to the length that is written"""
    items: list[Item] = field(default_factory=list)
    top: list[bytes] = field(default_factory=list)
    classes: dict[str, JavaClass] = field(default_factory=dict)
    """the last class of each name"""
    sizes: dict[int, int] = field(default_factory=dict)
    """the truth: shallow size of each object"""
    _names: dict[str, int] = field(default_factory=dict)
    _instances: dict[int, Instance] = field(default_factory=dict)
    _loads: list[bytes] = field(default_factory=list)
    _stacks: list[bytes] = field(default_factory=list)
    _next_address: int = 0
    _serials: int = 0
    _frames: int = 0
    _traces: int = 0

    def __post_init__(self) -> None:
        if self.id_size == 4 and self.jvm is COMPRESSED:
            self.jvm = BITS_32
        self._next_address = self.jvm.base_address

    @property
    def encode(self) -> Encoder:
        """Records of this dump's id size."""
        return Encoder(self.id_size)

    # Classes

    def name(self, text: str) -> int:
        """Id of a symbol, written once."""
        return self._names.setdefault(text, 0x7000_0000 + 16 * len(self._names))

    def java_class(
        self,
        name: str,
        *,
        fields: dict[str, int] | None = None,
        statics: dict[str, tuple[int, Number]] | None = None,
        superclass: JavaClass | None = None,
        loader: int = 0,
        pool: Sequence[hprof.PoolEntry] = (),
        extra_bytes: int = 0,
        loaded: bool = True,
        dumped: bool = True,
    ) -> JavaClass:
        """Add a class, named as the JVM does ("a/b/C", "[I"); `statics` are (type, value).

        Args:
            name: see above.
            fields: own instance fields.
            statics: static fields.
            superclass: None for java/lang/Object and for what has none.
            loader: id of the class loader, 0 for the boot loader.
            pool: constant pool entries.
            extra_bytes: see `JavaClass`.
            loaded: whether there is a LOAD_CLASS record.
            dumped: whether there is a CLASS_DUMP sub-record.
        """
        statics = dict(statics or {})
        size = self.jvm.align(
            96 + self.jvm.header_bytes + sum(self.jvm.width(kind) for kind, _ in statics.values())
        )
        made = JavaClass(
            self._allocate(size), name, dict(fields or {}), statics, superclass,
            loader=loader, pool=pool, extra_bytes=extra_bytes,
        )  # fmt: skip
        self.classes[name] = made
        if loaded:
            self._serials += 1
            made.serial = self._serials
            self._loads.append(self.encode.load_class(made.serial, made.id, self.name(name)))
        if dumped:
            self.items.append(made)
        return made

    def known(self, name: str, superclass: str = "java/lang/Object", /, **fields: int) -> JavaClass:
        """The class of this name, added when it is first asked for."""
        if name not in self.classes:
            above = self.known(superclass, "") if superclass else None
            self.java_class(name, fields=fields, superclass=above)
        return self.classes[name]

    def unload(self, java_class: JavaClass) -> None:
        """Say that a class was unloaded."""
        self._loads.append(self.encode.unload_class(java_class.serial))

    # Objects

    def instance(self, java_class: JavaClass, /, **values: Number) -> int:
        """Add an instance; returns its id."""
        kinds = [kind for _, kind in java_class.layout()]
        made = Instance(self._allocate(self.jvm.instance(kinds) + java_class.extra_bytes), java_class, values)
        self.items.append(made)
        self._instances[made.id] = made
        return made.id

    def object_array(self, java_class: JavaClass, elements: Iterable[int]) -> int:
        """Add an array of references; `java_class` is the array's own class."""
        listed = list(elements)
        made = ObjectArray(self._allocate(self.jvm.array(OBJECT, len(listed))), java_class, listed)
        self.items.append(made)
        return made.id

    def primitive_array(self, kind: int, body: bytes) -> int:
        """Add an array of primitives with a big-endian body; its class is added, too."""
        self.known(hprof.ARRAY_NAMES[kind])
        size = self.jvm.array(kind, len(body) // hprof.WIDTHS[kind])
        made = PrimitiveArray(self._allocate(size), kind, body)
        self.items.append(made)
        return made.id

    def set(self, object_id: int, **values: Number) -> None:
        """Change fields of an instance: closes cycles."""
        self._instances[object_id].values.update(values)

    def hole(self, size: int) -> None:
        """Leave memory empty before the next object."""
        self._next_address += self.jvm.align(size)

    def _allocate(self, size: int) -> int:
        address = self._next_address
        self._next_address += self.jvm.align(size)
        self.sizes[address] = self.jvm.align(size)
        return address

    # Roots and threads

    def root(self, tag: int, object_id: int, *, thread: int = 0, frame: int = 0) -> None:
        """Add a GC root; see `Encoder.root`."""
        self.items.append(Root(tag, object_id, thread, frame))

    def frame(self, java_class: JavaClass, method: str, source: str = "", line: int = 0) -> int:
        """Add a stack frame; returns its id."""
        self._frames += 1
        source_id = self.name(source) if source else 0
        signature = self.name("()V")
        self._stacks.append(
            self.encode.stack_frame(
                self._frames, self.name(method), signature, source_id, java_class.serial, line
            )
        )
        return self._frames

    def trace(self, frames: Sequence[int], thread: int = 0, *, count: int | None = None) -> int:
        """Add a stack trace; returns its serial number. The first is the dummy that HotSpot always writes."""
        if self._traces == 0:
            self._traces = 1
            self._stacks.append(self.encode.stack_trace(1, 0, []))
        self._traces += 1
        self._stacks.append(self.encode.stack_trace(self._traces, thread, frames, count=count))
        return self._traces

    def thread(self, object_id: int, serial: int, frames: Sequence[int] = ()) -> None:
        """Make an object a thread: its root, and its stack."""
        self.root(hprof.THREAD_OBJECT, object_id, thread=serial, frame=self.trace(frames, serial))

    def local(self, object_id: int, thread: int, frame: int = 0, tag: int = hprof.JAVA_FRAME) -> None:
        """An object that a frame of a thread holds."""
        self.root(tag, object_id, thread=thread, frame=frame)

    # The file

    def records(self) -> bytes:
        """Everything behind the header."""
        # Segments first: encoding the classes may still add names.
        segments = self.segments()
        symbols = [self.encode.utf8(number, text) for text, number in self._names.items()]
        parts = [*symbols, *self._loads, *self._stacks, *self.top]
        for number, body in enumerate(segments):
            parts.append(
                hprof.record(self.heap_tag, body, length=self.declared_length(number, len(body)) % (1 << 32))
            )
        if self.closed and self.heap_tag == hprof.HEAP_DUMP_SEGMENT:
            parts.append(hprof.record(hprof.HEAP_DUMP_END, b""))
        return b"".join(parts)

    def to_bytes(self) -> bytes:
        """The file."""
        return hprof.header(self.version, self.id_size, self.captured_at_ms) + self.records()

    def write(self, path: Path) -> Path:
        """Write the file; returns its path."""
        path.write_bytes(self.to_bytes())
        return path

    def segments(self) -> list[bytes]:
        """Bodies of the heap records."""
        bodies, current = [], bytearray()
        for item in self.items:
            current += self.sub_record(item)
            if self.segment_bytes is not None and len(current) >= self.segment_bytes:
                bodies.append(bytes(current))
                current = bytearray()
        return [*bodies, bytes(current)] if current or not bodies else bodies

    def sub_record(self, item: Item) -> bytes:
        """Bytes of one item."""
        encode = self.encode
        if isinstance(item, bytes):
            return item
        if isinstance(item, Root):
            return encode.root(item.tag, item.object_id, thread=item.thread, frame=item.frame)
        if isinstance(item, Instance):
            values = b"".join(
                encode.value(kind, item.values.get(name, 0)) for name, kind in item.java_class.layout()
            )
            return encode.instance_dump(item.id, item.java_class.id, values)
        if isinstance(item, ObjectArray):
            return encode.object_array_dump(item.id, item.java_class.id, item.elements)
        if isinstance(item, PrimitiveArray):
            return encode.primitive_array_dump(item.id, item.kind, item.body)
        return self._class_dump(item)

    def _class_dump(self, item: JavaClass) -> bytes:
        return self.encode.class_dump(
            item.id,
            superclass=item.superclass.id if item.superclass else 0,
            loader=item.loader,
            signers=item.signers,
            protection_domain=item.protection_domain,
            instance_bytes=sum(self.encode.width(kind) for _, kind in item.layout()),
            pool=item.pool,
            statics=[(self.name(name), kind, value) for name, (kind, value) in item.statics.items()],
            fields=[(self.name(name), kind) for name, kind in item.fields.items()],
        )
