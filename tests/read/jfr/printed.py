"""What the JDK's own `jfr print --json` says of a recording: the oracle."""

from __future__ import annotations

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

_SPAN = re.compile(r"PT(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?)(\d+)(?:\.(\d+))?S)?")
_TIME = re.compile(r"(.{19})(?:\.(\d+))?(Z|[+-]\d\d:\d\d)")
_LARGEST = (1 << 63) - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def printed(jfr: str, recording: Path) -> dict[str, list[dict[str, Any]]]:
    """The values of all events by type."""
    command = [jfr, "print", "--json", "--stack-depth", "64", str(recording)]
    done = subprocess.run(command, capture_output=True, check=True)
    by_type = defaultdict(list)
    for event in json.loads(done.stdout)["recording"]["events"]:
        by_type[event["type"]].append(event["values"])
    return by_type


def differences(ours: Iterable[dict[str, Any]], theirs: Iterable[dict[str, Any]]) -> list[str]:
    """What differs between the events of one type, whose order is no matter."""
    left = sorted(ours, key=_start)
    right = sorted(theirs, key=lambda event: _ns(event["startTime"]))
    if len(left) != len(right):
        return [f"{len(left)} events instead of {len(right)}"]
    # events of the same instant are in any order
    mine = sorted(map(_plain, left))
    other = sorted(json.dumps(_normal(b, a), sort_keys=True) for a, b in zip(left, right, strict=True))
    return [f"{a}\n{b}" for a, b in zip(mine, other, strict=True) if a != b]


def _start(event: dict[str, Any]) -> int:
    return int(event["startTime"][1])


def _plain(value: Any) -> str:
    return json.dumps(_own(value), sort_keys=True)


def _own(value: Any) -> Any:
    if isinstance(value, tuple):
        return value[1]
    if isinstance(value, dict):
        return {name: _own(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_own(one) for one in value]
    return value


def _normal(theirs: Any, ours: Any) -> Any:
    """The oracle's value in our form, which a time, a span and a float of 4 bytes need."""
    if isinstance(theirs, dict):
        like = ours if isinstance(ours, dict) else {}
        return {name: _normal(one, like.get(name)) for name, one in theirs.items()}
    if isinstance(theirs, list):
        like_list = ours if isinstance(ours, list) else []
        return [_normal(one, like_list[at] if at < len(like_list) else None) for at, one in enumerate(theirs)]
    if isinstance(ours, tuple) and isinstance(theirs, str):
        return _ns(theirs) if ours[0] == "time" else _span_ns(theirs)
    if isinstance(theirs, float) and isinstance(ours, float):
        return float(np.float32(theirs)) if float(np.float32(theirs)) == ours else theirs
    if isinstance(theirs, int) and isinstance(ours, int) and theirs - ours in (1 << 32, 1 << 64):
        return ours  # without a sign
    return theirs


def _ns(text: str) -> int | None:
    if text.startswith("-999999999-"):
        return None
    found = _TIME.fullmatch(text)
    assert found, text
    zone = "+00:00" if found[3] == "Z" else found[3]
    seconds = datetime.fromisoformat(found[1] + zone) - _EPOCH
    return (seconds.days * 86400 + seconds.seconds) * 10**9 + int((found[2] or "0").ljust(9, "0"))


def _span_ns(text: str) -> int | None:
    found = _SPAN.fullmatch(text)
    assert found, text
    whole = int(found[1] or 0) * 3600 + int(found[2] or 0) * 60
    part = int(found[4] or 0) * 10**9 + int((found[5] or "0").ljust(9, "0"))
    total = whole * 10**9 + (-part if found[3] else part)
    return None if abs(total) > _LARGEST else total
