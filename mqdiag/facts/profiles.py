"""What collapsed stacks of a profiler say: what threads did in its samples.

A profile has neither times nor an order: it shows shares, and never that a call went on or came to its end.
"""

from __future__ import annotations

import msgspec

from mqdiag.facts.recordings import HotMethod
from mqdiag.facts.redaction import Public
from mqdiag.facts.vocabulary import Doing


class SampledGroup(msgspec.Struct, frozen=True, kw_only=True):
    """What the consume threads of a group did in the samples."""

    group: Public
    threads: int
    samples: int
    idle: int
    """they waited for messages"""
    running: int
    """they ran, or what the stack has on top is no wait that is known"""
    waiting: int
    """they waited within the listener"""
    frame: Public | None = None
    """the application's own frame with most of the samples that are not idle"""
    doing: Doing | None = None
    """what the threads do there"""
    frame_share: float | None = None
    """share of that frame in the samples that are not idle"""

    @property
    def busy_share(self) -> float:
        """Share of the samples in which the threads did not wait for messages."""
        return 0.0 if not self.samples else 1 - self.idle / self.samples


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of collapsed stacks."""

    path: Public
    samples: int
    threads: int | None = None
    """None where the file does not separate threads"""
    by_wall: bool | None = None
    """whether threads were sampled when they waited, too; False where only running threads were; None where the file
    does not tell"""
    counts_objects: bool = False
    """it counts allocated objects or waits for locks: a class stands on top"""
    groups: tuple[SampledGroup, ...] = ()
    hot_methods: tuple[HotMethod, ...] = ()
    """where threads ran, those with most samples first"""


class ProfilesFacts(msgspec.Struct, frozen=True, kw_only=True):
    """All profiles of a run, by path."""

    profiles: tuple[Profile, ...]
