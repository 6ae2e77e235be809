"""Watches a listing: each batch of complete files is one run, and what is new in it is told.

A run that is stopped in between continues at the next start, as content keys say what is done. What has been told is
written after it was told: a start after a kill tells at least what was missed, under the same keys.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec
import pyarrow as pa
import pyarrow.dataset as ds

from mqdiag.config import Settings
from mqdiag.diagnose.judge import Diagnosis
from mqdiag.errors import MqdiagError, UsageError
from mqdiag.fleet.faults import unreadable
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.job import listing_of, run_fleet
from mqdiag.fleet.options import FleetOptions
from mqdiag.fleet.stoppable import Ending, SparkEndedError, stoppable
from mqdiag.fleet.tables.layout import Layout, RunMark
from mqdiag.fleet.tables.lock import BusyError
from mqdiag.fleet.tables.schemas import FINDINGS, INCIDENTS
from mqdiag.fleet.watching.actions import Send, print_line, tell, webhook
from mqdiag.fleet.watching.arrivals import STILL_S, Arrivals, Batches, has_end_record
from mqdiag.fleet.watching.faults import ReportedFaults, Row, new_faults
from mqdiag.progress import Progress
from mqdiag.text import say

STATE = "_actions/told.json"
"""what has been told, below the output"""


@dataclass(frozen=True, kw_only=True)
class WatchOptions:
    """How a fleet is watched."""

    interval_s: float = 30.0
    """between two listings"""
    every_s: float = 300.0
    """between the beginnings of two runs, at least"""
    once: bool = False
    """end after one batch, for cron"""
    webhook: str | None = None
    """URL that new findings are posted to"""


@dataclass(frozen=True, kw_only=True)
class Watched:
    """How a watch has ended."""

    diagnosis: Diagnosis | None
    """diagnosis of the last run; None where no file was complete"""
    untold: MqdiagError | None
    """why some of what is new could not be told; the next start tells it"""


def watch(options: FleetOptions, settings: Settings, progress: Progress, how: WatchOptions) -> Watched:
    """Analyse what arrives until the process is told to end.

    SIGTERM or SIGINT lets the run that is at work finish; a second one stops it at once.

    Args:
        options: of each run.
        settings: of each run.
        progress: who listens.
        how: how often, and who is told.

    Raises:
        UsageError: options that cannot be; with `once`, an output that another run holds too.
        MqdiagError: Spark does not start, or gave up; with `once`, evidence that cannot be read too, or Spark ended.
        StoppedError: what was at work has been stopped.
    """
    sends = [print_line] if how.webhook is None else [print_line, webhook(how.webhook)]
    layout = Layout(*storage(options.out))
    arrivals, batches = Arrivals(), Batches(how.every_s)
    analysed: set[object] = set()
    diagnosis: Diagnosis | None = None
    untold: MqdiagError | None = None
    is_begun = False
    with stoppable(finishes=True) as ending:
        while True:
            with _again_later(progress, how, ending):
                if not is_begun:
                    # Before any run: at the first start in an output, what is there counts as told.
                    if layout.store.entry(f"{layout.root}/{STATE}") is None:
                        tell_runs(layout, ())
                    untold = _untold(layout, sends, progress, how)
                    is_begun = True
                listing = listing_of(options, layout)
                complete = arrivals.complete(listing, time.monotonic(), has_end_record)
                if how.once and not arrivals.all_complete(complete) and ending.sleep(STILL_S):
                    listing = listing_of(options, layout)
                    complete = arrivals.complete(listing, time.monotonic(), has_end_record)
                new = {uri: identity for uri, identity in complete.items() if (uri, identity) not in analysed}
                now_s = time.monotonic()
                if batches.is_due(new, now_s) or (new and how.once):
                    diagnosis = run_fleet(
                        options, settings, progress, only=complete, guard=contextlib.nullcontext
                    )
                    batches.begin(now_s)
                    analysed = set(complete.items())
                    _log_batch(progress, len(new), diagnosis)
                elif how.once:
                    for path, error in listing.errors.items():
                        progress.note(say("{path}: {error}", path=path, error=error))
                    progress.note(say("no file is complete: nothing was analysed, and no report is written"))
                else:
                    progress.phase(say("waiting for new files"))
                untold = _untold(layout, sends, progress, how)
            if how.once or not ending.sleep(how.interval_s):
                return Watched(diagnosis=diagnosis, untold=untold)


def _log_batch(progress: Progress, files: int, diagnosis: Diagnosis) -> None:
    fleet = diagnosis.report.fleet
    if fleet is not None:
        progress.note(
            say(
                "batch {run}: {files:count} new {files:file|files}, {analysed:count} {analysed:incident|incidents}"
                " analysed, {failed:count} failed",
                run=fleet.run,
                files=files,
                analysed=fleet.totals.analysed,
                failed=fleet.totals.failed,
            )
        )


@contextlib.contextmanager
def _again_later(progress: Progress, how: WatchOptions, ending: Ending) -> Iterator[None]:
    """Go on after what can be better at the next listing, with a line; with `once`, end with it."""
    try:
        yield
    except BrokenPipeError:
        raise  # nobody reads the lines any more
    except (BusyError, SparkEndedError, OSError) as error:
        found = unreadable(error) if isinstance(error, OSError) else error
        if how.once or ending.told:
            if found is error:
                raise
            raise found from error
        progress.note(say("{line}; mqdiag tries again after the next --interval", line=found.text))


def _untold(layout: Layout, sends: Sequence[Send], progress: Progress, how: WatchOptions) -> MqdiagError | None:
    """Tell what is new, and say why some of it could not be told: no reason to lose the report of a run."""
    try:
        tell_runs(layout, sends)
    except (UsageError, BrokenPipeError):
        raise
    except (MqdiagError, OSError) as error:
        found = unreadable(error) if isinstance(error, OSError) else error
        if not how.once:
            progress.note(say("{line}; mqdiag tries again after the next --interval", line=found.text))
        return found
    return None


def tell_runs(layout: Layout, sends: Sequence[Send]) -> None:
    """Tell what is new in the runs that have not been told.

    At the first start in an output that has runs already, their findings count as told.

    Raises:
        MqdiagError: a webhook did not take a finding; the next call tells its run again.
    """
    path = f"{layout.root}/{STATE}"
    is_first = layout.store.entry(path) is None
    told = ReportedFaults() if is_first else msgspec.json.decode(layout.store.read(path), type=ReportedFaults)
    for mark in layout.runs():
        if mark.order > told.run_order:
            new = new_faults(told, *_own_rows(layout, mark))
            if not is_first:
                tell(new, mark.run, sends)
            told.run_order = mark.order
            layout.store.write(path, msgspec.json.encode(told))
    if is_first:
        layout.store.write(path, msgspec.json.encode(told))


def _own_rows(layout: Layout, mark: RunMark) -> tuple[list[Row], Iterator[Row]]:
    """Rows of `incidents` and `findings` of what a run analysed itself.

    After a compaction the partition no longer tells the run, and clocks of executors can be wrong. Then the rows that
    the run took over come too; nothing in them is new, as the state has their faults already.
    """
    columns = [
        "incident",
        "environment",
        "service",
        "host",
        "replica",
        "window_start",
        "checked",
        "refutes",
        "analysed_in",
    ]
    is_own = ds.field("analysed_in").isin([mark.run, *layout.compactions()])
    own = layout.rows(INCIDENTS.name, {mark.run}).to_table(columns, filter=is_own).to_pylist()
    of_these = ds.field("incident").isin(pa.array((row["incident"] for row in own), pa.string()))
    findings = layout.rows(FINDINGS.name, {row["analysed_in"] for row in own})
    batches = findings.to_batches(filter=of_these)
    return own, (row for batch in batches for row in batch.to_pylist())
