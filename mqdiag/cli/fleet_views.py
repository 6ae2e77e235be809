"""`mqdiag fleet views`: the tables of a fleet as views for a query engine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.completion import complete_folders
from mqdiag.cli.common.options import MESSAGE_LANG_OPTION
from mqdiag.cli.common.output import Target

if TYPE_CHECKING:
    from mqdiag.fleet.views.script import Engine


@commands.command("fleet views", short_help="Print views on a fleet's tables as SQL.")
@commands.argument("out", metavar="DIR", shell_complete=complete_folders)
@commands.option(
    "--engine",
    type=click.Choice(("duckdb", "spark")),
    default="duckdb",
    show_default=True,
    help="The engine that the SQL is for.",
)
@MESSAGE_LANG_OPTION
@commands.option("--debug", is_flag=True, help="Show the traceback of an internal fault.")
def command(out: str, engine: Engine, debug: bool) -> int:
    """Print SQL that makes views on the tables in DIR, the --out of `mqdiag fleet`.

    current_state, open_findings, recovered, trend, drift and capacity say what the reports say, and since when a fault
    is there. The SQL has DIR as the engine will find it; nothing is read.
    """
    from mqdiag.fleet.views.script import views_script

    place = out if "://" in out else os.path.abspath(out)
    Target("-").write(views_script(place, engine))
    return 0
