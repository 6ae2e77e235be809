"""A fleet run from its options to its report."""

from __future__ import annotations

import contextlib
import itertools
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from pyspark import SparkContext

from mqdiag import __version__
from mqdiag.baseline import Baseline
from mqdiag.config import Settings
from mqdiag.diagnose.judge import Diagnosis
from mqdiag.errors import UsageError
from mqdiag.facts import Input
from mqdiag.facts.fleet import FleetFacts, FleetTiming, FleetTotals
from mqdiag.findings import Report
from mqdiag.fleet.analysis.comparison_tables import write_comparisons
from mqdiag.fleet.analysis.database import comparisons
from mqdiag.fleet.analysis.gather import fleet_facts
from mqdiag.fleet.analysis.picture import Picture
from mqdiag.fleet.analysis.services import each_service
from mqdiag.fleet.dry import fleet_plan
from mqdiag.fleet.files.labels import Template
from mqdiag.fleet.files.listing import Identity, Listing
from mqdiag.fleet.files.storage import storage
from mqdiag.fleet.options import FleetOptions
from mqdiag.fleet.session import cores_of_executor, lost_executors, spark_context
from mqdiag.fleet.status import Status
from mqdiag.fleet.stoppable import stoppable
from mqdiag.fleet.tables.commit import (
    clean_up,
    publish,
    remove_unmarked,
    whole_or_nothing,
    write_run,
    write_tables,
)
from mqdiag.fleet.tables.compact import compact
from mqdiag.fleet.tables.earlier import rows_taken_over, update_history
from mqdiag.fleet.tables.layout import Layout, RunMark, check_run_name
from mqdiag.fleet.tables.lock import output_lock
from mqdiag.fleet.tables.run_totals import with_trend
from mqdiag.fleet.tables.schemas import SCHEMA_VERSION
from mqdiag.fleet.verdict import fleet_verdict, nothing_read, service_verdict
from mqdiag.fleet.work.item import Job
from mqdiag.fleet.work.kept_facts import reading_hash
from mqdiag.fleet.work.plan import plan, settings_hash
from mqdiag.fleet.work.task import limits_text
from mqdiag.fleet.work.warm_nodes import warm_nodes
from mqdiag.fleet.work.waves import run_waves
from mqdiag.fleet.work.worklist import WorkList
from mqdiag.progress import Progress
from mqdiag.text import Text, say


def listing_of(options: FleetOptions, layout: Layout, only: Mapping[str, Identity] | None = None) -> Listing:
    """The evidence of a run.

    Args:
        options: the run.
        layout: its output, which is no evidence.
        only: the files to take; see Listing.

    Raises:
        UsageError: a template that cannot be.
    """
    templates = tuple(map(Template, options.templates))
    return Listing(options.paths, templates, leave_out=(layout.uri,), since_ns=options.since_ns, only=only)


def run_fleet(
    options: FleetOptions,
    settings: Settings,
    progress: Progress,
    *,
    dry_run: bool = False,
    only: Mapping[str, Identity] | None = None,
    guard: Callable[[], AbstractContextManager[object]] = stoppable,
    on_service: Callable[[Report], None] | None = None,
) -> Diagnosis:
    """Analyse what is new under the paths, write the tables, compare the instances.

    Args:
        options: the run.
        settings: expectations and thresholds, for incidents and for the fleet.
        progress: who listens.
        dry_run: plan, and leave the output as it is.
        only: the files to take; see Listing.
        guard: hears the signals while the run is at work.
        on_service: takes the report of each service, one after the other; None where nobody reads them.

    Raises:
        UsageError: options that cannot be.
        MqdiagError: Spark does not start, gave up or ended, or the tables cannot be read or compared.
        StoppedError: the process was told to end.
    """
    if options.run is not None:
        check_run_name(options.run)
    layout = Layout(*storage(options.out))
    listing = listing_of(options, layout, only)
    with guard(), contextlib.nullcontext() if dry_run else output_lock(layout):
        run = _run_name(options, layout)
        started = time.monotonic()
        progress.phase(say("starting Spark"))
        with spark_context(options) as context:
            fleet = _FleetRun(context, layout, run, options, settings, progress)
            return fleet.dry(listing) if dry_run else fleet.whole(listing, started, on_service)


def _run_name(options: FleetOptions, layout: Layout) -> str:
    if options.run is None:
        return layout.new_name("r")
    if options.run in layout.names():
        raise UsageError(say("--run {run}: there is such a run already", run=options.run))
    return options.run


