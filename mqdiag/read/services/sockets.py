"""ConnectionsByState of processes, as `ss -tnp` and `netstat -tnp` print them, and as `mqdiag capture` writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mqdiag.facts.services import ConnectionsByState, Socket
from mqdiag.lazy_pattern import lazy_pattern

MOST = 100_000
_HEAD = lazy_pattern(
    r"(?m)^\s*(?:Netid|State|Proto|Recv-Q)\b[^\n]{0,100}"
    r"(?:Local Address:Port\s+Peer Address|Local Address\s+Foreign Address)"
)
"""part of the first line of such a list"""
_END = r"\[?([^\s\]]{1,64})\]?:(\d{1,5})"
_SS = lazy_pattern(rf"\s*(?:tcp6?\s+)?ESTAB\S*\s+\d+\s+\d+\s+{_END}\s+{_END}\s+users:\(\((.{{1,2000}})\)\)")
_USER = lazy_pattern(r'"([^"]{1,64})",pid=(\d{1,10})')
_NETSTAT = lazy_pattern(rf"\s*tcp6?\s+\d+\s+\d+\s+{_END}\s+{_END}\s+ESTABLISHED\s+(\d{{1,10}})/(\S{{1,64}})")
_ANY_SS = lazy_pattern(
    rf"\s*(?:tcp6?\s+)?([A-Z][A-Z0-9-]{{3,10}})\s+(\d{{1,12}})\s+(\d{{1,12}})\s+{_END}\s+{_END}(?:\s+(.{{0,2000}}))?$"
)
_ANY_NETSTAT = lazy_pattern(
    rf"\s*tcp6?\s+(\d{{1,12}})\s+(\d{{1,12}})\s+{_END}\s+{_END}\s+([A-Z_0-9]{{3,12}})(?:\s+(\d{{1,10}})/(\S{{1,64}}))?"
)
_STATES = {"ESTABLISHED": "ESTAB"}
"""as ss writes those that netstat writes in another way; for the rest a hyphen stands where netstat has _"""


def is_sockets(text: str) -> bool:
    """Whether a text is such a list."""
    return _HEAD.search(text, 0, 4096) is not None


def read_sockets(source: str, lines: Sequence[str]) -> Iterator[Socket]:
    """The established connections whose process is named."""
    for line in lines[:MOST]:
        found = _SS.match(line)
        if found:
            for program, pid in _USER.findall(found[5]):
                yield _socket(source, program, pid, found.group(1, 2, 3, 4))
            continue
        found = _NETSTAT.match(line)
        if found:
            yield _socket(source, found[6], found[5], found.group(1, 2, 3, 4))


def read_connections(source: str, lines: Sequence[str]) -> Iterator[ConnectionsByState]:
    """The connections of each process by their state and by the service, those of no known process too.

    Args:
        source: what the user calls the file.
        lines: of its text.
    """
    found: dict[tuple[int | None, str | None, str, str], list[tuple[int, int]]] = {}
    for line in lines[:MOST]:
        row = _row(line)
        if row is not None:
            key, waiting = row
            found.setdefault(key, []).append(waiting)
    for (pid, program, state, end), queues in found.items():
        yield ConnectionsByState(
            pid=pid,
            program=program,
            state=state,
            end=end,
            count=len(queues),
            unread_bytes=max(unread for unread, _ in queues),
            unsent_bytes=max(unsent for _, unsent in queues),
            source=source,
        )


def _row(line: str) -> tuple[tuple[int | None, str | None, str, str], tuple[int, int]] | None:
    """One connection: its process, state and service, and what waits in it; None for any other line."""
    found = _ANY_SS.match(line)
    if found:
        state, unread, unsent, *ends, users = found.groups()
        user = _USER.search(users or "")
        program, pid = user.groups() if user else (None, None)
    else:
        found = _ANY_NETSTAT.match(line)
        if not found:
            return None
        unread, unsent, *ends, state, pid, program = found.groups()
        state = _STATES.get(state, state.replace("_", "-"))
    # the port of a service is one that somebody chose; those of its clients are given to them, from 32,768 on
    host, port = min((ends[:2], ends[2:]), key=lambda one: int(one[1]))
    key = (int(pid) if pid else None, program, state, f"{plain(host)}:{port}")
    return key, (int(unread), int(unsent))


def _socket(source: str, program: str, pid: str, ends: tuple[str | None, ...]) -> Socket:
    local, local_port, remote, remote_port = (end or "" for end in ends)
    return Socket(
        pid=int(pid),
        program=program,
        local=plain(local),
        local_port=int(local_port),
        remote=plain(remote),
        remote_port=int(remote_port),
        source=source,
    )


def plain(address: str) -> str:
    """An address of version 4, where it is written as one of version 6."""
    return address.removeprefix("::ffff:")
