"""`mqdiag show`: one object or one class of a dump."""

from __future__ import annotations

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.cache_options import CACHE, cache_bytes
from mqdiag.cli.common.completion import complete_files
from mqdiag.cli.common.given_file import given_file
from mqdiag.cli.common.language import reader_language
from mqdiag.cli.common.options import DEBUG_OPTION, SMALL_REPORT, CommonOptions, with_options
from mqdiag.cli.common.output import Target
from mqdiag.cli.common.progress import terminal_progress
from mqdiag.render import renderer


@commands.command("show", short_help="Look at one object or one class of a heap dump.")
@commands.argument("dump", shell_complete=complete_files)
@commands.argument("what", metavar="OBJECT_ID|CLASS")
@commands.option(
    "--limit",
    type=click.IntRange(0, 10_000),
    default=20,
    show_default=True,
    help="How many instances of a class to list.",
)
@commands.option("--subclasses", is_flag=True, help="Count instances of subclasses too.")
@with_options(SMALL_REPORT)
@commands.option("--redact", is_flag=True, help="Hide texts of strings and names of the application's threads.")
@DEBUG_OPTION
@with_options(CACHE)
def command(
    dump: str,
    what: str,
    limit: int,
    subclasses: bool,
    shape: str,
    output: str,
    no_color: bool,
    redact: bool,
    debug: bool,
    no_cache: bool,
    cache_size: str | None,
) -> int:
    """Look at one object or one class of DUMP, an .hprof or .hprof.gz file.

    OBJECT_ID is an id as mqdiag heap prints it (0xfe239090): its fields, elements or entries, what dominates it, the
    merged shortest paths to it from GC roots, and who refers to it.

    CLASS is a class name, or the end of one (ProcessQueue): its instances by retained size, and the merged shortest
    paths from GC roots to all of them.

    Strings are cut at 64 characters; contents of byte arrays are never shown.
    """
    from mqdiag.cli.common.session import view
    from mqdiag.cli.common.watchdog import watched

    target = Target(output, inputs=(dump,))
    options = CommonOptions(format=shape, output=output, no_color=no_color, debug=debug)
    kept = cache_bytes(no_cache, cache_size, dump)
    # Here, not above: these imports take numba and numpy with them.
    from mqdiag.diagnose.show import show_in_heap

    with (
        terminal_progress(reader_language()) as shown,
        watched(shown, (dump,)) as progress,
        given_file(dump) as path,
    ):
        report = show_in_heap(
            path, what, limit=limit, subclasses=subclasses, name=dump, progress=progress, cache_bytes=kept
        )
    if redact:
        from mqdiag.redact.report import redact_report

        report = redact_report(report)
    target.write(renderer(shape)(report, view(options, reader_language())))
    return 0
