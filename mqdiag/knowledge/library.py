"""What is known of a library, of a type that holds memory, and of what calls a listener.

These are the tables of a file of `libraries/`; `docs/guides/add-a-library.md` shows one.
"""

# Without annotations as strings: msgspec would compile each of them at the first use of a type, 0.2 ms in each run.

from typing import Literal

import msgspec

from mqdiag.facts.vocabulary import Doing, StandstillCause
from mqdiag.knowledge.remedies import remedy
from mqdiag.text import Text, say

REMOTE: StandstillCause = "slow-remote"

Family = Literal["jdbc", "http", "redis", "mongo", "rpc", "remote", "pooled"]
"""Kinds of clients; "pooled" is a pool of any objects, such as that of Apache Commons."""

Kind = Literal["client", "pool", "sdk", "framework", "bridge", "pause"]
"""What a library is to the thread that waits in it.

client: the thread waits for an answer of another process or thread. pool: it waits for a connection. sdk: a client that
is built on another client; the user sets its timeouts, and never sees the inner client. framework: it stands between
the user's code and a client, and has settings of its own for it. bridge: it waits for code that runs on other threads.
pause: it makes its callers wait on purpose.
"""

JDK: tuple[str, ...] = ("java.", "javax.", "jdk.", "sun.", "com.sun.", "oracle.jrockit.")
"""packages of the JDK, which no file needs to name"""


BY = "{words} (by {file})"
"""how words of a team's file are shown, wherever they stand"""


def said_by(words: str, file: str) -> Text:
    """Words of a file: ours have a translation; a team's are data, and say whose they are.

    Args:
        words: as the file has them.
        file: of a team; empty for our own.
    """
    return say("{words} (by {file})", words=words, file=file) if file else Text(words)


