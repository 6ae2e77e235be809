"""Watches a listing: each batch of complete files is one run, and what is new in it is told.

A run that is stopped in between continues at the next start, as content keys say what is done. What has been told is
written after it was told: a start after a kill tells at least what was missed, under the same keys.
"""

from __future__ import annotations

import contextlib
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import FrameType

import msgspec

from mqdiag.config import Settings
from mqdiag.errors import MqdiagError
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.job import listing_of, run_fleet
from mqdiag.fleet.options import FleetOptions
from mqdiag.fleet.tables.arrow import read_table
from mqdiag.fleet.tables.layout import Layout, RunMark
from mqdiag.fleet.tables.schemas import FINDINGS, INCIDENTS
from mqdiag.fleet.watching.actions import Send, print_line, tell, webhook
from mqdiag.fleet.watching.arrivals import STILL_S, Arrivals, has_end_record
from mqdiag.fleet.watching.faults import Row, Told, new_faults
from mqdiag.progress import Progress
from mqdiag.text import say

STEP_S = 0.5
"""between two looks at whether the process is told to end"""
STATE = "_actions/told.json"
"""what has been told, below the output"""


@dataclass(frozen=True, kw_only=True)
class WatchOptions:
    """How a fleet is watched."""

    interval_s: float = 30.0
    """between two listings"""
    once: bool = False
    """end after one batch, for cron"""
    webhook: str | None = None
    """URL that new findings are posted to"""


def watch(options: FleetOptions, settings: Settings, progress: Progress, how: WatchOptions) -> None:
    """Analyse what arrives until the process is told to end.

    SIGTERM or SIGINT lets the run that is at work finish; a second one stops it at once.

    Args:
        options: of each run.
        settings: of each run.
        progress: who listens.
        how: how often, and who is told.

    Raises:
        UsageError: options that cannot be.
        MqdiagError: Spark does not start, or gave up; with `once`, a webhook that does not answer too.
    """
    sends = [print_line] if how.webhook is None else [print_line, webhook(how.webhook)]
    layout = Layout(*storage(options.out))
    arrivals = Arrivals()
    analysed: set[object] = set()
    with _finishing() as ending:
        tell_runs(layout, sends)
        while True:
            complete = arrivals.complete(listing_of(options, layout), time.monotonic(), has_end_record)
            if how.once and not arrivals.all_complete(complete) and ending.sleep(STILL_S):
                complete = arrivals.complete(listing_of(options, layout), time.monotonic(), has_end_record)
            if analysed.issuperset(complete.items()):
                progress.phase(say("waiting for new files"))
            else:
                run_fleet(options, settings, progress, only=complete, guard=_unguarded)
                analysed = set(complete.items())
            try:
                tell_runs(layout, sends)
            except MqdiagError as error:
                if how.once:
                    raise
                progress.note(error.text)
            if how.once or not ending.sleep(how.interval_s):
                return


class _Ending:
    """Whether the process has been told to end."""

    def __init__(self) -> None:
        self.told = False

    def sleep(self, seconds: float) -> bool:
        """Wait; False when the process is to end."""
        until = time.monotonic() + seconds
        while not self.told and (left := until - time.monotonic()) > 0:
            time.sleep(min(STEP_S, left))
        return not self.told


@contextlib.contextmanager
def _finishing() -> Iterator[_Ending]:
    """Let SIGTERM and SIGINT end the process after the run that is at work."""
    ending = _Ending()

    def hear(number: int, frame: FrameType | None) -> None:
        if ending.told:
            raise KeyboardInterrupt
        ending.told = True

    before = {number: signal.signal(number, hear) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield ending
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _unguarded(progress: Progress) -> contextlib.AbstractContextManager[None]:
    """Signals are heard by the watch."""
    return contextlib.nullcontext()


def tell_runs(layout: Layout, sends: Sequence[Send]) -> None:
    """Tell what is new in the runs that have not been told.

    At the first start in an output that has runs already, their findings count as told.

    Raises:
        MqdiagError: a webhook did not take a finding; the next call tells its run again.
    """
    path = f"{layout.root}/{STATE}"
    is_first = layout.store.entry(path) is None
    told = Told() if is_first else msgspec.json.decode(layout.store.read(path), type=Told)
    for mark in layout.runs():
        if mark.order > told.run_order:
            new = new_faults(told, *_own_rows(layout, mark))
            if not is_first:
                tell(new, mark.run, sends)
            told.run_order = mark.order
            layout.store.write(path, msgspec.json.encode(told))
    if is_first:
        layout.store.write(path, msgspec.json.encode(told))


def _own_rows(layout: Layout, mark: RunMark) -> tuple[list[Row], list[Row]]:
    """Rows of `incidents` and `findings` of what a run analysed itself."""
    columns = (
        "incident",
        "environment",
        "service",
        "host",
        "window_start",
        "checked",
        "analysed_in",
        "analysed_at",
    )
    compactions = layout.compactions()
    own = [
        row
        for file in layout.files(INCIDENTS.name, {mark.run})
        for row in read_table(file.uri, INCIDENTS.name, columns).to_pylist()
        # After a compaction the partition no longer tells the run.
        if row["analysed_in"] == mark.run
        or (row["analysed_in"] in compactions and row["analysed_at"] >= mark.started_at)
    ]
    keys = {row["incident"] for row in own}
    wanted = [column.name for column in FINDINGS.columns]
    findings = [
        row
        for file in layout.files(FINDINGS.name, {row["analysed_in"] for row in own})
        for row in read_table(file.uri, FINDINGS.name, wanted).to_pylist()
        if row["incident"] in keys
    ]
    return own, findings
