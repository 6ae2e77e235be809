"""Connections with one address, or of one host: how many were opened and ended, and how long they lived."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import NamedTuple

from mqdiag.logs.tally import MINUTE_MS, Span

MOST_PEERS = 500
"""addresses of one log that are kept"""
MOST_WAITING = 200
"""open connections with one peer whose ends are waited for"""
BRIEF_MS = 2000
"""a connection that lives for less is a failed attempt of a client, or a probe of a server"""
_MOST_LIVES = 300


class Peer(NamedTuple):
    """The other end: host and port of a server, or the host of clients that connect to this one."""

    address: str
    incoming: bool


@dataclass(slots=True)
class Ended:
    """Connections that ended, and from when to when."""

    count: int = 0
    span: Span = field(default_factory=Span)

    def add(self, at: int | None, lines: int) -> None:
        """Count lines of one time."""
        self.count += lines
        self.span.see(at)

    @property
    def per_minute(self) -> float | None:
        """Those after the first, by the time from the first to the last; less than a minute counts as one."""
        first, last = self.span.first, self.span.last
        if self.count < 2 or first is None or last is None:
            return None
        return round((self.count - 1) / max((last - first) / MINUTE_MS, 1.0), 3)


@dataclass(slots=True)
class PeerTally:
    """What one log says of its connections with one peer."""

    opened: int = 0
    brief: Ended = field(default_factory=Ended)
    lasting: Ended = field(default_factory=Ended)
    lives_s: Counter[int] = field(default_factory=Counter)
    """lasting connections by the whole seconds that they lived"""
    _unpaired: Ended = field(default_factory=Ended)
    _named: dict[str, int] = field(default_factory=dict)
    """when each open connection was made, by its name"""
    _nameless: deque[int] = field(default_factory=deque)

    def made(self, name: str, at: int | None) -> None:
        """A connection began that the line of its end names again, by a port or an id."""
        if at is not None:
            if len(self._named) >= MOST_WAITING:
                del self._named[next(iter(self._named))]
            self._named[name] = at

    def made_nameless(self, at: int | None, clients: int) -> None:
        """A connection began; a process has one to each server for each of its clients, so older ones have failed."""
        if at is not None:
            self._nameless.append(at)
            while len(self._nameless) > min(clients, MOST_WAITING):
                self._nameless.popleft()

    def ended(self, name: str, at: int | None, lines: int, clients: int) -> None:
        """A connection ended. Of nameless ones it is the oldest, if none of the process's clients is without one."""
        since = self._named.pop(name, None)
        if since is None and len(self._nameless) == clients:
            since = self._nameless.popleft()
        life = None if since is None or at is None else max(at - since, 0)
        if life is None:
            self._unpaired.add(at, lines)
        elif life < BRIEF_MS:
            self.brief.add(at, lines)
        else:
            self.lasting.add(at, lines)
            if len(self.lives_s) < _MOST_LIVES or life // 1000 in self.lives_s:
                self.lives_s[life // 1000] += lines

    @property
    def closed(self) -> Ended:
        """Connections that did not end at once.

        A failed attempt to connect has two lines of closing, so those without a beginning count only where no attempt
        is seen to fail, and no more of them than were made.
        """
        known = self.lasting.count + self.brief.count
        unpaired = self._unpaired.count
        if self.opened:
            unpaired = 0 if self.brief.count else min(unpaired, max(self.opened - known, 0))
        ended = Ended(self.lasting.count + unpaired)
        ended.span.take(self.lasting.span)
        if unpaired:
            ended.span.take(self._unpaired.span)
        return ended

    @property
    def usual_life(self) -> tuple[int, int] | None:
        """(seconds, connections that lived so long, one second more or less); None where no life is known."""
        if not self.lives_s:
            return None
        near = {life: sum(self.lives_s[life + step] for step in (-1, 0, 1)) for life in self.lives_s}
        life = max(near, key=lambda one: (near[one], self.lives_s[one], -one))
        return life, near[life]
