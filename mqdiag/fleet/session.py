"""Spark, quietly."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from py4j.protocol import Py4JError, Py4JJavaError
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway

from mqdiag.errors import MqdiagError, UsageError, first_line
from mqdiag.fleet.options import FleetOptions
from mqdiag.fleet.stoppable import SparkEndedError
from mqdiag.fleet.work.task import ATTEMPTS, TASK_ITEMS
from mqdiag.text import NOTHING, Text, say

_LOG4J = """\
rootLogger.level = {level}
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{{yyyy-MM-dd'T'HH:mm:ss.SSS}} %p %c{{1}}: %m%n%ex
"""

QUICK_JVM = "-XX:TieredStopAtLevel=1"
"""the analysis is no work of the JVM's, whose own compiler would take cores from it"""
DEFAULTS = {
    # Spark puts these before spark.executor.extraJavaOptions, which stay the user's.
    "spark.executor.defaultJavaOptions": QUICK_JVM,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Each incident of a task may end its executor ATTEMPTS times; then one more attempt finishes the task.
    "spark.task.maxFailures": str(ATTEMPTS * TASK_ITEMS + 1),
    # Spark starts Python's workers with "-m": without it they import modules of the working folder, which may be the
    # folder of the evidence.
    "spark.executorEnv.PYTHONSAFEPATH": "1",
}
"""what `--conf` can put others in the place of"""

LOCAL_DEFAULTS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}
NOT_NEEDED = "killed by driver"
"""in what Spark says of an executor that dynamic allocation gave back"""
GATEWAY_MODULES = ("clientserver", "java_gateway")
"""modules of Py4J that log"""
HOOKS_S = 10.0
"""time in which a JVM that was told to end ends"""
ANSWER_S = 5.0
"""time in which a master must take a connection"""
UNDER_SUBMIT = "PYSPARK_GATEWAY_PORT"
"""set by spark-submit, which has started the JVM then and knows the master"""


@contextmanager
def spark_context(options: FleetOptions) -> Iterator[SparkContext]:
    """Start Spark, and stop it with everything that it started.

    What the JVM writes goes to a log file; of a start that fails the last lines are told.

    Raises:
        UsageError: there is no Java, or only Spark Connect.
        MqdiagError: Spark does not start, or no master answers.
        SparkEndedError: Spark ended before the block did.
    """
    submitted = UNDER_SUBMIT in os.environ
    _refuse_connect(options.master)
    if not submitted:
        _check_java()
        _check_master(options.master)
    with tempfile.TemporaryDirectory(prefix="mqdiag-spark-") as folder, _quiet_gateway():
        log = Path(options.spark_log or f"{folder}/spark.log")
        with _streams_to(log) if not submitted else contextlib.nullcontext():
            try:
                conf = _conf(options, Path(folder), submitted)
                if SparkContext._gateway is None and not submitted:
                    # In a session of its own: the signals of a shell or scheduler to a process group are for this
                    # process alone, which ends the JVM, or has it finish.
                    of_own = launch_gateway(conf, {"start_new_session": True})  # type: ignore[no-untyped-call]
                    SparkContext._ensure_initialized(gateway=of_own)
                context = SparkContext.getOrCreate(conf)
            except Exception as error:
                raise MqdiagError(say("Spark does not start: {why}", why=_why(error, log))) from error
        if submitted:
            context.setLogLevel("ERROR")
        # As the gateway does; see there.
        context._accumulatorServer.handle_error = lambda *given: None  # type: ignore[method-assign]
        try:
            yield context
        except MqdiagError:
            raise
        except Exception as error:
            if _has_ended(context):
                why = _why_ended(error)
                line = say("Spark ended: {why}; what is done is kept, and the next run goes on there", why=why)
                raise SparkEndedError(line) from error
            if not isinstance(error, Py4JError):
                raise
            # Its text must be read while the JVM is there.
            raise MqdiagError(
                say("Spark gave up: {spark_cause}; run the same again to go on", spark_cause=spark_cause(error))
            ) from error
        finally:
            with contextlib.suppress(Exception):
                context.cancelAllJobs()
            # Of a JVM that is gone the first call ends there, and the second one leaves the context for good: else the
            # next run would get it again.
            for _ in range(2):
                with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
                    context.stop()
            _end_gateway(submitted)