@dataclass(frozen=True)
class _FleetRun:
    """One run, with what its steps share."""

    _context: SparkContext
    _layout: Layout
    _run: str
    _options: FleetOptions
    _settings: Settings
    _progress: Progress

    @property
    def _hash(self) -> str:
        return settings_hash(self._settings, redact=self._options.redact)

    def dry(self, listing: Listing) -> Diagnosis:
        """What would be done."""
        with self._planned(listing) as work:
            plan = fleet_plan(self._context, work, self._layout, listing)
        facts = FleetFacts(run=self._run, out=self._options.out, plan=plan)
        return fleet_verdict(facts, self._inputs(listing, lost=None), (), self._settings)

    def whole(self, listing: Listing, started: float, on_service: Callable[[Report], None] | None) -> Diagnosis:
        """All of it.

        Args:
            listing: the evidence.
            started: when Spark was begun to be started, by the monotonic clock.
            on_service: see `run_fleet`.
        """
        began = datetime.now(UTC)
        marks = self._layout.runs()
        against = self._against(marks)
        remove_unmarked(self._layout)
        if self._layout.is_without_days():
            self._progress.phase(say("moving the tables of earlier runs into folders of days"))
            compact(self._layout)
        self._progress.phase(say("starting workers, compiling kernels where they are not"))
        warm_nodes(self._context, self._layout.uri, self._options.scratch, self._options.limits)
        clock = [started, time.monotonic()]
        with self._planned(listing) as work:
            count, size = work.size()
            clock.append(time.monotonic())
            status = Status(self._context, self._progress, count, size)
            if count:
                run_waves(self._context, work.items(), self._job(), status, count)
            clock.append(time.monotonic())
            self._progress.phase(say("writing tables"))
            with whole_or_nothing(self._layout):
                known = rows_taken_over(self._layout, work.known_runs(), work.taken_from)
                write_tables(self._context, self._layout, self._run, work.in_order(), known)
                publish(self._layout, self._run)
                update_history(self._layout, self._run, marks)
                with comparisons() as base:
                    totals = msgspec.structs.replace(
                        Picture(base, self._layout, self._run).totals(listing.left_out),
                        tried_again=status.tried_again,
                        lost_executors=lost_executors(self._context),
                    )
                self._mark(began, marks[-1].order + 1 if marks else 1, totals)
            clean_up(self._layout, self._run)
        clock.append(time.monotonic())
        self._progress.phase(say("comparing instances"))
        with comparisons() as base:
            now = Picture(base, self._layout, self._run)
            before = None if against is None else Picture(base, self._layout, against.run)
            facts, findings, lowered = fleet_facts(
                now, before, totals, self._options.out, self._settings, listing.doubts
            )
            write_comparisons(now, self._layout)
            facts = with_trend(self._layout, marks, facts, datetime.now(UTC))
            clock.append(time.monotonic())
            facts = msgspec.structs.replace(facts, timing=_timing(clock))
            if on_service is not None:
                self._progress.phase(say("writing the reports of the services"))
                for one in each_service(now, facts):
                    on_service(service_verdict(facts, one, self._settings))
        is_lost = bool(totals.incidents) and totals.failed == totals.incidents
        lost = nothing_read(facts.failures) if is_lost else None
        return fleet_verdict(facts, self._inputs(listing, lost=lost), findings, self._settings, lowered)

    @contextlib.contextmanager
    def _planned(self, listing: Listing) -> Iterator[WorkList]:
        """What is to be done, for as long as it is needed."""
        with (
            tempfile.TemporaryDirectory(prefix="mqdiag-fleet-") as folder,
            contextlib.closing(WorkList(Path(folder))) as work,
        ):
            self._progress.phase(say("separating new files from known ones"))
            plan(
                self._context,
                self._layout,
                listing,
                work,
                window_s=self._options.window_s,
                settings=self._hash,
                limits=limits_text(self._options.limits),
                again=self._options.again,
            )
            if self._options.limit is not None:
                work.keep_largest(self._options.limit)
            yield work

    def _job(self) -> Job:
        # Findings are accepted for the fleet's report; the tables tell what is there.
        plain = msgspec.structs.replace(self._settings, baseline=Baseline(), lapsed=())
        return Job(
            out=self._layout.uri,
            run=self._run,
            settings=plain,
            settings_hash=self._hash,
            limits=self._options.limits,
            scratch=self._options.scratch,
            redact=self._options.redact,
            reading=reading_hash(self._settings, redact=self._options.redact),
            again=self._options.again,
            cores=cores_of_executor(self._context),
        )

    def _against(self, marks: list[RunMark]) -> RunMark | None:
        wanted = self._options.against
        if wanted is None:
            return marks[-1] if marks else None
        for mark in marks:
            if mark.run == wanted:
                return mark
        if not marks:
            raise UsageError(say("--against {wanted}: no such run; there are no runs yet", wanted=wanted))
        latest = tuple(mark.run for mark in marks[-5:])
        raise UsageError(
            say("--against {wanted}: no such run; the latest are {runs}", wanted=wanted, runs=latest)
        )

    def _mark(self, began: datetime, order: int, totals: FleetTotals) -> None:
        mark = RunMark(
            run=self._run,
            order=order,
            mqdiag=__version__,
            schema_version=SCHEMA_VERSION,
            started_at=began.replace(microsecond=0),
            finished_at=datetime.now(UTC).replace(microsecond=0),
            incidents=totals.incidents,
            analysed=totals.analysed,
            failed=totals.failed,
            bytes=totals.bytes,
            tried_again=totals.tried_again,
            lost_executors=totals.lost_executors,
        )
        write_run(self._layout, mark)
        self._layout.mark(mark)

    def _inputs(self, listing: Listing, *, lost: Text | None) -> tuple[Input, ...]:
        """The paths as they were given, and why nothing was read of any; files stand in the tables."""
        return tuple(
            Input(
                path=path,
                complete=path not in listing.errors and lost is None,
                error=listing.errors.get(path, lost),
            )
            for path in listing.given
        )


def _timing(clock: list[float]) -> FleetTiming:
    """The seconds of each phase, from the moments at which they began and the last one ended."""
    start_s, plan_s, work_s, tables_s, fleet_s = (
        round(end - start, 3) for start, end in itertools.pairwise(clock)
    )
    return FleetTiming(start_s=start_s, plan_s=plan_s, work_s=work_s, tables_s=tables_s, fleet_s=fleet_s)
