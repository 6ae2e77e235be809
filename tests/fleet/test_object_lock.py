"""Two runs in one output of an object store: the second is refused."""

from __future__ import annotations

import time

import msgspec
import pytest

from mqdiag.errors import UsageError
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.tables import lock
from mqdiag.fleet.tables.layout import Layout
from mqdiag.fleet.tables.lock import NAME, BusyError, output_lock
from tests.waiting import wait_until

pytest.importorskip("fsspec")


@pytest.fixture
def layout(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Layout:
    monkeypatch.setattr(lock, "SETTLE_S", 0.0)
    return Layout(*storage(f"memory://{request.node.name}/out"))


def _beat_at(layout: Layout) -> float:
    told: float = msgspec.json.decode(layout.store.read(f"{layout.root}/{NAME}"))["beat_at"]
    return told


def _is_there(layout: Layout) -> bool:
    return layout.store.entry(f"{layout.root}/{NAME}") is not None


def test_one_run_at_a_time_in_an_object_store(layout: Layout, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "BEAT_S", 0.01)
    with output_lock(layout):
        with pytest.raises(BusyError, match="another run is at work there"), output_lock(layout):
            pass
        first = _beat_at(layout)
        wait_until(lambda: _beat_at(layout) > first, "the next beat")
    assert not _is_there(layout)
    with output_lock(layout):
        pass


def test_a_killed_run_holds_an_output_for_minutes_alone(layout: Layout) -> None:
    def left(age_s: float) -> None:
        held = {"token": "x", "by": "h/1", "beat_at": time.time() - age_s}
        layout.store.write(f"{layout.root}/{NAME}", msgspec.json.encode(held))

    left(lock.STALE_S - 100)
    with pytest.raises(UsageError, match="h/1"), output_lock(layout):
        pass
    left(lock.STALE_S + 100)
    with output_lock(layout):
        pass
    layout.store.write(f"{layout.root}/{NAME}", b"{")
    with output_lock(layout):
        pass


def test_of_two_runs_that_begin_at_once_the_last_to_write_has_it(
    layout: Layout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(seconds: float) -> None:
        held = {"token": "other", "by": "h/2", "beat_at": time.time()}
        layout.store.write(f"{layout.root}/{NAME}", msgspec.json.encode(held))

    monkeypatch.setattr(lock.time, "sleep", other)
    with pytest.raises(BusyError, match="h/2"), output_lock(layout):
        pass
    assert _is_there(layout), "it is the other's"
