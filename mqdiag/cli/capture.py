"""`mqdiag capture`: evidence from a running JVM."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.failures import complain
from mqdiag.errors import EXIT_CLEAN, EXIT_INPUT, UsageError
from mqdiag.text import say

if TYPE_CHECKING:
    from mqdiag.capture.heap_dump import HeapPlan
    from mqdiag.capture.target import Target

EXAMPLES = """\b
Examples:
  mqdiag capture
      the JVMs that run here, and what they seem to be
  mqdiag capture 4711
  mqdiag capture 4711 --heap -o incident
  mqdiag diagnose incident
  mqdiag capture 1 --console-log /var/log/app/console.log
      in a container without a JDK
"""


@commands.command(
    "capture", short_help="Take thread dumps, logs and a heap dump of a running JVM.", epilog=EXAMPLES
)
@click.argument("pid", type=click.IntRange(min=1), required=False)
@commands.option(
    "-n", "--samples", type=click.IntRange(1, 1000), default=5, show_default=True, help="Thread dumps."
)
@commands.option(
    "-i",
    "--interval",
    type=click.FloatRange(0.1, 3600),
    default=3.0,
    show_default=True,
    metavar="SECONDS",
    help="Time from one thread dump to the next.",
)
@commands.option(
    "--heap", is_flag=True, help="Take a heap dump too, which stops the JVM while it is written; asks first."
)
@commands.option(
    "--yes", is_flag=True, help="Take the heap dump without asking; needed where nobody can answer."
)
@commands.option(
    "--console-log",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Where the JVM's console goes: without jcmd and jstack, SIGQUIT makes it write its threads there.",
)
@commands.option(
    "--log-limit",
    type=click.IntRange(0, 1 << 20),
    default=64,
    show_default=True,
    metavar="MIB",
    help="Of each log only so much of its end is copied.",
)
@commands.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A new folder.  [default: mqdiag-HOST-PID-TIME]",
)
@commands.option("--debug", is_flag=True, help="Show the traceback of an internal fault.")
def command(
    pid: int | None,
    samples: int,
    interval: float,
    heap: bool,
    yes: bool,
    console_log: Path | None,
    log_limit: int,
    output: Path | None,
    debug: bool,
) -> int:
    """Take the evidence of the JVM with process id PID into one folder that `mqdiag diagnose` reads.

    Thread dumps are taken with jcmd or jstack of the JVM's own JDK, the ends of its logs are copied, and everything
    done is written to manifest.json. Nothing is changed in the process, no signal but SIGQUIT is sent, and a heap dump
    is only taken with --heap. Each step is told before it is taken; what was taken is kept when it is interrupted.

    Without PID the JVMs that run here are listed.
    """
    from mqdiag.capture.run import Wishes, capture

    if pid is None:
        return _list()
    if yes and not heap:
        raise UsageError(say("--yes goes with --heap only"))
    if heap and not yes and not _can_ask():
        raise UsageError(
            say("--heap asks before it stops the JVM, and nobody can answer here; give --heap --yes")
        )

    def agrees(target: Target, plan: HeapPlan) -> bool:
        _tell(
            f"a heap dump stops process {target.pid} for about {plan.seconds} s and needs about"
            f" {plan.bytes_needed >> 20:,} MiB at {plan.written_to}, where {plan.free_bytes >> 20:,} MiB are free"
        )
        return yes or click.confirm("Take it?", err=True)

    taken = capture(
        pid,
        Wishes(
            samples=samples,
            interval_seconds=interval,
            heap=heap,
            console=console_log,
            folder=output,
            most_log_bytes=log_limit << 20,
        ),
        _tell,
        agrees,
    )
    dump = "" if taken.heap is None else ", a heap dump"
    counts = f"{taken.samples} thread dump{'' if taken.samples == 1 else 's'}, {taken.logs} logs"
    _tell(f"{counts}{dump}; next: mqdiag diagnose {taken.folder}")
    click.echo(str(taken.folder))
    return EXIT_CLEAN


def _list() -> int:
    """The JVMs, one a line."""
    from mqdiag.capture.guess import guess
    from mqdiag.capture.target import running_jvms, shown_command
    from mqdiag.render.wording.safe import safe

    found = running_jvms()
    if not found:
        complain(say("no JVM runs here that this user may look at; name a PID to hear why not"))
        return EXIT_INPUT
    for target in found:
        line = " ".join(shown_command(target.command))
        click.echo(f"{target.pid:>8}  {safe(target.user):<12}  {guess(target):<20}  {safe(line, limit=200)}")
    return EXIT_CLEAN


def _can_ask() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _tell(message: str) -> None:
    from mqdiag.render.wording.safe import safe

    click.echo(safe(message, limit=None), err=True)