@contextmanager
def _quiet_gateway() -> Iterator[None]:
    """Drop the tracebacks of calls that were interrupted, or whose JVM is gone: that is told in a line."""

    def is_of_others(record: logging.LogRecord) -> bool:
        return record.module not in GATEWAY_MODULES

    logger = logging.getLogger()  # of `logging.exception`, which Py4J uses
    logger.addFilter(is_of_others)
    try:
        yield
    finally:
        logger.removeFilter(is_of_others)


def _has_ended(context: SparkContext) -> bool:
    """Whether Spark is no more, though this process has not stopped it."""
    try:
        return bool(context._jsc.sc().isStopped())
    except Exception:
        return True


def _why_ended(error: Exception) -> Text | str:
    process = getattr(SparkContext._gateway, "proc", None)
    if process is not None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = process.wait(HOOKS_S)
            # A JVM that runs its hooks ends with 128 and the signal.
            with contextlib.suppress(ValueError):
                name = signal.Signals(-code if code < 0 else code - 128).name
                return say("its JVM was ended by {signal}", signal=name)
    return spark_cause(error) if isinstance(error, Py4JJavaError) else say("its JVM is gone")


def cores_of_executor(context: SparkContext) -> int:
    """How many tasks an executor has at a time; where executors differ, their mean."""
    spark = context._jsc.sc()
    processes = int(spark.getExecutorMemoryStatus().size())  # the driver is one of them
    # Not the default parallelism: users set it for shuffles.
    tasks = int(spark.maxNumConcurrentTasks(spark.resourceProfileManager().defaultResourceProfile()))
    return max(1, tasks // max(1, processes - 1))


def lost_executors(context: SparkContext) -> int:
    """How many executors have ended, less those that the driver ended because it did not need them."""
    every = context._jsc.sc().statusStore().executorList(False)
    ended = [one for place in range(every.size()) if not (one := every.apply(place)).isActive()]
    return sum(NOT_NEEDED not in str(one.removeReason()) for one in ended)


def _conf(options: FleetOptions, folder: Path, submitted: bool) -> SparkConf:
    conf = SparkConf().setAppName("mqdiag fleet")
    master = options.master or (None if submitted else "local[*]")
    if master is not None:
        conf.setMaster(master)
    settings = dict(DEFAULTS)
    if not submitted:
        log4j = folder / "log4j2.properties"
        log4j.write_text(_LOG4J.format(level="info" if options.spark_log else "error"))
        given = options.conf.get("spark.driver.extraJavaOptions", "")
        java = (f"-Dlog4j2.configurationFile={log4j}", QUICK_JVM, given)
        settings["spark.driver.extraJavaOptions"] = " ".join(filter(None, java))
        # PySpark reads the variable, not the setting, unless spark-submit has started it.
        os.environ["PYSPARK_PYTHON"] = options.conf.get(
            "spark.pyspark.python", os.environ.get("PYSPARK_PYTHON", sys.executable)
        )
    if _is_local(master):
        settings |= LOCAL_DEFAULTS
    settings |= {key: value for key, value in options.conf.items() if key != "spark.driver.extraJavaOptions"}
    return conf.setAll(list(settings.items()))


def _is_local(master: str | None) -> bool:
    return master is not None and master.startswith("local")


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    if home and not os.access(f"{home}/bin/java", os.X_OK):
        raise UsageError(say("JAVA_HOME={home}: no program bin/java is there", home=home))
    if not home and shutil.which("java") is None:
        raise UsageError(
            say(
                "Spark needs Java 17 or newer, and there is none (Debian: apt-get install"
                " openjdk-17-jre-headless; elsewhere set JAVA_HOME)"
            )
        )


def _refuse_connect(master: str | None) -> None:
    """A Spark Connect server takes no Python that runs on executors as this does: tasks with processes of their own."""
    remote = os.environ.get("SPARK_REMOTE")
    if remote is None and not (master or "").startswith("sc://"):
        return
    raise UsageError(
        say(
            "{master}: mqdiag fleet does not run through Spark Connect; name the cluster itself, such as"
            " --master spark://host:7077, or use spark-submit{unset}",
            master=remote or master,
            unset=say(", without SPARK_REMOTE") if remote is not None else NOTHING,
        )
    )


def _check_master(master: str | None) -> None:
    """Spark tries a standalone master for a minute and then tells a stack trace."""
    named = (master or "").partition("://")
    if named[0] != "spark":
        return
    reasons = []
    for place in named[2].split(","):
        host, _, port = place.rpartition(":")
        try:
            with socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWER_S):
                return
        except (OSError, ValueError) as error:
            reasons.append(first_line(error))
    raise MqdiagError(
        say(
            "Spark does not start: no master answers at {master}: {reasons}",
            master=master,
            reasons=tuple(reasons),
        )
    )


