"""The command line: each module of this package is a command, `common` is what they share.

To add a command, add a file with a click command named `command`; nothing is listed anywhere.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

import click

from mqdiag import __version__
from mqdiag.cli.common.failures import guarded
from mqdiag.cli.common.group import CommandFolder
from mqdiag.cli.common.language import language_of_arguments
from mqdiag.cli.common.progress import note
from mqdiag.progress import notes_heard_by

# "\b" keeps click from reflowing a paragraph.
EPILOG = """\b
Begin with one of these:
  mqdiag heap dump.hprof                a consumer ran out of memory
  mqdiag stacks jstack-*.txt            consumers stand still
  mqdiag logs broker.log store.log      a broker answers busy
  mqdiag FOLDER                         you have some of everything
  mqdiag PID                            a JVM that is in trouble now

\b
Exit codes:
  0  no finding at or above the severity of --fail-on (default: error)
  1  such a finding; with --fail-on error,undecided also where mqdiag could
     not decide between fault and healthy
  2  wrong usage or configuration
  3  no input could be read, or the report could not be written
  4  internal fault
"""


@click.group(
    cls=CommandFolder,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
)
@click.version_option(__version__, prog_name="mqdiag", message="%(prog)s %(version)s")
def mqdiag() -> None:
    """Name the cause when RocketMQ on the JVM runs out of memory, hangs or is busy.

    Everything is read offline, from files that you already have; nothing leaves this machine.
    """


def run(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    language = language_of_arguments(arguments)
    with notes_heard_by(functools.partial(note, language=language)):
        return guarded(
            lambda: mqdiag.main(list(arguments), prog_name="mqdiag", standalone_mode=False, obj=language),
            debug="--debug" in arguments,
            language=language,
        )


def main() -> None:
    """Entry point of the `mqdiag` command."""
    # numpy starts a thread for each core for an algebra that nothing here asks for.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    leave(run(sys.argv[1:]))


def leave(code: int) -> NoReturn:
    """End the process with an exit code.

    Python would take all modules apart first, a tenth of a short run, for a process that is over anyway. Only Spark
    has more to do: it stops its JVM then.
    """
    if "pyspark" in sys.modules:
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
    os._exit(code)
