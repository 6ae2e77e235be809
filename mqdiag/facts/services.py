"""What stands beside the JVMs: sessions of databases, sockets of a host, and requests as gateways logged them."""

from __future__ import annotations

from typing import Literal

import msgspec

from mqdiag.facts.redaction import Address, Excerpt, Name, Public, Setting

DatabaseKind = Literal["PostgreSQL", "MySQL"]
SessionDoes = Literal["idle", "idle-in-transaction", "active"]
"""What a session does, whatever the database calls it.

idle: it waits for its client, outside of a transaction. idle-in-transaction: the same inside of one, whose locks it
keeps. active: it runs a statement, or waits for a lock to do so.
"""
DatabaseEventKind = Literal[
    "deadlocked",
    "lock-timeout",
    "statement-timeout",
    "idle-timeout",
    "too-many-connections",
    "ended-by-operator",
    "client-lost",
]
"""What a database logged.

lock-timeout, statement-timeout, idle-timeout: a statement or session that the database ended for its age.
ended-by-operator: pg_terminate_backend, or KILL. client-lost: the client's end of the connection was gone.
"""


class DatabaseSession(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A session of a database, by an answer of the database or by the lines of its log."""

    server: DatabaseKind
    pid: int
    """its number: the process of PostgreSQL, the connection of MySQL"""
    source: Public
    """the file"""
    user: Setting | None = None
    database: Setting | None = None
    application: Setting | None = None
    client: Address | None = None
    """host of the client"""
    client_port: int | None = None
    """the client's own port, by which its socket is found"""
    does: SessionDoes | None = None
    """None where only a log names the session"""
    wait: Public | None = None
    """what it waits for, as the database calls it"""
    transaction_ms: float | None = None
    """age of its transaction"""
    state_ms: float | None = None
    """for how long it has done that"""
    statement: Excerpt | None = None
    """the statement that it runs, or ran last"""
    blocked_by: tuple[int, ...] = ()
    """numbers of the sessions that it waits for"""
    may_be_quoted: bool = False
    """the text does not show whether it is the database's own or stands in a statement or value of a user"""


class LockWait(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A session that waits for a lock of others, as a log has it."""

    server: DatabaseKind
    waiter: int
    holders: tuple[int, ...] = ()
    """numbers of the sessions that hold it"""
    source: Public
    mode: Public | None = None
    of: Public | None = None
    """what the lock is of: a row, a transaction, a table"""
    waited_ms: float | None = None
    """as logged the last time"""
    first: Public | None = None
    """when the wait was logged first"""
    last: Public | None = None
    ended: bool = False
    """the log shows its end"""
    statement: Excerpt | None = None
    may_be_quoted: bool = False
    """the text does not show whether it is the database's own or stands in a statement or value of a user"""


class DatabaseEvent(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Lines of a database's log that tell of one kind of trouble."""

    server: DatabaseKind
    kind: DatabaseEventKind
    lines: int
    first: Public | None = None
    last: Public | None = None
    source: Public
    sessions: tuple[int, ...] = ()
    """numbers of the first sessions that it happened to"""
    statement: Excerpt | None = None


class Socket(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A connection of a process, as ss or netstat prints it."""

    pid: int
    program: Name | None = None
    local: Address
    local_port: int
    remote: Address
    remote_port: int
    source: Public


GAVE_UP = ("499", "0")
"""statuses of requests whose client had closed its connection: that of nginx, and that of Envoy with the flag DC"""
TOO_LATE = ("504",)
FAILED = ("500", "502", "503")


class Upstream(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The requests that a gateway passed to one service, by its access log."""

    gateway: Literal["nginx", "Envoy"]
    source: Public
    service: Address | None = None
    """address of the service that answered; None where none could"""
    host: Name | None = None
    """name that the client asked for"""
    path: Excerpt | None = None
    """the path of most of them, with * for numbers"""
    requests: int
    statuses: dict[Public, int]
    """requests by status"""
    longest_ms: float | None = None
    """the longest time that the service took"""
    median_ms: float | None = None
    most_ms: float | None = None
    """nine of ten were not longer"""
    last_failed: Public | None = None
    """time of the last request that was not answered in time or failed"""
    answered_since: int = 0
    """requests after it, all answered"""
    answered_between: int = 0
    """the most requests in a row that were all answered before another one was not"""
    first: Public | None = None
    last: Public | None = None


HostFigureKind = Literal["disk", "inodes", "memory", "io-wait", "stolen"]
"""What a share is of.

disk, inodes: of a file system, in use. memory: of the host, not available. io-wait: of the time of its processors, in
which they wait for disks. stolen: of that time, in which the hypervisor lets others run.
"""


class HostFigure(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A share of a host's disks, memory or processors, as df, free or top print it."""

    of: HostFigureKind
    place: Name | None = None
    """where the file system is mounted"""
    percent: float
    source: Public


class ConnectionsByState(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The connections of one process to one end that are in the same state."""

    pid: int | None = None
    """None where the list does not name it"""
    program: Name | None = None
    state: Public
    """as ss writes it: ESTAB, CLOSE-WAIT"""
    end: Address
    """host and port of the service, on whichever side it is"""
    count: int
    unread_bytes: int
    """bytes that came and that the process did not read, of the connection with most of them"""
    unsent_bytes: int
    """bytes that the process wrote and that the other side did not take"""
    source: Public


class SlowCommand(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A command that a database called slow."""

    server: Literal["Redis"]
    name: Public
    argument: Excerpt | None = None
    """its first key, pattern or script"""
    ms: float
    at: Public
    client: Address | None = None
    client_name: Setting | None = None
    source: Public
    may_be_quoted: bool = False
    """the text does not show whether it is the database's own or stands in a statement or value of a user"""


class ServicesFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All evidence of databases, sockets and gateways that was given."""

    sessions: tuple[DatabaseSession, ...] = ()
    lock_waits: tuple[LockWait, ...] = ()
    database_events: tuple[DatabaseEvent, ...] = ()
    database_log_ends: dict[Public, Public] = {}
    """time of the last line of each log of a database, by file"""
    sockets: tuple[Socket, ...] = ()
    upstreams: tuple[Upstream, ...] = ()
    figures: tuple[HostFigure, ...] = ()
    connections: tuple[ConnectionsByState, ...] = ()
    slow_commands: tuple[SlowCommand, ...] = ()
