"""A fleet of five nights whose faults were planted: what is new, old, healed, rolled, cut short and still growing.

The evidence is thread dumps of committed series. Each service has one story, and its truth stands beside it.
"""

from __future__ import annotations

import gzip
import tarfile
from dataclasses import dataclass
from pathlib import Path

FIXTURES = Path(__file__).parents[2] / "fixtures/stacks"
HANGS, CALLS, RESTS = "latch-stuck", "connect-stuck", "idle"
"""series in which threads hang at a latch, wait for a connection, or rest"""
RULES = {HANGS: "stuck-wait", CALLS: "stuck-socket-read"}
GATEWAY_USERS = 6
"""services that all wait for one server since the last night"""
TEMPLATES = tuple(
    word
    for ending in ("{time}.tar.gz", "{time}.hprof", "{time}/*")
    for word in ("--template", f"{{environment}}/{{service}}/{{build}}/{{host}}/{ending}")
)
OLD, NEW = "7d4b9c6f5d", "6c9fd5b7bz"
"""revisions of Deployments"""


@dataclass(frozen=True, kw_only=True)
class Truth:
    """What a report of the last night must say of a service."""

    fault: str | None = None
    """rule of its open error; None where it has none"""
    change: str | None = None
    """regression or recovery since the run after the third night"""
    hosts: int = 1
    nights: int = 0
    """how long its fault has been open"""
    returned: int = 0


Story = dict[str, tuple[str | None, ...]]
"""by host, the series of each night from the first on; None for a night without evidence"""


def stories(copies: int) -> dict[str, tuple[Story, Truth]]:
    """All services with their truth, by name."""
    hangs = RULES[HANGS]
    once: dict[str, tuple[Story, Truth]] = {
        "prod/healed": ({"h1": (HANGS, None, HANGS, None, RESTS)}, Truth(change="recovery")),
        "prod/one-dump": ({"h1": (HANGS, None, HANGS, None, "one of idle")}, Truth(fault=hangs, nights=2)),
        "prod/grows": ({"h1": (HANGS, None, "grown latch-stuck", None, HANGS)}, Truth(fault=hangs, nights=4)),
        "prod/flaps": ({"h1": (HANGS, RESTS, HANGS, RESTS, HANGS)}, Truth(fault=hangs, returned=2)),
        "prod/shop": (_rolled("shop", (HANGS, HANGS)), Truth(fault=hangs, hosts=3, nights=4)),
        "prod/cart": (_rolled("cart", (HANGS, RESTS)), Truth(change="recovery", hosts=3)),
        "staging/shop": ({"h1": (RESTS, None, RESTS, None, RESTS)}, Truth()),
        "prod/page": ({"h1": (RESTS, None, None, None, "page")}, Truth()),
    }
    for number in range(GATEWAY_USERS):
        once[f"prod/pay-{number}-of"] = (
            {"h1": (None, None, RESTS, None, CALLS)},
            Truth(fault=RULES[CALLS], change="regression"),
        )
    for number in range(3):
        once[f"prod/old-{number}-of"] = (
            {"h1": (HANGS, None, HANGS, None, HANGS)},
            Truth(fault=hangs, nights=4),
        )
    return {
        name if not copy else f"{name}{copy}": story for copy in range(copies) for name, story in once.items()
    }


def _rolled(name: str, first_pod: tuple[str, str]) -> Story:
    """Three pods, which others replace after the third night; one of them has a fault."""
    before, after = first_pod
    pods: Story = {}
    for letter in "bcd":
        is_ill = letter == "b"
        own, next_own = (before, after) if is_ill else (RESTS, RESTS)
        pods[f"{name}-{OLD}-{letter}2x7k"] = (own, None, own, None, None)
        pods[f"{name}-{NEW}-{letter}4vqz"] = (None, None, None, None, next_own)
    return pods


def plant(root: Path, services: dict[str, tuple[Story, Truth]], nights: range) -> int:
    """Write the evidence of some nights, and complete what grew in the nights before; the number of incidents."""
    incidents = 0
    for service, (story, _) in services.items():
        for host, series in story.items():
            for night, name in enumerate(series, 1):
                if name is None or night > nights.stop - 1:
                    continue
                folder = root / service / ("b2" if night == 5 else "b1") / host
                incidents += night in nights
                if night in nights or name.startswith("grown"):
                    _put(folder, f"202611{night:02}-020000", name, is_whole=night not in nights)
    return incidents


def _put(folder: Path, time: str, name: str, *, is_whole: bool) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    if name == "page":
        (folder / f"{time}.hprof").write_text(
            "<!DOCTYPE html>\n<html><body><h1>502 Bad Gateway</h1></body></html>\n"
        )
        name = RESTS
    how, _, series = name.rpartition(" ")
    packed = FIXTURES / series / "series.tar.gz"
    if not how:
        # The same bytes on the same host would be the same incident, wherever they lie.
        (folder / f"{time}.tar.gz").write_bytes(
            gzip.compress(gzip.decompress(packed.read_bytes()), 1, mtime=int(time[:8]))
        )
        return
    with tarfile.open(packed) as archive:
        members = sorted((one for one in archive.getmembers() if one.isfile()), key=lambda one: one.name)
        for member in members if is_whole else members[:1]:
            content = archive.extractfile(member)
            assert content is not None
            path = folder / time / Path(member.name).name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content.read())
