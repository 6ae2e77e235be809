from __future__ import annotations

import os
import socket

import pytest

from mqdiag.capture.sockets import sockets_of
from mqdiag.capture.target import Target
from mqdiag.read.services.sockets import is_sockets, read_sockets


@pytest.mark.skipif(not os.path.exists("/proc/self/net/tcp"), reason="there is no /proc here")
def test_connections_of_this_process_are_read_back() -> None:
    target = Target(
        pid=os.getpid(),
        inner_pid=os.getpid(),
        uid=0,
        gid=0,
        command=("java",),
        program=None,
        own_files=False,
        container=None,
        in_pod=False,
        catches_sigquit=True,
    )
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        with socket.create_connection(server.getsockname()) as client:
            text = sockets_of(target).decode()
            found = {(one.local_port, one.remote_port) for one in read_sockets("a", text.splitlines())}
            assert is_sockets(text)
            assert (client.getsockname()[1], server.getsockname()[1]) in found
