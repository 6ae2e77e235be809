"""Real reports, and the same with every text replaced by markup that wants to run."""

from __future__ import annotations

import enum
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import msgspec

from mqdiag.diagnose.diff import diagnose_diff
from mqdiag.diagnose.heap import diagnose_heap
from mqdiag.diagnose.incident import diagnose_incident
from mqdiag.diagnose.stacks import diagnose_stacks
from mqdiag.facts import Input
from mqdiag.facts.fleet import (
    FleetFacts,
    FleetFailure,
    FleetTotals,
    HostsByRule,
    ServiceState,
    SettingDrift,
    SharedCause,
    ValueShare,
)
from mqdiag.findings import Report
from mqdiag.language import english
from mqdiag.render import View, renderer
from mqdiag.text import Text

FIXTURES = Path(__file__).parents[3] / "fixtures"
EVIL = (
    "\"'><img src=x onerror=alert(1)><script>alert(2)</script></style><svg onload=alert(3)>{{7*7}}\u202e\x1b[2J"
)
WORDS = {"why", "seen_in"}
"""fields of a vocabulary that are typed `str`"""


@cache
def stuck_heap() -> Report:
    return diagnose_heap(FIXTURES / "heap/stuck-one-5.3.3/dump.hprof.gz").report


@cache
def retaining_heap() -> Report:
    return diagnose_heap(FIXTURES / "heap/app-retains-5.3.3/dump.hprof.gz").report


@cache
def convoy() -> Report:
    return diagnose_stacks([FIXTURES / "stacks/convoy-stuck/series.tar.gz"]).report


@cache
def stuck_incident() -> Report:
    return diagnose_incident([FIXTURES / "incidents/stuck-http"]).report


@cache
def recorded() -> Report:
    return diagnose_incident([FIXTURES / "recordings/stuck-jdk17"]).report


@cache
def busy_broker() -> Report:
    return diagnose_incident([FIXTURES / "logs/page-cache-busy-5.3.3"]).report


@cache
def two_processes() -> Report:
    return diagnose_incident(
        [FIXTURES / "heap/stuck-one-4.9.8/dump.hprof.gz", FIXTURES / "heap/app-retains-5.3.3/dump.hprof.gz"]
    ).report


@cache
def change() -> Report:
    before, after = (
        FIXTURES / f"heap/{name}/dump.hprof.gz" for name in ("healthy-busy-4.9.8", "stuck-one-4.9.8")
    )
    return diagnose_diff(before, after).report


FLEET = Report(
    mqdiag="0.1.0",
    inputs=(Input(path="dumps", kind="fleet"),),
    checked=("config-drift",),
    fleet=FleetFacts(
        run="2026-11-21T02-00-00Z",
        totals=FleetTotals(incidents=12, analysed=10, known=2, services=3, hosts=9, findings=7, errors=4),
        services=(ServiceState(service="orders", hosts=5, incidents=6, failed=1, errors=3, warnings=2),),
        causes=(
            SharedCause(
                rule="stuck-socket-read",
                cause="missing-http-timeout",
                severity="error",
                services=2,
                hosts=4,
                groups=1,
                incidents=4,
                findings=4,
                host_share=0.44,
                example_title="Threads hang in HTTP",
            ),
        ),
        hosts_by_rule=(
            HostsByRule(service="orders", rule="stuck-socket-read", hosts=3),
            HostsByRule(service="bills", rule="retry-storm", hosts=1),
        ),
        drifts=(
            SettingDrift(
                kind="setting",
                group="CID_orders",
                key="pullThresholdForQueue",
                instances=5,
                values=(ValueShare(value="1000", instances=4, hosts=("orders/a",)),),
            ),
        ),
        failures=(FleetFailure(service="bills", host="b1", path="x.hprof", kind="memory", reason="too large"),),
    ),
)


def html(report: Report, **view: Any) -> str:
    return renderer("html")(report, View(**view))


def poisoned(report: Report) -> Report:
    """Every text of the report, keys of its tables included, carries EVIL; words of a vocabulary stay."""
    return _poison(report)


def _poison(value: Any) -> Any:
    if isinstance(value, Text):
        return Text(EVIL + english()(value))
    if isinstance(value, enum.Enum):
        return value
    if isinstance(value, str):
        return EVIL + value
    if isinstance(value, tuple):
        return tuple(map(_poison, value))
    if isinstance(value, dict):
        return {_poison(key): _poison(inner) for key, inner in value.items()}
    if isinstance(value, msgspec.Struct):
        changed = {
            field.name: _poison(getattr(value, field.name))
            for field in msgspec.structs.fields(value)
            if not _has_vocabulary(field.type) and field.name not in WORDS
        }
        return msgspec.structs.replace(value, **changed)
    return value


def _has_vocabulary(kind: Any) -> bool:
    return get_origin(kind) is Literal or any(map(_has_vocabulary, get_args(kind)))
