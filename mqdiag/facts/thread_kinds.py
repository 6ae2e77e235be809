"""Kinds of threads: how many there are of each in the samples of a series."""

from __future__ import annotations

import msgspec

from mqdiag.facts.redaction import Public, ThreadName


class ThreadKind(msgspec.Struct, frozen=True, kw_only=True):
    """Threads whose names differ only by numbers, such as those of one pool; a leak makes hundreds of one kind."""

    thread: ThreadName
    """the name, with "#" for each number: NettyClientSelector_#"""
    threads: tuple[int, ...]
    """how many, by sample"""


class GrowingKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of thread of which there are more in each sample than in the one before."""

    thread: ThreadName
    """as of `ThreadKind`"""
    threads: tuple[int, ...]
    """how many, by sample"""
    seconds: float | None = None
    """from the first sample to the last"""
    runs: Public | None = None
    """the frame that most of the new ones show: the user's own, else the lowest of a library"""
    made_by: Public | None = None
    """the user's own frame of a thread that starts one of them in a sample"""
