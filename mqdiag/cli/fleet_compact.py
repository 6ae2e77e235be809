"""`mqdiag fleet compact`: fewer files and fewer runs in a fleet's output."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from typing import TYPE_CHECKING

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_folders
from mqdiag.cli.common.durations import seconds
from mqdiag.cli.common.language import in_reader_language
from mqdiag.cli.common.options import MESSAGE_LANG_OPTION
from mqdiag.errors import UsageError
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.fleet.tables.compact import Keep


@commands.command("fleet compact", short_help="Merge the files of a fleet's tables, and remove old runs.")
@commands.argument("out", metavar="DIR", shell_complete=complete_folders)
@commands.option(
    "--keep",
    metavar="DURATION|RUNS",
    help="Remove runs that ended longer ago, such as 90d or 12h, or all but the latest RUNS. The latest run always"
    " stays.  [default: keep all]",
)
@commands.option(
    "--daily",
    is_flag=True,
    help="Make the runs of each day one, the last of them: it takes over the incidents that only the others list. The"
    " day of the latest run stays as it is.",
)
@MESSAGE_LANG_OPTION
@commands.option("--debug", is_flag=True, help="Show the traceback of an internal fault.")
def command(out: str, keep: str | None, daily: bool, debug: bool) -> int:
    """Merge the tables of all runs in DIR, the --out of `mqdiag fleet`, into larger files.

    Rows that no run has any more are removed, and tables of earlier versions of mqdiag get their folders of days. You
    can stop it at any time.
    """
    try:
        from mqdiag.fleet.files.storage import storage
        from mqdiag.fleet.tables.compact import compact
        from mqdiag.fleet.tables.layout import Layout
        from mqdiag.fleet.tables.lock import output_lock
    except ModuleNotFoundError as error:
        from mqdiag.extras import how_to_add

        raise UsageError(how_to_add("spark", (str(error.name),))) from error

    kept = dataclasses.replace(_keep(keep), daily=daily)
    store, root = storage(out)
    if not store.is_folder(root):
        raise UsageError(say("{out}: no such folder", out=out))
    layout = Layout(store, root)
    with output_lock(layout):
        done = compact(layout, kept)
    click.echo(
        in_reader_language(
            say(
                "{kept:count} {kept:run|runs} kept, {removed:count} removed; {before:count} files with {size:bytes}"
                " became {after:count} with {less:bytes}",
                kept=done.runs_kept,
                removed=done.runs_removed,
                before=done.files_before,
                size=done.bytes_before,
                after=done.files_after,
                less=done.bytes_after,
            )
        )
    )
    return 0


def _keep(text: str | None) -> Keep:

    from mqdiag.fleet.tables.compact import EVERYTHING, Keep

    if text is None:
        return EVERYTHING
    if text.isascii() and text.isdigit():
        if not int(text):
            raise UsageError(say("--keep 0: the latest run always stays; write 1 or more"))
        return Keep(runs=int(text))
    return Keep(age=timedelta(seconds=seconds("--keep", text, "90d, 12h, or a number of runs")))
