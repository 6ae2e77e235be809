"""Types of well-known libraries that hold memory: what they are to their users, and what limits them.

One row each. A row is met if a class on the way from the application's field to the accumulation point, or the class of
its entries, begins so.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from mqdiag.text import Text, say


class KnownHolder(msgspec.Struct, frozen=True, kw_only=True):
    """Classes by their beginnings, the name that users know, and the remedy."""

    classes: tuple[str, ...]
    name: Text
    remedy: Text
    works_alone: bool = False
    """has threads of its own, so that a frame that happens to refer to it is not who holds the memory"""


KNOWN: tuple[KnownHolder, ...] = (
    KnownHolder(
        classes=("com.github.benmanes.caffeine.cache.",),
        name=say("a Caffeine cache"),
        remedy=say(
            "Give the Caffeine cache maximumSize or maximumWeight, and expireAfterWrite or expireAfterAccess. Without"
            " them it grows for ever."
        ),
    ),
    KnownHolder(
        classes=("com.google.common.cache.",),
        name=say("a Guava cache"),
        remedy=say(
            "Lower maximumSize or maximumWeight of the Guava cache, and set expireAfterWrite or expireAfterAccess."
        ),
    ),
    KnownHolder(
        classes=("org.ehcache.", "net.sf.ehcache."),
        name=say("an Ehcache"),
        remedy=say(
            "Lower the heap resource of the Ehcache (heap(entries) or maxEntriesLocalHeap), or set an expiry."
        ),
    ),
    KnownHolder(
        classes=(
            "org.hibernate.engine.internal.StatefulPersistenceContext",
            "org.hibernate.internal.SessionImpl",
        ),
        name=say("a Hibernate session"),
        remedy=say(
            "Call flush() and clear() on the Hibernate session after each batch, or read with a StatelessSession."
        ),
    ),
    KnownHolder(
        classes=(
            "org.hibernate.engine.query.spi.QueryPlanCache",
            "org.hibernate.query.internal.QueryInterpretationCache",
        ),
        name=say("Hibernate's cache of query plans"),
        remedy=say(
            "Set hibernate.query.in_clause_parameter_padding=true and lower hibernate.query.plan_cache_max_size."
        ),
    ),
    KnownHolder(
        classes=("org.springframework.cache.concurrent.ConcurrentMapCache",),
        name=say("a Spring cache without a limit"),
        remedy=say(
            "Configure a cache provider with a limit, such as Caffeine, instead of ConcurrentMapCacheManager."
        ),
    ),
    KnownHolder(
        classes=("org.springframework.beans.factory.support.Default",),
        name=say("the Spring context"),
        remedy=say("Look at the beans that hold most; the Spring context itself only keeps them."),
    ),
    KnownHolder(
        classes=("ch.qos.logback.core.AsyncAppenderBase", "ch.qos.logback.classic.AsyncAppender"),
        name=say("the queue of a Logback AsyncAppender"),
        remedy=say(
            "Find out why the appender behind the AsyncAppender is slow or hangs, and lower queueSize of the"
            " AsyncAppender, or set neverBlock."
        ),
        works_alone=True,
    ),
    KnownHolder(
        classes=("org.apache.logging.log4j.core.async.",),
        name=say("the ring buffer of an asynchronous Log4j logger"),
        remedy=say("Lower log4j2.asyncLoggerRingBufferSize, and find out why the appender behind it is slow."),
        works_alone=True,
    ),
    KnownHolder(
        classes=("org.apache.kafka.clients.producer.internals.RecordAccumulator",),
        name=say("the buffer of a Kafka producer"),
        remedy=say(
            "Lower buffer.memory of the Kafka producer, and find out why the broker does not take the records."
        ),
    ),
    KnownHolder(
        classes=("org.apache.kafka.clients.consumer.internals.",),
        name=say("what a Kafka consumer has fetched"),
        remedy=say("Lower fetch.max.bytes and max.partition.fetch.bytes of the Kafka consumer."),
    ),
    KnownHolder(
        classes=(
            "com.mysql.cj.protocol.",
            "com.mysql.jdbc.",
            "org.postgresql.jdbc.PgResultSet",
            "org.h2.result.",
            "oracle.jdbc.driver.",
            "org.mariadb.jdbc.",
            "com.microsoft.sqlserver.jdbc.",
        ),
        name=say("the result of a JDBC query"),
        remedy=say(
            "Read the result of the query in parts: setFetchSize (MySQL: useCursorFetch=true; PostgreSQL: autocommit"
            " off), or LIMIT in the query. Close the ResultSet and the Statement."
        ),
    ),
    KnownHolder(
        classes=("org.apache.catalina.session.",),
        name=say("the sessions of a web application"),
        remedy=say("Lower the session timeout of the web application, and put less into a session."),
    ),
    KnownHolder(
        classes=("io.micrometer.core.instrument.", "com.codahale.metrics."),
        name=say("a registry of meters"),
        remedy=say(
            "Look for a tag with values without end, such as an id or a whole URL. Each value makes meters of its own,"
            " and none is ever removed."
        ),
    ),
    KnownHolder(
        classes=("com.fasterxml.jackson.databind.node.",),
        name=say("a tree of JSON nodes"),
        remedy=say(
            "Read the JSON as a stream, with JsonParser or MappingIterator, instead of as a whole tree."
        ),
    ),
    KnownHolder(
        classes=("io.netty.buffer.Pool",),
        name=say("buffers from Netty's arenas"),
        remedy=say(
            "Look for buffers that are never released (-Dio.netty.leakDetection.level=paranoid), or lower the number of"
            " arenas (-Dio.netty.allocator.numHeapArenas, numDirectArenas)."
        ),
    ),
    KnownHolder(
        classes=("java.util.Timer", "java.util.TaskQueue"),
        name=say("tasks of a timer"),
        remedy=say("Cancel tasks that are no longer needed and call purge() on the timer."),
    ),
    KnownHolder(
        classes=("java.io.DeleteOnExitHook",),
        name=say("names of files for File.deleteOnExit"),
        remedy=say(
            "Delete each file when it is no longer needed, instead of calling File.deleteOnExit: the JVM keeps these"
            " names until it ends."
        ),
    ),
    KnownHolder(
        classes=("java.lang.ApplicationShutdownHooks",),
        name=say("shutdown hooks"),
        remedy=say(
            "Add one shutdown hook for all, or call Runtime.removeShutdownHook when the work is done: the JVM keeps"
            " each hook until it ends."
        ),
    ),
    KnownHolder(
        classes=("java.lang.ref.Finalizer",),
        name=say("objects that wait for their finalizer"),
        remedy=say(
            "Replace finalize() by close() or a Cleaner, and look at the stack of the thread Finalizer: what hangs"
            " there holds up all others."
        ),
    ),
)


def known_holder(classes: Iterable[str]) -> KnownHolder | None:
    """The first row that one of the classes meets; rows are in the order of preference."""
    names = tuple(classes)
    return next((row for row in KNOWN if any(name.startswith(row.classes) for name in names)), None)


def works_alone(name: str) -> bool:
    """Whether the first row that a class meets has threads of its own."""
    known = known_holder((name,))
    return known is not None and known.works_alone
