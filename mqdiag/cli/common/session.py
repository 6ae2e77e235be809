"""One diagnosing command from its options to its exit code."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from mqdiag.cli.common.cache_options import cache_bytes
from mqdiag.cli.common.failures import complain
from mqdiag.cli.common.language import language_of_run, reader_language
from mqdiag.cli.common.options import CommonOptions
from mqdiag.cli.common.output import Target
from mqdiag.cli.common.progress import terminal_progress
from mqdiag.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_INPUT, EXIT_INTERNAL, NO_NAME, UsageError
from mqdiag.fail_on import FailOn
from mqdiag.render import TABLES, UNWRAPPED, View, renderer
from mqdiag.text import NOTHING, say

if TYPE_CHECKING:
    from mqdiag.config import ConfigFile, Settings
    from mqdiag.diagnose.judge import Diagnosis
    from mqdiag.findings import Report, RuleCard
    from mqdiag.knowledge.team import Team
    from mqdiag.progress import Progress
    from mqdiag.render import View

USUAL_SCREEN_WIDTH = 80
_MOST_COMPLAINTS = 12
"""lines about inputs that could not be read"""
WIDEST = 120  # longer lines are hard to read, however wide the terminal


def load_settings(options: CommonOptions) -> Settings:
    """The configuration file with the options put over it, both checked."""
    from mqdiag.baseline import read_baseline
    from mqdiag.config import resolve

    if options.table is not None and options.format_name != "csv":
        raise UsageError(say("--table {table} goes with --format csv only", table=options.table))
    if options.baseline == "":
        raise UsageError(say("--baseline '' is not a file name"))
    config, source, cards = configuration(options.config)
    return resolve(
        config,
        source,
        cards,
        expect=options.expect,
        fail_on=options.fail_on,
        heap_limit=options.heap_limit,
        cache_bytes=cache_bytes(options.no_cache, options.cache_size),
        baseline=None if options.baseline is None else read_baseline(Path(options.baseline)),
        team=team_of(options.knowledge, config, source, was_found=options.config is None),
    )


def team_of(named: tuple[str, ...], config: ConfigFile, source: str, *, was_found: bool) -> Team | None:
    """What a team knows of its own software, in use from now on; None where no folder is named.

    Args:
        named: folders that the user names.
        config: names further ones.
        source: the path of the configuration.
        was_found: the user did not name the configuration.

    Raises:
        UsageError: a folder cannot be read, or a file is wrong.
    """
    if not named and not config.knowledge.folders:
        if (known := sys.modules.get("mqdiag.knowledge.team")) is not None:
            known.Team().use()  # a program that runs several commands, the one before with a team
        return None
    from mqdiag.cli.common.team import read_folders

    return read_folders(named, config.knowledge.folders, os.path.dirname(source), was_found=was_found)


def configuration(given: Path | None) -> tuple[ConfigFile, str, dict[str, RuleCard]]:
    """(the decoded file, its path, the cards of the rules), as `resolve` takes them.

    Args:
        given: the file that the user names; None for the nearest `mqdiag.toml`, if there is one.

    Raises:
        UsageError: it cannot be read, or is wrong.
    """
    from mqdiag.config import ConfigFile, find_config, read_config

    path = given or find_config(Path.cwd())
    config = ConfigFile()
    if given is not None:
        config = read_config(given)
    elif path is not None:
        from mqdiag.trusted import Untrusted

        try:
            config = read_config(path, was_found=True)
        except Untrusted as error:
            line = say(
                "{path} is not used: {reason}; name it with --config if it is yours",
                path=str(path),
                reason=error.reason,
            )
            complain(line)
    return config, str(path), _rule_cards() if config.rules else {}


def _rule_cards() -> dict[str, RuleCard]:
    """The cards of all rules, read before the evidence is read only where a file sets something of theirs."""
    from mqdiag.rules.catalogue import rule_files

    return {rule.name: rule.card for rule in rule_files()}


def diagnose(
    options: CommonOptions,
    work: Callable[[Settings, Progress], Diagnosis | None],
    *,
    paths: tuple[str, ...],
    is_watched: bool = True,
    all_threads: bool = False,
    on_stdout: bool = True,
) -> int:
    """Check the options, do the work, write the report, and tell the exit code.

    Args:
        options: the common options.
        work: reads the evidence and makes the report; None where there was nothing to do.
        paths: the evidence as it was named.
        is_watched: whether the run has a budget; False where its processes have their own.
        all_threads: show every thread, not only those that matter.
        on_stdout: whether the report may go to standard output; False where the work writes there itself.
    """
    from mqdiag.cli.common.run_command import run_command
    from mqdiag.cli.common.watchdog import watched

    settings = load_settings(options)
    read, kept = _read_and_kept(options, paths)
    target = Target(options.output, inputs=read)
    options.check_ending()
    also: list[tuple[str, Target]] = []
    if options.also:
        from mqdiag.cli.common.also import also_targets

        also = also_targets(options, read)
    language = language_of_run(options.lang, _written(options, also))
    with (
        _debug_log(options.debug),
        terminal_progress(reader_language()) as drawn,
        _measured(drawn, options.debug) as shown,
        watched(shown, paths if is_watched else ()) as progress,
    ):
        diagnosis = work(settings, progress)
    if diagnosis is None:
        return EXIT_CLEAN
    report = _redacted(diagnosis.report) if options.redact else diagnosis.report
    # A person gets the one line about an unreadable input and no empty report; a program always gets its JSON.
    viewed = msgspec.structs.replace(
        view(options, language, all_threads=all_threads, fail_on=settings.fail_on),
        command=run_command(redact=options.redact),
    )
    is_shown = options.format_name != "text" or report.failed or not _nothing_read(report)
    if is_shown and (on_stdout or options.output != "-"):
        target.write(renderer(options.format_name)(report, viewed))
    _write_also(options, report, viewed, also)
    if kept is not None and not _nothing_read(report):
        kept.write(_baseline(report))
    _complain_of_inputs(report)
    if options.output != "-" and is_shown:
        from mqdiag.render.wording.totals import one_line

        complain(one_line(report, options.output))
    _complain_of_rules(diagnosis, debug=options.debug)
    if options.config is None:
        _complain_of_found_file(report, settings)
    return exit_code(report, settings.fail_on)


def _read_and_kept(options: CommonOptions, paths: tuple[str, ...]) -> tuple[tuple[str, ...], Target | None]:
    """All files that are read, which no output may replace; where the new baseline goes."""
    read = paths if options.config is None else (*paths, str(options.config))
    # It may replace the baseline that is read: the new one keeps the reasons of the old one.
    kept = None if options.write_baseline is None else Target(options.write_baseline, "--write-baseline", read)
    return read if options.baseline is None else (*read, options.baseline), kept


def _write_also(options: CommonOptions, report: Report, viewed: View, also: list[tuple[str, Target]]) -> None:
    """Write the report in further formats, and open its page."""
    plain = msgspec.structs.replace(viewed, width=_width(options, on_screen=False), colour=False)
    for name, other in also:
        other.write(renderer(name)(report, plain))
    if options.open and not _nothing_read(report):
        from mqdiag.cli.common.browser import new_page, open_in_browser, written_page

        open_in_browser(written_page(options, also) or new_page(lambda: renderer("html")(report, plain)))


def _complain_of_rules(diagnosis: Diagnosis, *, debug: bool) -> None:
    for failed in diagnosis.report.failed:
        line = say("rule {rule} failed: {error}", failed)
        # Where a fault happened in another process there is nothing more to show.
        more = diagnosis.crashes and not debug
        complain(say("{line}; --debug shows where", line=line) if more else line)
    if debug and diagnosis.crashes:
        import traceback

        for crash in diagnosis.crashes:
            traceback.print_exception(crash, file=sys.stderr)


def _complain_of_found_file(report: Report, settings: Settings) -> None:
    """Say that a configuration, which the user did not name, lets a run pass that would fail without it."""
    if settings.fail_on_by is None or settings.fail_on.fails(report) or not FailOn().fails(report):
        return
    line = say("the run found an error and does not fail: {path} sets fail-on", path=settings.fail_on_by)
    complain(line)


def _complain_of_inputs(report: Report) -> None:
    """A line for each input that could not be read, or for the first ones of very many."""
    failed = [given for given in report.inputs if given.error is not None]
    for given in failed[:_MOST_COMPLAINTS]:
        complain(say("{path}: {error}", path=given.path or NO_NAME, error=given.error or NOTHING))
    if (hidden := len(failed) - _MOST_COMPLAINTS) > 0:
        line = say(
            "{hidden:count} more {hidden:file|files} could not be read; the report lists them", hidden=hidden
        )
        complain(line)


@contextmanager
def _measured(progress: Progress, wanted: bool) -> Iterator[Progress]:
    """Progress that tells developers what each phase costs, if they want to know."""
    if not wanted:
        yield progress
        return
    from mqdiag.cli.common.phase_costs import phase_costs

    with phase_costs(progress) as measured:
        yield measured


@contextmanager
def _debug_log(wanted: bool) -> Iterator[None]:
    """Write what mqdiag logs for developers to standard error: how each thread was judged, what phases cost."""
    if not wanted:
        yield
        return
    import logging

    log = logging.getLogger("mqdiag")
    handler = logging.StreamHandler(sys.stderr)
    log.addHandler(handler)
    log.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.setLevel(logging.NOTSET)


def _redacted(report: Report) -> Report:
    from mqdiag.redact.report import redact_report

    return redact_report(report)


def _baseline(report: Report) -> str:
    from mqdiag.cli.common.write_baseline import baseline_text

    return baseline_text(report)


def _written(options: CommonOptions, also: list[tuple[str, Target]]) -> set[str]:
    """All formats that the run writes; a baseline is read by the next run."""
    baseline = set() if options.write_baseline is None else {"baseline"}
    opened = {"html"} if options.open else set()
    return {options.format_name, *(name for name, _ in also)} | baseline | opened


def view(
    options: CommonOptions, language: str, *, all_threads: bool = False, fail_on: FailOn | None = None
) -> View:
    """How wide and colourful the report may be where it goes, and what of it fails the run."""
    on_screen = options.output == "-" and sys.stdout is not None and sys.stdout.isatty()
    plain = options.no_color or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return View(
        language=language,
        width=_width(options, on_screen=on_screen),
        colour=on_screen and not plain,
        all_threads=all_threads,
        fail_on=fail_on or FailOn(),
        table=options.table or TABLES[0],
        detail=options.detail,
        why=options.why,
    )


def _width(options: CommonOptions, *, on_screen: bool) -> int:
    """As asked for by --width or COLUMNS; lines in a pipe or a file are not broken otherwise."""
    if options.width:
        return options.width
    if on_screen:
        import shutil  # takes the modules of archives along

        return min(shutil.get_terminal_size((USUAL_SCREEN_WIDTH, 24)).columns, WIDEST)
    columns = os.environ.get("COLUMNS", "")
    asked = int(columns) if columns.isascii() and columns.isdigit() and len(columns) < 5 else 0
    return asked or UNWRAPPED


def exit_code(report: Report, fail_on: FailOn) -> int:
    """The contract's code: a fault of ours goes before unreadable input, that before findings."""
    if report.failed:
        return EXIT_INTERNAL
    if _nothing_read(report):
        return EXIT_INPUT
    return EXIT_FINDINGS if fail_on.fails(report) else EXIT_CLEAN


def _nothing_read(report: Report) -> bool:
    return not any(given.was_read for given in report.inputs)
