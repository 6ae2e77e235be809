"""`mqdiag capture`: evidence from a running JVM."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mqdiag.cli.common import commands
from mqdiag.cli.common.failures import complain
from mqdiag.cli.common.language import in_reader_language
from mqdiag.cli.common.options import DEBUG_OPTION, MESSAGE_LANG_OPTION
from mqdiag.errors import EXIT_CLEAN, EXIT_INPUT, UsageError
from mqdiag.text import Text, say

if TYPE_CHECKING:
    from mqdiag.capture.heap_dump import HeapPlan
    from mqdiag.capture.run import Agrees, CaptureOptions, CaptureResult

MOST_SAMPLES = 1000


@commands.command("capture", short_help="Take thread dumps, logs and a heap dump of a running JVM.")
@commands.argument("pid", type=click.IntRange(min=1), required=False)
@commands.option(
    "--samples", type=click.IntRange(1, MOST_SAMPLES), default=5, show_default=True, help="Thread dumps."
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
    "--recording",
    metavar="TIME",
    help="Take a flight recording too: of 60s or 2m from now, or of what is recorded already with the word running.",
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
    "--watch",
    multiple=True,
    metavar="CONDITION",
    help="Take thread dumps until heap=80% of the heap is in use, a consume thread is stuck=60s at the same frames, or"
    " a log has a new line with log=TEXT; keep the last ones, then take the rest. Repeatable.",
)
@commands.option(
    "--kube",
    metavar="POD[/CONTAINER]",
    help="Take it in a pod, by kubectl exec. Without PID, of its only JVM.",
)
@commands.option("--namespace", metavar="NAME", help="The namespace of the pod.")
@commands.option(
    "--ssh",
    metavar="HOST",
    help="Take it on another host, by ssh with a key or an agent. Without PID, of its only JVM.",
)
@commands.option(
    "-n",
    "short",
    metavar="VALUE",
    help="With --kube the same as --namespace, as in kubectl; else the same as --samples.",
)
@commands.option(
    "--script",
    is_flag=True,
    help="Take nothing, print a line of shell that takes thread dumps and CPU times on a host without mqdiag.",
)
@commands.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="A new folder.  [default: mqdiag-HOST-PID-TIME]",
)
@MESSAGE_LANG_OPTION
@DEBUG_OPTION
def command(
    pid: int | None,
    samples: int,
    interval: float,
    recording: str | None,
    heap: bool,
    yes: bool,
    console_log: Path | None,
    log_limit: int,
    watch: tuple[str, ...],
    kube: str | None,
    namespace: str | None,
    ssh: str | None,
    short: str | None,
    script: bool,
    output: Path | None,
    debug: bool,
) -> int:
    """Take the evidence of the JVM with process id PID into one folder that `mqdiag diagnose` reads.

    Thread dumps are taken with jcmd or jstack of the JVM's own JDK, the ends of its logs are copied, and everything
    done is written to manifest.json. Nothing is changed in the process, no signal but SIGQUIT is sent, a heap dump is
    only taken with --heap and a flight recording with --recording. Each step is announced first; an interrupted
    capture keeps what it has taken.

    Without PID the JVMs that run here are listed: their main class or jar, and what they seem to be. For the groups of
    a consumer, one thread dump is taken. --kube and --ssh take the same evidence on the other side.
    """
    from mqdiag.capture.recording import recording_plan
    from mqdiag.capture.run import CaptureOptions, capture

    plan_of_recording = None if recording is None else recording_plan(recording)
    if namespace is not None and kube is None:
        raise UsageError(say("--namespace goes with --kube only"))
    if short is not None and kube is not None:
        namespace = short
    elif short is not None:
        samples = _samples(short)
    if script:
        from mqdiag.capture.cpu_times import shell_loop

        click.echo(shell_loop(pid, samples, interval))
        return EXIT_CLEAN
    remote = kube is not None or ssh is not None
    if remote and console_log is not None:
        raise UsageError(
            say("--console-log names a file of this host; it goes neither with --kube nor with --ssh")
        )
    if pid is None and not remote:
        for option, given in (("--watch", watch), ("--recording", recording)):
            if given:
                raise UsageError(say("{option} needs the PID of a JVM", option=option))
        return _list()
    _check_somebody_agrees(heap=heap, yes=yes)

    def agrees(process: int, plan: HeapPlan) -> bool:
        tell(
            say(
                "a heap dump stops process {pid} for about {stop_s:seconds} and needs about {bytes_needed:bytes} at"
                " {path}, where {free_bytes:bytes} are free",
                plan,
                pid=process,
                stop_s=plan.seconds,
                path=plan.written_to,
            )
        )
        return yes or click.confirm(in_reader_language(say("Take it?")), err=True)

    options = CaptureOptions(
        samples=samples,
        interval_seconds=interval,
        recording=plan_of_recording,
        heap=heap,
        console=console_log,
        folder=output,
        most_log_bytes=log_limit << 20,
        watch=watch,
    )
    if remote:
        found = _remote(pid, kube, namespace, ssh, options, agrees)
        if found is None:
            return EXIT_INPUT
        taken = found
    else:
        assert pid is not None
        taken = capture(pid, options, tell, agrees)
    tell(_summary(taken))
    click.echo(str(taken.folder))
    return EXIT_CLEAN


def _summary(taken: CaptureResult) -> Text:
    """What was taken, and what to do next."""
    parts = [
        say("{samples:count} {samples:thread dump|thread dumps}", samples=taken.samples),
        say("{logs:count} {logs:log|logs}", logs=taken.logs),
    ]
    if taken.recording is not None:
        parts.append(say("1 flight recording"))
    if taken.heap is not None:
        parts.append(say("1 heap dump"))
    return say("{parts}; next: mqdiag diagnose {folder}", parts=tuple(parts), folder=str(taken.folder))


def _samples(short: str) -> int:
    if not short.isdecimal() or not 1 <= int(short) <= MOST_SAMPLES:
        raise UsageError(
            say(
                "-n {value} is not a number of thread dumps from 1 to {most}",
                value=repr(short),
                most=MOST_SAMPLES,
            )
        )
    return int(short)


def _remote(
    pid: int | None,
    kube: str | None,
    namespace: str | None,
    ssh: str | None,
    options: CaptureOptions,
    agrees: Agrees,
) -> CaptureResult | None:
    """Capture on the other side; None where several JVMs run there, which are listed."""
    from mqdiag.capture.remote.jvms import pick, remote_jvms
    from mqdiag.capture.remote.reach import Reach, host, pod
    from mqdiag.capture.remote.run import capture_remote

    if kube is not None and ssh is not None:
        raise UsageError(say("--kube and --ssh do not go together"))
    reach: Reach = pod(kube, namespace) if kube is not None else host(ssh or "")
    name, jvms = remote_jvms(reach)
    jvm = pick(reach, jvms, pid)
    if jvm is not None:
        return capture_remote(reach, name, jvm, options, tell, agrees)
    for one in jvms:
        click.echo(_line(one.pid, one.user, one.guess, one.command))
    complain(say("{name}: several JVMs run there; name the PID of one", name=reach.name))
    return None


def _line(pid: int, user: str, what: Text, command: tuple[str, ...]) -> str:
    """One JVM of a list."""
    from mqdiag.capture.target import shown_command
    from mqdiag.read.command_line import main_class
    from mqdiag.render.wording.safe import safe

    started = main_class(command) or " ".join(shown_command(command))
    return f"{pid:>8}  {safe(user):<12}  {safe(in_reader_language(what)):<28}  {safe(started, limit=200)}"


def _check_somebody_agrees(*, heap: bool, yes: bool) -> None:
    """Refuse a heap dump that nobody can agree to, and an agreement to none."""
    if yes and not heap:
        raise UsageError(say("--yes goes with --heap only"))
    if heap and not yes and not _can_ask():
        raise UsageError(
            say("--heap asks before it stops the JVM, and nobody can answer here; give --heap --yes")
        )


def _list() -> int:
    """The JVMs, one a line."""
    from mqdiag.capture.guess import guess_with_groups
    from mqdiag.capture.target import running_jvms

    found = running_jvms()
    if not found:
        complain(say("no JVM runs here that this user may look at; name a PID to hear why not"))
        return EXIT_INPUT
    for target in found:
        click.echo(_line(target.pid, target.user, guess_with_groups(target), target.command))
    return EXIT_CLEAN


def _can_ask() -> bool:
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def tell(text: Text) -> None:
    """Say what is done, on standard error."""
    from mqdiag.render.wording.safe import safe

    click.echo(safe(in_reader_language(text), limit=None), err=True)
