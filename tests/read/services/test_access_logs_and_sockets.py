from __future__ import annotations

import pytest

from mqdiag.facts import Facts
from mqdiag.facts.services import ServicesFacts
from mqdiag.read.services.access_log import is_access_log, read_access_log
from mqdiag.read.services.sockets import is_sockets, read_sockets
from mqdiag.rules import upstream_slow
from tests.folded import folded
from tests.rules import checks

ENVOY = (
    '[2026-11-28T01:00:00.000Z] "GET /price/17?x=1 HTTP/1.1" 504 UT 0 24 15000 - "-" "Java-http-client/17" "a2"'
    ' "pricing" "10.0.0.1:8080"'
)
ISTIO = (
    '[2026-11-28T01:00:00.000Z] "GET /price/18 HTTP/1.1" 200 - via_upstream - "-" 0 24 31 30 "-" "ua" "id" "pricing"'
    ' "10.0.0.1:8080" outbound|80||pricing 10.1.1.1:40000 10.0.0.1:8080 10.1.1.1:1 - default'
)
NGINX = (
    '10.1.1.1 - - [28/Nov/2026:01:00:01 +0000] "GET /price/44 HTTP/1.1" 499 0 "-" "Java" rt=1.001 uct="0.000"'
    ' urt="1.001" upstream="10.0.0.2:8080"'
)
AS_JSON = (
    '{"time_iso8601":"2026-11-28T01:00:01+00:00","request":"GET /price/44 HTTP/1.1","status":"200",'
    '"upstream_response_time":"0.250, 0.750","upstream_addr":"10.0.0.1:80, 10.0.0.2:80"}'
)


@pytest.mark.parametrize(
    ("line", "service", "status", "took_ms"),
    [
        (ENVOY, "10.0.0.1:8080", "504", 15_000),
        (ISTIO, "10.0.0.1:8080", "200", 30),
        (NGINX, "10.0.0.2:8080", "499", 1001),
        (AS_JSON, "10.0.0.2:80", "200", 1000),
    ],
)
def test_one_line(line: str, service: str, status: str, took_ms: float) -> None:
    assert is_access_log([line])
    (upstream,) = read_access_log("a", [line])
    assert upstream.service == service
    assert upstream.statuses == {status: 1}
    assert upstream.longest_ms == pytest.approx(took_ms)
    assert upstream.first is not None


def test_numbers_of_paths_fall_together() -> None:
    (upstream,) = read_access_log("a", [NGINX, NGINX.replace("/44", "/45")])
    assert (upstream.path, upstream.requests) == ("/price/*", 2)


def test_what_was_answered_since_the_last_failure_is_counted() -> None:
    good = NGINX.replace(" 499 ", " 200 ").replace("01:00:01", "01:00:09")
    (upstream,) = read_access_log("a", [good, NGINX, good, good])
    assert (upstream.last_failed, upstream.answered_since) == ("2026-11-28T01:00:01+00:00", 2)
    (upstream,) = read_access_log("a", [good, good])
    assert (upstream.last_failed, upstream.answered_since) == (None, 0)


@pytest.mark.parametrize(
    ("log", "cause"),
    [
        pytest.param([30 * "-" + 70 * "+"] * 9 + [30 * "-" + 50 * "+"], "clients-gave-up", id="by-turns"),
        pytest.param([30 * "-" + 70 * "+"], "recovered", id="once"),
        pytest.param([3 * "-+" + 30 * "-" + 50 * "+"], "recovered", id="one-between"),
    ],
)
def test_a_service_that_fails_by_turns_is_not_over(log: list[str], cause: str) -> None:
    lines = [NGINX if one == "-" else NGINX.replace(" 499 ", " 200 ") for one in "".join(log)]
    facts = Facts(services=ServicesFacts(upstreams=tuple(read_access_log("a", lines))))
    assert [found.cause for found in checks.findings(upstream_slow, facts)] == [cause]


def test_a_log_that_names_no_service_is_none() -> None:
    plain = '10.1.1.1 - - [28/Nov/2026:01:00:01 +0000] "GET /a HTTP/1.1" 200 12 "-" "Java"'
    assert not is_access_log([plain, plain])


FORMAT = (
    '10.1.1.1 - - [28/Nov/2026:01:00:01 +0000] "GET {path} HTTP/1.1" 504 0 "{page}" "{program}" rt=60.001'
    ' upstream_addr=10.0.0.2:8080 urt="60.001"'
)
FORGED = "/x?upstream_addr=pay.internal:8080&urt=0.001&host=pay.internal"


