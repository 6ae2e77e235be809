"""`mqdiag capture`: evidence from a running JVM."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.failures import complain
from mqdiag.cli.common.language import in_reader_language
from mqdiag.cli.common.options import MESSAGE_LANG_OPTION
from mqdiag.errors import EXIT_CLEAN, EXIT_INPUT, UsageError
from mqdiag.text import Text, say

if TYPE_CHECKING:
    from mqdiag.capture.heap_dump import HeapPlan
    from mqdiag.capture.run import CaptureResult
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
@commands.argument("pid", type=click.IntRange(min=1), required=False)
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
    help="The file of the JVM's console: without jcmd and jstack, SIGQUIT makes the JVM write its threads there.",
)
@commands.option(
    "--log-limit",
    type=click.IntRange(0, 1 << 20),
    default=64,
    show_default=True,
    metavar="MIB",
    help="How much of the end of each log to copy.",
)
@commands.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A new folder.  [default: mqdiag-HOST-PID-TIME]",
)
@MESSAGE_LANG_OPTION
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
    is only taken with --heap. Each step is announced first; an interrupted capture keeps what it has taken.

    Without PID the JVMs that run here are listed.
    """
    from mqdiag.capture.run import CaptureOptions, capture

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
            say(
                "a heap dump stops process {pid} for about {stop_s:seconds} and needs about {bytes_needed:bytes} at"
                " {path}, where {free_bytes:bytes} are free",
                pid=target.pid,
                stop_s=plan.seconds,
                bytes_needed=plan.bytes_needed,
                path=plan.written_to,
                free_bytes=plan.free_bytes,
            )
        )
        return yes or click.confirm(in_reader_language(say("Take it?")), err=True)

    taken = capture(
        pid,
        CaptureOptions(
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
    _tell(_summary(taken))
    click.echo(str(taken.folder))
    return EXIT_CLEAN


def _summary(taken: CaptureResult) -> Text:
    """What was taken, and what to do next."""
    counts: dict[str, int | str] = {"samples": taken.samples, "logs": taken.logs, "folder": str(taken.folder)}
    if taken.heap is None:
        return say(
            "{samples:count} {samples:thread dump|thread dumps}, {logs:count} {logs:log|logs}; next: mqdiag diagnose"
            " {folder}",
            **counts,
        )
    return say(
        "{samples:count} {samples:thread dump|thread dumps}, {logs:count} {logs:log|logs}, 1 heap dump; next: mqdiag"
        " diagnose {folder}",
        **counts,
    )


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
        what = in_reader_language(guess(target))
        click.echo(f"{target.pid:>8}  {safe(target.user):<12}  {what:<20}  {safe(line, limit=200)}")
    return EXIT_CLEAN


def _can_ask() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def _tell(text: Text) -> None:
    from mqdiag.render.wording.safe import safe

    click.echo(safe(in_reader_language(text), limit=None), err=True)
