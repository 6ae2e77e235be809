"""`mqdiag fleet`: many incidents on Spark."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_files, complete_folders
from mqdiag.cli.common.durations import seconds
from mqdiag.cli.common.language import reader_language
from mqdiag.cli.common.options import GATE, HEAP, REPORT, CommonOptions, options_of
from mqdiag.cli.common.output import refuse_irreplaceable
from mqdiag.cli.common.progress import terminal_progress
from mqdiag.cli.common.session import diagnose, load_settings
from mqdiag.errors import MqdiagError, UsageError
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.config import Settings
    from mqdiag.diagnose.judge import Diagnosis
    from mqdiag.findings import Report
    from mqdiag.fleet.options import FleetOptions
    from mqdiag.progress import Progress


LEAST_MEMORY = 256 << 20


@commands.command(
    "fleet",
    short_help="Diagnose the dumps, stacks and logs of many services on Spark.",
)
@commands.argument("paths", nargs=-1, required=True, metavar="PATH...", shell_complete=complete_files)
@commands.option(
    "--out",
    required=True,
    metavar="DIR",
    shell_complete=complete_folders,
    help="Folder or URI for the tables; runs add to it.",
)
@commands.option("--master", metavar="URL", help="Spark master.  [default: local[*], or spark-submit's]")
@commands.option("--conf", multiple=True, metavar="KEY=VALUE", help="A setting of Spark. Repeatable.")
@commands.option(
    "--template",
    "templates",
    multiple=True,
    metavar="TEMPLATE",
    help="How paths below PATH name service, host, environment and time: {service}/{host}/{time}.hprof. Other names"
    " ({build}) are labels. Repeatable.",
)
@commands.option(
    "--since",
    metavar="TIME",
    help="Leave out files from before this time: 7d, 12h, 2026-11-01, 2026-11-01T08:00:00Z.",
)
@commands.option("--window", default="10m", show_default=True, help="Gap that ends an incident of one host.")
@commands.option("--run", metavar="NAME", help="Name of this run.  [default: r and the time]")
@commands.option("--against", metavar="RUN", help="Tell changes since this run.  [default: the latest]")
@commands.option(
    "--watch", is_flag=True, help="Analyse what arrives until SIGTERM; each new finding is a line of JSON."
)
@commands.option("--once", is_flag=True, help="As --watch, but end after one batch: for cron.")
@commands.option(
    "--interval", default="30s", show_default=True, help="With --watch: time between two listings."
)
@commands.option(
    "--batch",
    default="5m",
    show_default=True,
    help="With --watch: shortest time between two runs; what comes meanwhile is one batch.",
)
@commands.option(
    "--webhook",
    metavar="URL",
    help="With --watch or --once: post each new finding here, redacted, with retries.",
)
@commands.option(
    "--pages",
    metavar="DIR",
    shell_complete=complete_folders,
    help="Write index.html of all services, and a page for each service, into this folder.",
)
@commands.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@commands.option("--again", is_flag=True, help="Analyse what earlier runs have analysed too.")
@commands.option("--limit", type=click.IntRange(min=1), help="Analyse at most this many new incidents.")
@commands.option("--memory", default="4g", show_default=True, help="Memory of one analysing process.")
@commands.option("--time-limit", default="30m", show_default=True, help="Time for one incident.")
@commands.option(
    "--max-input", default="64g", show_default=True, help="Size of a file, inflated if it is gzip."
)
@commands.option(
    "--classes", default=200, show_default=True, type=click.IntRange(min=0), help="Classes of a dump kept."
)
@commands.option("--scratch", metavar="DIR", help="Where executors put fetched files.  [default: Spark's]")
@commands.option("--spark-log", metavar="FILE", help="Keep what Spark logs.")
@options_of(REPORT, GATE, HEAP)
def command(
    paths: tuple[str, ...],
    out: str,
    master: str | None,
    conf: tuple[str, ...],
    templates: tuple[str, ...],
    since: str | None,
    window: str,
    run: str | None,
    against: str | None,
    watch: bool,
    once: bool,
    interval: str,
    batch: str,
    webhook: str | None,
    pages: str | None,
    dry_run: bool,
    again: bool,
    limit: int | None,
    memory: str,
    time_limit: str,
    max_input: str,
    classes: int,
    scratch: str | None,
    spark_log: str | None,
    options: CommonOptions,
) -> int:
    """Diagnose all evidence under PATHs, incident by incident, and compare the instances of each group.

    PATH is a folder, a glob, a file or a manifest (CSV or Parquet with the columns path, service, host, environment,
    time); a local or mounted path, or a URI such as s3://bucket/dumps. Without a template the first folder below
    PATH is the service and the second the host. What an earlier run in DIR has done is not done again.
    """

    def fleet_options() -> FleetOptions:
        from mqdiag.config import parse_size
        from mqdiag.fleet.options import FleetOptions, Limits

        return FleetOptions(
            paths=paths,
            out=out,
            master=master,
            conf=dict(map(_setting, conf)),
            templates=templates,
            since_ns=None if since is None else _since(since),
            window_s=seconds("--window", window),
            run=run,
            against=against,
            limit=limit,
            again=again,
            scratch=scratch,
            spark_log=spark_log,
            limits=Limits(
                memory_bytes=_memory(memory),
                time_s=seconds("--time-limit", time_limit),
                input_bytes=parse_size(max_input),
                classes=classes,
            ),
            redact=options.redact,
        )

    # Errors that are told once the report is written, which matters more.
    late: list[MqdiagError] = []

    def work(settings: Settings, progress: Progress) -> Diagnosis:
        try:
            return one_run(settings, progress)
        except BrokenPipeError:
            raise
        except OSError as error:
            from mqdiag.fleet.faults import unreadable

            raise unreadable(error) from error

    def one_run(settings: Settings, progress: Progress) -> Diagnosis:
        given = fleet_options()
        with _needs_spark():
            # Here, not above: this import takes pyspark and pyarrow with it.
            from mqdiag.fleet.job import run_fleet
        if pages is None:
            return run_fleet(given, settings, progress, dry_run=dry_run)
        from mqdiag.cli.common.fleet_pages import FleetPages

        written = FleetPages(pages, options, settings)

        def write(page: Callable[[Report], None], report: Report) -> None:
            try:
                page(report)
            except MqdiagError as error:
                late.append(error)

        diagnosis = run_fleet(given, settings, progress, on_service=partial(write, written.write_service))
        write(written.write_fleet, diagnosis.report)
        return diagnosis

    _check_together(pages, webhook, run, dry_run=dry_run, watch=watch, once=once, again=again)
    _check_not_inputs(paths, pages, spark_log)
    if not watch and not once:
        return _raising(late, diagnose(options, work, paths=paths, is_watched=False))
    interval_s, every_s = seconds("--interval", interval), seconds("--batch", batch)

    def work_watching(settings: Settings, progress: Progress) -> Diagnosis | None:
        given = fleet_options()
        with _needs_spark():
            from mqdiag.fleet.watching.watch import WatchOptions
            from mqdiag.fleet.watching.watch import watch as watch_fleet
        how = WatchOptions(interval_s=interval_s, every_s=every_s, once=once, webhook=webhook)
        watched = watch_fleet(given, settings, progress, how)
        if watched.untold is not None:
            late.append(watched.untold)
        return watched.diagnosis

    if once:
        _check_lines_alone(options)
        return _raising(late, diagnose(options, work_watching, paths=paths, is_watched=False, on_stdout=False))
    _check_no_report(options)
    settings = load_settings(options)
    with terminal_progress(reader_language()) as progress:
        work_watching(settings, progress)
    return 0


def _check_together(
    pages: str | None,
    webhook: str | None,
    run: str | None,
    *,
    dry_run: bool,
    watch: bool,
    once: bool,
    again: bool,
) -> None:
    """Refuse options that do not go together."""
    if pages is not None and (dry_run or watch or once):
        raise UsageError(say("--pages does not go with --dry-run, --watch or --once"))
    if webhook is not None and not (watch or once):
        raise UsageError(say("--webhook goes with --watch or --once"))
    if once and dry_run:
        raise UsageError(say("--once reports what is new in a run: it does not take --dry-run"))
    if again and (watch or once):
        raise UsageError(say("--again analyses everything each time: it does not go with --watch or --once"))
    if watch and (dry_run or run is not None):
        raise UsageError(say("--watch makes several runs: it takes neither --dry-run nor --run"))


def _check_not_inputs(paths: tuple[str, ...], pages: str | None, spark_log: str | None) -> None:
    """Refuse to write over an input of the run, or over other evidence."""
    if pages is not None:
        from mqdiag.render.sections.fleet_lists import FLEET_PAGE, SERVICE_PAGES

        for page in (Path(pages, FLEET_PAGE), *Path(pages, SERVICE_PAGES).glob("*")):
            refuse_irreplaceable(page, "--pages", paths)
        if any(
            os.path.exists(path) and os.path.exists(pages) and os.path.samefile(path, pages) for path in paths
        ):
            # the next run would read the pages
            raise UsageError(
                say("--pages {folder}: is an input of this run; name another folder", folder=pages)
            )
    if spark_log is not None:
        refuse_irreplaceable(Path(spark_log), "--spark-log", paths, may_be_log=True)


OF_A_REPORT = (
    "format",
    "table",
    "output",
    "also",
    "open",
    "detail",
    "why",
    "width",
    "fail_on",
    "baseline",
    "write_baseline",
)
"""options that say nothing where no report is written"""


def _raising(late: list[MqdiagError], code: int) -> int:
    """The exit code of a run whose report is written, unless there is an error that was to wait for the report."""
    if late:
        raise late[0]
    return code


def _check_no_report(options: CommonOptions) -> None:
    """Refuse what `--watch` would not do: it writes no report."""
    usual = CommonOptions()
    given = tuple(
        f"--{name.replace('_', '-')}" for name in OF_A_REPORT if getattr(options, name) != getattr(usual, name)
    )
    if given:
        raise UsageError(
            say("--watch writes no report: it does not take {options}; --once does", options=given)
        )


def _check_lines_alone(options: CommonOptions) -> None:
    """Refuse what would stand among the lines of JSON on standard output."""
    if options.output == "-" and options.format is not None:
        raise UsageError(
            say("--once writes lines of JSON to standard output: --format goes with --output FILE")
        )
    if options.write_baseline == "-":
        raise UsageError(
            say("--once writes lines of JSON to standard output: name a file for --write-baseline")
        )


@contextmanager
def _needs_spark() -> Iterator[None]:
    """Say what to install where an import fails."""
    try:
        yield
    except ModuleNotFoundError as error:
        from mqdiag.extras import how_to_add

        raise UsageError(how_to_add("spark", (str(error.name),))) from error


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise UsageError(
            say("--conf {text} is not KEY=VALUE, such as spark.executor.memory=4g", text=repr(text))
        )
    return key, value


def _memory(text: str) -> int:
    from mqdiag.config import parse_size

    size = parse_size(text)
    if size < LEAST_MEMORY:
        raise UsageError(say("--memory {text}: an analysing process needs 256m at least", text=text))
    return size


def _since(text: str) -> int:
    """Nanoseconds since 1970 of a time, or of so long before now."""
    from mqdiag.fleet.files.labels import parse_time

    moment = parse_time(text)
    return (
        moment
        if moment is not None
        else time.time_ns() - int(seconds("--since", text, "7d, 12h or 2026-11-01") * 1e9)
    )
