"""Telling what is new: a line of JSON on standard output, and a request to a webhook."""

from __future__ import annotations

import http.client
import io
import socket
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from typing import IO, Any, cast
from urllib.parse import urlsplit

import msgspec

from mqdiag import __version__
from mqdiag.errors import MqdiagError, UsageError
from mqdiag.findings import Report
from mqdiag.fleet.watching.faults import NewFault
from mqdiag.language import english
from mqdiag.redact.report import redact_report
from mqdiag.report_json import finding_from_json
from mqdiag.text import say

ATTEMPTS = 5
FIRST_WAIT_S = 1.0
"""before the second attempt; twice as long before each further one"""
TIMEOUT_S = 10.0
"""timeout of each step: to connect, to send, and to get the whole answer"""
_MOST_REASON = 200
"""characters of what the other side says"""
Send = Callable[[bytes, str], None]


class NewFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One message, redacted as a report of `--redact` is."""

    key: str
    """idempotency key"""
    environment: str
    service: str
    host: str
    incident: str
    run: str
    rule: str
    cause: str
    severity: str
    confidence: str
    fingerprint: str
    title: str


def messages(faults: Sequence[NewFault], run: str) -> list[NewFinding]:
    """What is sent about each fault."""
    found = tuple(finding_from_json(one.finding["document"]) for one in faults)
    found = redact_report(Report(mqdiag=__version__, inputs=(), findings=found)).findings
    return [
        NewFinding(
            key=one.key,
            environment=one.finding["environment"] or "",
            service=one.finding["service"],
            host=one.finding["host"],
            incident=one.finding["incident"],
            run=run,
            rule=finding.rule,
            cause=finding.cause,
            severity=finding.severity.value,
            confidence=finding.confidence.value,
            fingerprint=finding.fingerprint,
            title=english()(finding.title),
        )
        for one, finding in zip(faults, found, strict=True)
    ]


def print_line(data: bytes, key: str) -> None:
    """One line on standard output."""
    sys.stdout.write(data.decode() + "\n")
    sys.stdout.flush()


def webhook(url: str, sleep: Callable[[float], None] = time.sleep) -> Send:
    """A function that posts a message to a URL, and to no other that an answer names.

    Args:
        url: http or https.
        sleep: waits between attempts.

    Raises:
        UsageError: another kind of URL, or one that no request can be sent to.
    """
    # Messages are without the URL: it may hold a password.
    if not url.startswith(("https://", "http://")):
        raise UsageError(say("--webhook: write an http or https URL"))
    if not _can_be_asked(url):
        raise UsageError(
            say(
                "--webhook: write https://HOST/PATH or https://HOST:PORT/PATH, without a user name, and without blanks"
                " or characters that are not ASCII"
            )
        )
    opener = urllib.request.build_opener(_NoRedirect, _WholeAnswerInTime)

    def send(data: bytes, key: str) -> None:
        """Post once, and again while the other side does not answer or says that it cannot now."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        for attempt in range(ATTEMPTS):
            if attempt:
                sleep(FIRST_WAIT_S * 2 ** (attempt - 1))
            try:
                with opener.open(urllib.request.Request(url, data, headers, method="POST"), timeout=TIMEOUT_S):
                    return
            except urllib.error.HTTPError as error:
                reason = f"{error.code} {error.reason}"[:_MOST_REASON]
                error.close()
                if error.code < 500 and error.code not in (408, 429):
                    break
            except OSError as error:
                reason = str(error)
            except (http.client.HTTPException, UnicodeError) as error:
                reason = f"{type(error).__name__}: {error}"
        raise MqdiagError(say("--webhook: a finding could not be sent: {reason}", reason=reason))

    return send


def _can_be_asked(url: str) -> bool:
    """Whether urllib can send a request there: it takes no user name, and fails late at the rest."""
    if not url.isascii() or not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        _ = parts.port  # a ValueError where it is no number
    except ValueError:
        return False
    return bool(parts.hostname) and "@" not in parts.netloc


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """An answer that names another place is an error: findings go to the given URL alone."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> None:
        """No other request."""
        return


class _InTime(io.RawIOBase):
    """What a socket receives within a time; the socket's own timeout begins anew with each byte."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket, seconds: float) -> None:
        self._raw, self._sock = raw, sock
        self._end = time.monotonic() + seconds

    def readable(self) -> bool:
        """It is only read."""
        return True

    def readinto(self, buffer: Any, /) -> int | None:
        """Receive the next bytes.

        Raises:
            TimeoutError: the time is up.
        """
        self._sock.settimeout(max(self._end - time.monotonic(), 0.001))
        return cast("int | None", self._raw.readinto(buffer))

    def close(self) -> None:
        """Let go of the socket."""
        super().close()
        self._raw.close()


class _Answer(http.client.HTTPResponse):
    """An answer that has arrived after `TIMEOUT_S` as a whole, or is given up."""

    def __init__(self, sock: socket.socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp = io.BufferedReader(_InTime(self.fp.detach(), sock, TIMEOUT_S))


class _WholeAnswerInTime(urllib.request.HTTPSHandler, urllib.request.HTTPHandler):
    """http and https, with a time for the whole answer."""

    def do_open(self, http_class: Any, req: urllib.request.Request, **options: Any) -> http.client.HTTPResponse:
        """Send the request."""

        def connection(host: str, **more: Any) -> http.client.HTTPConnection:
            made: http.client.HTTPConnection = http_class(host, **more)
            made.response_class = _Answer
            return made

        return super().do_open(connection, req, **options)


def tell(faults: Sequence[NewFault], run: str, sends: Sequence[Send]) -> None:
    """Tell each fault everywhere.

    Raises:
        MqdiagError: a webhook did not take one; what was told before may be told again.
    """
    for message in messages(faults, run):
        data = msgspec.json.encode(message)
        for send in sends:
            send(data, message.key)