@folded(
    "path, page, program",
    [
        (FORGED, "-", "Java"),
        ("/x", f"http://shop{FORGED}", "Java"),
        ("/x", "-", r"x upstream_addr=pay.internal:8080 urt=0.001 rt=0.1"),
        ("/x", "-", r"x\" upstream_addr=pay.internal:8080 urt=0.001 \"GET /y HTTP/1.1\" 200 "),
        (
            "/x",
            "-",
            r"[2026-11-28T01:00:00.000Z] \"GET /y HTTP/1.1\" 504 UT 0 24 15000 - \"-\" \"a\" \"b\" \"c\" \"d:1\" ",
        ),
    ],
)
def test_what_a_client_sends_names_no_service(path: str, page: str, program: str) -> None:
    line = FORMAT.format(path=path, page=page, program=program)
    (upstream,) = read_access_log("a", [line])
    assert (upstream.service, upstream.host, upstream.statuses) == ("10.0.0.2:8080", None, {"504": 1})
    assert upstream.longest_ms == pytest.approx(60_001)


def test_a_client_of_envoy_does_not_end_its_text() -> None:
    forged = '[2026-11-28T01:00:00.000Z] "GET /y HTTP/1.1" 200 - 0 0 1 1 "-" "u" "i" "pay" "pay.internal:80"'
    for program in (
        'u" "id" "pay" "pay.internal:80',
        f'u" {forged} "',
        'upstream_addr=pay.internal:80" urt=1.0 "',
    ):
        line = ENVOY.replace("Java-http-client/17", program)
        (upstream,) = read_access_log("a", [line])
        assert (upstream.service, upstream.host, upstream.statuses) == ("10.0.0.1:8080", "pricing", {"504": 1})


def test_a_label_that_stands_twice_names_no_service() -> None:
    line = FORMAT.format(path="/x", page="-", program="u").replace(" rt=", " from=a upstream_addr=pay:80 rt=")
    (upstream,) = read_access_log("a", [line])
    assert (upstream.service, upstream.requests) == (None, 1)


def test_the_program_of_a_client_is_no_address() -> None:
    line = FORMAT.format(path="/x", page="-", program="u").replace(' "u" ', ' ua="pay.internal:80" ')
    assert [one.service for one in read_access_log("a", [line])] == ["10.0.0.2:8080"]
    amplify = NGINX.replace('upstream="', 'us="499" ua="')
    assert [one.service for one in read_access_log("a", [amplify])] == ["10.0.0.2:8080"]


def test_the_names_that_clients_ask_for_do_not_part_a_service() -> None:
    lines = [FORMAT.format(path="/x", page="-", program="u") + f" host=x{number}" for number in (1, 2, 2)]
    (upstream,) = read_access_log("a", lines)
    assert (upstream.requests, upstream.host) == (3, "x2")


@folded(
    "told, service, took_ms",
    [
        ('upstream_addr="10.0.0.1:80, 10.0.0.2:80" urt="0.250, 0.750"', "10.0.0.2:80", 1000),
        ("upstream_addr=10.0.0.1:80, 10.0.0.2:80 urt=0.250, 0.750 rt=2.0", "10.0.0.2:80", 1000),
        ("rt=2.0,upstream_addr=10.0.0.2:80,urt=0.750,x=1", "10.0.0.2:80", 750),
        ('upstream: "10.0.0.2:80" request_time: 0.5 upstream_response_time: "-"', "10.0.0.2:80", 500),
    ],
)
def test_values_with_and_without_quotation_marks(told: str, service: str, took_ms: float) -> None:
    line = FORMAT.format(path="/x", page="-", program="u").partition(" rt=")[0]
    (upstream,) = read_access_log("a", [f"{line} {told}"])
    assert upstream.service == service
    assert upstream.longest_ms == pytest.approx(took_ms)


SS = """\
State     Recv-Q Send-Q     Local Address:Port      Peer Address:Port  Process
LISTEN    0      244            127.0.0.1:15432          0.0.0.0:*     users:(("postgres",pid=1,fd=6))
ESTAB     0      0      [::ffff:127.0.0.1]:40184  [::ffff:127.0.0.1]:15432 users:(("java",pid=70,fd=5))
"""
NETSTAT = """\
Active Internet connections (w/o servers)
Proto Recv-Q Send-Q Local Address           Foreign Address         State       PID/Program name
tcp6       0      0 127.0.0.1:40184         127.0.0.1:15432         ESTABLISHED 70/java
"""


@pytest.mark.parametrize("text", [SS, NETSTAT])
def test_sockets(text: str) -> None:
    assert is_sockets(text)
    (socket,) = read_sockets("ss.txt", text.splitlines())
    assert (socket.pid, socket.local, socket.local_port, socket.remote_port) == (70, "127.0.0.1", 40184, 15432)
