"""One library of the table: the frames that show it, and the setting that bounds a wait in it."""

from __future__ import annotations

from typing import Literal

import msgspec

from mqdiag.facts.vocabulary import StandstillCause
from mqdiag.text import Text

HTTP: StandstillCause = "missing-http-timeout"
DATABASE: StandstillCause = "slow-database"
REDIS: StandstillCause = "slow-redis"
RPC: StandstillCause = "slow-rpc"
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


class Library(msgspec.Struct, frozen=True, kw_only=True):
    """A library and what bounds a wait in it."""

    name: str
    frames: tuple[str, ...]
    """prefixes of "package.Class.method" """
    remedy: tuple[Text, ...]
    cause: StandstillCause = REMOTE
    """of a standstill in it; a framework leaves it to the client"""
    kind: Kind = "client"
    family: Family | None = None
    """kind of client; of a pool, the kind of client that uses its connections"""
    wrappers: tuple[str, ...] = ()
    """of a pool: frames of its own that are below every call on one of its connections"""
    own_thread: str | None = None
    """of a pool: part of the name of a thread that each pool has once"""
