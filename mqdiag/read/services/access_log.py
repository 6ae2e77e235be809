"""Access logs of nginx and Envoy: which service answered, how, and after how long.

Source: ngx_http_log_module and ngx_http_upstream_module ($upstream_response_time, $upstream_addr), and "Access
logging" of Envoy for its default format and its flags.
"""

from __future__ import annotations

import json
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
_REQUEST = lazy_pattern(r'"([A-Z]{3,10}) (\S{1,2000}) ?[^"]{0,20}" (\d{3}) ')
_NGINX_TIME = lazy_pattern(r"\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4})\]")
_ENVOY_TIME = lazy_pattern(r"\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)\]")
_ENVOY = lazy_pattern(
    r'"[A-Z-]{1,10} (\S{1,2000}) [^"]{0,20}" (\d{1,3}) (\S{1,40}) .{0,300}?'
    r"\b(\d{1,12}) (\d{1,12}) (\d{1,12}) (\d{1,12}|-) "
    r'".{0,400}?" ".{0,1000}?" "[^"]{0,100}" "([^"]{0,255})" "([^"]{0,255})"'
)
_TIMES = lazy_pattern(
    r'\b(?:upstream_response_time|upstream_time|urt|uht|upstream_rt|ut)[=:] ?"?'
    r"((?:\d{1,6}\.\d{1,3}|-)(?:[,:] ?(?:\d{1,6}\.\d{1,3}|-)){0,20})"
)
_WHOLE_TIME = lazy_pattern(r'\b(?:request_time|rt|time)[=:] ?"?(\d{1,6}\.\d{1,3})')
_ADDRESS = lazy_pattern(
    r'\b(?:upstream_addr|upstream|ua|backend)[=:] ?"?([\w.:\[\]-]{3,255}:\d{1,5}(?:, ?[\w.:\[\]-]{3,255})*)'
)
_HOST = lazy_pattern(r'\b(?:host|server_name|vhost)[=:] ?"?([\w.-]{1,255})')
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
    for line in lines:
        one = _request(line)
        if one is None:
            continue
        key = (one.gateway, one.service, one.host)
        service = found.get(key)
        if service is None:
            if len(found) >= MOST_SERVICES:
                continue
            service = found[key] = _Service(first=one.at)
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
    for (gateway, address, host), service in sorted(found.items(), key=lambda row: -row[1].requests):
        times = sorted(service.times)
        yield Upstream(
            gateway=gateway,
            source=source,
            service=address,
            host=host,
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
    envoy = _ENVOY.search(line)
    time = _ENVOY_TIME.search(line)
    if envoy and time:
        spent = envoy[7] if envoy[7] != "-" else envoy[6]
        return _Request(
            "Envoy",
            time[1].replace("Z", "+00:00"),
            envoy[1],
            envoy[2],
            None if envoy[9] in ("-", "") else envoy[9],
            None if envoy[8] in ("-", "") else envoy[8],
            float(spent),
        )
    found, times, address = _REQUEST.search(line), _TIMES.search(line), _ADDRESS.search(line)
    if found is None or (times is None and address is None):
        return None
    stamp, whole, host = _NGINX_TIME.search(line), _WHOLE_TIME.search(line), _HOST.search(line)
    return _Request(
        "nginx",
        _nginx_instant(stamp[1]) if stamp else None,
        found[2],
        found[3],
        address[1].split(",")[-1].strip() if address else None,
        host[1] if host else None,
        _sum_ms(times[1])
        if times and _sum_ms(times[1]) is not None
        else float(whole[1]) * 1000
        if whole
        else None,
    )


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
