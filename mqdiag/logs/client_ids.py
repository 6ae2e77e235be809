"""Which clients are connected for a group, by the broker's log, and which client a client's log is of.

Source: ConsumerGroupInfo, ConsumerManager, ClientChannelInfo, MQClientInstance, 3.2.6 to 5.5.0.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs.log_tally import MOST_ROWS, ConnectedTwice, LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.tally import Span

_CONNECTED = lazy_pattern(r"new consumer connected, group: (\S{1,300}) .{0,200}?clientId=([^,\]]{1,300})")
_REMOTE = lazy_pattern(r"R:/([\w.:\[\]-]{3,100}?)\]|\[id: 0x\w{1,16}, /([\w.:\[\]-]{3,100}) [=:]> ")
"""netty 4 prints local and remote address by their letters, netty of 3.x the remote one first"""
_GONE = lazy_pattern(
    r"(?:channel=.{0,100}?|esponse to |by pagecache failed, )/?(?P<address>[\d.]{7,15}:\d{1,5})(?: failed|\D|$)"
)
"""a connection that expired, and one on which the answer to a pull could not be written"""
_CONSUMER = lazy_pattern(r"the consumer \[([^\]]{1,300})\] (?:start|shutdown) OK")
_FACTORY = lazy_pattern(r"the client factory \[([^\]]{1,300})\] (start|shutdown) OK")


def consumer_connected(message: Message, log: LogTally) -> None:
    """A consumer of a group that the broker did not know on this connection."""
    found, remote = _CONNECTED.search(message.text), _remote(message.text)
    if found is None or remote is None:
        return
    key = (found[1], found[2])
    known = log.connected.get(key)
    if known is None:
        if len(log.connected) >= MOST_ROWS:
            return
        known = log.connected[key] = {}
    known[remote] = log.at(message)
    log.at_remote.setdefault(remote, {})[key] = None
    if len(known) > 1:
        row = log.connected_twice.setdefault(key, ConnectedTwice())
        row.addresses.update(dict.fromkeys(known))
        row.span.see(log.at(message))


def consumer_left(message: Message, log: LogTally) -> None:
    """A connection of a client ended, or a consumer left its group."""
    log.says_who_left = True
    remote = _remote(message.text)
    if remote is None and (found := _GONE.search(message.text)) is not None:
        remote = found["address"]
    for key in log.at_remote.pop(remote or "", ()):
        known = log.connected.get(key, {})
        if len(known) > 1:
            log.connected_twice[key].span.see(log.at(message))
        known.pop(remote or "", None)


def all_left(message: Message, log: LogTally) -> None:
    """The broker starts or stops: it knows no connection any more."""
    for key, known in log.connected.items():
        if len(known) > 1:
            log.connected_twice[key].span.see(log.at(message))
    log.connected.clear()
    log.at_remote.clear()


def client_ran(message: Message, log: LogTally) -> None:
    """A client of this process started or was shut down."""
    found = _FACTORY.search(message.text)
    if found is None or (found[1] not in log.clients and len(log.clients) >= MOST_ROWS):
        return
    lives = log.clients.setdefault(found[1], [])
    at = log.at(message)
    if found[2] == "start" and at is not None:
        lives.append(Span(at, None))
    elif lives and lives[-1].last is None:
        lives[-1].last = at


def consumer_ran(message: Message, log: LogTally) -> None:
    """A consumer of this process started or was shut down."""
    found = _CONSUMER.search(message.text)
    if found is not None and len(log.consumers) < MOST_ROWS:
        log.consumers[found[1]] = None


def _remote(text: str) -> str | None:
    found = _REMOTE.search(text)
    return None if found is None else found[1] or found[2]
