"""Access logs of nginx and Envoy: which service answered, how, and after how long.

Source: ngx_http_log_module and ngx_http_upstream_module ($upstream_response_time, $upstream_addr), and "Access
logging" of Envoy for its default format and its flags.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Literal, NamedTuple

import msgspec

from mqdiag.facts.services import FAILED, GAVE_UP, TOO_LATE, Upstream
from mqdiag.lazy_pattern import lazy_pattern

MOST_SERVICES = 1000
MOST_TIMES = 20_000
"""times of one service that its median is of; later ones of a longer log are counted and not kept"""
_TEXT = lazy_pattern(r'"((?:[^"\\]++|\\.)*+)(?:"|\\?$)')
"""a text between quotation marks: nginx and Apache write one inside of it behind a backslash"""
_REQUEST = lazy_pattern(r"([A-Z]{3,10}) (\S{1,2000}) ?\S{0,20}$")
_STATUS = lazy_pattern(r" (\d{3})(?: |$)")
_NGINX_TIME = lazy_pattern(r"\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\]")
_ENVOY_HEAD = lazy_pattern(
    r'[^"]{0,300}?\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)\] "[A-Z-]{1,10} (\S{1,2000}) \S{0,20}" '
)
_ENVOY_ANSWER = lazy_pattern(
    r"(\d{1,3}) (\S{1,40}) .{0,300}?\b(\d{1,12}) (\d{1,12}) (\d{1,12}) (\d{1,12}|-) "
    r'"'
)
_ENVOY_END = lazy_pattern(r'" "([^"]{0,255})" "([^"]{0,255})"[^"]*$')
"""Envoy writes quotation marks of clients as they are: what clients send ends before the last two texts of a line"""
_TIMES = ("upstream_response_time", "upstream_time", "urt", "uht", "upstream_rt", "ut")
_WHOLE_TIMES = ("request_time", "rt", "time")
_ADDRESSES = ("upstream_addr", "upstream", "backend")
_SHORT_ADDRESS = "ua"
"""in formats with the status of the service as `us` the address of the service; else the program of the client"""
_HOSTS = ("host", "server_name", "vhost")
_BEFORE = r"(?:^|[\s,;|(\[{])"
_KNOWN = "|".join((*_TIMES, *_WHOLE_TIMES, *_ADDRESSES, _SHORT_ADDRESS, "us", *_HOSTS))
_LABEL = lazy_pattern(rf"{_BEFORE}({_KNOWN})[=:] ?$")
_LABELLED = lazy_pattern(
    rf"{_BEFORE}({_KNOWN})[=:] ?([^\s\",;|()={{}}]+(?:, ?[\d.:\[-][^\s\",;|()={{}}]*(?=\s|$))*)"
)
"""a value without quotation marks, with those that nginx lists behind a comma"""
_A_TIME = lazy_pattern(r"(?:\d{1,6}\.\d{1,3}|-)(?:[,:] ?(?:\d{1,6}\.\d{1,3}|-)){0,20}")
_AN_ADDRESS = lazy_pattern(r"[\w.:\[\]-]{3,255}:\d{1,5}(?:, ?[\w.:\[\]-]{3,255})*")
_A_HOST = lazy_pattern(r"[\w.-]{1,255}")
_NUMBER = lazy_pattern(r"(?<=/)(?:\d+|[0-9a-f]{8}-[0-9a-f-]{27})(?=/|$)")


class _Request(NamedTuple):
    """One line."""

    gateway: Literal["nginx", "Envoy"]
    at: str | None
    path: str
    status: str
    service: str | None
    host: str | None
    took_ms: float | None


class _Service(msgspec.Struct):
    """The requests of one service while a log is read."""

    first: str | None
    last: str | None = None
    requests: int = 0
    last_failed: str | None = None
    answered_since: int = 0
    answered_between: int = 0
    statuses: Counter[str] = msgspec.field(default_factory=Counter)
    paths: Counter[str] = msgspec.field(default_factory=Counter)
    hosts: Counter[str] = msgspec.field(default_factory=Counter)
    times: list[float] = msgspec.field(default_factory=list)
    longest: float | None = None


def is_access_log(lines: Iterable[str]) -> bool:
    """Whether lines are of such a log: half of them are requests, and one tells of a service behind the gateway."""
    given = [line for line in lines if line.strip()]
    read = [request for line in given if (request := _request(line)) is not None]
    return bool(read) and len(read) * 2 >= len(given)


def read_access_log(source: str, lines: Iterable[str]) -> Iterator[Upstream]:
    """The services of a log, the most asked first."""
    found: dict[tuple[Literal["nginx", "Envoy"], str | None, str | None], _Service] = {}
    """by gateway and service; without a service by the name that the client asked for"""
    for line in lines:
        one = _request(line)
        if one is None:
            continue
        key = (one.gateway, one.service, None if one.service else one.host)
        if key not in found and len(found) >= MOST_SERVICES:
            key = (one.gateway, None, None)
        service = found.get(key)
        if service is None:
            service = found[key] = _Service(first=one.at)
        if one.host is not None and len(service.hosts) < MOST_SERVICES:
            service.hosts[one.host] += 1
        service.last = one.at or service.last
        service.requests += 1
        service.statuses[one.status] += 1
        if one.status not in (*GAVE_UP, *TOO_LATE, *FAILED):
            service.answered_since += 1
        else:
            if service.last_failed:
                service.answered_between = max(service.answered_between, service.answered_since)
            service.last_failed, service.answered_since = one.at, 0
        if len(service.paths) < MOST_SERVICES:
            service.paths[_NUMBER.sub("*", one.path.partition("?")[0])[:200]] += 1
        if one.took_ms is not None:
            service.longest = max(service.longest or 0.0, one.took_ms)
            if len(service.times) < MOST_TIMES:
                service.times.append(one.took_ms)
    for (gateway, address, _), service in sorted(found.items(), key=lambda row: -row[1].requests):
        times = sorted(service.times)
        yield Upstream(
            gateway=gateway,
            source=source,
            service=address,
            host=service.hosts.most_common(1)[0][0] if service.hosts else None,
            path=service.paths.most_common(1)[0][0] if service.paths else None,
            requests=service.requests,
            statuses=dict(sorted(service.statuses.items())),
            longest_ms=service.longest,
            median_ms=times[len(times) // 2] if times else None,
            most_ms=times[min(len(times) - 1, len(times) * 9 // 10)] if times else None,
            last_failed=service.last_failed,
            answered_since=service.answered_since if service.last_failed else 0,
            answered_between=service.answered_between,
            first=service.first,
            last=service.last,
        )


def _request(line: str) -> _Request | None:
    line = line[:8192]
    if line.startswith("{"):
        return _of_json(line)
    envoy = _ENVOY_HEAD.match(line)
    return _of_nginx(line) if envoy is None else _of_envoy(envoy[1], envoy[2], line[envoy.end() :])


def _of_envoy(time: str, path: str, rest: str) -> _Request | None:
    """A line of Envoy's default format, or of Istio's, behind the request."""
    found = _ENVOY_ANSWER.match(rest)
    end = None if found is None else _ENVOY_END.match(rest, _from_last(rest, '"', 5))
    if found is None or end is None or end.start() < found.end():
        return None
    spent = found[6] if found[6] != "-" else found[5]
    return _Request(
        "Envoy",
        time.replace("Z", "+00:00"),
        path,
        found[1],
        None if end[2] in ("-", "") else end[2],
        None if end[1] in ("-", "") else end[1],
        float(spent),
    )


def _from_last(text: str, mark: str, count: int) -> int:
    """The place of the last mark but so many; 0 where there are fewer."""
    place = len(text)
    for _ in range(count):
        place = text.rfind(mark, 0, max(place, 0))
    return max(place, 0)


def _of_nginx(line: str) -> _Request | None:
    request, labels, written = _labels(line)
    if request is None:
        return None
    times, whole = _first(labels, _TIMES, _A_TIME), _first(labels, _WHOLE_TIMES, _A_TIME)
    addresses = (*_ADDRESSES, _SHORT_ADDRESS) if "us" in labels else _ADDRESSES
    address, host = _first(labels, addresses, _AN_ADDRESS), _first(labels, _HOSTS, _A_HOST)
    told_twice = any(labels.get(name, "") is None for name in (*_TIMES, *_ADDRESSES))
    if times is None and address is None and not told_twice:
        return None
    stamp = _NGINX_TIME.search(written)
    took = _sum_ms(times) if times else None
    return _Request(
        "nginx",
        _nginx_instant(stamp[1]) if stamp else None,
        request[0],
        request[1],
        address.split(",")[-1].strip() if address else None,
        host,
        took if took is not None or whole is None else _sum_ms(whole),
    )


def _labels(line: str) -> tuple[tuple[str, str] | None, dict[str, str | None], str]:
    """The path and status of a line, its values by their labels, and what stands outside of all texts.

    The request, the page before it and the program of the client are texts without a label: nothing in them is one. A
    label that stands twice has no value: a client has written one of them.
    """
    request: tuple[str, str] | None = None
    labels: dict[str, str | None] = {}
    outside: list[str] = []
    end = 0
    for text in _TEXT.finditer(line):
        before, end = line[end : text.start()], text.end()
        outside.append(before)
        label = _LABEL.search(before[-40:])
        if label is not None:
            _note(labels, label[1], text[1])
        elif request is None:
            asked, status = _REQUEST.match(text[1]), _STATUS.match(line, end)
            request = (asked[2], status[1]) if asked is not None and status is not None else None
    outside.append(line[end:])
    written = '"'.join(outside)
    for found in _LABELLED.finditer(written):
        _note(labels, found[1], found[2])
    return request, labels, written


def _note(labels: dict[str, str | None], name: str, value: str) -> None:
    labels[name] = None if labels.get(name, value) != value else value


def _first(labels: dict[str, str | None], names: Iterable[str], form: re.Pattern[str]) -> str | None:
    """The value of the first of these labels that has one of this form."""
    values = (labels.get(name) for name in names)
    return next((value for value in values if value is not None and form.fullmatch(value)), None)


def _of_json(line: str) -> _Request | None:
    """A line of either gateway as JSON, with the names of their own variables."""
    if '"upstream' not in line:
        return None
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    text = {name: str(value) for name, value in row.items() if isinstance(value, str | int | float)}
    status = text.get("status") or text.get("response_code")
    path = (
        text.get("request_uri")
        or text.get("uri")
        or text.get("path")
        or text.get("request", "").split(" ")[-1:][0]
    )
    if status is None or not status.isdigit() or len(status) > 3:
        return None
    is_envoy = "response_code" in text
    times = text.get("upstream_response_time", "")
    spent = text.get("upstream_service_time") or text.get("duration") if is_envoy else None
    service = text.get("upstream_host") or text.get("upstream_addr")
    at = text.get("start_time") or text.get("time_iso8601") or text.get("time") or text.get("@timestamp")
    return _Request(
        "Envoy" if is_envoy else "nginx",
        at,
        path,
        status,
        service.split(",")[-1].strip() if service and service != "-" else None,
        text.get("authority") or text.get("host"),
        float(spent) if spent and spent.isdigit() and len(spent) < 13 else _sum_ms(times),
    )


def _sum_ms(times: str) -> float | None:
    """The seconds of all services that nginx asked for one request, as milliseconds."""
    parts = [part for part in times.replace(":", ",").replace(" ", "").split(",") if part and part != "-"]
    try:
        return sum(float(part) for part in parts) * 1000 if parts else None
    except ValueError:
        return None


def _nginx_instant(text: str) -> str | None:
    try:
        return datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z").isoformat()
    except ValueError:
        return None
