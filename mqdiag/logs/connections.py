"""Connections of clients and servers: how long they live, what servers cannot read, and descriptors that run out.

Source: NettyRemotingClient, NettyRemotingServer, NettyDecoder, MQClientInstance, 3.2.6 to 5.5.0.
"""

from __future__ import annotations

from mqdiag.lazy_pattern import lazy_pattern
from mqdiag.logs import client_ids
from mqdiag.logs.log_tally import MOST_ROWS, LogTally
from mqdiag.logs.message import Message
from mqdiag.logs.peers import MOST_PEERS, Peer, PeerTally

_ADDRESS = r"/?([\w.:\[\]-]{1,100}:\d{1,5})"
_CONNECTED = lazy_pattern(rf"NETTY CLIENT PIPELINE: CONNECT {{1,2}}\S{{1,100}} => {_ADDRESS}")
_CLIENT_ACTIVE = lazy_pattern(rf"NETTY CLIENT PIPELINE: ACTIVE, {_ADDRESS}, channelId=(\w{{1,60}})")
_CLOSED = lazy_pattern(rf"NETTY CLIENT PIPELINE: CLOSE (?:channel\[addr=)?{_ADDRESS}(?:, id=(\w{{1,60}}))?")
_ACTIVE = lazy_pattern(
    r"NETTY SERVER PIPELINE: channel(Active|Inactive), the channel\[/?([\w.:\[\]-]{1,100}):(\d{1,5})\]"
)
_FRAME = lazy_pattern(r"Adjusted frame length exceeds (\d{1,19}): (\d{1,19}) - discarded")
_LONGEST_REQUEST = 1 << 28
"""bytes; a length beyond it is no length of RocketMQ's, but the first bytes of something else"""
_FIRST_BYTES = {
    **dict.fromkeys((b"GET ", b"POST", b"HEAD", b"PUT ", b"OPTI", b"DELE", b"CONN"), "lines_of_http"),
    b"PRI ": "lines_of_grpc",
}
"""what the first four bytes say where they are the beginning of another protocol; gRPC speaks HTTP/2"""
_CLIENT_SIDE = "NETTY CLIENT PIPELINE"
_TLS = 0x1603
"""the first two bytes of a TLS handshake"""
_REMOTE_DESKTOP = 0x030000
"""the first three bytes of a remote desktop client"""
_BEGUN = lazy_pattern(rf"createChannel: begin to connect remote host\[{_ADDRESS}")
_SUCCESS = lazy_pattern(rf"createChannel: connect remote host\[{_ADDRESS}\] success")
_NAME_SERVERS = lazy_pattern(r"\bnamesrvAddr='?([\w.:;\[\]-]{1,300})")
_SET_SERVERS = lazy_pattern(r"address updated\. NEW : \[([\w.:, -]{1,300})\]")
_NUMBERED = lazy_pattern(r"Created a new client Instance, InstanceIndex:(\d{1,9})\b")
_VERSION = lazy_pattern(r"\}, ClientVersion:V(\d{1,2})_(\d{1,2})_(\d{1,2})\b")
_STARTED = lazy_pattern(r"the client factory \[.{1,300}\] (start|shutdown) OK")


def connected(message: Message, log: LogTally) -> None:
    """A client tries to connect to a server."""
    found = _CONNECTED.search(message.text)
    peer = None if found is None else _peer(log, Peer(found[1], incoming=False))
    if peer is not None:
        peer.opened += message.stands_for
        peer.made_nameless(log.at(message), _clients(log))


def active(message: Message, log: LogTally) -> None:
    """A client is connected; from 5.3.1 on the line has the id that the line of the end has too."""
    found = _CLIENT_ACTIVE.search(message.text)
    peer = None if found is None else _peer(log, Peer(found[1], incoming=False))
    if found is not None and peer is not None:
        peer.made(found[2], log.at(message))


def closed(message: Message, log: LogTally) -> None:
    """A client's connection was closed, by whichever side."""
    found = _CLOSED.search(message.text)
    peer = None if found is None else _peer(log, Peer(found[1], incoming=False))
    if found is not None and peer is not None:
        peer.ended(found[2] or "", log.at(message), message.stands_for, _clients(log))


def _clients(log: LogTally) -> int:
    """Clients that have started in the log's process; at least the one that logs."""
    started = log.events.get(("client-started", "client"))
    return max(started.count if started is not None else 1, 1)


