"""What takes memory in any Java heap without a use: the leak suspects that do not show as one large holder."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Excerpt, Node, Public, ThreadName


class RepeatedText(msgspec.Struct, frozen=True, kw_only=True):
    """Strings with the same characters."""

    text: Excerpt
    """the first characters"""
    strings: int
    wasted_bytes: int
    """what all but one of them take, arrays included"""
    held_by: Public | None = None
    """the field that holds most of them, "Order.currency"; None where it was not looked for"""


class StringHolder(msgspec.Struct, frozen=True, kw_only=True):
    """A field that holds repeated strings."""

    held_by: Public
    """"Class.field", or the class of an array"""
    share: float
    """share of the references to repeated strings, over a sample of them"""


class DuplicateStrings(msgspec.Struct, frozen=True, kw_only=True):
    """Strings that say the same as another one; reachable ones only."""

    strings: int
    sampled_one_in: int = 1
    """more than 1: so large a heap was looked at in a sample of strings; if that did not decide, of texts, with all
    strings of each"""
    repeated: int | None = None
    """strings that could go: all but one of each text; None where the sample bounds what they take"""
    wasted_bytes: int | None = None
    """what they take, with their arrays where no other string shares them; None where the sample bounds it"""
    error_bytes: int | None = None
    """`wasted_bytes` is right to so many in 95 % of all cases; None where all were compared"""
    estimated_bytes: int | None = None
    """the same by the sample: right to a tenth or so for pairs, too high for texts that are there more often"""
    largest: tuple[RepeatedText, ...] = ()
    """by wasted bytes"""
    holders: tuple[StringHolder, ...] = ()
    """looked for where the waste is considerable"""


class CollectionClass(msgspec.Struct, frozen=True, kw_only=True, rename={"class_name": "class"}):
    """Collections of one class."""

    class_name: Public
    collections: int
    empty: int
    empty_bytes: int
    """the empty ones with their arrays"""
    sparse: int
    """with items, but four times the room that they need, or more"""
    spare_bytes: int
    """room of the sparse ones that is not needed"""


class WastefulCollections(msgspec.Struct, frozen=True, kw_only=True):
    """Empty and nearly empty collections: lists, deques and hash tables of java.util; reachable ones only."""

    collections: int
    sampled_one_in: int = 1
    """more than 1: all numbers are projected from a sample"""
    wasted_bytes: int
    """bytes of empty ones, and the spare room of sparse ones"""
    error_bytes: int | None = None
    """`wasted_bytes` is right to so many in 95 % of all cases; None where all were looked at"""
    classes: tuple[CollectionClass, ...] = ()
    """by wasted bytes"""


class LoaderGroup(msgspec.Struct, frozen=True, kw_only=True):
    """Class loaders of one kind that each loaded the same classes."""

    loader_class: Public
    loaders: int
    """those that loaded the example class"""
    closed: int
    """URLClassLoaders among them after close(): nobody plans to use them again"""
    example_class: Public
    repeated_classes: int
    """class names that more than one of the loaders has"""
    retained_bytes: int
    """retained bytes of all these loaders with their classes and static fields; at least, where none is closed and they
    are few"""
    object_id: Public
    """id of a closed loader, else of the one that retains most"""
    path: tuple[Node, ...] = ()
    """from a GC root to that loader, where one is closed or they are many"""


class ThreadLocalsOf(msgspec.Struct, frozen=True, kw_only=True):
    """Thread locals of one thread."""

    thread: ThreadName
    object_id: Public
    entries: int
    retained_bytes: int
    largest_class: Public
    """class of the value that retains most"""


class ThreadLocals(msgspec.Struct, frozen=True, kw_only=True):
    """What live threads keep in java.lang.ThreadLocal and Netty's FastThreadLocal."""

    entries: int
    retained_bytes: int
    """what would go with the values"""
    stale_entries: int | None = None
    """values whose ThreadLocal was collected: the thread keeps them, and nobody can ask for them; None when the dump
    is cut"""
    stale_bytes: int | None = None
    threads: tuple[ThreadLocalsOf, ...] = ()
    """by retained bytes"""
    values: tuple[Public, ...] = ()
    """classes of the values, "Class: bytes in n", by retained bytes"""


CACHED_BY_THREADS = "sun.nio.ch.Util$BufferCache"
"""The JDK's own holder of direct buffers: each thread keeps one for the heap buffers that it reads and writes."""


class DirectHolder(msgspec.Struct, frozen=True, kw_only=True, rename={"class_name": "class"}):
    """Who holds direct buffers: the nearest dominator that is no class of the JDK, or is `CACHED_BY_THREADS`."""

    class_name: Public
    buffers: int
    capacity_bytes: int
    field: Public | None = None
    """field of that class that leads to each of the buffers that were looked at, such as com.acme.Pool.BUFFERS"""
    object_id: Public | None = None
    """what the field refers to"""


class DirectBuffers(msgspec.Struct, frozen=True, kw_only=True):
    """Memory outside the heap that java.nio.DirectByteBuffers own; slices and duplicates own none."""

    buffers: int
    capacity_bytes: int
    """with a cleaner: they count against -XX:MaxDirectMemorySize"""
    unreachable_bytes: int
    """bytes of them that lie in buffers that are garbage already; a collection frees them"""
    unmanaged_buffers: int
    """without a cleaner: wrapped by native code, as the JDK does with its file of modules, or allocated by Netty past
    the JVM's limit"""
    unmanaged_bytes: int
    mapped_buffers: int
    mapped_bytes: int
    """files mapped into memory: page cache, no limit of the JVM applies"""
    reserved_bytes: int | None = None
    """the JVM's own count, java.nio.Bits"""
    limit_bytes: int | None = None
    """the maximum that the JVM allows"""
    netty_bytes: int | None = None
    """Netty's own count of what it allocates past the JVM's limit"""
    netty_limit_bytes: int | None = None
    netty_in_use_bytes: int | None = None
    """bytes handed out of the direct chunks of Netty's arenas, those that threads keep for reuse included; None without
    arenas"""
    holders: tuple[DirectHolder, ...] = ()
    """by capacity; buffers without a cleaner only where a holder is known"""


class Waste(msgspec.Struct, frozen=True, kw_only=True):
    """General leak suspects."""

    duplicate_strings: DuplicateStrings | None = None
    collections: WastefulCollections | None = None
    class_loaders: tuple[LoaderGroup, ...] = ()
    thread_locals: ThreadLocals | None = None
    direct_buffers: DirectBuffers | None = None
