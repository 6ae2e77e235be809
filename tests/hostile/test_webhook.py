"""What a webhook answers, and what an error tells of its URL."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import suppress

import pytest

from mqdiag.cli.common.failures import complain
from mqdiag.errors import MqdiagError, UsageError
from mqdiag.fleet.watching.actions import webhook


@pytest.mark.parametrize(
    "url", ["ftp://u:hush@h/x", "https://u:hush@h/x", "https://h/x?token=hush ", "u:hush@h"]
)
def test_an_error_does_not_tell_a_password_in_the_url(url: str) -> None:
    with pytest.raises(UsageError) as refused:
        webhook(url)
    assert "hush" not in str(refused.value)


def test_what_the_other_side_says_is_short_and_controls_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1 << 16)
                reason = b"\x1b]0;x\x07\r::error::x " + b"x" * 50_000
                connection.sendall(b"HTTP/1.1 403 " + reason + b"\r\nContent-Length: 0\r\n\r\n")

        answering = threading.Thread(target=answer)
        answering.start()
        with pytest.raises(MqdiagError) as refused:
            webhook(f"http://127.0.0.1:{server.getsockname()[1]}/x?token=hush")(b"{}", "key")
        answering.join()
    complain(refused.value.text)
    shown = capsys.readouterr().err
    assert not {"\x1b", "\x07", "\r"} & set(shown)
    assert len(shown) < 400
    assert len(shown.splitlines()) == 1
    assert "hush" not in shown


@pytest.mark.parametrize("drop", [b"x", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n"])
def test_an_answer_that_trickles_is_given_up(drop: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time, and the head of the answer has no end."""
    monkeypatch.setattr("mqdiag.fleet.watching.actions.TIMEOUT_S", 0.3)
    monkeypatch.setattr("mqdiag.fleet.watching.actions.ATTEMPTS", 1)
    given_up = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def trickle() -> None:
            connection, _ = server.accept()
            with connection, suppress(OSError):
                for byte in drop * 5_000:
                    if given_up.wait(0.05):
                        return
                    connection.sendall(bytes([byte]))

        trickling = threading.Thread(target=trickle)
        trickling.start()
        begun = time.monotonic()
        try:
            with pytest.raises(MqdiagError, match="timed out"):
                webhook(f"http://127.0.0.1:{server.getsockname()[1]}/x")(b"{}", "key")
            assert time.monotonic() - begun < 200
        finally:
            given_up.set()
            trickling.join()