def accepted(message: Message, log: LogTally) -> None:
    """A server's connection began or ended."""
    found = _ACTIVE.search(message.text)
    if found is None:
        return
    state, host, port = found.groups()
    peer = _peer(log, Peer(host, True))
    if peer is None:
        return
    if state == "Active":
        peer.opened += message.stands_for
        peer.made(port, log.at(message))
    else:
        peer.ended(port, log.at(message), message.stands_for, 1)


def _peer(log: LogTally, peer: Peer) -> PeerTally | None:
    known = log.peers.get(peer)
    if known is None and len(log.peers) < MOST_PEERS:
        known = log.peers[peer] = PeerTally()
    return known


def not_answered(message: Message, log: LogTally) -> None:
    """The client's connection was gone when the server wanted to answer, which no other line of its log may tell."""
    log.add("answer-not-sent", message)
    client_ids.consumer_left(message, log)


def not_made(message: Message, log: LogTally) -> None:
    """A connection could not be made, or not be put into the table of connections."""
    # most attempts succeed: their lines are told before anything is made of them
    if b"] success" not in message.hit.line:
        log.add("connection-not-made", message)
    elif log.connecting and (found := _SUCCESS.search(message.text)) is not None:
        log.connecting.discard(found[1])
        _count_connecting(log)


def begun(message: Message, log: LogTally) -> None:
    """A client begins to connect again after a connection was idle; a line says when it succeeds."""
    found = _BEGUN.search(message.text)
    if found is not None and len(log.connecting) < MOST_PEERS:
        log.connecting.add(found[1])
        _count_connecting(log)


def _count_connecting(log: LogTally) -> None:
    tally = log.events.get(("connection-idle", None))
    if tally is not None:
        tally.values["still_connecting"] = len(log.connecting)


def frame(message: Message, log: LogTally) -> None:
    """A server read a length that no request has: the request is too long, or the bytes are not RocketMQ's."""
    found = _FRAME.search(message.text)
    if found is None:
        return
    # the decoder counts the four bytes of the length as well
    length = int(found[2]) - 4
    words = _FIRST_BYTES.get(length.to_bytes(8, "big")[4:]) if length < 1 << 32 else None
    if words is None and length >> 16 == _TLS:
        words = "lines_of_tls"
    if words is None and length >> 8 == _REMOTE_DESKTOP:
        words = "lines_of_remote_desktop"
    if words is None and length <= _LONGEST_REQUEST:
        tally = log.add("frame-too-long", message)
        if tally is not None:
            tally.keep_largest("largest_frame_bytes", length)
            tally.keep_smallest("smallest_limit_bytes", int(found[1]))
        return
    # a client connects where something else than RocketMQ, or RocketMQ with TLS, listens
    of_client = _CLIENT_SIDE in message.both
    tally = log.add("frame-of-another-server" if of_client else "frame-not-rocketmq", message)
    if tally is not None and words is not None:
        tally.values[words] = tally.values.get(words, 0) + message.stands_for


def name_servers_set(message: Message, log: LogTally) -> None:
    """The list of name servers that a process was given."""
    servers = _SET_SERVERS.search(message.text)
    if servers is not None and len(log.name_servers) < MOST_ROWS:
        log.name_servers[servers[1].replace(", ", ";")] = None


def client_made(message: Message, log: LogTally) -> None:
    """A process counts the clients that it makes, those that were shut down too; of each it tells the name servers.

    Newer ones tell their version too: 5.3.3 counts as 50,303, and none as 0.
    """
    servers = _NAME_SERVERS.search(message.text)
    if servers is not None and servers[1] != "null" and len(log.name_servers) < MOST_ROWS:
        log.name_servers[servers[1]] = None
    found = _NUMBERED.search(message.text)
    tally = None if found is None else log.add("client-made", message, side="client")
    if found is not None and tally is not None:
        tally.keep_largest("number", int(found[1]) + 1)
        version = _VERSION.search(message.text)
        major, minor, patch = (0, 0, 0) if version is None else map(int, version.groups())
        tally.keep_smallest("smallest_version", (major * 100 + minor) * 100 + patch)


def client_ran(message: Message, log: LogTally) -> None:
    """A client was started or shut down in this process: how many there were, and which."""
    found = _STARTED.search(message.text)
    if found is not None:
        log.add("client-started" if found[1] == "start" else "client-shut-down", message, side="client")
    client_ids.client_ran(message, log)
