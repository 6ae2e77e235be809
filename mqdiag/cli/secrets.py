"""`mqdiag secrets`: what a dump would tell a stranger."""

from __future__ import annotations

from mqdiag.cli.common import commands
from mqdiag.cli.common.cache_options import CACHE, cache_bytes
from mqdiag.cli.common.completion import complete_files
from mqdiag.cli.common.given_file import given_file
from mqdiag.cli.common.language import reader_language
from mqdiag.cli.common.options import (
    DEBUG_OPTION,
    MESSAGE_LANG_OPTION,
    SMALL_REPORT,
    CommonOptions,
    with_options,
)
from mqdiag.cli.common.output import Target
from mqdiag.cli.common.progress import terminal_progress
from mqdiag.errors import EXIT_CLEAN, EXIT_FINDINGS, EXIT_INPUT
from mqdiag.render import renderer


@commands.command("secrets", short_help="Look for keys, passwords and card numbers in a heap dump.")
@commands.argument("dump", shell_complete=complete_files)
@commands.option("--max-inflated", metavar="SIZE", help="Maximum uncompressed size of a gzip dump, e.g. 64g.")
@with_options(SMALL_REPORT)
@MESSAGE_LANG_OPTION
@DEBUG_OPTION
@with_options(CACHE)
def command(
    dump: str,
    max_inflated: str | None,
    shape: str,
    output: str,
    no_color: bool,
    debug: bool,
    no_cache: bool,
    cache_size: str | None,
) -> int:
    """Look for secrets that DUMP, an .hprof or .hprof.gz file, would give away.

    Keys, tokens, passwords, JDBC URLs and card numbers are found by their form in all texts, message bodies included;
    other credentials and personal data by the name of the field that holds them. They are counted and located, and
    never printed. Exit code 1: something was found; 0: nothing; 3: the dump cannot be read, or the part that can be
    read holds nothing.
    """
    from mqdiag.cli.common.session import view
    from mqdiag.cli.common.watchdog import watched
    from mqdiag.config import parse_size
    from mqdiag.diagnose.secrets import secrets_in_heap

    target = Target(output, inputs=(dump,))
    options = CommonOptions(format=shape, output=output, no_color=no_color, debug=debug)
    kept = cache_bytes(no_cache, cache_size, dump)
    limit = None if max_inflated is None else parse_size(max_inflated)
    with (
        terminal_progress(reader_language()) as shown,
        watched(shown, (dump,)) as progress,
        given_file(dump) as path,
    ):
        report = secrets_in_heap(path, name=dump, progress=progress, max_inflated=limit, cache_bytes=kept)
    target.write(renderer(shape)(report, view(options, reader_language())))
    if report.secrets is not None and report.secrets.groups:
        return EXIT_FINDINGS
    # nothing in a part of a dump is no all-clear for the whole
    return EXIT_CLEAN if all(given.complete for given in report.inputs) else EXIT_INPUT