@contextmanager
def _streams_to(log: Path) -> Iterator[None]:
    """Point the streams at the log while the JVM is started, which keeps them."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        target = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise UsageError(say("--spark-log {log}: {reason}", log=str(log), reason=error.strerror)) from error
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    saved = {number: os.dup(number) for number in (1, 2)}
    try:
        for number in saved:
            os.dup2(target, number)
        yield
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        for number, copy in saved.items():
            os.dup2(copy, number)
            os.close(copy)
        os.close(target)


def spark_cause(error: BaseException) -> str:
    """The line of a Spark error that names what happened; the rest is stack traces of two languages."""
    try:
        lines = [line.strip() for line in str(error).splitlines() if line.strip() and not FRAME.match(line)]
    except Exception:
        lines = []
    told = [line for line in lines if re.match(r"(\w+\.)*\w*(Error|Exception|Failure)\b.*: ", line)]
    # Of a task that did not come to Python, Spark names what happened behind the executor.
    told = told or re.findall(r" \(TID \d+\) \(\S+ executor \w+\): (.+)", "\n".join(lines))
    told = told or [line.removeprefix(": ") for line in lines if line.startswith(": ")]
    return (told or lines or [type(error).__name__])[-1][:300]


FRAME = re.compile(r"\s+at [\w.$/<>]+\(|\s+\.\.\. \d+ more")
"""a line of a stack trace of Java"""
CAUSES = (
    r"^Caused by: (.+)",
    r"^: (.+)",
    r'^Exception in thread "main" (.+)',
    r"^(.*rror:.+)",
    r"^(.* ERROR .+)",
)
"""how Java, Py4J and the log of Spark tell why a start failed; the first form that is there tells most"""


def start_cause(error: str, log: str) -> str:
    """The line that names why Spark did not start; without one the first line of the error.

    Args:
        error: message of the exception.
        log: what the JVM wrote.
    """
    told = f"{error}\n{log}"
    found = next((match for form in CAUSES if (match := re.search(form, told, re.MULTILINE))), None)
    return (found[1] if found else error.strip().partition("\n")[0])[:300]


def _why(error: Exception, log: Path) -> str:
    try:
        text = log.read_text(errors="replace")
    except OSError:
        text = ""
    return start_cause(str(error) or type(error).__name__, text)


def _end_gateway(submitted: bool) -> None:
    """End the JVM too: it would live as long as this Python process, and tests start many."""
    gateway = SparkContext._gateway
    if submitted or gateway is None:
        return
    process = getattr(gateway, "proc", None)
    with contextlib.suppress(Exception):
        gateway.shutdown()
    SparkContext._gateway = None
    SparkContext._jvm = None
    if process is not None:
        with contextlib.suppress(Exception):
            process.stdin.close()
        try:
            process.wait(20)
        except Exception:
            process.kill()
            process.wait()
