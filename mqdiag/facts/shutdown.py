"""A JVM that has begun to end."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Public, ThreadName
from mqdiag.facts.vocabulary import (
    Doing,
    ShutdownBegan,
)


class ShutdownHook(msgspec.Struct, frozen=True, kw_only=True):
    """A thread that the JVM started to run a shutdown hook and that has not ended."""

    thread: ThreadName
    frame: Public | None = None
    """the user's own frame nearest to the wait; that of the client that it shuts down where it has none"""
    top: Public | None = None
    """class and method of the top frame"""
    doing: Doing
    waits_for_listeners: bool = False
    """it shuts a consumer down, and waits until the consumer's threads end"""
    exits: bool = False
    """it calls System.exit itself"""
    without_limit: bool = False
    """its wait has no timeout"""
    waits_for: ThreadName | None = None
    """the last thread of the chain of locks that it waits for, or the one whose pool it waits for"""
    left_alone: bool = False
    """every thread of the process waits without a limit, so that nobody ends its wait"""


class Shutdown(msgspec.Struct, frozen=True, kw_only=True):
    """A JVM that has begun to end and waits for its shutdown hooks."""

    begun_by: ShutdownBegan
    thread: ThreadName
    """the one that waits for the hooks: "SIGTERM handler", or the thread that called System.exit"""
    frame: Public | None = None
    """the user's own frame that called System.exit, or in which the application's own handler of the signal is"""
    runs_hooks: bool = True
    """False while the handler of the signal has not come to the shutdown hooks"""
    asked_again: bool = False
    """the handler of a signal waits for an end that another thread began before"""
    in_listener: bool = False
    """that thread has a message in hand"""
    samples: int
    """the last samples in a row that show it"""
    seconds: float | None = None
    """for how long at least; None where neither the threads' ages nor several samples tell"""
    hooks: tuple[ShutdownHook, ...] = ()
    """those that are known by their name, their age or what they call"""
    listeners: tuple[ThreadName, ...] = ()
    """consume threads with a message in hand"""
    listener_frame: Public | None = None
    """the user's own frame of the first of them"""
    group: Public | None = None
    """their consumer group, where it is one"""