class Library(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A library in which threads wait, and what bounds a wait in it."""

    name: str
    topic: str
    """its heading in docs/libraries.md"""
    frames: tuple[str, ...]
    """prefixes of "package.Class.method"; of two libraries of one stack frame the longer prefix holds"""
    advice: tuple[str, ...] = msgspec.field(name="remedy")
    """sentences: the setting that bounds the wait, what to look at"""
    shared_remedies: tuple[str, ...] = ()
    """names of remedies.toml, said after its own sentences"""
    cause: StandstillCause = REMOTE
    """cause of a standstill in it; a framework leaves it to the client"""
    kind: Kind = "client"
    family: Family | None = None
    """kind of client; of a pool, the kind of client that uses its connections"""
    wrappers: tuple[str, ...] = ()
    """frames of a pool's own code that are below every call on one of its connections"""
    own_thread: str | None = None
    """part of the name of a thread that each pool has once"""
    stream_per_call: bool = False
    """makes a new stream for each request, where others keep one as long as the connection"""
    by: str = ""
    """the file of a team that says so; empty for what mqdiag itself knows"""

    @property
    def remedy(self) -> tuple[Text, ...]:
        """What helps a thread that waits in it."""
        own = (said_by(words, self.by) for words in self.advice)
        texts = (*own, *(text for name in self.shared_remedies for text in remedy(name)))
        if self.cause != "slow-database" or self.by:
            return texts
        # what the database does at this minute is gone the next one; settings can wait
        return tuple(sorted(texts, key=lambda text: not text.template.startswith("Look at ")))


class Holder(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A type that holds memory: what it is to its users, and what limits it.

    It is met if a class on the way from the application's field to the accumulation point, or the class of its entries,
    begins so. Where several are met, the one of the lowest rank is told.
    """

    classes: tuple[str, ...] = ()
    """beginnings of names of classes, or whole names"""
    like: str | None = None
    """the id of the holder of another file that these classes belong to; then there are no other keys"""
    id: str | None = None
    known_as: str = ""
    """its name with an article, as in "a Guava cache" """
    advice: str = msgspec.field(name="remedy", default="")
    works_alone: bool = False
    """has threads of its own, so that a frame that happens to refer to it is not who holds the memory"""
    rank: int = 0
    by: str = ""
    """the file of a team that says so; empty for what mqdiag itself knows"""

    @property
    def name(self) -> Text:
        """The name that users know."""
        return said_by(self.known_as, self.by)

    @property
    def remedy(self) -> Text:
        """What limits it."""
        return said_by(self.advice, self.by)


class ListenerContainer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A framework or vendor's client that calls the application's listener in place of the plain client.

    It has its own words for what the client calls settings and results.
    """

    name: str
    frames: tuple[str, ...]
    """prefixes of "package.Class.method" between the client and the listener"""
    threads_advice: str = msgspec.field(name="more_threads")
    later_advice: str = msgspec.field(name="consume_later")
    by: str = ""
    """the file of a team that says so; empty for what mqdiag itself knows"""

    @property
    def more_threads(self) -> Text:
        """Where the number of consume threads is set."""
        return said_by(self.threads_advice, self.by)

    @property
    def consume_later(self) -> Text:
        """How a listener says that it wants the message again."""
        return said_by(self.later_advice, self.by)


class Call(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Calls whose wait looks like that of any other call, with a remedy in their own words."""

    methods: tuple[str, ...]
    """"package.Class.method" of each"""
    advice: tuple[str, ...] = msgspec.field(name="remedy")
    by: str = ""
    """the file of a team that says so; empty for what mqdiag itself knows"""

    @property
    def remedy(self) -> tuple[Text, ...]:
        """What helps a thread that waits in one of them."""
        return tuple(said_by(words, self.by) for words in self.advice)


class PeerFields(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Classes whose objects know the other side of a call, and the fields that tell; fields of fields have a dot.

    They are looked for among what the frames of a waiting thread hold. The first field of a key with a value counts.
    """

    classes: tuple[str, ...]
    """their subclasses are meant too"""
    follow: tuple[str, ...] = ()
    """fields with objects of other such classes"""
    url: tuple[str, ...] = ()
    """the whole address as its user writes it: a URL, a JDBC URL, a target; one that begins with "/" is a path"""
    scheme: tuple[str, ...] = ()
    host: tuple[str, ...] = ()
    ipv4: tuple[str, ...] = ()
    """an address as a number, where there is no name"""
    port: tuple[str, ...] = ()
    path: tuple[str, ...] = ()
    method: tuple[str, ...] = ()
    timeout_ms: tuple[str, ...] = ()
    """limit of a wait for an answer; 0 is none"""


class Peers(msgspec.Struct):
    """The key of a file that only heap dumps ask for."""

    peer: tuple[PeerFields, ...] = ()


class Threads(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What frames of the JDK or of a library tell of threads, whoever called it."""

    idle: tuple[str, ...] = ()
    """methods in which a thread waits for the next task or event"""
    loops: dict[str, tuple[str, ...]] = {}
    """methods that wait for the next task or event and carry it out in frames above their own, with the beginnings of
    the frame above them while they wait"""
    serves: tuple[str, ...] = ()
    """methods in which the thread that began a server waits for the server's end"""
    serves_on_loops: tuple[str, ...] = ()
    """those of servers whose requests have no thread while they wait for something"""
    arrivals: tuple[str, ...] = ()
    """methods of a thread that shows that work can come in from outside, though it waits for no socket"""
    dump_takers: tuple[str, ...] = ()
    """methods of a thread that takes the dump itself"""
    native_waits: dict[str, Doing] = {}
    """kinds of waits by the method at the top of the stack; frames of the JDK below it may tell more"""
    waits: dict[str, Doing] = {}
    """kinds of waits by the first of these methods below the top of the stack"""
    plumbing: tuple[str, ...] = ()
    """methods between the top of the stack and the one that waits"""
    pipes: tuple[str, ...] = ()
    """beginnings of methods of pipes between threads, which look now and then if the other end still lives"""
    task_runners: tuple[str, ...] = ()
    """methods that run a task of another thread"""
    serial_runners: tuple[str, ...] = ()
    """methods that run tasks in turn, so that one that hangs keeps others, or its own next rounds, from running"""
    unsynchronized: tuple[str, ...] = ()
    """beginnings of methods of tables that two threads may damage, so that a walk through one does not end"""
    recursive_updates: tuple[str, ...] = ()
    """methods that do not end where a function that they call calls them for the same table"""
    stepped_waits: tuple[str, ...] = ()
    """beginnings of methods that wait for one thing in many short steps; the work between two steps is no progress"""
    spinning_waits: tuple[str, ...] = ()
    """beginnings of methods that use CPU time for as long as they wait"""
    loggers: tuple[str, ...] = ()
    """beginnings of the frames of a logger"""
    full_log_queues: tuple[str, ...] = ()
    """ends of methods that an asynchronous logger calls when its queue is full"""
    log_facades: tuple[str, ...] = ()
    """beginnings of the frames of what passes a log call on to a logger"""
    log_writers: tuple[str, ...] = ()
    """parts of the names, in lower case, of threads that empty the queue of an asynchronous logger"""
    answer_bodies: tuple[str, ...] = ()
    """ends of methods of the streams that HTTP clients wrap around the body of an answer"""
    loop_names: tuple[str, ...] = ()
    """parts of the names, in lower case, that event loops have"""
    per_call_objects: tuple[str, ...] = ()
    """ends of names of classes whose objects are made for one call and die with it"""


class Frames(msgspec.Struct):
    """What tells the libraries of a file from others."""

    frames: tuple[str, ...]
    kind: str = "client"


class Index(msgspec.Struct):
    """The keys of a file that every run asks for; `checked_libraries.LibraryFile` has all."""

    packages: tuple[str, ...] = ()
    heap_packages: tuple[str, ...] = ()
    threads: Threads | None = None
    library: tuple[Frames, ...] = ()
    call: tuple[Call, ...] = ()
    listener_container: tuple[ListenerContainer, ...] = ()
